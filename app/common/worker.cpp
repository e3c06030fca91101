#include "app/common/worker.h"

#include "app/common/conformance_job.h"
#include "app/common/model_options.h"
#include "core/measure/kernel_job.h"
#include "passes/pipeline.h"

#include <memory>

namespace loopglass::app {

measure::Program own_worker() { return {"/proc/self/exe", {worker_switch}}; }

Result<std::filesystem::path> own_program() {
  std::error_code error;
  std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return own;
  return fail(Code::SystemRefused,
              "this program cannot tell where it lies, as it does not see itself in /proc: " +
                  error.message(),
              "/proc/self/exe", "mount /proc (mount -t proc proc /proc)");
}

measure::Jobs worker_jobs() {
  const auto kernels =
      std::make_shared<measure::KernelJob>(passes::loop_passes(), session_options().object_cache);
  return {{std::string(measure::kernel_job_name),
           [kernels](const measure::Frame& request) { return (*kernels)(request); }},
          {std::string(compiled_case_job), run_conformance_case},
          {std::string(interpreted_case_job), run_conformance_case}};
}

}  // namespace loopglass::app

#include "app/common/worker.h"

#include "app/common/conformance_job.h"
#include "app/common/model_options.h"
#include "core/measure/kernel_job.h"
#include "core/measure/network_job.h"
#include "passes/pipeline.h"

#include <unistd.h>
#include <csignal>

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
  const auto run_case = [](const measure::Frame& request, const auto&) {
    return run_conformance_case(request);
  };
  const auto kernels =
      std::make_shared<measure::KernelJob>(passes::loop_passes(), session_options().object_cache);
  return {{std::string(measure::kernel_job_name),
           [kernels](const measure::Frame& request, const auto&) { return (*kernels)(request); }},
          {std::string(measure::networks_job_name), measure::run_networks},
          {std::string(compiled_case_job), run_case},
          {std::string(interpreted_case_job), run_case}};
}

Result<Exit> be_worker() {
  if (::isatty(STDIN_FILENO) != 0 || ::isatty(STDOUT_FILENO) != 0)
    return fail(Code::UsageInvalid, "a worker speaks with programs, not with a terminal");
  // Ctrl+C is for whoever started it, who may want the answer that is on its way.
  std::signal(SIGINT, SIG_IGN);
  return static_cast<Exit>(measure::serve_standard_streams(worker_jobs()));
}

}  // namespace loopglass::app

#include "core/support/fault.h"

#include "core/support/machine_memory.h"

#include <fmt/format.h>
#include <exception>
#include <new>
#include <system_error>

namespace loopglass {

namespace {

std::string hint_for(const std::error_code& error) {
  if (error == std::errc::resource_unavailable_try_again)
    return "a limit on processes and threads (ulimit -u), or on memory (ulimit -v), is reached";
  if (error == std::errc::too_many_files_open)
    return "a limit on open files (ulimit -n) is reached";
  return {};
}

}  // namespace

Diagnostic diagnose_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Code::OutOfMemory,
            fmt::format("there is not enough memory: {}", to_string(machine_memory())),
            {},
            "give the inputs smaller shapes (--shape)"};
  } catch (const std::system_error& refusal) {
    return {Code::SystemRefused,
            fmt::format("the system refused: {}", refusal.what()),
            {},
            hint_for(refusal.code())};
  } catch (const std::exception& defect) {
    return {Code::InternalDefect,
            defect.what(),
            {},
            "this is a defect in Loopglass, not in your model"};
  }
}

}  // namespace loopglass

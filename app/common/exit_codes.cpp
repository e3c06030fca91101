#include "app/common/exit_codes.h"

#include "app/common/print_json.h"
#include "app/common/standard_streams.h"

namespace loopglass::app {

namespace {

Exit exit_of(Code code) {
  switch (code) {
    case Code::UsageInvalid:
    case Code::GraphEntityUnknown:
    case Code::PassUnknown:
    case Code::StrategyUnknown:
    case Code::SampleUnknown:
    case Code::ExportFormUnknown: return Exit::Usage;
    case Code::InternalDefect: return Exit::Defect;
    default: return Exit::Refused;
  }
}

}  // namespace

Exit refused(const Diagnostic& diagnostic, bool as_json) {
  tell(diagnostic);
  const Exit exit = exit_of(diagnostic.code);
  if (as_json) print_error_json(diagnostic, static_cast<int>(exit));
  return exit;
}

}  // namespace loopglass::app

#include "app/common/exit_codes.h"

#include "app/common/standard_streams.h"

namespace loopglass::app {

Exit refused(const Diagnostic& diagnostic) {
  tell(diagnostic);
  switch (diagnostic.code) {
    case Code::UsageInvalid:
    case Code::PassUnknown:
    case Code::StrategyUnknown:
    case Code::SampleUnknown:
    case Code::ExportFormUnknown: return Exit::Usage;
    case Code::InternalDefect: return Exit::Defect;
    default: return Exit::Refused;
  }
}

}  // namespace loopglass::app

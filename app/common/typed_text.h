// Text in the grammars of filters, edits and calls that was typed as an argument. What does not
// parse there is the command line's fault, where in a file it is the file's.
#pragma once

#include "core/support/result.h"

namespace loopglass::app {

// UsageInvalid instead of TextMalformed, and of ScheduleHandleUnknown: a name that there is not.
inline Diagnostic typed(Diagnostic problem) {
  if (problem.code == Code::TextMalformed || problem.code == Code::ScheduleHandleUnknown)
    problem.code = Code::UsageInvalid;
  return problem;
}
template <class T>
Result<T> typed(Result<T> parsed) {
  if (!parsed) parsed.error() = typed(std::move(parsed.error()));
  return parsed;
}

}  // namespace loopglass::app

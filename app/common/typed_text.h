// Text in the grammars of filters, edits and calls that was typed as an argument. What does not
// parse there is the command line's fault, where in a file it is the file's.
#pragma once

#include "core/support/result.h"

namespace loopglass::app {

// UsageInvalid instead of TextMalformed.
template <class T>
Result<T> typed(Result<T> parsed) {
  if (!parsed && parsed.error().code == Code::TextMalformed)
    parsed.error().code = Code::UsageInvalid;
  return parsed;
}

}  // namespace loopglass::app

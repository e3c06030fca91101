// What an exception means to a person, on either face. Code throws where no Result can reach:
// defects of our own (check.h), and what the standard library has no other word for: no memory, and
// what the system refuses, a thread for instance.
#pragma once

#include "core/support/diagnostic.h"

namespace loopglass {

// InternalDefect, OutOfMemory or SystemRefused. To be called where an exception has been caught.
Diagnostic diagnose_current_exception();

}  // namespace loopglass

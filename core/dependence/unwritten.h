// Elements that are read, or handed out, and that nothing wrote before: by array dataflow, which
// asks of each read for the stores that may come before it (P. Feautrier, Dataflow Analysis of
// Array and Scalar References, 1991), in Presburger arithmetic.
#pragma once

#include "core/loop/accesses.h"
#include "core/loop/source_lines.h"

#include <span>

namespace loopglass::schedule {

// No element of an allocation or output is read before it was written, and of the outputs every
// element is. FuncInvalid with the element, and the iteration that reads it. What is not understood
// (a store under a condition on what is loaded, say), takes too long, or is of a nest that is
// time_only (annotations.h), is let pass. `accesses`: all of the nest's, in program order.
Result<void> check_written(const loop::Func& func, std::span<const loop::Access> accesses,
                           const loop::SourceLines& lines);

}  // namespace loopglass::schedule

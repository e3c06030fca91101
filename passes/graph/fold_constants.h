// Evaluates operators all of whose inputs are constants, by the reference interpreter.
//
//   y = Add(const [1, 2], const [3, 4])    =>    const y = [4, 6]
//
// After shape materialisation, which makes many inputs constant. Results or computations too large
// to be worth it are left alone, with a remark.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fold_constants(const graph::Graph& graph, pass::Report& report);
pass::Words fold_constants_words();

}  // namespace loopglass::passes

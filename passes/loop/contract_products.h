// Lets a product of floating-point numbers round together with the sum that takes it.
//
//   func f(...) { Y[i] = X[i] * W[i] + Z[i] }  =>  @contract func f(...) { ... }
//
// One instruction then does both, in half the time, and its result differs from the loop nest's by
// one rounding that it leaves out. It is allowed for the whole kernel: which product meets which
// sum is known only once loads and stores have become registers. Without this pass machine code
// rounds after each operation, as the interpreters do.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> contract_products(const loop::Func& func, pass::Report& report);
pass::Words contract_products_words();

}  // namespace loopglass::passes

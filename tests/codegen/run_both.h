// Runs a lowered loop nest in the interpreter and, settled, as machine code and expects the same
// results.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/loop/func.h"

#include <gtest/gtest.h>

#include <map>

namespace loopglass {

// Parses, and fails the test on a diagnostic.
loop::Func parse_func(std::string_view text);

// As code generation takes it: what the loop passes do at last about kinds of loops and places of
// buffers, the rest left as it is written.
loop::Func settled(const loop::Func& func);

// Both of the settled Func.
std::shared_ptr<const codegen::CompiledKernel> compile_func(const loop::Func& func);
std::shared_ptr<const codegen::KernelListings> list_func(const loop::Func& func,
                                                         const codegen::ListingLimits& limits = {});

struct Arguments {
  std::vector<Tensor> tensors;  // one per parameter
  std::map<std::string, std::int64_t> symbols;
};
// Random inputs; outputs filled with a pattern, so that a store left out shows.
Arguments random_arguments(const loop::Func& func,
                           const std::map<std::string, std::int64_t>& symbols = {});

// Runs a kernel on copies of the arguments and returns them; parallel loops go over two threads or,
// with `threads` 1, over none.
std::vector<Tensor> run_kernel(const codegen::CompiledKernel& kernel, const loop::Func& func,
                               const Arguments& arguments, int threads = 1);
std::vector<Tensor> run_interpreter(const loop::Func& func, const Arguments& arguments);

// Absolute and relative tolerance of floating-point results; 0: bit for bit but for NaN and the
// sign of zero.
void expect_same(const loop::Func& func, const Arguments& arguments, double tolerance = 0);
void expect_same(std::string_view text, double tolerance = 0,
                 const std::map<std::string, std::int64_t>& symbols = {});

}  // namespace loopglass

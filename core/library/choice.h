// Which kernels of a network a library computes, and why: those that it computes sooner, by a
// comparison of each, or those that somebody names.
#pragma once

#include "core/library/comparison.h"

namespace loopglass::library {

// What became of one kernel with a convolution or a product.
struct Choice {
  fusion::GroupId group;
  bool is_taken = false;                      // by the library
  std::optional<Comparison> comparison = {};  // with what moving tensors takes
  std::optional<Diagnostic> refusal = {};     // why the library does not compute it
};

struct ChoiceOptions {
  ComparisonOptions comparison = {};
  // The library computes these, slower or not; empty: what it computes sooner, as far as the
  // comparison can tell (the whole of the ratio's interval).
  std::vector<fusion::GroupId> wanted = {};
  Progress progress = {};
};

struct Chosen {
  runtime::CompiledNetwork network;  // as given, but for kernels that are the library's now
  std::vector<Choice> choices;       // of the kernels that were asked about, in their order
};

// LibraryRefused where a kernel that is wanted cannot be the library's or its result is another;
// Cancelled. On as many threads as `pool` has, which the library was told of.
Result<Chosen> choose(const runtime::CompiledNetwork& network,
                      const placement::Placement& placement, const fusion::Plan& plan,
                      Library& library, runtime::ThreadPool& pool, const ChoiceOptions& options);

}  // namespace loopglass::library

#include "core/library/choice.h"

#include "core/library/library_kernel.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::library {

namespace {

// The kernel as the library computes it, and beside the generated code.
struct Considered {
  Comparison comparison;
  runtime::KernelInstance kernel;
};

Result<Considered> consider(const Subject& subject, const fusion::Group& group, Library& library,
                            runtime::ThreadPool& pool, ComparisonOptions options) {
  if (!subject.kernel.code)
    return fail(Code::LibraryRefused, "the kernel needs no code", subject.kernel.name);
  const KernelPart part = TRY(part_of(subject.graph, group));
  TRY_VOID(check_whole(subject, part, library));
  options.with_moves = true;
  Considered considered;
  considered.comparison = TRY(compare(subject, part, library, pool, options));
  if (!considered.comparison.agrees())
    return fail(Code::LibraryRefused,
                fmt::format("its result differs from {}'s by {:.3g}, and {:.3g} is what rounding "
                            "explains",
                            library.name(), considered.comparison.difference,
                            considered.comparison.tolerance),
                subject.kernel.name);
  considered.kernel = TRY(by_library(subject, part, library, considered.comparison.best));
  return considered;
}

}  // namespace

Result<Chosen> choose(const runtime::CompiledNetwork& network,
                      const placement::Placement& placement, const fusion::Plan& plan,
                      Library& library, runtime::ThreadPool& pool, const ChoiceOptions& options) {
  Chosen chosen{network, {}};
  const auto is_wanted = [&](fusion::GroupId group) {
    return std::ranges::count(options.wanted, group) > 0;
  };
  for (std::size_t k = 0; k < network.kernels.size(); ++k) {
    const runtime::KernelInstance& kernel = network.kernels[k];
    const fusion::Group& group = plan.group(kernel.group);
    if (options.wanted.empty() ? !has_anchor(*network.graph, group) : !is_wanted(kernel.group))
      continue;
    if (options.progress)
      options.progress(fmt::format("{} beside {}", kernel.name, library.name()),
                       static_cast<double>(k) / static_cast<double>(network.kernels.size()));
    Choice choice{kernel.group};
    auto considered =
        consider({*network.graph, kernel, placement}, group, library, pool, options.comparison);
    if (considered) {
      choice.is_taken = is_wanted(kernel.group) || considered->comparison.ratio.low > 1;
      if (choice.is_taken) chosen.network.kernels[k] = std::move(considered->kernel);
      choice.comparison = std::move(considered->comparison);
    } else if (considered.error().code == Code::LibraryRefused && !is_wanted(kernel.group)) {
      choice.refusal = std::move(considered).error();
    } else {
      return std::unexpected(std::move(considered).error());
    }
    chosen.choices.push_back(std::move(choice));
  }
  return chosen;
}

}  // namespace loopglass::library

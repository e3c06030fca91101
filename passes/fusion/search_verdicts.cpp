#include "passes/fusion/search_verdicts.h"

#include "core/fusion/estimate_words.h"
#include "passes/fusion/search_steps.h"

#include <fmt/format.h>

namespace loopglass::passes {

using fusion::Reason;
using fusion::Refusal;

Refusal SearchVerdicts::why_not(const fusion::Edge& edge) {
  const std::size_t producer = graph_.position(edge.producer);
  const std::size_t consumer = graph_.position(edge.consumer);
  if (auto refusal = costs_.refuse(producer, consumer)) return *std::move(refusal);
  const std::string pair =
      fmt::format("{} and {}", graph_.node(edge.producer).name, graph_.node(edge.consumer).name);
  const auto change = costs_.joined(producer, consumer);
  if (!change)
    return {Reason::WouldCycle,
            fmt::format("acyclic(partition with {} fused) = no, must be yes", pair),
            fmt::format("Whatever kernel holds {}: with the others as they are, kernels would "
                        "wait for one another in a circle.",
                        pair),
            {}};
  const double fused = change->after, apart = change->before;
  const std::string kernel = names_of(graph_, change->kernel);
  const fusion::EstimateWords words(model_, apart);
  const auto [time_fused, time_apart] = words.both(fused, apart);
  const std::vector<std::pair<std::string, double>> numbers{{"microseconds fused", fused},
                                                            {"microseconds apart", apart}};
  if (fused < apart * (1 - 1e-9))
    return {Reason::OutsideBeam,
            fmt::format("cost(fused) = {} < {} = cost(chosen), but not followed", time_fused,
                        time_apart),
            fmt::format("With {} in one kernel ({}) it would be {} less. The search "
                        "followed what looked more promising, and did not come by that plan.",
                        pair, kernel, words(apart - fused)),
            numbers};
  if (change->whole_refused && change->whole < apart * (1 - 1e-9)) {
    // A limit forbids what would be cheaper; what it allows is not.
    Refusal refusal = *change->whole_refused;
    refusal.sentence = fmt::format(
        "As one kernel, {} and what shares their kernels would take {} less, but "
        "may not be one: {} Of the kernels of both that are allowed none is cheaper.",
        pair, words(apart - change->whole), refusal.sentence);
    refusal.numbers.insert(refusal.numbers.end(), numbers.begin(), numbers.end());
    return refusal;
  }
  const auto in_kernel = [&](std::size_t node) {
    return fmt::format("{} in the kernel of {}", graph_.nodes()[node]->name,
                       names_of(graph_, costs_.kernel_of(node)));
  };
  return {
      Reason::NotWorthIt,
      fmt::format("cost(fused) = {}, must be < {} = cost(chosen)", time_fused, time_apart),
      fmt::format("{} may share a kernel; the cheapest that was found is that of {}. But then "
                  "the kernels around take {}, {} with {} and {}.",
                  pair, kernel, time_fused,
                  fused <= apart * (1 + 1e-9) ? "and no more" : fmt::format("and {}", time_apart),
                  in_kernel(producer), in_kernel(consumer)),
      numbers};
}

Refusal SearchVerdicts::why(const fusion::Edge& edge) const {
  const std::size_t producer = graph_.position(edge.producer);
  const std::size_t consumer = graph_.position(edge.consumer);
  const EdgeCosts::Change change = costs_.parted(producer, consumer);
  const double fused = change.before, apart = change.after;
  const auto [time_fused, time_apart] = fusion::EstimateWords(model_, apart).both(fused, apart);
  std::string sentence = fmt::format(
      "Estimated {} in one kernel ({}), {} cut between {} and {}{}.", time_fused,
      names_of(graph_, costs_.kernel_of(producer)), time_apart, graph_.node(edge.producer).name,
      graph_.node(edge.consumer).name,
      fused <= apart * (1 + 1e-9) ? "" : "; but the search followed what looked more promising");
  if (units_.unit_of[producer] == units_.unit_of[consumer])
    sentence += " The two were one unit from the beginning.";
  return {Reason::Fused,
          fmt::format("cost(fused) = {}, must be <= {} = cost(apart)", time_fused, time_apart),
          std::move(sentence),
          {{"microseconds fused", fused}, {"microseconds apart", apart}}};
}

}  // namespace loopglass::passes

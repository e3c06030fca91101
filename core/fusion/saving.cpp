#include "core/fusion/saving.h"

#include "core/fusion/traffic.h"
#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

namespace loopglass::fusion {

Saving saving(const BlockRules& rules, const std::vector<Nodes>& before,
              const std::vector<Nodes>& after) {
  Traffic first, second;
  for (const Nodes& nodes : before) first += traffic(rules, nodes);
  for (const Nodes& nodes : after) second += traffic(rules, nodes);
  return {first.moved() - second.moved(), std::max<std::int64_t>(second.kept - first.kept, 0)};
}

EdgeSavings::EdgeSavings(const BlockRules& rules, const Plan& plan) : rules_(rules), plan_(plan) {
  for (const Group& group : plan.groups) kernels_.push_back(positions(rules.graph(), group));
}

Saving EdgeSavings::operator()(const Decision& decision) const {
  // No kernel can spare what an operator that is not known reads or gives.
  if (decision.reason == Reason::Opaque) return {};
  const Nodes& first = kernels_[plan_.group_of(decision.producer).value];
  const Nodes& second = kernels_[plan_.group_of(decision.consumer).value];
  if (!decision.fused) {
    Nodes both;
    std::merge(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
    return saving(rules_, {first, second}, {both});
  }
  std::vector<Saving> found;
  for (const auto& pieces : cuts(rules_, first, rules_.graph().position(decision.producer),
                                 rules_.graph().position(decision.consumer)))
    found.push_back(saving(rules_, pieces, {first}));
  return *std::ranges::min_element(found, {}, &Saving::bytes);
}

std::string sentence(const Saving& saving, bool fused) {
  std::string text = "In one kernel ";
  if (saving.bytes == 0)
    text += fmt::format("as much {} written and read as in two", fused ? "is" : "would be");
  else
    text += fmt::format("{} {} {} written and read", readable_bytes(std::abs(saving.bytes)),
                        saving.bytes > 0 ? "less" : "more", fused ? "are" : "would be");
  if (saving.workspace_bytes > 0)
    text += fmt::format("; {} only move into its workspace", readable_bytes(saving.workspace_bytes));
  return text + ".";
}

}  // namespace loopglass::fusion

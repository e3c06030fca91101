#include "core/fusion/saving.h"

#include "core/support/counted.h"
#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstdlib>

namespace loopglass::fusion {

namespace {

Traffic traffic_of(const BlockRules& rules, const std::vector<Nodes>& kernels) {
  Traffic all;
  for (const Nodes& nodes : kernels) all += traffic(rules, nodes);
  return all;
}

}  // namespace

Saving saving(const EdgeTraffic& edge) {
  const auto& [apart, together] = edge;
  return {apart.moved() - together.moved(), std::max<std::int64_t>(together.kept - apart.kept, 0)};
}

Saving saving(const BlockRules& rules, const std::vector<Nodes>& before,
              const std::vector<Nodes>& after) {
  return saving({traffic_of(rules, before), traffic_of(rules, after)});
}

Saving plan_saving(const BlockRules& rules, const Plan& plan) {
  std::vector<Nodes> alone, together;
  for (std::size_t node = 0; node < rules.graph().nodes().size(); ++node) alone.push_back({node});
  for (const Group& group : plan.groups) together.push_back(positions(rules.graph(), group));
  return saving(rules, alone, together);
}

std::int64_t never_written(const BlockRules& rules, const std::vector<Nodes>& kernels) {
  std::int64_t bytes = 0;
  for (const Nodes& nodes : kernels) {
    for (const std::size_t node : nodes) bytes += traffic(rules, std::array{node}).written;
    const Traffic together = traffic(rules, nodes);
    bytes -= together.written + together.kept;
  }
  return bytes;
}

EdgeSavings::EdgeSavings(const BlockRules& rules, const Plan& plan) : rules_(rules), plan_(plan) {
  for (const Group& group : plan.groups) kernels_.push_back(positions(rules.graph(), group));
}

Saving EdgeSavings::operator()(const Decision& decision) const {
  const auto found = traffic(decision);
  return found ? saving(*found) : Saving{};
}

std::optional<EdgeTraffic> EdgeSavings::traffic(const Decision& decision) const {
  if (decision.reason == Reason::Opaque) return std::nullopt;
  const Nodes& first = kernels_[plan_.group_of(decision.producer).value];
  const Nodes& second = kernels_[plan_.group_of(decision.consumer).value];
  if (!decision.fused)
    return EdgeTraffic{traffic_of(rules_, {first, second}),
                       traffic_of(rules_, {united(first, second)})};
  const Traffic together = fusion::traffic(rules_, first);
  std::vector<EdgeTraffic> found;
  for (const auto& pieces : cuts(rules_, first, rules_.graph().position(decision.producer),
                                 rules_.graph().position(decision.consumer)))
    found.push_back({traffic_of(rules_, pieces), together});
  return *std::ranges::min_element(found, {},
                                   [](const EdgeTraffic& each) { return saving(each).bytes; });
}

std::string sum_words(std::size_t fused, std::int64_t together, std::int64_t edges) {
  if (fused == 0) return "no edge is fused, and nothing is saved";
  std::string text =
      fmt::format("{} save{} {} of memory traffic a run", counted(fused, "fused edge"),
                  fused == 1 ? "s" : "", readable_bytes(together));
  if (fused > 1) text += " together";
  if (edges != together)
    text += fmt::format(
        "; each for itself, as if it alone were cut, they come to {}: {}", readable_bytes(edges),
        edges > together ? "what several of them share counts with each there, and "
                           "once in the sum"
                         : "what is spared only once several of them are cut counts "
                           "with none there");
  return text;
}

std::string sentence(const Saving& saving, bool fused) {
  std::string text = "In one kernel ";
  if (saving.bytes == 0)
    text += fmt::format("as much {} written and read as in two", fused ? "is" : "would be");
  else
    text += fmt::format("{} {} {} written and read", readable_bytes(std::abs(saving.bytes)),
                        saving.bytes > 0 ? "less" : "more", fused ? "are" : "would be");
  if (saving.workspace_bytes > 0)
    text +=
        fmt::format("; {} only move into its workspace", readable_bytes(saving.workspace_bytes));
  return text + ".";
}

}  // namespace loopglass::fusion

#include "core/fusion/partition_builder.h"

#include "core/support/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace loopglass::fusion {

PartitionBuilder::PartitionBuilder(const BlockRules& rules)
    : rules_(rules), block_(rules.graph().nodes().size()), members_(block_.size()), lowest_(block_.size()) {
  std::iota(block_.begin(), block_.end(), 0);
  lowest_ = block_;
  for (std::size_t node = 0; node < block_.size(); ++node) members_[node] = {node};
}

PartitionBuilder::PartitionBuilder(const BlockRules& rules, const std::vector<std::size_t>& blocks) : PartitionBuilder(rules) {
  std::map<std::size_t, std::size_t> first;  // node of each number
  for (std::size_t node = 0; node < blocks.size(); ++node) {
    const auto [known, fresh] = first.emplace(blocks[node], node);
    if (!fresh) merge(known->second, node);
  }
}

std::vector<std::size_t> PartitionBuilder::joined(std::size_t a, std::size_t b) const {
  std::vector<std::size_t> both;
  std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(), std::back_inserter(both));
  return both;
}

std::vector<std::size_t> PartitionBuilder::neighbours(std::size_t block, bool forward) const {
  std::vector<std::size_t> found;
  for (const std::size_t node : members_[block])
    for (const std::size_t other : forward ? rules_.successors(node) : rules_.predecessors(node))
      if (block_[other] != block) found.push_back(other);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::size_t> PartitionBuilder::successors(std::size_t block) const { return neighbours(block, true); }
std::vector<std::size_t> PartitionBuilder::predecessors(std::size_t block) const { return neighbours(block, false); }

std::optional<std::size_t> PartitionBuilder::detour(std::size_t from, std::size_t to) const {
  std::vector<bool> seen(members_.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // block, the first one on the way to it
  for (const std::size_t node : successors(from))
    if (const std::size_t block = block_[node]; block != to && !seen[block]) {
      seen[block] = true;
      stack.push_back({block, block});
    }
  // A way back to `to` leads over a block that begins before the last node of it.
  const std::size_t last = members_[to].back();
  while (!stack.empty()) {
    const auto [block, first] = stack.back();
    stack.pop_back();
    if (earliest_after(members_[block].front()) > last) continue;
    for (const std::size_t node : successors(block)) {
      const std::size_t next = block_[node];
      if (next == to) return first;
      if (!seen[next]) {
        seen[next] = true;
        stack.push_back({next, first});
      }
    }
  }
  return std::nullopt;
}

std::size_t PartitionBuilder::earliest_after(std::size_t node) const {
  while (lowest_[node] < node) node = lowest_[node];
  return node;
}

std::optional<Refusal> PartitionBuilder::refuse(std::size_t a, std::size_t b) const {
  CHECK(a != b, "a block is one already");
  if (auto refusal = rules_.refuse(joined(a, b))) return refusal;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
    if (const auto between = detour(from, to)) {
      const auto& nodes = rules_.graph().nodes();
      return Refusal{Reason::WouldCycle, fmt::format("acyclic(partition) through {}", nodes[members_[*between].front()]->name),
                     fmt::format("The kernel of {} would wait for that of {}, and that one for it.",
                                 nodes[members_[to].front()]->name, nodes[members_[*between].front()]->name),
                     {}};
    }
  return std::nullopt;
}

std::size_t PartitionBuilder::merge(std::size_t a, std::size_t b) {
  members_[a] = joined(a, b);
  for (const std::size_t node : members_[b]) block_[node] = a;
  members_[b].clear();
  const std::size_t first = members_[a].front();
  for (std::size_t node = first; node <= members_[a].back(); ++node) lowest_[node] = std::min(lowest_[node], first);
  return a;
}

bool PartitionBuilder::is_forbidden(std::size_t a, std::size_t b, const Constraints& constraints) const {
  return std::any_of(constraints.forbidden.begin(), constraints.forbidden.end(), [&](const Edge& edge) {
    const std::size_t producer = block_[rules_.graph().position(edge.producer)];
    const std::size_t consumer = block_[rules_.graph().position(edge.consumer)];
    return (producer == a && consumer == b) || (producer == b && consumer == a);
  });
}

Result<void> PartitionBuilder::force(const Constraints& constraints) {
  const graph::Graph& graph = rules_.graph();
  for (const auto* edges : {&constraints.forced, &constraints.forbidden})
    for (const Edge& edge : *edges)
      if (graph.find(edge.producer) == nullptr || graph.find(edge.consumer) == nullptr)
        return fail(Code::PlanInvalid, "a constraint names an operator that is not in the graph");
  for (const Edge& edge : constraints.forced) {
    const std::string pair = fmt::format("{} and {}", graph.node(edge.producer).name, graph.node(edge.consumer).name);
    const std::size_t a = block_[graph.position(edge.producer)], b = block_[graph.position(edge.consumer)];
    if (a == b) continue;
    if (is_forbidden(a, b, constraints))
      return fail(Code::PlanInvalid, fmt::format("{} cannot share a kernel: another edge between the two was forbidden", pair));
    // Too large a workspace is a matter of profit, and whoever asks wants to see.
    if (const auto refusal = refuse(a, b); refusal && refusal->reason != Reason::WorkingSet)
      return fail(Code::PlanInvalid, fmt::format("{} cannot share a kernel: {} ({})", pair, refusal->sentence, name(refusal->reason)),
                  refusal->condition);
    merge(a, b);
  }
  return {};
}

}  // namespace loopglass::fusion

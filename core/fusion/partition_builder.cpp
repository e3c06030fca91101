#include "core/fusion/partition_builder.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace loopglass::fusion {

PartitionBuilder::PartitionBuilder(const BlockRules& rules)
    : rules_(rules),
      block_(rules.graph().nodes().size()),
      members_(block_.size()),
      marks_(block_.size(), 0) {
  std::iota(block_.begin(), block_.end(), 0);
  place_ = block_;
  for (std::size_t node = 0; node < block_.size(); ++node) members_[node] = {node};
}

PartitionBuilder::PartitionBuilder(const BlockRules& rules, const std::vector<std::size_t>& blocks)
    : PartitionBuilder(rules) {
  std::unordered_map<std::size_t, std::size_t> first;  // node of each number
  for (std::size_t node = 0; node < blocks.size(); ++node) {
    const auto [known, fresh] = first.emplace(blocks[node], node);
    if (fresh) continue;
    block_[node] = known->second;
    members_[known->second].push_back(node);
    members_[node].clear();
  }
  sort_blocks();
}

// Kahn's algorithm.
void PartitionBuilder::sort_blocks() {
  std::vector<std::size_t> waiting(block_.size(), 0);  // edges into a block
  const auto for_each_edge = [&](std::size_t block, const auto& visit) {
    for (const std::size_t node : members_[block])
      for (const std::size_t reader : rules_.successors(node))
        if (block_[reader] != block) visit(block_[reader]);
  };
  for (std::size_t block = 0; block < block_.size(); ++block)
    for_each_edge(block, [&](std::size_t next) { ++waiting[next]; });
  Blocks ready;
  for (std::size_t block = 0; block < block_.size(); ++block)
    if (waiting[block] == 0) ready.push_back(block);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    place_[ready[i]] = i;
    for_each_edge(ready[i], [&](std::size_t next) {
      if (--waiting[next] == 0) ready.push_back(next);
    });
  }
}

std::vector<std::size_t> PartitionBuilder::joined(std::size_t a, std::size_t b) const {
  std::vector<std::size_t> both;
  std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(),
             std::back_inserter(both));
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

std::vector<std::size_t> PartitionBuilder::successors(std::size_t block) const {
  return neighbours(block, true);
}
std::vector<std::size_t> PartitionBuilder::predecessors(std::size_t block) const {
  return neighbours(block, false);
}

bool PartitionBuilder::mark(std::size_t block) const {
  return std::exchange(marks_[block], searches_) != searches_;
}

std::optional<std::size_t> PartitionBuilder::detour(std::size_t a, std::size_t b) const {
  const auto [from, to] = place_[a] < place_[b] ? std::pair(a, b) : std::pair(b, a);
  ++searches_;
  std::vector<std::pair<std::size_t, std::size_t>> stack{{from, from}};  // and where the way began
  while (!stack.empty()) {
    const auto [block, begin] = stack.back();
    stack.pop_back();
    for (const std::size_t node : members_[block])
      for (const std::size_t reader : rules_.successors(node)) {
        const std::size_t next = block_[reader];
        if (next == to && block != from) return begin;
        if (next == block || place_[next] >= place_[to] || !mark(next)) continue;
        stack.push_back({next, block == from ? next : begin});
      }
  }
  return std::nullopt;
}

PartitionBuilder::Blocks PartitionBuilder::reached(std::size_t from, std::size_t to,
                                                   bool forward) const {
  ++searches_;
  const auto [first, last] = std::minmax(place_[from], place_[to]);
  Blocks found{from};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::size_t node : members_[found[i]])
      for (const std::size_t other :
           forward ? rules_.successors(node) : rules_.predecessors(node)) {
        const std::size_t next = block_[other];
        if (place_[next] > first && place_[next] < last && mark(next)) found.push_back(next);
      }
  found.erase(found.begin());
  return found;
}

bool PartitionBuilder::are_adjacent(std::size_t a, std::size_t b) const {
  const auto [few, many] =
      members_[b].size() <= members_[a].size() ? std::pair(b, a) : std::pair(a, b);
  for (const std::size_t node : members_[few])
    for (const auto* others : {&rules_.predecessors(node), &rules_.successors(node)})
      for (const std::size_t other : *others)
        if (block_[other] == many) return true;
  return false;
}

std::optional<Refusal> PartitionBuilder::refuse(std::size_t a, std::size_t b) const {
  const Blocks both = joined(a, b);
  if (auto refusal = rules_.refuse_contents(both)) return refusal;
  if (auto refusal = rules_.refuse_workspace(both)) return refusal;
  return refuse_order(a, b);
}

std::optional<Refusal> PartitionBuilder::refuse_forced(std::size_t a, std::size_t b) const {
  if (auto refusal = rules_.refuse_contents(joined(a, b))) return refusal;
  return refuse_order(a, b);
}

// Each of the two is connected and convex, and blocks do not wait for one another in a circle: so
// the union is connected where one reads the other, and convex where no way leads over a third
// block.
std::optional<Refusal> PartitionBuilder::refuse_order(std::size_t a, std::size_t b) const {
  CHECK(a != b, "a block is one already");
  if (!are_adjacent(a, b))
    return Refusal{Reason::External,
                   "connected(block) = no, must be yes",
                   "The operators do not feed one another.",
                   {}};
  const auto between = detour(a, b);
  if (!between) return std::nullopt;
  const auto& nodes = rules_.graph().nodes();
  const std::string& last = nodes[members_[place_[a] < place_[b] ? b : a].front()]->name;
  const std::string& third = nodes[members_[*between].front()]->name;
  return Refusal{
      Reason::WouldCycle,
      fmt::format("acyclic(partition) = no (through {}), must be yes", third),
      fmt::format("The kernel of {} would wait for that of {}, and that one for it.", last, third),
      {}};
}

std::size_t PartitionBuilder::merge(std::size_t a, std::size_t b) {
  const auto [first, second] = place_[a] < place_[b] ? std::pair(a, b) : std::pair(b, a);
  // What needs the first of the two goes behind the union, and what the second needs before it;
  // they share the places that all of them had.
  Blocks before = reached(second, first, false), after = reached(first, second, true);
  const auto by_place = [&](std::size_t x, std::size_t y) { return place_[x] < place_[y]; };
  std::sort(before.begin(), before.end(), by_place);
  std::sort(after.begin(), after.end(), by_place);
  Blocks places{place_[a], place_[b]};
  for (const Blocks* blocks : {&before, &after})
    for (const std::size_t block : *blocks) places.push_back(place_[block]);
  std::sort(places.begin(), places.end());
  auto next = places.begin();
  for (const std::size_t block : before) place_[block] = *next++;
  place_[a] = *next++;
  ++next;  // the place of the other
  for (const std::size_t block : after) place_[block] = *next++;

  members_[a] = joined(a, b);
  for (const std::size_t node : members_[b]) block_[node] = a;
  members_[b].clear();
  return a;
}

const Edge* PartitionBuilder::forbidden_between(std::size_t a, std::size_t b,
                                                const Constraints& constraints) const {
  for (const Edge& edge : constraints.forbidden) {
    const std::size_t producer = block_[rules_.graph().position(edge.producer)];
    const std::size_t consumer = block_[rules_.graph().position(edge.consumer)];
    if ((producer == a && consumer == b) || (producer == b && consumer == a)) return &edge;
  }
  return nullptr;
}

namespace {

std::unexpected<Diagnostic> contradicted(const Edge& forced, const Edge& forbidden,
                                         const graph::Graph& graph) {
  const auto text = [&](const Edge& edge) {
    return fmt::format("{}:{}", graph.node(edge.producer).name, graph.node(edge.consumer).name);
  };
  if (forced == forbidden)
    return fail(Code::PlanInvalid, fmt::format("{} is forced and forbidden", text(forced)), {},
                "leave one of the two out");
  return fail(
      Code::PlanInvalid,
      fmt::format("{} cannot share a kernel: that would join {} as well, which was forbidden",
                  text(forced), text(forbidden)),
      {}, "leave one of the two out");
}

}  // namespace

Result<void> PartitionBuilder::force(const Constraints& constraints) {
  const graph::Graph& graph = rules_.graph();
  for (const auto* edges : {&constraints.forced, &constraints.forbidden})
    for (const Edge& edge : *edges)
      if (graph.find(edge.producer) == nullptr || graph.find(edge.consumer) == nullptr)
        return fail(Code::PlanInvalid, "a constraint names an operator that is not in the graph");
  for (const Edge& edge : constraints.forced) {
    const std::string pair =
        fmt::format("{} and {}", graph.node(edge.producer).name, graph.node(edge.consumer).name);
    const std::size_t a = block_[graph.position(edge.producer)],
                      b = block_[graph.position(edge.consumer)];
    if (a == b) continue;
    if (const Edge* forbidden = forbidden_between(a, b, constraints))
      return contradicted(edge, *forbidden, graph);
    if (const auto refusal = refuse_forced(a, b))
      return fail(Code::PlanInvalid,
                  fmt::format("{} cannot share a kernel: {} ({})", pair, refusal->sentence,
                              name(refusal->reason)),
                  refusal->condition);
    merge(a, b);
  }
  return {};
}

}  // namespace loopglass::fusion

#include "passes/fusion/dominator_groups.h"

#include "core/fusion/partition_builder.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

namespace loopglass::passes {

using fusion::PatternKind;
using fusion::Reason;
using fusion::Refusal;

namespace {

constexpr std::size_t none = DominatorGraph::none;

// A group of such a kind has a loop nest that no second one may join. A tuple has no loops at all.
bool is_anchor(PatternKind kind) {
  return kind > PatternKind::Injective && kind != PatternKind::Tuple;
}

// Both ascending.
void append(std::vector<std::size_t>& positions, const std::vector<std::size_t>& more) {
  const auto middle = static_cast<std::ptrdiff_t>(positions.size());
  positions.insert(positions.end(), more.begin(), more.end());
  std::inplace_merge(positions.begin(), positions.begin() + middle, positions.end());
}

}  // namespace

DominatorGroups::DominatorGroups(const DominatorGraph& graph, const fusion::BlockRules& rules,
                                 const fusion::Constraints& constraints)
    : graph_(graph),
      rules_(rules),
      constraints_(constraints),
      parent_(graph.size()),
      anchor_(graph.size(), none),
      members_(graph.size()),
      size_(graph.size(), 1) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (std::size_t vertex = 0; vertex < graph.size(); ++vertex) {
    kind_.push_back(graph.kind(vertex));
    if (is_anchor(kind_.back())) anchor_[vertex] = vertex;
    if (!graph.is_tuple(vertex)) members_[vertex] = {graph.position(vertex)};
  }
}

Result<void> DominatorGroups::force() {
  if (constraints_.empty()) return {};
  TRY_VOID(fusion::PartitionBuilder(rules_).force(constraints_));
  for (const fusion::Edge& edge : constraints_.forced) {
    const std::size_t consumer = rules_.graph().position(edge.consumer);
    const std::size_t into = graph_.vertex_of(consumer);
    if (const std::size_t tuple = graph_.tuple_of(consumer); tuple != none) merge(tuple, into);
    merge(graph_.vertex_of(rules_.graph().position(edge.producer)), into);
  }
  return {};
}

std::size_t DominatorGroups::root(std::size_t vertex) const {
  while (parent_[vertex] != vertex) {
    parent_[vertex] = parent_[parent_[vertex]];
    vertex = parent_[vertex];
  }
  return vertex;
}

std::vector<std::size_t> DominatorGroups::roots_of(const std::vector<std::size_t>& path) const {
  std::vector<std::size_t> roots;
  for (const std::size_t vertex : path) roots.push_back(root(vertex));
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

std::size_t DominatorGroups::size_of(const std::vector<std::size_t>& path) const {
  std::size_t size = 0;
  for (const std::size_t root : roots_of(path)) size += size_[root];
  return size;
}

std::vector<std::size_t> DominatorGroups::positions_of(
    const std::vector<std::size_t>& roots) const {
  std::vector<std::size_t> positions;
  for (const std::size_t root : roots) append(positions, members_[root]);
  return positions;
}

std::optional<Refusal> DominatorGroups::refuse(const std::vector<std::size_t>& path) const {
  const std::vector<std::size_t> roots = roots_of(path);
  const std::vector<std::size_t> positions = positions_of(roots);
  if (auto refusal = refuse_forbidden(positions)) return refusal;
  if (positions.size() < 2) return std::nullopt;  // a tuple and its operator
  if (auto refusal = refuse_anchors(roots)) return refusal;
  // TVM's groups are left through their root alone, which all their members lead to: they hang
  // together, and no way out leads back in. Only a group that was forced can have another way out.
  if (constraints_.forced.empty()) {
    if (auto refusal = rules_.refuse_contents(positions)) return refusal;
    return rules_.refuse_workspace(positions);
  }
  if (auto refusal = rules_.refuse(positions)) return refusal;
  return refuse_cycle(positions);
}

std::optional<Refusal> DominatorGroups::refuse_chain(const std::vector<std::size_t>& path) const {
  const std::vector<std::size_t> positions = positions_of(roots_of(path));
  if (auto refusal = refuse_forbidden(positions)) return refusal;
  if (auto refusal = rules_.refuse(positions)) return refusal;
  return refuse_cycle(positions);
}

std::optional<Refusal> DominatorGroups::refuse_anchors(
    const std::vector<std::size_t>& roots) const {
  std::vector<std::size_t> anchors;
  for (const std::size_t root : roots)
    if (is_anchor(kind_[root])) anchors.push_back(anchor_[root]);
  if (anchors.size() < 2) return std::nullopt;
  return Refusal{Reason::SecondAnchor,
                 fmt::format("groups above Injective = {}, must be <= 1", anchors.size()),
                 fmt::format("{} and {} each need a loop nest of their own.",
                             graph_.name(anchors[0]), graph_.name(anchors[1])),
                 {{"anchors", static_cast<double>(anchors.size())}, {"limit", 1}}};
}

std::optional<Refusal> DominatorGroups::refuse_forbidden(
    const std::vector<std::size_t>& positions) const {
  const graph::Graph& graph = rules_.graph();
  const auto inside = [&](graph::NodeId id) {
    return std::binary_search(positions.begin(), positions.end(), graph.position(id));
  };
  for (const fusion::Edge& edge : constraints_.forbidden) {
    if (!inside(edge.producer) || !inside(edge.consumer)) continue;
    const std::string &producer = graph.node(edge.producer).name,
                      &consumer = graph.node(edge.consumer).name;
    return Refusal{Reason::ForcedApart,
                   fmt::format("forbidden({} -> {}) = yes, must be no", producer, consumer),
                   fmt::format("The kernel would hold {} and {}, which were asked not to be fused.",
                               producer, consumer),
                   {}};
  }
  return std::nullopt;
}

std::optional<Refusal> DominatorGroups::refuse_cycle(
    const std::vector<std::size_t>& positions) const {
  const graph::Graph& graph = rules_.graph();
  const auto inside = [&](std::size_t position) {
    return std::binary_search(positions.begin(), positions.end(), position);
  };
  std::vector<bool> seen(graph.nodes().size());
  std::vector<std::size_t> stack(positions);  // of which the successors are to be looked at
  // All that a kernel computes is there only when all that it reads is. What stands behind the last
  // of the positions leads to none of them.
  const auto enter_group = [&](std::size_t position) {
    for (const std::size_t member : members_[root(graph_.vertex_of(position))]) {
      if (seen[member]) continue;
      seen[member] = true;
      if (member < positions.back()) stack.push_back(member);
    }
  };
  while (!stack.empty()) {
    const std::size_t position = stack.back();
    stack.pop_back();
    const bool was_inside = inside(position);
    for (const std::size_t next : rules_.successors(position)) {
      if (!inside(next)) {
        if (!seen[next]) enter_group(next);
        continue;
      }
      if (was_inside) continue;
      const std::string& between = graph.nodes()[position]->name;
      return Refusal{
          Reason::WouldCycle,
          fmt::format("acyclic(partition) = no (through {}), must be yes", between),
          fmt::format(
              "{} reads what {} computes in another kernel, which in turn waits for this one: "
              "each would wait for the other.",
              graph.nodes()[next]->name, between),
          {}};
    }
  }
  return std::nullopt;
}

void DominatorGroups::merge(const std::vector<std::size_t>& path) {
  for (const std::size_t vertex : path) merge(vertex, path.back());
}

void DominatorGroups::merge(std::size_t from, std::size_t into) {
  from = root(from);
  into = root(into);
  if (from == into) return;
  parent_[from] = into;
  append(members_[into], members_[from]);
  members_[from].clear();
  size_[into] += size_[from];
  // As TVM has it: moving data in front of a group does not change the group's kind.
  if (is_anchor(kind_[from])) {
    kind_[into] = std::max(kind_[into], kind_[from]);
    anchor_[into] = anchor_[from];
  }
}

}  // namespace loopglass::passes

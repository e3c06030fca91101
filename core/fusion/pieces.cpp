#include "core/fusion/pieces.h"

#include "core/fusion/member_set.h"

#include <algorithm>

namespace loopglass::fusion {

Nodes united(const Nodes& a, const Nodes& b) {
  Nodes both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Nodes without(const Nodes& a, const Nodes& b) {
  Nodes rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

Nodes reached_within(const BlockRules& rules, const Nodes& all, const Nodes& begin, bool forward) {
  Nodes found;
  if (all.empty()) return found;
  const MemberSet members(all);
  std::vector<bool> reached(all.size(), false);
  Nodes stack = begin;
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const std::size_t next : forward ? rules.successors(node) : rules.predecessors(node)) {
      if (!members.contains(next) || reached[members.index(next)]) continue;
      reached[members.index(next)] = true;
      stack.push_back(next);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (reached[i]) found.push_back(all[i]);
  return found;
}

std::vector<Nodes> components(const BlockRules& rules, const Nodes& nodes) {
  std::vector<Nodes> found;
  if (nodes.empty()) return found;
  const MemberSet members(nodes);
  std::vector<bool> taken(nodes.size(), false);
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    if (taken[first]) continue;
    taken[first] = true;
    Nodes piece{nodes[first]};
    for (std::size_t i = 0; i < piece.size(); ++i)
      for (const auto* edges : {&rules.successors(piece[i]), &rules.predecessors(piece[i])})
        for (const std::size_t other : *edges)
          if (members.contains(other) && !taken[members.index(other)]) {
            taken[members.index(other)] = true;
            piece.push_back(other);
          }
    std::sort(piece.begin(), piece.end());
    found.push_back(std::move(piece));
  }
  return found;
}

std::vector<std::vector<Nodes>> cuts(const BlockRules& rules, const Nodes& kernel,
                                     std::size_t producer, std::size_t consumer) {
  const Nodes needed = united({producer}, reached_within(rules, kernel, {producer}, false));
  const Nodes needing = united({consumer}, reached_within(rules, kernel, {consumer}, true));
  std::vector<std::vector<Nodes>> found;
  for (const auto& [first, second] :
       {std::pair(needed, without(kernel, needed)), std::pair(without(kernel, needing), needing)}) {
    std::vector<Nodes>& pieces = found.emplace_back(components(rules, first));
    for (Nodes& piece : components(rules, second)) pieces.push_back(std::move(piece));
  }
  return found;
}

Nodes positions(const graph::Graph& graph, const Group& group) {
  Nodes nodes;
  for (const graph::NodeId id : group.nodes) nodes.push_back(graph.position(id));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace loopglass::fusion

#include "passes/fusion/edge_costs.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

namespace loopglass::passes {

using fusion::Reason;
using fusion::Refusal;

namespace {

using Nodes = std::vector<std::size_t>;

bool holds(const Nodes& nodes, std::size_t node) {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

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

}  // namespace

EdgeCosts::EdgeCosts(const fusion::BlockRules& rules, const fusion::CostModel& cost,
                     const fusion::Constraints& constraints, const fusion::Plan& plan)
    : rules_(rules), cost_(cost), constraints_(constraints), kernel_(rules.graph().nodes().size()) {
  for (const fusion::Group& group : plan.groups) {
    Nodes nodes;
    for (const graph::NodeId id : group.nodes) nodes.push_back(rules.graph().position(id));
    std::sort(nodes.begin(), nodes.end());
    for (const std::size_t node : nodes) kernel_[node] = kernels_.size();
    microseconds_.push_back(cost.cost(rules, nodes).total);
    kernels_.push_back(std::move(nodes));
  }
}

// Both, and all that lies between: what every kernel with both of them has to hold.
EdgeCosts::Nodes EdgeCosts::hull(std::size_t producer, std::size_t consumer) const {
  const auto reached = [&](std::size_t from, bool forward) {
    std::set<std::size_t> found{from};
    Nodes stack{from};
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      for (const std::size_t next : forward ? rules_.successors(node) : rules_.predecessors(node))
        if (next >= producer && next <= consumer && found.insert(next).second)
          stack.push_back(next);
    }
    return Nodes(found.begin(), found.end());
  };
  const Nodes after = reached(producer, true), before = reached(consumer, false);
  Nodes both;
  std::set_intersection(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(both));
  return both;
}

std::optional<Refusal> EdgeCosts::refuse(std::size_t producer, std::size_t consumer) const {
  const graph::Graph& graph = rules_.graph();
  const Nodes nodes = hull(producer, consumer);
  std::string between;
  if (nodes.size() > 2)
    between = fmt::format("With the {} operators that lie between {} and {}: ", nodes.size() - 2,
                          graph.nodes()[producer]->name, graph.nodes()[consumer]->name);
  for (const fusion::Edge& edge : constraints_.forbidden)
    if (holds(nodes, graph.position(edge.producer)) && holds(nodes, graph.position(edge.consumer)))
      return Refusal{Reason::ForcedApart,
                     fmt::format("forbidden({} -> {}) = yes, must be no",
                                 graph.node(edge.producer).name, graph.node(edge.consumer).name),
                     between + "two of them were asked to stay apart.",
                     {}};
  auto refusal = rules_.refuse(nodes);
  if (refusal) refusal->sentence = between + refusal->sentence;
  return refusal;
}

// Of `all`, what `begin` leads to (or what leads to it) without leaving `all`.
EdgeCosts::Nodes EdgeCosts::within(const Nodes& all, const Nodes& begin, bool forward) const {
  std::set<std::size_t> found;
  Nodes stack = begin;
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const std::size_t next : forward ? rules_.successors(node) : rules_.predecessors(node))
      if (holds(all, next) && found.insert(next).second) stack.push_back(next);
  }
  return {found.begin(), found.end()};
}

std::vector<EdgeCosts::Nodes> EdgeCosts::components(const Nodes& nodes) const {
  std::vector<Nodes> found;
  std::set<std::size_t> left(nodes.begin(), nodes.end());
  while (!left.empty()) {
    Nodes piece{*left.begin()};
    left.erase(left.begin());
    for (std::size_t i = 0; i < piece.size(); ++i)
      for (const auto* edges : {&rules_.successors(piece[i]), &rules_.predecessors(piece[i])})
        for (const std::size_t other : *edges)
          if (left.erase(other) > 0) piece.push_back(other);
    std::sort(piece.begin(), piece.end());
    found.push_back(std::move(piece));
  }
  return found;
}

// The kernels to try for both ends: each holds the hull and parts of the two kernels.
std::vector<EdgeCosts::Nodes> EdgeCosts::cuts(const Nodes& hull, const Nodes& first,
                                              const Nodes& second, const Nodes& all) const {
  const Nodes before = within(first, hull, false), after = within(second, hull, true);
  std::vector<Nodes> found;
  for (const Nodes& part : {all, first, second, before, after, united(before, after), Nodes{}}) {
    Nodes kernel = united(hull, part);
    if (std::find(found.begin(), found.end(), kernel) == found.end())
      found.push_back(std::move(kernel));
  }
  return found;
}

// What is left of the kernels, in pieces that can be kernels: what depends on what was taken from
// the same kernel cannot stay with what it needs.
std::optional<std::vector<EdgeCosts::Nodes>> EdgeCosts::rest_of(const Nodes& kernels,
                                                                const Nodes& taken) const {
  std::vector<Nodes> pieces;
  for (const std::size_t kernel : kernels) {
    const Nodes& all = kernels_[kernel];
    Nodes gone;
    std::set_intersection(all.begin(), all.end(), taken.begin(), taken.end(),
                          std::back_inserter(gone));
    const Nodes rest = without(all, gone), after = within(rest, gone, true);
    for (const Nodes& half : {without(rest, after), after})
      for (Nodes& piece : components(half)) {
        if (piece.size() > 1 && rules_.refuse(piece)) return std::nullopt;
        pieces.push_back(std::move(piece));
      }
  }
  return pieces;
}

bool EdgeCosts::is_as_asked(const std::vector<Nodes>& pieces) const {
  const graph::Graph& graph = rules_.graph();
  return std::all_of(pieces.begin(), pieces.end(), [&](const Nodes& piece) {
    const auto ends = [&](const fusion::Edge& edge) {
      return std::pair(holds(piece, graph.position(edge.producer)),
                       holds(piece, graph.position(edge.consumer)));
    };
    return std::all_of(constraints_.forced.begin(), constraints_.forced.end(),
                       [&](const fusion::Edge& edge) {
                         const auto [producer, consumer] = ends(edge);
                         return producer == consumer;
                       }) &&
           std::none_of(constraints_.forbidden.begin(), constraints_.forbidden.end(),
                        [&](const fusion::Edge& edge) {
                          const auto [producer, consumer] = ends(edge);
                          return producer && consumer;
                        });
  });
}

// Depth first from the pieces: a circle holds one of them, since the plan has none, and cannot
// leave the kernels between the first and the last, since these stand in an order in which they can
// run.
bool EdgeCosts::can_run(const Nodes& kernels, const std::vector<Nodes>& pieces) const {
  std::unordered_map<std::size_t, std::size_t> piece_of;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece)
    for (const std::size_t node : pieces[piece]) piece_of[node] = piece;
  // The pieces, then all kernels; those that are cut anew do not occur.
  const auto nodes_of = [&](std::size_t block) -> const Nodes& {
    return block < pieces.size() ? pieces[block] : kernels_[block - pieces.size()];
  };
  const auto readers_of = [&](std::size_t block) {
    Nodes readers;
    for (const std::size_t node : nodes_of(block))
      for (const std::size_t reader : rules_.successors(node)) {
        const auto piece = piece_of.find(reader);
        if (piece == piece_of.end() && kernel_[reader] > kernels.back()) continue;
        const std::size_t next =
            piece != piece_of.end() ? piece->second : pieces.size() + kernel_[reader];
        if (next != block) readers.push_back(next);
      }
    return readers;
  };
  struct Visit {
    std::size_t block;
    Nodes readers;  // that are left to visit
  };
  std::unordered_map<std::size_t, bool> done;  // by block; false: on the way to the present one
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (!done.emplace(piece, false).second) continue;
    std::vector<Visit> way{{piece, readers_of(piece)}};
    while (!way.empty()) {
      if (way.back().readers.empty()) {
        done[way.back().block] = true;
        way.pop_back();
        continue;
      }
      const std::size_t next = way.back().readers.back();
      way.back().readers.pop_back();
      const auto [known, fresh] = done.emplace(next, false);
      if (fresh)
        way.push_back({next, readers_of(next)});
      else if (!known->second)
        return false;
    }
  }
  return true;
}

double EdgeCosts::total(const std::vector<Nodes>& blocks) const {
  double sum = 0;
  for (const Nodes& block : blocks) sum += cost_.cost(rules_, block).total;
  return sum;
}

std::optional<EdgeCosts::Change> EdgeCosts::joined(std::size_t producer,
                                                   std::size_t consumer) const {
  const Nodes middle = hull(producer, consumer);
  std::set<std::size_t> touched;
  for (const std::size_t node : middle) touched.insert(kernel_[node]);
  const Nodes kernels(touched.begin(), touched.end());
  Change change;
  Nodes all;
  for (const std::size_t kernel : kernels) {
    change.before += microseconds_[kernel];
    all = united(all, kernels_[kernel]);
  }
  std::vector<std::pair<double, std::vector<Nodes>>> ways;  // the kernel of both, then the rest
  for (Nodes& kernel : cuts(middle, kernel_of(producer), kernel_of(consumer), all)) {
    if (rules_.refuse(kernel)) continue;
    auto pieces = rest_of(kernels, kernel);
    if (!pieces) continue;
    pieces->insert(pieces->begin(), std::move(kernel));
    if (is_as_asked(*pieces)) ways.emplace_back(total(*pieces), std::move(*pieces));
  }
  std::stable_sort(ways.begin(), ways.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [microseconds, pieces] : ways) {
    if (!can_run(kernels, pieces)) continue;
    change.after = microseconds;
    change.kernel = std::move(pieces.front());
    return change;
  }
  return std::nullopt;
}

EdgeCosts::Change EdgeCosts::parted(std::size_t producer, std::size_t consumer) const {
  const Nodes& all = kernel_of(producer);
  Change change;
  change.before = microseconds_[kernel_[producer]];
  // The cut may go right behind the producer, or right before the consumer.
  const Nodes needed = united({producer}, within(all, {producer}, false));
  const Nodes needing = united({consumer}, within(all, {consumer}, true));
  change.after = std::numeric_limits<double>::infinity();
  for (const auto& [first, second] :
       {std::pair(needed, without(all, needed)), std::pair(without(all, needing), needing)}) {
    std::vector<Nodes> pieces = components(first);
    for (Nodes& piece : components(second)) pieces.push_back(std::move(piece));
    change.after = std::min(change.after, total(pieces));
  }
  return change;
}

}  // namespace loopglass::passes

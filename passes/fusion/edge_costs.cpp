#include "passes/fusion/edge_costs.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

namespace loopglass::passes {

using fusion::Nodes;
using fusion::Reason;
using fusion::Refusal;
using fusion::united;
using fusion::without;

namespace {

bool holds(const Nodes& nodes, std::size_t node) {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

void sort_out(Nodes& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Depth first from the blocks below `first`.
template <class ReadersOf>
bool is_acyclic(std::size_t first, const ReadersOf& readers_of) {
  struct Visit {
    std::size_t block;
    Nodes readers;  // that are left to visit
  };
  std::unordered_map<std::size_t, bool> done;  // by block; false: on the way to the present one
  for (std::size_t begin = 0; begin < first; ++begin) {
    if (!done.emplace(begin, false).second) continue;
    std::vector<Visit> way{{begin, readers_of(begin)}};
    while (!way.empty()) {
      if (way.back().readers.empty()) {
        done[way.back().block] = true;
        way.pop_back();
        continue;
      }
      const std::size_t next = way.back().readers.back();
      way.back().readers.pop_back();
      const auto [known, fresh] = done.emplace(next, false);
      if (fresh) way.push_back({next, readers_of(next)});
      else if (!known->second) return false;
    }
  }
  return true;
}

}  // namespace

EdgeCosts::EdgeCosts(const fusion::BlockRules& rules, const fusion::CostModel& cost,
                     const fusion::Constraints& constraints, const fusion::Plan& plan)
    : rules_(rules),
      cost_(cost),
      constraints_(constraints),
      kernel_(rules.graph().nodes().size()),
      node_readers_(kernel_.size()),
      follows_(kernel_.size(), 0),
      seen_(kernel_.size(), 0),
      followed_(kernel_.size()) {
  for (const fusion::Group& group : plan.groups) {
    Nodes nodes = fusion::positions(rules.graph(), group);
    for (const std::size_t node : nodes) kernel_[node] = kernels_.size();
    microseconds_.push_back(cost.cost(rules, nodes).total);
    kernels_.push_back(std::move(nodes));
  }
  for (const Nodes& kernel : kernels_) {
    Nodes& all = kernel_readers_.emplace_back();
    for (const std::size_t node : kernel) {
      Nodes& readers = node_readers_[node];
      for (const std::size_t reader : rules.successors(node))
        if (kernel_[reader] != kernel_[node]) readers.push_back(kernel_[reader]);
      sort_out(readers);
      all.insert(all.end(), readers.begin(), readers.end());
    }
    sort_out(all);
  }
}

void EdgeCosts::follow(std::size_t producer) {
  if (followed_ == producer) return;
  followed_ = producer;
  following_ = ++searches_;
  const std::size_t last = rules_.successors(producer).back();
  Nodes stack{producer};
  follows_[producer] = following_;
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const std::size_t reader : rules_.successors(node))
      if (reader <= last && std::exchange(follows_[reader], following_) != following_)
        stack.push_back(reader);
  }
}

// Both, and all that lies between: what every kernel with both of them has to hold.
Nodes EdgeCosts::hull(std::size_t producer, std::size_t consumer) {
  follow(producer);
  ++searches_;
  Nodes found{consumer};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::size_t need : rules_.predecessors(found[i]))
      if (follows_[need] == following_ && std::exchange(seen_[need], searches_) != searches_)
        found.push_back(need);
  std::sort(found.begin(), found.end());
  return found;
}

// Whatever is asked about hangs together. Pieces of a kernel are convex, as it is; and a new kernel
// that is not would wait for itself, and cannot run.
std::optional<Refusal> EdgeCosts::refuse_block(const Nodes& nodes) const {
  if (auto refusal = rules_.refuse_contents(nodes)) return refusal;
  return rules_.refuse_workspace(nodes);
}

std::optional<Refusal> EdgeCosts::refuse(std::size_t producer, std::size_t consumer) {
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
                     between + "two of them were asked not to be fused.",
                     {}};
  auto refusal = refuse_block(nodes);
  if (refusal) refusal->sentence = between + refusal->sentence;
  return refusal;
}

// The kernels to try for both ends: each holds the hull and parts of the two kernels.
std::vector<Nodes> EdgeCosts::cuts(const Nodes& hull, const Nodes& first, const Nodes& second,
                                   const Nodes& all) const {
  const Nodes before = fusion::reached_within(rules_, first, hull, false),
              after = fusion::reached_within(rules_, second, hull, true);
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
std::optional<std::vector<Nodes>> EdgeCosts::rest_of(const Nodes& kernels,
                                                     const Nodes& taken) const {
  std::vector<Nodes> pieces;
  for (const std::size_t kernel : kernels) {
    const Nodes& all = kernels_[kernel];
    Nodes gone;
    std::set_intersection(all.begin(), all.end(), taken.begin(), taken.end(),
                          std::back_inserter(gone));
    const Nodes rest = without(all, gone), after = fusion::reached_within(rules_, rest, gone, true);
    for (const Nodes& half : {without(rest, after), after})
      for (Nodes& piece : fusion::components(rules_, half)) {
        if (piece.size() > 1 && refuse_block(piece)) return std::nullopt;
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

// A circle holds one of the pieces, since the plan has none, and cannot leave the kernels between
// the first and the last, since these stand in an order in which they can run.
bool EdgeCosts::can_run(const Nodes& kernels, const std::vector<Nodes>& pieces) const {
  // The pieces, then all kernels; those that are cut anew do not occur.
  std::unordered_map<std::size_t, std::size_t> piece_of;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece)
    for (const std::size_t node : pieces[piece]) piece_of[node] = piece;
  const auto block_of = [&](std::size_t node) {
    const auto piece = piece_of.find(node);
    return piece != piece_of.end() ? piece->second : pieces.size() + kernel_[node];
  };
  // Pieces are found by what they read; all other readers are known from the plan.
  std::unordered_map<std::size_t, Nodes> pieces_reading;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece)
    for (const std::size_t node : pieces[piece])
      for (const std::size_t need : rules_.predecessors(node))
        if (const std::size_t block = block_of(need); block != piece)
          pieces_reading[block].push_back(piece);
  const auto add_kernels = [&](const Nodes& readers, Nodes& found) {
    for (const std::size_t kernel : readers)
      if (kernel <= kernels.back() && !holds(kernels, kernel))
        found.push_back(pieces.size() + kernel);
  };
  const auto readers_of = [&](std::size_t block) {
    Nodes readers;
    if (const auto known = pieces_reading.find(block); known != pieces_reading.end())
      readers = known->second;
    if (block >= pieces.size()) add_kernels(kernel_readers_[block - pieces.size()], readers);
    else
      for (const std::size_t node : pieces[block]) add_kernels(node_readers_[node], readers);
    return readers;
  };
  return is_acyclic(pieces.size(), readers_of);
}

double EdgeCosts::total(const std::vector<Nodes>& blocks) const {
  double sum = 0;
  for (const Nodes& block : blocks) sum += cost_.cost(rules_, block).total;
  return sum;
}

std::optional<EdgeCosts::Change> EdgeCosts::joined(std::size_t producer, std::size_t consumer) {
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
    if (auto refusal = refuse_block(kernel)) {
      if (kernel != all) continue;
      change.whole = cost_.cost(rules_, all).total;
      if (change.whole < change.before && is_as_asked({all}) && can_run(kernels, {all}))
        change.whole_refused = std::move(refusal);
      continue;
    }
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
  Change change;
  change.before = microseconds_[kernel_[producer]];
  change.after = std::numeric_limits<double>::infinity();
  for (const auto& pieces : fusion::cuts(rules_, kernel_of(producer), producer, consumer))
    change.after = std::min(change.after, total(pieces));
  return change;
}

}  // namespace loopglass::passes

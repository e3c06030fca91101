// From states to seats, and from seats to one layout.
#include "views/layout/steady.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

namespace loopglass::layout {
namespace {

using SlotEdge = std::pair<std::uint32_t, std::uint32_t>;
using Neighbours = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

// Gives every key a slot: its own, or that of what it takes the place of.
class Slots {
 public:
  explicit Slots(const SteadyGraph& graph) : graph_(graph) {
    for (const SteadyState& state : graph.states) enter(state);
  }
  std::unordered_map<Key, std::uint32_t> slot_of;
  std::vector<Node> seats;

 private:
  void enter(const SteadyState& state) {
    const std::unordered_set<Key> present(state.nodes.begin(), state.nodes.end());
    std::unordered_set<std::uint32_t> taken;
    for (const Key key : state.nodes)
      if (const auto known = slot_of.find(key); known != slot_of.end()) taken.insert(known->second);
    for (const auto& [before, after] : state.successions) {
      const auto old = slot_of.find(before);
      if (old == slot_of.end() || present.contains(before) || slot_of.contains(after)) continue;
      const std::uint32_t slot = old->second;
      if (taken.contains(slot)) continue;
      slot_of.emplace(after, slot);
      if (present.contains(after)) taken.insert(slot);
    }
    for (const Key key : state.nodes) {
      const auto [entry, is_new] =
          slot_of.try_emplace(key, static_cast<std::uint32_t>(seats.size()));
      if (is_new) seats.emplace_back();
      const Node& node = graph_.nodes.at(key);
      Node& slot = seats[entry->second];
      slot.width = std::max(slot.width, node.width);
      slot.height = std::max(slot.height, node.height);
      if (node.cluster >= 0) slot.cluster = node.cluster;
    }
  }

  const SteadyGraph& graph_;
};

struct Seen {
  std::unordered_set<std::uint32_t> seats;
  std::vector<SlotEdge> edges;  // sorted
  Neighbours below;
};

Seen see(const SteadyState& state, const std::unordered_map<Key, std::uint32_t>& slot_of) {
  Seen seen;
  for (const Key key : state.nodes) seen.seats.insert(slot_of.at(key));
  for (const KeyedEdge& edge : state.edges)
    seen.edges.emplace_back(slot_of.at(edge.from), slot_of.at(edge.to));
  std::sort(seen.edges.begin(), seen.edges.end());
  seen.edges.erase(std::unique(seen.edges.begin(), seen.edges.end()), seen.edges.end());
  for (const auto& [from, to] : seen.edges) seen.below[from].push_back(to);
  return seen;
}

// The shortest way from one slot to another in a state, through seats that are not in `absent_in`
// only; empty: there is none, or it is long.
std::vector<std::uint32_t> way_through(const Seen& state, const Seen& absent_in, SlotEdge edge) {
  constexpr std::size_t longest = 200;
  std::unordered_map<std::uint32_t, std::uint32_t> came_from;
  std::queue<std::uint32_t> open;
  open.push(edge.first);
  while (!open.empty() && came_from.size() < longest) {
    const std::uint32_t at = open.front();
    open.pop();
    const auto below = state.below.find(at);
    if (below == state.below.end()) continue;
    for (const std::uint32_t next : below->second) {
      if (next == edge.second && at != edge.first) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t slot = at; slot != edge.first; slot = came_from.at(slot))
          way.push_back(slot);
        std::reverse(way.begin(), way.end());
        return way;
      }
      if (absent_in.seats.contains(next) || came_from.contains(next)) continue;
      came_from.emplace(next, at);
      open.push(next);
    }
  }
  return {};
}

std::vector<SlotEdge> difference(const Seen& a, const Seen& b) {
  std::vector<SlotEdge> only;
  std::set_difference(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(),
                      std::back_inserter(only));
  return only;
}

// Without the edges that would close a cycle: states may disagree about what comes first.
std::vector<SlotEdge> without_cycles(std::size_t seats, const std::vector<SlotEdge>& edges) {
  std::vector<std::vector<std::uint32_t>> below(seats);
  for (const auto& [from, to] : edges) below[from].push_back(to);
  enum class Mark : std::uint8_t { White, Grey, Black };
  std::vector<Mark> mark(seats, Mark::White);
  std::vector<SlotEdge> kept;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t root = 0; root < seats; ++root) {
    if (mark[root] != Mark::White) continue;
    mark[root] = Mark::Grey;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      if (next == below[at].size()) {
        mark[at] = Mark::Black;
        stack.pop_back();
        continue;
      }
      const std::uint32_t from = at, to = below[at][next++];
      if (mark[to] == Mark::Grey) continue;
      kept.emplace_back(from, to);
      if (mark[to] == Mark::White) {
        mark[to] = Mark::Grey;
        stack.emplace_back(to, 0);
      }
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

Result<SteadyDrawing> lay_out_steadily(const SteadyGraph& graph, const Cancellation& cancellation) {
  SteadyDrawing drawing;
  Slots seats(graph);
  std::map<SlotEdge, bool> edges;  // whether it is laid out
  Seen before;
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    if (cancellation.requested()) return fail(Code::Cancelled, "the layout was cancelled");
    Seen now = see(graph.states[i], seats.slot_of);
    const auto spans = [&](const Seen& with_way, const Seen& with_edge, const SlotEdge& edge) {
      std::vector<std::uint32_t> way = way_through(with_way, with_edge, edge);
      if (way.empty()) return false;
      drawing.spans_.insert_or_assign(edge, std::move(way));
      return true;
    };
    if (i > 0)
      for (const SlotEdge& edge : difference(before, now))  // something came to stand in between
        if (edges[edge] && spans(now, before, edge)) edges[edge] = false;
    for (const SlotEdge& edge : difference(now, before))
      if (!edges.contains(edge)) edges.emplace(edge, i == 0 || !spans(before, now, edge));
    before = std::move(now);
  }
  std::vector<SlotEdge> wanted;
  for (const auto& [edge, is_laid_out] : edges)
    if (is_laid_out) wanted.push_back(edge);
  LayoutGraph whole;
  whole.nodes = seats.seats;
  whole.clusters = graph.clusters;
  whole.node_gap = graph.node_gap;
  whole.layer_gap = graph.layer_gap;
  whole.cluster_padding = graph.cluster_padding;
  for (const SlotEdge& edge : without_cycles(whole.nodes.size(), wanted)) {
    drawing.laid_out_.emplace(edge, whole.edges.size());
    whole.edges.push_back({edge.first, edge.second});
  }
  drawing.whole_ = TRY(lay_out(whole, cancellation));
  drawing.slots_ = std::move(seats.seats);
  drawing.slot_of_ = std::move(seats.slot_of);
  return drawing;
}

}  // namespace loopglass::layout

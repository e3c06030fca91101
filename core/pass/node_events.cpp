#include "core/pass/node_events.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::pass {

namespace {

using graph::NodeId;
using GraphPtr = std::shared_ptr<const graph::Graph>;

struct Seen {
  graph::NodePtr node;
  GraphPtr graph;
};

// What a step's rewrites say of each node.
struct Mentions {
  std::optional<std::size_t> made, consumed;  // the first that made it, the last that consumed it
};

class StepEvents {
 public:
  StepEvents(const GraphHistory& history, std::size_t step, const GraphAt& graph_at)
      : step_(step),
        before_(history.steps[step - 1].result),
        after_(history.steps[step].result),
        rewrites_(history.steps[step].rewrites),
        graph_at_(graph_at) {}

  std::vector<NodeEvent> operator()() {
    read_rewrites();
    look_into_the_middle();
    for (const graph::NodeDiff& node : graph::diff(*before_, *after_).nodes) add(node);
    for (const auto& [id, mentions] : mentions_)
      if (is_passing(id)) add_passing(id, mentions);
    std::stable_sort(events_.begin(), events_.end(), [](const NodeEvent& a, const NodeEvent& b) {
      const auto order = [](const NodeEvent& event) {
        return std::tuple(event.rewrite.value_or(std::numeric_limits<std::size_t>::max()),
                          event.kind, event.node);
      };
      return order(a) < order(b);
    });
    return std::move(events_);
  }

 private:
  void read_rewrites() {
    for (std::size_t i = 0; i < rewrites_.size(); ++i) {
      for (const std::uint32_t id : rewrites_[i].consumed) mentions_[NodeId{id}].consumed = i;
      for (const std::uint32_t id : rewrites_[i].made)
        if (auto& made = mentions_[NodeId{id}].made; !made) made = i;
    }
  }

  // Made and consumed in this step.
  bool is_passing(NodeId id) const {
    return before_->find(id) == nullptr && after_->find(id) == nullptr;
  }

  // A node that passes is there after the rewrite that made it and until the one that consumed it.
  // One look just before the latter serves all nodes that are there then.
  void look_into_the_middle() {
    if (!graph_at_) return;
    std::map<std::size_t, std::vector<NodeId>> ends;  // by how many rewrites had been made
    for (const auto& [id, mentions] : mentions_)
      if (is_passing(id) && mentions.made && mentions.consumed &&
          *mentions.consumed > *mentions.made)
        ends[*mentions.consumed].push_back(id);
    std::size_t reruns = 0;
    for (const auto& [rewrites, nodes] : ends) {
      if (std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return passing_.contains(id); }))
        continue;
      if (reruns++ == maximum_reruns(*before_)) return;
      const auto middle = graph_at_(step_, rewrites);
      if (!middle) return;
      for (const auto& [id, mentions] : mentions_)
        if (is_passing(id) && (*middle)->find(id) != nullptr)
          passing_[id] = {(*middle)->share(id), *middle};
    }
  }

  std::vector<NodeId> others(std::optional<std::size_t> rewrite, bool made, NodeId self) const {
    std::vector<NodeId> found;
    if (!rewrite) return found;
    for (const std::uint32_t id : made ? rewrites_[*rewrite].made : rewrites_[*rewrite].consumed)
      if (NodeId{id} != self && std::find(found.begin(), found.end(), NodeId{id}) == found.end())
        found.push_back(NodeId{id});
    return found;
  }

  Mentions mentions(NodeId id) const {
    const auto found = mentions_.find(id);
    return found == mentions_.end() ? Mentions{} : found->second;
  }

  void add_removed(NodeId id, Seen seen, const Mentions& mentions) {
    events_.push_back({NodeEvent::Kind::Removed,
                       id,
                       std::move(seen.node),
                       nullptr,
                       std::move(seen.graph),
                       nullptr,
                       mentions.consumed,
                       others(mentions.consumed, true, id),
                       {}});
  }
  void add_created(NodeId id, Seen seen, const Mentions& mentions) {
    events_.push_back({NodeEvent::Kind::Created,
                       id,
                       nullptr,
                       std::move(seen.node),
                       nullptr,
                       std::move(seen.graph),
                       mentions.made,
                       others(mentions.made, false, id),
                       {}});
  }

  void add(const graph::NodeDiff& node) {
    switch (node.change) {
      case graph::Change::Same: return;
      case graph::Change::Added:
        return add_created(node.id, {node.after, after_}, mentions(node.id));
      case graph::Change::Removed:
        return add_removed(node.id, {node.before, before_}, mentions(node.id));
      case graph::Change::Changed: return add_changed(node);
    }
  }

  void add_passing(NodeId id, const Mentions& mentions) {
    const auto found = passing_.find(id);
    const Seen seen = found == passing_.end() ? Seen{} : found->second;
    if (mentions.made) add_created(id, seen, mentions);
    if (mentions.consumed) add_removed(id, seen, mentions);
  }

  // Rewrites do not say whose inputs they redirect. An input changed when what made it was
  // consumed, or else when what makes it now was made.
  std::optional<std::size_t> rewrite_of(const graph::NodeDiff& node,
                                        const graph::Difference& difference) const {
    if (difference.kind != graph::Difference::Kind::Inputs) return std::nullopt;
    const auto producer = [&](const graph::Graph& graph, const graph::Node& reader) -> NodeId {
      if (difference.index >= reader.inputs.size() || !reader.inputs[difference.index]) return {};
      return graph.value(reader.inputs[difference.index]).producer;
    };
    if (const auto consumed = mentions(producer(*before_, *node.before)).consumed) return consumed;
    return mentions(producer(*after_, *node.after)).made;
  }

  void add_changed(const graph::NodeDiff& node) {
    std::map<std::optional<std::size_t>, std::vector<graph::Difference>> by_rewrite;
    bool renamed = true;
    for (const graph::Difference& difference : node.differences) {
      by_rewrite[rewrite_of(node, difference)].push_back(difference);
      renamed = renamed && difference.kind == graph::Difference::Kind::Name;
    }
    // A rename beside other changes happened with them, as far as anyone knows.
    if (!renamed && by_rewrite.size() > 1 && by_rewrite.contains(std::nullopt)) {
      auto& unclaimed = by_rewrite[std::nullopt];
      const bool only_name =
          std::all_of(unclaimed.begin(), unclaimed.end(), [](const graph::Difference& difference) {
            return difference.kind == graph::Difference::Kind::Name;
          });
      if (only_name) {
        auto& last = by_rewrite.rbegin()->second;
        last.insert(last.end(), unclaimed.begin(), unclaimed.end());
        by_rewrite.erase(std::nullopt);
      }
    }
    for (auto& [rewrite, differences] : by_rewrite)
      events_.push_back({renamed ? NodeEvent::Kind::Renamed : NodeEvent::Kind::Changed,
                         node.id,
                         node.before,
                         node.after,
                         before_,
                         after_,
                         rewrite,
                         {},
                         std::move(differences)});
  }

  std::size_t step_;
  GraphPtr before_, after_;
  const std::vector<Rewrite>& rewrites_;
  const GraphAt& graph_at_;
  std::map<NodeId, Mentions> mentions_;
  std::unordered_map<NodeId, Seen> passing_;
  std::vector<NodeEvent> events_;
};

}  // namespace

// A person waits for them: about as long whatever the graph's size.
std::size_t maximum_reruns(const graph::Graph& graph) {
  return std::clamp<std::size_t>(100'000 / std::max<std::size_t>(graph.nodes().size(), 1), 4, 64);
}

std::vector<NodeEvent> node_events(const GraphHistory& history, std::size_t step,
                                   const GraphAt& graph_at) {
  if (step == 0 || (history.steps[step].result == history.steps[step - 1].result &&
                    history.steps[step].rewrites.empty()))
    return {};
  return StepEvents(history, step, graph_at)();
}

}  // namespace loopglass::pass

#include "core/fusion/edge_steps.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace loopglass::fusion {

namespace {

using Kind = PlanEvent::Kind;

class EdgeStory {
 public:
  EdgeStory(const Plan& told, const Decision& decision, graph::NodeId post_dominator)
      : told_(told), decision_(decision), post_dominator_(post_dominator) {
    by_dominators_ = std::ranges::any_of(
        told.events, [](const PlanEvent& event) { return event.kind == Kind::Ancestor; });
  }

  EdgeSteps run() {
    for (std::size_t i = 0; i < told_.events.size(); ++i) look_at(i);
    if (told_.events.empty()) return {{}, "The strategy took no steps."};
    // Whatever was not told as a step (a search that kept another plan) cannot be read off the
    // steps.
    if (are_together() != decision_.fused)
      return {{}, "The steps that were told do not lead to this verdict one by one."};
    if (steps_.empty()) return {{}, "No step was about this edge alone."};
    return {{steps_.begin(), steps_.end()}, {}};
  }

 private:
  void look_at(std::size_t index) {
    const PlanEvent& event = told_.events[index];
    switch (event.kind) {
      case Kind::Merge: return merge(index);
      case Kind::Refuse:
        if (event.reason == Reason::SplitByHand) return split(index);
        if (refuses(event)) steps_.insert(index);
        return;
      case Kind::Ancestor:
        if (event.nodes.front() == decision_.producer) steps_.insert(index);
        return;
      case Kind::Path:
        if (leads_to_post_dominator(event)) steps_.insert(index);
        return;
      case Kind::Seed:
        if (is_end(event.nodes.front())) steps_.insert(index);
        return;
      case Kind::Phase:
      case Kind::Expand:
      case Kind::Prune: return;
    }
  }

  void merge(std::size_t index) {
    const bool before = are_together();
    const PlanEvent& event = told_.events[index];
    for (const graph::NodeId node : event.nodes) join(node, event.nodes.front());
    if (before || !are_together()) return;
    steps_.insert(index);
    if (index > 0 && told_.events[index - 1].kind == Kind::Path) steps_.insert(index - 1);
  }

  // The operator leaves its kernel, and what it stood between may come apart.
  void split(std::size_t index) {
    const graph::NodeId node = told_.events[index].nodes.front();
    const bool parts_ends = are_together() && decision_.reason == Reason::SplitByHand &&
                            part(node) == part(decision_.producer);
    if (is_end(node) || parts_ends) steps_.insert(index);
    leave(node);
    if (parts_ends && !is_end(node)) leave(decision_.consumer);
  }

  bool refuses(const PlanEvent& event) const {
    if (by_dominators_) return leads_to_post_dominator(event) || has_no_post_dominator(event);
    if (event.nodes.size() != 2) return false;
    const std::size_t a = part(event.nodes[0]), b = part(event.nodes[1]);
    const std::size_t from = part(decision_.producer), to = part(decision_.consumer);
    return from != to && ((a == from && b == to) || (a == to && b == from));
  }

  // About the producer and all on its way.
  bool leads_to_post_dominator(const PlanEvent& event) const {
    return event.nodes.size() > 1 && post_dominator_.valid() &&
           event.nodes.front() == decision_.producer && event.nodes.back() == post_dominator_;
  }

  bool has_no_post_dominator(const PlanEvent& event) const {
    const bool speaks_of_it = event.reason == Reason::OpaqueSource ||
                              event.reason == Reason::GraphOutput ||
                              event.reason == Reason::NoPostDominator;
    return speaks_of_it && event.nodes.front() == decision_.producer;
  }

  bool is_end(graph::NodeId node) const {
    return node == decision_.producer || node == decision_.consumer;
  }
  bool are_together() const { return part(decision_.producer) == part(decision_.consumer); }

  // The number of the kernel that a node is in by now; each has one of its own before.
  std::size_t part(graph::NodeId node) const {
    const auto found = part_.find(node);
    return found == part_.end() ? node.value : found->second;
  }
  std::vector<graph::NodeId>& members(graph::NodeId node) {
    auto& found = members_[part(node)];
    if (found.empty()) found.push_back(node);
    return found;
  }
  void join(graph::NodeId node, graph::NodeId with) {
    if (part(node) == part(with)) return;
    auto &few = members(node), &many = members(with);
    if (few.size() > many.size()) return join(with, node);
    for (const graph::NodeId member : std::exchange(few, {})) {
      part_[member] = part(with);
      many.push_back(member);
    }
  }
  void leave(graph::NodeId node) {
    std::erase(members(node), node);
    part_[node] = fresh_++;
  }

  const Plan& told_;
  const Decision& decision_;
  graph::NodeId post_dominator_;
  bool by_dominators_ = false;
  std::unordered_map<graph::NodeId, std::size_t> part_;
  std::unordered_map<std::size_t, std::vector<graph::NodeId>> members_;  // by part
  std::size_t fresh_ = std::size_t{1} << 32;                             // no node's id
  std::set<std::size_t> steps_;
};

}  // namespace

EdgeSteps steps_of(const Plan& told, const Decision& decision, graph::NodeId post_dominator) {
  return EdgeStory(told, decision, post_dominator).run();
}

}  // namespace loopglass::fusion

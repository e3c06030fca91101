// Looking for what breakpoints stop at; breakpoint_text.cpp has their text form.
#include "core/pass/breakpoints.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

namespace loopglass::pass {

using graph::NodeId;

namespace {

// What breakpoints call an event. A node that others take the place of is removed and changed.
std::vector<BreakEvent> break_events(const NodeEvent& event) {
  switch (event.kind) {
    case NodeEvent::Kind::Created: return {BreakEvent::Create};
    case NodeEvent::Kind::Removed:
      return event.others.empty() ? std::vector{BreakEvent::Remove}
                                  : std::vector{BreakEvent::Change, BreakEvent::Remove};
    case NodeEvent::Kind::Changed: return {BreakEvent::Change};
    case NodeEvent::Kind::Renamed: return {};
  }
  __builtin_unreachable();
}

std::optional<BreakEvent> wanted(const Breakpoint& breakpoint, const NodeEvent& event) {
  for (const BreakEvent happened : break_events(event))
    if (breakpoint.event == BreakEvent::Any || breakpoint.event == happened) return happened;
  return std::nullopt;
}

std::string described(const graph::NodePtr& node, NodeId id) {
  return node ? fmt::format("{} ({})", node->name, operator_name(*node))
              : fmt::format("#{}", id.value);
}

class Finder {
 public:
  Finder(const NodeHistory& nodes, const std::vector<Breakpoint>& breakpoints)
      : nodes_(nodes), breakpoints_(breakpoints) {
    for (const Breakpoint& breakpoint : breakpoints) {
      watched_.emplace_back();
      if (!breakpoint.is_watchpoint()) continue;
      for (const NodeId id : watched(nodes, breakpoint.node)) watched_.back().insert(id);
    }
  }

  std::vector<Stop> operator()(std::size_t step) const {
    std::vector<Stop> stops;
    if (!any_concerned(step)) return stops;
    // Events come in the order of rewrites, so those of one place are neighbours.
    for (const NodeEvent& event : nodes_.events(step)) {
      const Position position =
          normalised({step, event.rewrite ? *event.rewrite + 1 : Report::all}, nodes_.history());
      for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
        if (!concerns(breakpoints_[i], step)) continue;
        const auto happened = wanted(breakpoints_[i], event);
        if (!happened || !aims_at(i, event)) continue;
        if (stops.empty() || stops.back().position != position)
          stops.push_back({position, event.rewrite, {}});
        stops.back().hits.push_back(hit(i, *happened, step, event));
      }
    }
    return stops;
  }

 private:
  bool concerns(const Breakpoint& breakpoint, std::size_t step) const {
    return breakpoint.enabled &&
           (breakpoint.pass.empty() || breakpoint.pass == nodes_.history().steps[step].pass.name);
  }
  bool any_concerned(std::size_t step) const {
    return std::any_of(breakpoints_.begin(), breakpoints_.end(),
                       [&](const Breakpoint& b) { return concerns(b, step); });
  }

  bool aims_at(std::size_t index, const NodeEvent& event) const {
    const Breakpoint& breakpoint = breakpoints_[index];
    if (breakpoint.is_watchpoint()) return watched_[index].contains(event.node);
    if (breakpoint.filter.is_everything()) return true;
    return (event.before &&
            graph::matches(breakpoint.filter, *event.graph_before, *event.before)) ||
           (event.after && graph::matches(breakpoint.filter, *event.graph_after, *event.after));
  }

  Hit hit(std::size_t breakpoint, BreakEvent happened, std::size_t step,
          const NodeEvent& event) const {
    const graph::NodePtr& seen = event.after ? event.after : event.before;
    Hit hit{breakpoint, happened, event.node, seen ? seen->name : nodes_.name_of(event.node),
            "",         ""};
    const auto& recorded = nodes_.history().steps[step];
    std::string detail;
    if (event.rewrite) {
      hit.rule = recorded.rewrites[*event.rewrite].rule;
      detail = recorded.rewrites[*event.rewrite].detail;
    }
    hit.sentence = fmt::format("{}{} {}{}{}", recorded.pass.name,
                               hit.rule.empty() ? "" : " (" + hit.rule + ")", what(happened, event),
                               detail.empty() ? "" : ": ", detail);
    return hit;
  }

  std::string what(BreakEvent happened, const NodeEvent& event) const {
    const std::string node = described(event.after ? event.after : event.before, event.node);
    switch (happened) {
      case BreakEvent::Create:
        return event.others.empty()
                   ? "makes " + node
                   : fmt::format("makes {} from {}", node, nodes_.names_of(event.others));
      case BreakEvent::Remove: return "removes " + node;
      case BreakEvent::Change:
        if (event.kind == NodeEvent::Kind::Removed)
          return fmt::format("puts {} in place of {}", nodes_.names_of(event.others), node);
        return fmt::format("changes {}, {}", node, graph::to_text(event.differences));
      case BreakEvent::Fuse:
      case BreakEvent::Any: break;
    }
    return "touches " + node;
  }

  const NodeHistory& nodes_;
  const std::vector<Breakpoint>& breakpoints_;
  std::vector<std::set<NodeId>> watched_;  // by breakpoint
};

}  // namespace

std::vector<NodeId> watched(const NodeHistory& nodes, const std::string& name) {
  std::vector<NodeId> found = nodes.named(name);
  if (found.empty())
    if (const auto id = nodes.resolve(name)) found.push_back(*id);
  std::set<NodeId> seen(found.begin(), found.end());
  for (std::size_t i = 0, named = found.size(); i < named; ++i)
    for (const NodeId node : nodes.descendants(found[i]))
      if (seen.insert(node).second) found.push_back(node);
  return found;
}

std::optional<Stop> next_stop(const NodeHistory& nodes, const std::vector<Breakpoint>& breakpoints,
                              Position from, Direction direction) {
  const std::size_t steps = nodes.history().steps.size();
  if (from.step >= steps) from = {steps - 1, Report::all};
  from = normalised(from, nodes.history());
  const Finder find(nodes, breakpoints);
  if (direction == Direction::Forward) {
    for (std::size_t step = from.step; step < steps; ++step)
      for (Stop& stop : find(step))
        if (stop.position > from) return std::move(stop);
    return std::nullopt;
  }
  for (std::size_t step = from.step + 1; step-- > 0;) {
    std::vector<Stop> stops = find(step);
    for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop)
      if (stop->position < from) return std::move(*stop);
  }
  return std::nullopt;
}

std::vector<Stop> all_stops(const NodeHistory& nodes, const std::vector<Breakpoint>& breakpoints) {
  std::vector<Stop> all;
  const Finder find(nodes, breakpoints);
  for (std::size_t step = 0; step < nodes.history().steps.size(); ++step)
    for (Stop& stop : find(step)) all.push_back(std::move(stop));
  return all;
}

}  // namespace loopglass::pass

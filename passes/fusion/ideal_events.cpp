#include "passes/fusion/ideal_events.h"

#include "passes/fusion/search_steps.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

using fusion::PlanEvent;
using fusion::Reason;

void IdealEvents::record(PlanEvent::Kind kind, Reason reason, std::string sentence,
                         const Way& way) {
  events_.push_back(
      {kind, {}, reason, std::move(sentence), {{"cost", way.cost}, {"bound", way.bound()}}});
  add_nodes(way.block);
}

void IdealEvents::add_nodes(const Block& block) {
  for (const std::size_t node : units_.nodes_of(block))
    events_.back().nodes.push_back(graph_.nodes()[node]->id);
}

std::string IdealEvents::names(const Block& block) const {
  return names_of(graph_, units_.nodes_of(block));
}

void IdealEvents::pruned_by_bound(const Way& way) {
  if (!options_.record_events) return;
  record(
      PlanEvent::Kind::Prune, Reason::PrunedByBound,
      fmt::format("Not followed: the kernel of {} ({:.3f} us), after the {} executed before. "
                  "Whatever comes then, all take {:.3f} us at least, and a plan of {:.3f} us "
                  "is known.",
                  names(way.block), way.own, way.from->size(), way.bound(), options_.upper_bound),
      way);
}

void IdealEvents::outside_beam(const Ideal& ideal, const Way& way) {
  if (!options_.record_events) return;
  record(PlanEvent::Kind::Prune, Reason::OutsideBeam,
         fmt::format("Not followed: the {} executed that end with the kernel of {}. All take "
                     "{:.3f} us at least, and {} sets of this size promise no more.",
                     ideal.size(), names(way.block), way.bound(), options_.beam),
         way);
}

// The last kernel on the way, then what else has been executed.
void IdealEvents::followed(const Ideal& ideal, const Way& way) {
  if (!options_.record_events) return;
  const std::size_t first = options_.first, last = std::min(options_.last, units_.count());
  record(PlanEvent::Kind::Expand, Reason::Fused,
         way.from == nullptr
             ? fmt::format("Nothing is executed; all {} units take {:.3f} us at least.",
                           last - first, way.bound())
             : fmt::format("{} of {} units are executed. The cheapest way here takes {:.3f} us and "
                           "ends with the kernel of {} ({:.3f} us); with the rest it is {:.3f} us "
                           "at least.",
                           ideal.size(), last - first, way.cost, names(way.block), way.own,
                           way.bound()),
         way);
  PlanEvent& event = events_.back();
  event.numbers.emplace_back("operators in the last kernel", event.nodes.size());
  Block rest;
  for (std::size_t unit = first; unit < last; ++unit)
    if (ideal.contains(unit - first) && !std::ranges::binary_search(way.block, unit))
      rest.push_back(unit);
  add_nodes(rest);
  event.numbers.emplace_back("operators executed", event.nodes.size());
}

}  // namespace loopglass::passes

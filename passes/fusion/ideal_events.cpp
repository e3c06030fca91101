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
  record(PlanEvent::Kind::Prune, Reason::PrunedByBound,
         fmt::format("Not followed: the kernel of {} ({}), after the {} executed before. "
                     "Whatever comes then, all take {} at least, and a plan of {} "
                     "is known.",
                     names(way.block), words_(way.own), way.from->size(), words_(way.bound()),
                     words_(options_.upper_bound)),
         way);
}

void IdealEvents::outside_beam(const Ideal& ideal, const Way& way) {
  if (!options_.record_events) return;
  record(PlanEvent::Kind::Prune, Reason::OutsideBeam,
         fmt::format("Not followed: the {} executed that end with the kernel of {}. All take "
                     "{} at least, and {} sets of this size promise no more.",
                     ideal.size(), names(way.block), words_(way.bound()), options_.beam),
         way);
}

// The last kernel on the way, then what else has been executed.
void IdealEvents::followed(const Ideal& ideal, const Way& way) {
  if (!options_.record_events) return;
  const std::size_t first = options_.first, last = std::min(options_.last, units_.count());
  record(PlanEvent::Kind::Expand, Reason::Fused,
         way.from == nullptr
             ? fmt::format("Nothing is executed; all {} units take {} at least.", last - first,
                           words_(way.bound()))
             : fmt::format("{} of {} units are executed. The cheapest path here takes {} and "
                           "ends with the kernel of {} ({}); with the rest it is {} "
                           "at least.",
                           ideal.size(), last - first, words_(way.cost), names(way.block),
                           words_(way.own), words_(way.bound())),
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

#include "passes/fusion/search_steps.h"

#include "core/fusion/decide.h"
#include "core/fusion/pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

namespace loopglass::passes {

using fusion::PlanEvent;

namespace {

std::vector<graph::NodeId> ids_of(const graph::Graph& graph,
                                  const std::vector<std::size_t>& nodes) {
  std::vector<graph::NodeId> ids;
  for (const std::size_t node : nodes) ids.push_back(graph.nodes()[node]->id);
  return ids;
}

std::string all_or(std::size_t number, const char* what) {
  return number == 0 ? fmt::format("all {}", what) : fmt::format("at most {} {}", number, what);
}

}  // namespace

std::string names_of(const graph::Graph& graph, const std::vector<std::size_t>& nodes) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(graph.nodes()[node]->name);
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.end();
  return fmt::format("{}, {}, ..., {}, {} ({} operators)", names[0], names[1], *(end - 2),
                     *(end - 1), names.size());
}

void SearchSteps::phase(std::string sentence, Numbers numbers) {
  events_.push_back(
      {PlanEvent::Kind::Phase, {}, fusion::Reason::Fused, std::move(sentence), std::move(numbers)});
}

void SearchSteps::begin_region(std::size_t number, std::size_t regions, std::size_t first,
                               std::size_t last) {
  rounds_ = 0;
  if (!record_ || regions == 1) return;
  phase(
      fmt::format("Region {} of {}: {} units, from {} to {}. The network is too large for one "
                  "search, and is cut where the fewest values cross.",
                  number + 1, regions, last - first,
                  rules_.graph().nodes()[units_.members[first].front()]->name,
                  rules_.graph().nodes()[units_.members[last - 1].back()]->name));
}

void SearchSteps::same_as(std::size_t number) {
  if (record_)
    phase(fmt::format("It is built like region {}, and gets the same plan.", number + 1));
}

void SearchSteps::round(const IdealSearchOptions& options, IdealSearchResult& result) {
  if (!record_) return;
  std::string text = fmt::format(
      "Round {}: {} of each size are followed, with {} from each operator to begin with. ",
      ++rounds_, all_or(options.beam, "sets of executed operators"),
      all_or(options.blocks_per_ideal, "kernels"));
  text +=
      fmt::format("{} sets were followed and {} kernels tried", result.ideals, result.blocks_tried);
  if (result.pruned_by_bound > 0)
    text += fmt::format("; {} steps cannot get below {}", result.pruned_by_bound,
                        words_(options.upper_bound));
  if (result.outside_beam > 0)
    text += fmt::format("; {} sets looked less promising", result.outside_beam);
  text += result.blocks.empty() ? ". Nothing cheaper was found."
                                : fmt::format(". The cheapest path takes {}.", words_(result.cost));
  if (result.out_of_time) text += " The time was up before the end.";
  if (result.complete)
    text += " Nothing was left out: no plan of kernels within the limits is cheaper by this model.";
  phase(std::move(text), {{"sets", static_cast<double>(result.ideals)},
                          {"kernels tried", static_cast<double>(result.blocks_tried)},
                          {"pruned by bound", static_cast<double>(result.pruned_by_bound)},
                          {"outside the beam", static_cast<double>(result.outside_beam)}});
  if (result.out_of_time && !sets_.empty()) return;
  sets_ = std::move(result.events);
  shown_ = events_.size();
}

void SearchSteps::end_region() {
  events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(shown_),
                 std::move_iterator(sets_.begin()), std::move_iterator(sets_.end()));
  sets_.clear();
  shown_ = 0;
}

void SearchSteps::tell_units(const fusion::Plan& plan, const std::set<fusion::Edge>& forced,
                             std::vector<PlanEvent>& events) const {
  const graph::Graph& graph = rules_.graph();
  const bool contracted = units_.count() < graph.nodes().size();
  events.push_back(
      {PlanEvent::Kind::Phase,
       {},
       fusion::Reason::Fused,
       contracted
           ? fmt::format("Contraction: {} operators are {} units to plan with. What was asked to "
                         "stay together does, and in a large network one-to-one operators of one "
                         "shape that nobody else reads go with their reader.",
                         graph.nodes().size(), units_.count())
           : fmt::format("Each of the {} operators is a unit to plan with.", units_.count()),
       {{"operators", static_cast<double>(graph.nodes().size())},
        {"units", static_cast<double>(units_.count())}}});
  for (const auto& members : units_.members) {
    const auto is_inside = [&](graph::NodeId id) {
      return std::binary_search(members.begin(), members.end(), graph.position(id));
    };
    const bool asked = std::ranges::any_of(
        forced, [&](const fusion::Edge& edge) { return is_inside(edge.producer); });
    std::vector<graph::NodeId> ids = ids_of(graph, members);
    const bool together = std::ranges::all_of(
        ids, [&](graph::NodeId id) { return plan.group_of(id) == plan.group_of(ids.front()); });
    if (members.size() == 1 || asked || !together) continue;
    events.push_back({PlanEvent::Kind::Merge,
                      std::move(ids),
                      fusion::Reason::Fused,
                      fmt::format("{} are one unit.", names_of(graph, members)),
                      {}});
  }
}

void SearchSteps::tell_kernels(const fusion::Plan& plan, const fusion::CostModel& cost,
                               std::vector<PlanEvent>& events) const {
  const graph::Graph& graph = rules_.graph();
  double so_far = 0;
  for (const fusion::Group& group : plan.groups) {
    const fusion::Nodes nodes = fusion::positions(graph, group);
    const double own = cost.cost(rules_, nodes).total;
    so_far += own;
    events.push_back(
        {PlanEvent::Kind::Merge,
         group.nodes,
         fusion::Reason::Fused,
         fmt::format("Kernel {} of {}: {}, {}; {} so far.", group.id.value + 1, plan.groups.size(),
                     names_of(graph, nodes), words_(own), words_(so_far)),
         {{"microseconds", own}, {"microseconds so far", so_far}}});
  }
}

std::vector<PlanEvent> SearchSteps::of(const fusion::Plan& plan, const fusion::CostModel& cost,
                                       const std::set<fusion::Edge>& forced, double greedy,
                                       bool kept) {
  if (!record_) return {};
  std::vector<PlanEvent> told = fusion::tell_forced(rules_.graph(), forced);
  tell_units(plan, forced, told);
  told.push_back({PlanEvent::Kind::Phase,
                  {},
                  fusion::Reason::Fused,
                  fmt::format("A plan that is known: the greedy one of strategy mapping takes "
                              "{}. Whatever costs more is not followed.{}",
                              words_(greedy),
                              words_.timed() ? ""
                                             : " The machine is not calibrated, so costs are "
                                               "shares of that."),
                  {{"microseconds", greedy}}});
  std::move(events_.begin(), events_.end(), std::back_inserter(told));
  told.push_back({PlanEvent::Kind::Phase,
                  {},
                  fusion::Reason::Fused,
                  kept ? "The search found nothing cheaper, and the greedy plan is kept:"
                       : "The chosen path, from no operator executed to all of them:",
                  {}});
  tell_kernels(plan, cost, told);
  return told;
}

}  // namespace loopglass::passes

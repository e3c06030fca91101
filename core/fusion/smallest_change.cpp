#include "core/fusion/smallest_change.h"

#include "core/fusion/compare.h"
#include "core/fusion/edits.h"
#include "core/fusion/estimate_words.h"
#include "core/support/check.h"
#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::fusion {

namespace {

std::vector<std::size_t> parts(const Plan& plan, const graph::Graph& graph) {
  std::vector<std::size_t> part;
  for (const graph::NodePtr& node : graph.nodes()) part.push_back(plan.group_of(node->id).value);
  return part;
}

std::vector<Nodes> kernels(const Plan& plan, const std::vector<GroupId>& groups,
                           const graph::Graph& graph) {
  std::vector<Nodes> found;
  for (const GroupId group : groups) found.push_back(positions(graph, plan.group(group)));
  return found;
}

// Whether a kernel that is refused so may still be asked for.
bool may_be_forced(const std::optional<Refusal>& refusal) {
  return !refusal || refusal->reason == Reason::WorkingSet;
}

}  // namespace

SmallestChange::SmallestChange(const BlockRules& rules, const Plan& plan, const CostModel& cost)
    : rules_(rules),
      graph_(rules.graph()),
      plan_(plan),
      cost_(cost),
      partition_(rules, parts(plan, rules.graph())) {
  for (const Decision& decision : plan.decisions)
    if (decision.forced && !decision.fused)
      forbidden_.push_back({decision.producer, decision.consumer});
}

NearMiss SmallestChange::operator()(const Decision& decision) const {
  const Found found = change(decision);
  const Saving saved = saving_of(found.exchange);
  const bool write = !graph_.is_output(decision.value) && other_readers(decision).empty();
  NearMiss miss{0, saved.bytes, write, found.change, saved.workspace_bytes};
  if (found.change.kind == Change::Kind::None) return miss;
  const Estimated before = estimated(cost_, costs(found.exchange.removed)),
                  after = estimated(cost_, costs(found.exchange.added));
  miss.saved_microseconds = before.microseconds - after.microseconds;
  miss.gain = judge(before, after);
  if (before.error && after.error) miss.error_microseconds = std::max(*before.error, *after.error);
  miss.leaves_cache = std::ranges::any_of(found.exchange.added, [&](const Nodes& nodes) {
    return rules_.refuse_workspace(nodes).has_value();
  });
  return miss;
}

std::string SmallestChange::name(const Edge& edge) const {
  return fmt::format("{}:{}", name(edge.producer), name(edge.consumer));
}

std::string SmallestChange::names(const std::vector<graph::NodeId>& ids) const {
  std::vector<std::string> list;
  for (const graph::NodeId id : ids) list.push_back(name(id));
  return fmt::format("{}", fmt::join(list, ", "));
}

std::vector<graph::NodeId> SmallestChange::other_readers(const Decision& decision) const {
  std::vector<graph::NodeId> readers;
  for (const graph::Graph::Use& use : graph_.uses(decision.value))
    if (block(use.node) != block(decision.producer) &&
        block(use.node) != block(decision.consumer) &&
        (readers.empty() || readers.back() != use.node))
      readers.push_back(use.node);
  return readers;
}

// A strategy's own rules can be overruled; what a kernel can hold cannot.
SmallestChange::Found SmallestChange::change(const Decision& decision) const {
  CHECK(!decision.fused, "what is fused is no miss");
  const bool by_edits = decision.reason == Reason::SplitByHand || decision.reason == Reason::Pinned;
  if (by_edits) return take_back(decision);
  const Exchange joined = join(decision);
  if (auto forbidden = forbidden_in(joined.added.front()); !forbidden.empty())
    return allow(forbidden, joined);
  const std::size_t first = block(decision.producer), second = block(decision.consumer);
  const auto refusal = partition_.refuse_forced(first, second);
  if (!refusal) {
    // Whoever forces may leave the cache; but there may be something better.
    if (rules_.refuse_workspace(joined.added.front()))
      if (auto split = split_first(decision)) return *split;
    return overrule(decision);
  }
  if (refusal->reason == Reason::WouldCycle) return take_along(decision);
  if (auto split = split_first(decision)) return *split;
  return none(decision, refusal->sentence);
}

SmallestChange::Found SmallestChange::allow(const std::vector<Edge>& forbidden,
                                            Exchange exchange) const {
  std::vector<std::string> options;
  for (const Edge& edge : forbidden) options.push_back("--forbid " + name(edge));
  Change change{Change::Kind::LiftConstraint,
                fmt::format("allow it again: leave out {}", fmt::join(options, ", ")),
                {},
                {},
                {},
                forbidden};
  return {std::move(change), std::move(exchange)};
}

SmallestChange::Found SmallestChange::take_back(const Decision& decision) const {
  return {{Change::Kind::LiftConstraint,
           fmt::format("take back the edit that parted them ({})", decision.condition),
           {},
           {},
           {}},
          join(decision)};
}

SmallestChange::Found SmallestChange::overrule(const Decision& decision) const {
  Found found{{}, join(decision)};
  const std::string edge = name({decision.producer, decision.consumer});
  const bool by_hand = plan_.strategy == "manual";
  if (by_hand) {
    found.change.kind = Change::Kind::MergeByHand;
    found.change.recipe =
        to_text(Edit{Edit::Kind::Merge, {name(decision.producer), name(decision.consumer)}});
  } else {
    found.change.kind = Change::Kind::Force;
    found.change.recipe = "--force " + edge;
  }
  found.change.sentence =
      fmt::format("{}: only {} {} says no", by_hand ? "merge the two kernels by hand" : "force it",
                  decision.reason == Reason::WorkingSet ? "the limit" : "the strategy's rule",
                  fusion::name(decision.reason));
  found.change.sentence += effects(decision, found.exchange);
  add_times(found);
  return found;
}

SmallestChange::Found SmallestChange::take_along(const Decision& decision) const {
  Found found{{}, join_with_between(decision)};
  const Nodes& all = found.exchange.added.front();
  std::vector<graph::NodeId> between;
  for (const std::size_t node : all) {
    const graph::NodeId id = graph_.nodes()[node]->id;
    if (block(id) != block(decision.producer) && block(id) != block(decision.consumer))
      between.push_back(id);
  }
  if (auto forbidden = forbidden_in(all); !forbidden.empty()) {
    const std::string why =
        fmt::format("{} would have to come along, and {} was forbidden by hand.", names(between),
                    name(forbidden.front()));
    return none(decision, why);
  }
  if (const auto obstacle = rules_.refuse(all); !may_be_forced(obstacle))
    return none(decision,
                fmt::format("{} would have to come along. {}", names(between), obstacle->sentence));
  Edit edit{Edit::Kind::Merge, {name(decision.producer)}};
  for (const graph::NodeId id : between) edit.nodes.push_back(name(id));
  edit.nodes.push_back(name(decision.consumer));
  found.change = {Change::Kind::TakeAlong,
                  fmt::format("fuse what lies between as well: {}", names(between)),
                  between,
                  to_text(edit),
                  {}};
  found.change.sentence += effects(decision, found.exchange);
  add_times(found);
  return found;
}

// An end that is not what its kernel is built around may do better with its neighbour.
std::optional<SmallestChange::Found> SmallestChange::split_first(const Decision& decision) const {
  for (const graph::NodeId end : {decision.producer, decision.consumer}) {
    if (partition_.nodes_of(block(end)).size() == 1) continue;
    const EditScript script{
        {},
        {{Edit::Kind::Split, {name(end)}},
         {Edit::Kind::Merge, {name(decision.producer), name(decision.consumer)}}}};
    const auto moved = apply_edits(rules_, plan_, script, {});
    if (!moved) continue;
    const PlanDifference changed = difference(plan_, *moved);
    Found found{{},
                {kernels(plan_, changed.removed, graph_), kernels(*moved, changed.added, graph_)}};
    const std::int64_t gain = saving_of(found.exchange).bytes;
    if (gain <= 0) continue;
    found.change = {Change::Kind::SplitFirst,
                    fmt::format("take {} out of its kernel first; in all that moves {} less",
                                name(end), readable_bytes(gain)),
                    {end},
                    fmt::format("{} {}", to_text(script.edits[0]), to_text(script.edits[1])),
                    {{"bytes saved in all", static_cast<double>(gain)}}};
    add_times(found);
    return found;
  }
  return std::nullopt;
}

SmallestChange::Found SmallestChange::none(const Decision& decision, const std::string& why) const {
  return {{Change::Kind::None, "none: " + why, {}, {}, {}}, join(decision)};
}

SmallestChange::Exchange SmallestChange::join(const Decision& decision) const {
  const std::size_t first = block(decision.producer), second = block(decision.consumer);
  return {{partition_.nodes_of(first), partition_.nodes_of(second)},
          {partition_.joined(first, second)}};
}

SmallestChange::Exchange SmallestChange::join_with_between(const Decision& decision) const {
  const std::size_t first = block(decision.producer), second = block(decision.consumer);
  const auto after = reached(first, true), before = reached(second, false);
  Exchange exchange = join(decision);
  for (const std::size_t other : after)
    if (other != second && before.contains(other)) {
      const Nodes& nodes = partition_.nodes_of(other);
      exchange.removed.push_back(nodes);
      exchange.added.front().insert(exchange.added.front().end(), nodes.begin(), nodes.end());
    }
  std::sort(exchange.added.front().begin(), exchange.added.front().end());
  return exchange;
}

// Blocks that `from` leads to, or that lead to it, itself left out.
std::set<std::size_t> SmallestChange::reached(std::size_t from, bool forward) const {
  std::set<std::size_t> found;
  std::vector<std::size_t> stack{from};
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    for (const std::size_t node : forward ? partition_.successors(at) : partition_.predecessors(at))
      if (const std::size_t next = partition_.block_of(node); found.insert(next).second)
        stack.push_back(next);
  }
  return found;
}

std::vector<Edge> SmallestChange::forbidden_in(const Nodes& nodes) const {
  std::vector<Edge> found;
  for (const Edge& edge : forbidden_)
    if (std::ranges::binary_search(nodes, graph_.position(edge.producer)) &&
        std::ranges::binary_search(nodes, graph_.position(edge.consumer)))
      found.push_back(edge);
  return found;
}

Saving SmallestChange::saving_of(const Exchange& exchange) const {
  return saving(rules_, exchange.removed, exchange.added);
}

std::vector<Cost> SmallestChange::costs(const std::vector<Nodes>& kernels) const {
  std::vector<Cost> all;
  for (const Nodes& nodes : kernels) all.push_back(cost_.cost(rules_, nodes));
  return all;
}

double SmallestChange::time(const std::vector<Nodes>& kernels) const {
  return estimated(cost_, costs(kernels)).microseconds;
}

std::string SmallestChange::effects(const Decision& decision, const Exchange& exchange) const {
  const std::size_t before = exchange.removed.size();
  const double apart = time(exchange.removed);
  const EstimateWords words(cost_, apart);
  std::string text = fmt::format(
      " (estimated {})", words.weighed(time(exchange.added), "in one kernel", apart,
                                       before == 2 ? "in two" : fmt::format("in {}", before)));
  const Nodes& all = exchange.added.front();
  std::vector<graph::NodeId> readers;
  for (const graph::NodeId reader : other_readers(decision))
    if (!std::ranges::binary_search(all, graph_.position(reader))) readers.push_back(reader);
  if (!readers.empty())
    text += fmt::format("; {} is still written, for {}", graph_.value(decision.value).name,
                        names(readers));
  if (const std::int64_t kept = saving_of(exchange).workspace_bytes; kept > 0)
    text += fmt::format("; {} move into the kernel's workspace", readable_bytes(kept));
  if (const auto refusal = rules_.refuse_workspace(all))
    text += fmt::format(", which may leave the cache ({})", refusal->condition);
  return text;
}

void SmallestChange::add_times(Found& found) const {
  const bool one = found.exchange.added.size() == 1;
  found.change.numbers.emplace_back(one ? "microseconds fused" : "microseconds changed",
                                    time(found.exchange.added));
  found.change.numbers.emplace_back(one ? "microseconds apart" : "microseconds now",
                                    time(found.exchange.removed));
}

std::optional<NearMiss> near_miss_of(const Decision& decision, const Plan& plan,
                                     const BlockRules& rules, const CostModel& cost) {
  if (decision.fused || decision.reason == Reason::Opaque) return std::nullopt;
  NearMiss miss = SmallestChange(rules, plan, cost)(decision);
  miss.decision = static_cast<std::size_t>(&decision - plan.decisions.data());
  return miss;
}

}  // namespace loopglass::fusion

#include "core/fusion/explain.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include "core/fusion/decision_filter.h"
#include "core/fusion/layer_words.h"
#include "core/fusion/pattern_kind.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::fusion {

namespace {

// Whether a stands before b.
bool is_before(const Decision& a, const Decision& b, const graph::Graph& graph,
               DecisionOrder order) {
  const auto bytes = [&](const Decision& decision) {
    return graph.value(decision.value).type.bytes();
  };
  switch (order) {
    case DecisionOrder::Graph: return false;
    case DecisionOrder::Bytes: return bytes(a) > bytes(b);
    case DecisionOrder::Reason: return name(a.reason) < name(b.reason);
    case DecisionOrder::Verdict: return a.fused < b.fused;
    case DecisionOrder::Producer: return graph.node(a.producer).name < graph.node(b.producer).name;
    case DecisionOrder::Consumer: return graph.node(a.consumer).name < graph.node(b.consumer).name;
  }
  throw InternalError("order of decisions outside its enumeration");
}

}  // namespace

std::string_view name(DecisionOrder order) {
  switch (order) {
    case DecisionOrder::Graph: return "graph";
    case DecisionOrder::Bytes: return "bytes";
    case DecisionOrder::Reason: return "reason";
    case DecisionOrder::Verdict: return "verdict";
    case DecisionOrder::Producer: return "producer";
    case DecisionOrder::Consumer: return "consumer";
  }
  throw InternalError("order of decisions outside its enumeration");
}

std::vector<const Decision*> decision_table(const Plan& plan, const graph::Graph& graph,
                                            const Filter& filter, DecisionOrder order) {
  std::vector<const Decision*> rows;
  for (const Decision& decision : plan.decisions)
    if (matches(filter, decision, plan, graph)) rows.push_back(&decision);
  std::stable_sort(rows.begin(), rows.end(), [&](const Decision* a, const Decision* b) {
    return is_before(*a, *b, graph, order);
  });
  return rows;
}

std::string_view condition_notation() {
  return R"(A condition is written WHAT = IT IS, must be IT HAS TO BE:
  kind(a)                  the pattern kind of operator a, as TVM's Relay registers it:
                           Elementwise < Broadcast < Injective < CommReduce
                           < OutElementwiseFusable < Tuple < Opaque
  kind(a -> b)             of the edge: b's kind; or Elementwise, where b is a Broadcast and a's
                           result has the shape of b's
  path kind(a .. b)        the highest kind of any edge on a path from a to b, which is what the
                           rules go by
  kind(group of a)         of the kernel that a is in by then: that of its anchor
  post-dominator(a)        the first operator that all paths from a lead through
  mapping(a)               the mapping type of operator a
  combine(s then t)        what DNNFusion's table says of two mapping types
  cost(fused), cost(apart) by the cost model, of one kernel and of two; cost(chosen): of the plan
  operators(block), inputs(block), anchors(block), workspace(block)
                           of the kernel that fusing would make: operators, tensors read, loop
                           nests, bytes that these hand on
  connected(block), convex(block), acyclic(partition)
                           whether it hangs together, whether no path leads out of it and back,
                           and whether no kernels wait for one another)";
}

std::optional<std::string_view> kind_of(std::string_view key, double number) {
  if (key != "kind" && key != "pattern") return std::nullopt;
  return name(static_cast<PatternKind>(number));
}

std::string number_text(std::string_view key, double number) {
  const auto kind = kind_of(key, number);
  return kind ? std::string(*kind) : fmt::format("{:.10g}", number);
}

std::optional<std::string> number_words(std::string_view key, double number, bool timed) {
  constexpr std::string_view microseconds = "microseconds";
  const bool is_time = key.starts_with(microseconds);
  if (is_time || key == "cost" || key == "bound") {
    if (!timed) return std::nullopt;
    const std::string name =
        is_time ? fmt::format("time{}", key.substr(microseconds.size())) : std::string(key);
    return fmt::format("{} = {}", name, readable_time(Microseconds(number)));
  }
  if (key.starts_with("bytes") || key.ends_with("bytes"))
    return fmt::format("{} = {}", key, readable_bytes(static_cast<std::int64_t>(number)));
  return fmt::format("{} = {}", key, number_text(key, number));
}

std::string verdict(const Decision& decision, const Plan& plan) {
  const std::string by_hand = decision.forced ? ", by hand" : "";
  if (!decision.fused) return fmt::format("{}{}", name(decision.reason), by_hand);
  return fmt::format("{} in {}{}", name(decision.reason),
                     plan.group(plan.group_of(decision.producer)).name, by_hand);
}

std::string to_text(const Decision& decision, const Plan& plan, const graph::Graph& graph,
                    bool timed) {
  const graph::Value& value = graph.value(decision.value);
  const std::string layer =
      decision.fused
          ? fmt::format(" ({})", layer_words(plan.group(plan.group_of(decision.producer)), graph))
          : "";
  std::string text = fmt::format("{} -> {}: {}{}\n    %{} {}\n", graph.node(decision.producer).name,
                                 graph.node(decision.consumer).name, verdict(decision, plan), layer,
                                 value.name, to_string(value.type));
  if (!decision.condition.empty()) text += fmt::format("    {}\n", decision.condition);
  text += fmt::format("    {}\n", decision.sentence);
  std::string numbers;
  for (const auto& [key, number] : decision.numbers)
    if (const auto words = number_words(key, number, timed))
      numbers += (numbers.empty() ? "" : ", ") + *words;
  if (!numbers.empty()) text += fmt::format("    {}\n", numbers);
  return text;
}

std::vector<std::pair<Reason, std::size_t>> reason_counts(
    const std::vector<const Decision*>& decisions) {
  std::array<std::size_t, reason_count> counts{};
  for (const Decision* decision : decisions) ++counts[static_cast<std::size_t>(decision->reason)];
  std::vector<std::pair<Reason, std::size_t>> found;
  for (std::size_t i = 0; i < reason_count; ++i)
    if (counts[i] > 0) found.emplace_back(static_cast<Reason>(i), counts[i]);
  return found;
}

}  // namespace loopglass::fusion

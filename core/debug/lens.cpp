#include "core/debug/lens.h"

#include "core/debug/value_layouts.h"
#include "core/graph/opaque_reach.h"

namespace loopglass::debug {

namespace {

using graph::Graph;
using graph::ValueId;

// Topological: inputs and constants, then results as operators make them.
std::vector<ValueId> values_in_order(const Graph& graph) {
  std::vector<ValueId> order;
  for (const graph::ValuePtr& value : graph.values())
    if (!value->producer) order.push_back(value->id);
  for (const graph::NodePtr& node : graph.nodes())
    order.insert(order.end(), node->outputs.begin(), node->outputs.end());
  return order;
}

// Where the values of a graph lie in other layouts, seen as if they did not.
class Logical {
 public:
  explicit Logical(const Graph& graph) : layouts_(value_layouts(graph)) {}

  // Of its type; the type itself where the layout is none for it.
  TensorType type(const graph::Value& value) const {
    const auto shape = value_shape(value);
    return {value.type.type, shape.value_or(value.type.shape)};
  }
  Result<Tensor> tensor(const graph::Value& value, const Tensor& tensor) const {
    const auto layout = layouts_.find(value.id);
    if (layout == layouts_.end() || !value_shape(value)) return tensor;
    return layout->second.restored(tensor);
  }

 private:
  Result<Shape> value_shape(const graph::Value& value) const {
    const auto layout = layouts_.find(value.id);
    if (layout == layouts_.end()) return value.type.shape;
    return layout->second.logical(value.type.shape);
  }

  std::map<ValueId, Layout> layouts_;
};

class Comparer {
 public:
  Comparer(Evaluator& evaluator, const Graph& before, const Graph& after, const Inputs& inputs,
           const CompareOptions& options, const Control& control)
      : evaluator_(evaluator),
        before_(before),
        after_(after),
        inputs_(inputs),
        options_(options),
        control_(control),
        logical_before_(before),
        logical_after_(after) {}

  Result<Comparison> operator()(const Correspondence& correspondence) {
    pair_up(correspondence);
    std::int64_t bytes = 0;
    std::vector<Difference*> slice;
    for (Difference& pair : comparison_.values) {
      if (!pair.comparable) continue;
      if (!slice.empty() && bytes + pair.type_before.bytes() > options_.memory) {
        TRY_VOID(evaluate(slice));
        slice.clear();
        bytes = 0;
      }
      slice.push_back(&pair);
      bytes += pair.type_before.bytes();
    }
    if (!slice.empty()) TRY_VOID(evaluate(slice));
    const auto& values = comparison_.values;
    const auto first = std::find_if(values.begin(), values.end(),
                                    [](const Difference& value) { return value.diverges; });
    if (first != values.end())
      comparison_.first_divergence = static_cast<std::size_t>(first - values.begin());
    return std::move(comparison_);
  }

 private:
  // A graph input is the same tensor on both sides.
  void pair_up(const Correspondence& correspondence) {
    std::map<ValueId, std::pair<ValueId, Match>> sources;
    for (const auto& [value, counterpart] : correspondence)
      sources[counterpart.value] = {value, counterpart.match};
    for (const graph::NodePtr& node : before_.nodes())
      for (const ValueId output : node->outputs)
        comparison_.only_before += !correspondence.contains(output);
    for (const ValueId id : values_in_order(after_)) {
      const graph::Value& after = after_.value(id);
      const auto source = sources.find(id);
      if (source == sources.end()) {
        comparison_.only_after += after.producer.valid();
        continue;
      }
      const graph::Value& before = before_.value(source->second.first);
      if (is_input(before) && is_input(after)) continue;
      Difference pair;
      describe(pair, before, after, source->second.second);
      pair.comparable = before.type.is_known() && after.type.is_known() &&
                        logical_before_.type(before) == logical_after_.type(after);
      pair.elements = element_count(after.type.shape);
      comparison_.values.push_back(std::move(pair));
    }
  }

  static bool is_input(const graph::Value& value) {
    return !value.producer && !value.is_constant();
  }

  static void describe(Difference& pair, const graph::Value& before, const graph::Value& after,
                       Match match) {
    pair.before = before.id;
    pair.after = after.id;
    pair.match = match;
    pair.name_before = before.name;
    pair.name_after = after.name;
    pair.type_before = before.type;
    pair.type_after = after.type;
  }

  Result<void> evaluate(const std::vector<Difference*>& slice) {
    std::set<ValueId> wanted_before, wanted_after;
    std::map<ValueId, Difference*> by_result;
    for (Difference* pair : slice) {
      wanted_before.insert(pair->before);
      wanted_after.insert(pair->after);
      by_result[pair->after] = pair;
    }
    std::map<ValueId, Tensor> held;
    TRY_VOID(evaluator_.run(
        before_, inputs_, wanted_before,
        [&](const graph::Value& value, const Tensor& tensor) -> Result<void> {
          held[value.id] = tensor;
          return {};
        },
        control_));
    return evaluator_.run(
        after_, inputs_, wanted_after,
        [&](const graph::Value& value, const Tensor& tensor) -> Result<void> {
          Difference& pair = *by_result.at(value.id);
          const graph::Value& before = before_.value(pair.before);
          const Tensor expected = TRY(logical_before_.tensor(before, held.at(pair.before)));
          const Tensor actual = TRY(logical_after_.tensor(value, tensor));
          Difference measured = difference(expected, actual, options_.tolerance);
          describe(measured, before, value, pair.match);
          held.erase(pair.before);
          pair = std::move(measured);
          return {};
        },
        control_);
  }

  Evaluator& evaluator_;
  const Graph &before_, &after_;
  const Inputs& inputs_;
  const CompareOptions& options_;
  const Control& control_;
  Logical logical_before_, logical_after_;
  Comparison comparison_;
};

}  // namespace

Result<std::vector<Summary>> look(Evaluator& evaluator, const Graph& graph, const Inputs& inputs,
                                  const std::set<ValueId>& wanted, const SummaryOptions& options,
                                  const Control& control) {
  std::set<ValueId> asked = wanted;
  if (asked.empty())
    for (const graph::ValuePtr& value : graph.values())
      if (!value->is_constant()) asked.insert(value->id);
  const auto reached = graph::opaque_reach(graph);
  std::vector<Summary> summaries;
  TRY_VOID(evaluator.run(
      graph, inputs, asked,
      [&](const graph::Value& value, const Tensor& tensor) -> Result<void> {
        summaries.push_back(summarise(value, tensor, options));
        if (const auto from = reached.find(value.id); from != reached.end())
          summaries.back().opaque = from->second;
        return {};
      },
      control));
  return summaries;
}

Result<Comparison> compare(Evaluator& evaluator, const Graph& before, const Graph& after,
                           const Correspondence& correspondence, const Inputs& inputs,
                           const CompareOptions& options, const Control& control) {
  return Comparer(evaluator, before, after, inputs, options, control)(correspondence);
}

}  // namespace loopglass::debug

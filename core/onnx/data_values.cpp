#include "core/onnx/data_values.h"

#include "core/graph/counts.h"
#include "core/onnx/input_settings.h"
#include "core/onnx/limits.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;

// What further values may hang on is kept: the smaller first, as far as memory goes.
std::vector<ValueId> kept_of(std::vector<ValueId> results, ValueId wanted,
                             const graph::GraphBuilder& builder) {
  const auto bytes = [&](ValueId id) { return builder.value(id).type.bytes(); };
  std::ranges::stable_sort(results, {}, bytes);
  std::int64_t room = default_constant_budget() / 2 - bytes(wanted);
  std::erase_if(results, [&](ValueId id) { return id != wanted && (room -= bytes(id)) < 0; });
  return results;
}

std::string words_of(const graph::Value& value, const Tensor& tensor) {
  if (tensor.elements() != 1 || is_float(tensor.data_type()))
    return fmt::format("'{}'", value.name);
  return fmt::format("'{}' = {}", value.name, tensor.integer_at(0));
}

}  // namespace

// What a value hangs on: nodes in the order in which they were made, which is that of their data,
// and inputs.
struct DataValues::Needed {
  std::set<graph::NodeId> nodes;
  std::set<std::string> inputs;
};

Result<DataValues::Needed> DataValues::needed_for(ValueId wanted) const {
  Needed needed;
  std::vector<ValueId> pending{wanted};
  while (!pending.empty()) {
    const graph::Value& value = builder_.value(pending.back());
    pending.pop_back();
    if (value.is_constant() || computed_.contains(value.id)) continue;
    if (!value.producer) {
      needed.inputs.insert(value.name);
      if (is_setting(value.type) && !options_.bound_inputs.contains(value.name))
        return fail(Code::InputNotConstant,
                    fmt::format("it depends on the data of graph input '{}'", value.name));
      continue;
    }
    if (!needed.nodes.insert(value.producer).second) continue;
    const graph::Node& node = builder_.node(value.producer);
    if (is_opaque(node))
      return fail(Code::InputNotConstant,
                  fmt::format("it depends on '{}' ({}), which is not computed here", node.name,
                              operator_name(node)));
    for (const ValueId input : node.inputs)
      if (input) pending.push_back(input);
  }
  return needed;
}

// A graph of its own of what a value hangs on. The inputs of the whole stand first, in their order,
// which is what random numbers go by.
struct DataValues::Part {
  graph::Graph graph;
  std::map<std::string, Tensor> known;  // of its inputs
  std::vector<ValueId> results;         // of the whole, which its outputs are
};

Result<DataValues::Part> DataValues::part_of(ValueId wanted, const Needed& needed) const {
  Part part;
  part.known = options_.bound_inputs;
  graph::GraphBuilder builder(builder_.value(wanted).name);
  std::unordered_map<ValueId, ValueId> places;
  for (const ValueId id : builder_.inputs())
    places[id] = builder.add_input(builder_.value(id).name, builder_.value(id).type);
  const auto operand = [&](ValueId id) -> ValueId {
    if (!id) return {};
    if (const auto there = places.find(id); there != places.end()) return there->second;
    const graph::Value& value = builder_.value(id);
    if (value.is_constant()) return places[id] = builder.add_constant(value.name, value.constant);
    part.known[value.name] = computed_.at(id);
    return places[id] = builder.add_input(value.name, value.type);
  };
  for (const graph::NodeId id : needed.nodes) {
    const graph::Node& node = builder_.node(id);
    std::vector<ValueId> inputs;
    std::vector<std::string> names;
    for (const ValueId input : node.inputs) inputs.push_back(operand(input));
    for (const ValueId output : node.outputs) names.push_back(builder_.value(output).name);
    const graph::NodeId made =
        TRY(builder.add_node(node.name, *node.op, std::move(inputs), node.attributes,
                             node.outputs.size(), node.origin, std::move(names)));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      places[node.outputs[i]] = builder.output(made, i);
      part.results.push_back(node.outputs[i]);
    }
  }
  if (part.results.empty()) part.results = {wanted};  // an input as it is
  part.results = kept_of(std::move(part.results), wanted, builder_);
  std::vector<ValueId> outputs;
  for (const ValueId result : part.results) outputs.push_back(places.at(result));
  builder.set_outputs(std::move(outputs));
  part.graph = TRY(std::move(builder).finish());
  return part;
}

bool DataValues::is_guessed() const {
  return std::ranges::any_of(
      inputs_, [&](const std::string& input) { return !options_.bound_inputs.contains(input); });
}

Result<void> DataValues::compute(ValueId wanted) {
  const Needed needed = TRY(needed_for(wanted));
  const Part part = TRY(part_of(wanted, needed));
  std::int64_t work = 0;
  for (const graph::NodePtr& node : part.graph.nodes())
    work += graph::flops(part.graph, *node).value_or(0);
  if (work > maximum_data_work)
    return fail(Code::InputNotConstant, "computing it takes too long for an import");
  const std::vector<Tensor> results =
      TRY(options_.evaluate_data(part.graph, part.known, options_.progress, options_.cancellation));
  for (std::size_t i = 0; i < results.size(); ++i) computed_[part.results[i]] = results[i];
  inputs_.insert(needed.inputs.begin(), needed.inputs.end());
  return {};
}

Result<Tensor> DataValues::value(ValueId wanted) {
  const graph::Value& value = builder_.value(wanted);
  if (value.is_constant()) return value.constant;
  if (!options_.evaluate_data)
    return fail(Code::InputNotConstant, "nothing computes what hangs on data during this import");
  if (!computed_.contains(wanted)) TRY_VOID(compute(wanted));
  const Tensor& found = computed_.at(wanted);
  found_.push_back(words_of(value, found));
  return found;
}

}  // namespace loopglass::onnx

#include "passes/graph/rules/rule.h"

#include "core/loop/interpreter.h"
#include "core/ops/registry.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace loopglass::passes::rules {

std::string_view name(RuleClass kind) {
  switch (kind) {
    case RuleClass::Exact: return "exact";
    case RuleClass::Reassociating: return "reassociating";
    case RuleClass::FiniteOnly: return "finite-only";
    case RuleClass::AsAllowed: return "as-allowed";
  }
  __builtin_unreachable();
}

graph::ValueId Site::input(std::size_t index) const {
  return index < node_.inputs.size() ? node_.inputs[index] : graph::ValueId{};
}

const graph::Node* Site::peek(graph::ValueId value) const {
  if (!value) return nullptr;
  const graph::NodeId id = edits_.graph().value(value).producer;
  if (!id) return nullptr;
  const graph::Node& found = edits_.graph().node(id);
  return found.outputs.front() == value ? &found : nullptr;
}

const graph::Node* Site::producer(graph::ValueId value) {
  const graph::Node* found = peek(value);
  if (found != nullptr) consume(*found);
  return found;
}

const graph::Node* Site::producer(graph::ValueId value, std::string_view op) {
  const graph::Node* found = peek(value);
  if (found == nullptr || found->op->name != op) return nullptr;
  consume(*found);
  return found;
}

bool Site::only_user(graph::ValueId value) const {
  const auto& users = edits_.users(value);
  return !is_output(value) && !users.empty() &&
         std::all_of(users.begin(), users.end(),
                     [&](graph::NodeId user) { return user == node_.id; });
}

const Tensor* Site::constant(graph::ValueId value) const {
  if (!value) return nullptr;
  const graph::Value& found = edits_.graph().value(value);
  return found.is_constant() ? &found.constant : nullptr;
}

namespace {

template <class T>
std::optional<double> common_number(std::span<const T> elements) {
  const T first = elements.front();
  for (const T element : elements)
    if (element != first) return std::nullopt;
  const auto number = static_cast<double>(first);
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Float16>) {
    for (const T element : elements)
      if (std::signbit(static_cast<double>(element)) != std::signbit(number)) return std::nullopt;
  } else if (std::abs(number) > 0x1p53) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<double> Site::uniform(graph::ValueId value) const {
  const Tensor* tensor = constant(value);
  if (tensor == nullptr || tensor->elements() == 0) return std::nullopt;
  return visit_type(tensor->data_type(), [&](auto element) {
    return common_number<decltype(element)>(tensor->as<decltype(element)>());
  });
}

std::optional<TensorType> Site::type_of(std::string_view op,
                                        const std::vector<graph::ValueId>& inputs,
                                        ops::Attributes attributes) const {
  const ops::OpDef* found = ops::find_operator(op);
  CHECK(found != nullptr, fmt::format("no operator {}", op));
  std::vector<const TensorType*> types;
  for (const graph::ValueId input : inputs) types.push_back(input ? &type(input) : nullptr);
  const auto inferred = ops::infer(*found, types, attributes, 1);
  if (!inferred) return std::nullopt;
  return inferred->front();
}

graph::ValueId Site::make(std::string_view op, std::vector<graph::ValueId> inputs,
                          ops::Attributes attributes) {
  return make_several(op, std::move(inputs), std::move(attributes), 1).front();
}

graph::ValueId Site::make_folded(std::string_view op, std::vector<graph::ValueId> inputs,
                                 ops::Attributes attributes) {
  constexpr std::int64_t small = 1 << 16;  // elements; what is larger is for constant folding
  std::vector<Tensor> operands;
  for (const graph::ValueId input : inputs)
    if (const Tensor* operand = constant(input)) operands.push_back(*operand);
  const auto type = type_of(op, inputs, attributes);
  if (operands.size() == inputs.size() && type && element_count(type->shape) <= small)
    if (const auto results = loop::evaluate(*ops::find_operator(op), attributes, operands, 1))
      return make_constant(results->front());
  return make(op, std::move(inputs), std::move(attributes));
}

std::vector<graph::ValueId> Site::make_several(std::string_view op,
                                               std::vector<graph::ValueId> inputs,
                                               ops::Attributes attributes, std::size_t results) {
  Origin origin = node_.origin;
  for (const graph::NodeId seen : seen_) origin.merge(edits_.graph().node(seen).origin);
  made_.push_back(edits_.add_node(node_.name, ops::operation_named(op, std::move(attributes)),
                                  std::move(inputs), results, std::move(origin)));
  return edits_.graph().node(made_.back()).outputs;
}

graph::ValueId Site::make_constant(Tensor value) {
  return edits_.add_constant(node_.name + "_constant", std::move(value));
}

graph::ValueId Site::make_uniform(DataType type, double value, Shape shape) {
  Tensor tensor(TensorType{type, std::move(shape)});
  visit_type(type, [&](auto element) {
    std::ranges::fill(tensor.as<decltype(element)>(), static_cast<decltype(element)>(value));
  });
  return make_constant(std::move(tensor));
}

graph::ValueId Site::make_filled(const TensorType& type, double value) {
  constexpr std::int64_t small = 4096;  // elements
  if (element_count(type.shape) <= small && !is_output(node_.outputs.front()))
    return make_uniform(type.type, value, type.shape);
  return make("Expand", {make_uniform(type.type, value)}, {{"shape", type.shape}});
}

}  // namespace loopglass::passes::rules

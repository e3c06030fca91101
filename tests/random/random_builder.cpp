#include "tests/random/random_builder.h"

#include "core/ops/registry.h"

namespace loopglass::test {

void RandomBuilder::grow(int operators) {
  for (int made = 0, tries = 0; made < operators && tries < 50 * operators; ++tries)
    made += add_operator(made);
}

std::vector<graph::ValueId> RandomBuilder::results(int odds) {
  std::vector<graph::ValueId> found;
  for (const graph::ValueId value : values_)
    if (builder_.value(value).producer && (!builder_.is_used(value) || one_in(odds)))
      found.push_back(value);
  return found;
}

graph::Graph RandomBuilder::finish(std::vector<graph::ValueId> outputs) {
  builder_.set_outputs(std::move(outputs));
  auto graph = std::move(builder_).finish();
  if (!graph) throw std::logic_error(to_string(graph.error()));
  return *std::move(graph);
}

graph::ValueId RandomBuilder::value(int odds) {
  const auto count = std::ssize(values_);
  return values_[static_cast<std::size_t>(count - 1 - (one_in(odds) ? between(0, count - 1) : 0))];
}

graph::ValueId RandomBuilder::constant(const TensorType& type, std::int64_t limit) {
  Tensor data(type);
  visit_type(type.type, [&](auto zero) {
    for (auto& element : data.as<decltype(zero)>())
      element = static_cast<decltype(zero)>(between(-limit, limit));
  });
  return builder_.add_constant("k", data);
}

bool RandomBuilder::add(const std::string& op, std::vector<graph::ValueId> inputs,
                        ops::Attributes attributes, std::size_t results) {
  const ops::OpDef& found = *ops::find_operator(op);
  std::vector<const TensorType*> types;
  for (const graph::ValueId input : inputs) types.push_back(&builder_.value(input).type);
  ops::Attributes completed = attributes;
  const auto inferred = ops::infer(found, types, completed, results);
  if (!inferred) return false;
  for (const TensorType& type : *inferred)
    if (type.shape.size() > 4 || element_count(type.shape) > most_elements_) return false;
  const auto node =
      builder_.add_node("n", found, std::move(inputs), std::move(attributes), results);
  for (const graph::ValueId output : builder_.node(*node).outputs) values_.push_back(output);
  return true;
}

}  // namespace loopglass::test

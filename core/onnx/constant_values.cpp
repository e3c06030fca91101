#include "core/onnx/constant_values.h"

#include "core/graph/program.h"
#include "core/onnx/limits.h"
#include "core/ops/reads_data.h"

#include <fmt/format.h>
#include <limits>

namespace loopglass::onnx {

namespace {

// How often bodies are evaluated; saturates.
std::int64_t iterations(const te::Program& program) {
  std::int64_t total = 0;
  for (const te::Stage& stage : program.stages) {
    Shape extents = te::concrete(stage.output.shape);
    for (const te::Axis& axis : stage.reduce_axes)
      extents.push_back(te::concrete({axis.extent}).front());
    const auto count = checked_element_count(extents);
    if (!count || __builtin_add_overflow(total, *count, &total))
      return std::numeric_limits<std::int64_t>::max();
  }
  return total;
}

std::string place(const graph::Node& node) {
  return fmt::format("node '{}' ({})", node.name, node.op->name);
}

}  // namespace

const Tensor* ConstantValues::known(graph::ValueId id) const {
  if (builder_.value(id).is_constant()) return &builder_.value(id).constant;
  const auto found = computed_.find(id);
  return found == computed_.end() ? nullptr : &found->second;
}

Result<void> ConstantValues::evaluate(const graph::Node& node, bool data_needed) {
  if (!evaluate_)
    return fail(Code::InputNotConstant, "nothing can compute constants during this import",
                place(node));
  std::vector<Tensor> inputs;
  for (const graph::ValueId input : node.inputs) {
    if (!input) inputs.emplace_back();
    else if (data_needed) inputs.push_back(*known(input));
    else
      inputs.push_back(TRY(Tensor::allocate(builder_.value(input).type)));  // only its type counts
  }
  auto results = evaluate_(*node.op, node.attributes, inputs, node.outputs.size());
  if (!results) {
    if (results.error().where.empty()) results.error().where = place(node);
    return std::unexpected(results.error());
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    computed_[node.outputs[i]] = std::move((*results)[i]);
  return {};
}

// Depth first with a stack of its own: chains in hostile models are longer than the machine's
// stack.
Result<Tensor> ConstantValues::value(graph::ValueId wanted) {
  blocking_input_ = {};
  std::vector<graph::ValueId> pending{wanted};
  while (!pending.empty()) {
    const graph::ValueId id = pending.back();
    if (known(id) != nullptr) {
      pending.pop_back();
      continue;
    }
    const graph::Value& value = builder_.value(id);
    if (!value.producer) {
      blocking_input_ = id;
      return fail(Code::InputNotConstant,
                  fmt::format("it depends on the data of graph input '{}'", value.name));
    }
    const graph::Node& node = builder_.node(value.producer);
    if (is_opaque(node))
      return fail(Code::InputNotConstant,
                  fmt::format("it depends on '{}' ({}), which is not computed here", node.name,
                              operator_name(node)));
    const te::Program program = TRY(graph::program_of(builder_, node));
    if (iterations(program) > maximum_constant_work)
      return fail(Code::InputNotConstant, "computing it takes too long for an import", place(node));
    const bool data_needed = ops::reads_data(program);
    const std::size_t before = pending.size();
    for (const graph::ValueId input : node.inputs)
      if (data_needed && input && known(input) == nullptr) pending.push_back(input);
    if (pending.size() == before) TRY_VOID(evaluate(node, data_needed));
  }
  return *known(wanted);
}

}  // namespace loopglass::onnx

#include "core/fusion/kernel.h"

#include "core/fusion/written_kernel.h"
#include "core/loop/lower.h"
#include "core/ops/written_kernel.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace loopglass::fusion {

namespace {

// Names in kernels follow the graph's, made into plain words.
std::string word(const std::string& name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) text = "v" + text;
  return text;
}

class KernelAssembler {
 public:
  KernelAssembler(const graph::Graph& graph, const Group& group)
      : graph_(graph), group_(group), members_(group.nodes.begin(), group.nodes.end()) {}

  Result<KernelProgram> assemble() {
    for (const graph::NodeId id : group_.nodes) TRY_VOID(add(graph_.node(id)));
    std::vector<te::Tensor> outputs;
    // An operator may hand on its operand; each result is its own tensor.
    std::set<std::string> taken;
    for (const graph::ValueId input : kernel_.inputs) taken.insert(tensors_.at(input).name);
    const auto give = [&](graph::ValueId value, graph::NodeId id) {
      const te::Tensor tensor = tensors_.at(value);
      kernel_.outputs.push_back(value);
      outputs.push_back(taken.insert(tensor.name).second ? tensor : copy(tensor, id));
    };
    for (const graph::NodeId id : group_.nodes)
      for (const graph::ValueId value : graph_.node(id).outputs)
        if (escapes(value)) give(value, id);
    // Dead code, where no pass has removed it, computes something all the same.
    if (outputs.empty())
      give(graph_.node(group_.nodes.back()).outputs.front(), group_.nodes.back());
    kernel_.program = std::move(builder_).finish(std::move(outputs));
    return std::move(kernel_);
  }

 private:
  bool escapes(graph::ValueId value) const {
    if (graph_.is_output(value)) return true;
    const auto& uses = graph_.uses(value);
    return std::any_of(uses.begin(), uses.end(),
                       [&](const graph::Graph::Use& use) { return !members_.contains(use.node); });
  }

  te::Tensor operand(graph::ValueId id) {
    if (!id) return {};
    if (const auto found = tensors_.find(id); found != tensors_.end()) return found->second;
    const graph::Value& value = graph_.value(id);
    kernel_.inputs.push_back(id);
    kernel_.input_is_constant.push_back(value.is_constant());
    return tensors_[id] = builder_.placeholder(word(value.name), value.type);
  }

  Result<void> add(const graph::Node& node) {
    std::vector<te::Tensor> inputs;
    for (const graph::ValueId input : node.inputs) inputs.push_back(operand(input));
    std::vector<TensorType> types;
    for (const graph::ValueId output : node.outputs) types.push_back(graph_.value(output).type);
    builder_.set_origin({{node.id.value}});
    ops::ComputeContext context{builder_, inputs, types, node.attributes,
                                word(graph_.value(node.outputs[0]).name)};
    auto results = node.op->compute(context);
    if (!results) {
      Diagnostic diagnostic = std::move(results).error();
      if (diagnostic.where.empty())
        diagnostic.where = fmt::format("node '{}' ({})", node.name, node.op->name);
      return std::unexpected(std::move(diagnostic));
    }
    CHECK(results->size() == node.outputs.size(),
          node.op->name + " computes another number of results than it infers");
    for (std::size_t i = 0; i < types.size(); ++i) tensors_[node.outputs[i]] = (*results)[i];
    return {};
  }

  te::Tensor copy(const te::Tensor& tensor, graph::NodeId node) {
    builder_.set_origin({{node.value}});
    return builder_.compute(tensor.name + "_copy", tensor.shape,
                            [&](const te::Builder::Indices& i) { return tensor(i); });
  }

  const graph::Graph& graph_;
  const Group& group_;
  const std::unordered_set<graph::NodeId> members_;
  te::Builder builder_;
  KernelProgram kernel_;
  std::unordered_map<graph::ValueId, te::Tensor> tensors_;
};

}  // namespace

namespace {

// Zeros around what is read, which the kernel may then multiply.
bool has_border(const te::Program& program) {
  return std::ranges::any_of(program.stages, [](const te::Stage& stage) {
    const auto* select = stage.body.as<expr::Select>();
    const auto* border = select ? select->when_false.as<expr::FloatConstant>() : nullptr;
    return border && border->value == 0;
  });
}

bool is_finite(const Tensor& tensor) {
  if (tensor.data_type() != DataType::Float32 || !tensor.defined()) return false;
  const std::span<const float> values = tensor.as<float>();
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

void find_finite(const graph::Graph& graph, KernelProgram& kernel) {
  const bool asked = kernel.nest || has_border(kernel.program);
  kernel.input_is_finite.clear();
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i)
    kernel.input_is_finite.push_back(asked && kernel.input_is_constant[i] &&
                                     is_finite(graph.value(kernel.inputs[i]).constant));
}

}  // namespace

Result<KernelProgram> kernel_program(const graph::Graph& graph, const Group& group) {
  const graph::Node& first = graph.node(group.nodes.front());
  const bool written = group.nodes.size() == 1 && ops::is_written(*first.op);
  KernelProgram kernel =
      TRY(written ? written_kernel(graph, first) : KernelAssembler(graph, group).assemble());
  find_finite(graph, kernel);
  return kernel;
}

KernelProgram interface_of(const graph::Graph& graph, const Group& group) {
  KernelProgram kernel;
  std::set<graph::ValueId> made, read;
  for (const graph::NodeId id : group.nodes) {
    const graph::Node& node = graph.node(id);
    for (const graph::ValueId input : node.inputs) {
      if (!input || made.contains(input) || !read.insert(input).second) continue;
      kernel.inputs.push_back(input);
      kernel.input_is_constant.push_back(graph.value(input).is_constant());
      kernel.input_is_finite.push_back(false);
    }
    made.insert(node.outputs.begin(), node.outputs.end());
    kernel.outputs.insert(kernel.outputs.end(), node.outputs.begin(), node.outputs.end());
  }
  return kernel;
}

loop::Func initial_nest(const KernelProgram& kernel, const std::string& name) {
  std::vector<std::string> constants;
  std::set<std::string> finite;
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
    if (kernel.input_is_constant[i]) constants.push_back(kernel.program.inputs[i].name);
    if (kernel.input_is_finite[i]) finite.insert(kernel.program.inputs[i].name);
  }
  loop::Func nest = kernel.nest ? *kernel.nest : loop::lower(kernel.program, name, constants);
  for (loop::Buffer& parameter : nest.parameters)
    parameter.finite = finite.contains(parameter.name);
  return nest;
}

}  // namespace loopglass::fusion

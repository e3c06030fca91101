#include "core/library/kernel_part.h"

#include "core/loop/interpret_graph.h"
#include "core/ops/convolve.h"
#include "core/ops/written_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace loopglass::library {

namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

bool is_convolution(const Node& node) {
  return node.op->name == "Conv" || node.op->name == "LayoutConv";
}
bool is_anchor(const Node& node) {
  return is_convolution(node) || node.op->name == "MatMul" || node.op->name == "Gemm";
}

std::unexpected<Diagnostic> refused(const Node& node, std::string why) {
  return fail(Code::LibraryRefused, std::move(why), node.name);
}

class PartFinder {
 public:
  PartFinder(const Graph& graph, const fusion::Group& group) : graph_(graph), group_(group) {}

  Result<KernelPart> find() {
    const Node& anchor = *TRY(only_anchor());
    TRY_VOID(check_types(anchor));
    part_.source = anchor.inputs[0];
    part_.weights = anchor.inputs[1];
    part_.result = anchor.outputs[0];
    part_.taken = {anchor.id};
    if (is_convolution(anchor)) TRY_VOID(take_convolution(anchor));
    else if (anchor.op->name == "Gemm") TRY_VOID(take_gemm(anchor));
    else TRY_VOID(take_product(anchor));
    find_following();
    while (take_next()) {
    }
    divide_the_rest();
    return std::move(part_);
  }

 private:
  const TensorType& type(ValueId id) const { return graph_.value(id).type; }
  const Shape& shape(ValueId id) const { return type(id).shape; }

  Result<const Node*> only_anchor() const {
    const Node* found = nullptr;
    for (const NodeId id : group_.nodes) {
      const Node& node = graph_.node(id);
      if (!is_anchor(node)) continue;
      if (found)
        return fail(
            Code::LibraryRefused,
            fmt::format("the kernel holds {} as well: two convolutions or products", found->name),
            node.name, "with --strategy none each operator has a kernel of its own");
      found = &node;
    }
    const bool is_written = std::ranges::any_of(
        group_.nodes, [&](NodeId id) { return ops::is_written(*graph_.node(id).op); });
    if (!found)
      return fail(Code::LibraryRefused,
                  is_written ? "the kernel is written as text, not of operators that a library has"
                             : "the kernel holds no convolution or product",
                  group_.name);
    return found;
  }

  Result<void> check_types(const Node& anchor) const {
    std::vector<ValueId> all(anchor.inputs);
    all.push_back(anchor.outputs[0]);
    for (const ValueId id : all) {
      if (!id) continue;
      if (type(id).type != DataType::Float32)
        return refused(anchor, fmt::format("{} is {}; float32 is what is asked of the library",
                                           graph_.value(id).name, name(type(id).type)));
      if (element_count(shape(id)) == 0)
        return refused(anchor, fmt::format("{} has no elements", graph_.value(id).name));
    }
    return {};
  }

  // A constant in row-major order, or what is there when the kernel runs.
  void take_weights(ValueId id, Tensor constant) {
    part_.computation.constant_weights = constant.defined();
    part_.constant_weights = std::move(constant);
    part_.weights = id;
  }

  Result<void> take_convolution(const Node& node) {
    Layout data = Layout::of("NCHW"), weights_layout = data;
    std::optional<Layout> result;
    TensorType x = type(part_.source), w = type(part_.weights);
    Computation& computation = part_.computation;
    if (node.op->name == "LayoutConv") {
      data = Layout::of(node.attributes.string("layout"));
      weights_layout = Layout::of(node.attributes.string("weights_layout"));
      result_layout_ = Layout::of(node.attributes.string("result_layout"));
      computation.source = TRY(storage_of(data, x.shape));
      computation.result = TRY(storage_of(*result_layout_, shape(part_.result)));
      x.shape = computation.source.extents;
      w.shape = TRY(weights_layout.logical(w.shape));
    } else {
      computation.source = row_major(x.shape);
      computation.result = row_major(shape(part_.result));
    }
    computation.weights = row_major(w.shape);
    Tensor constant = graph_.value(part_.weights).constant;
    if (node.op->name == "LayoutConv" && !weights_layout.is_plain()) {
      if (!constant.defined())
        return refused(node, "its weights are no constant, and lie in blocks");
      constant = TRY(weights_layout.restored(constant));
    }
    take_weights(part_.weights, std::move(constant));
    const ops::Convolution convolution = TRY(ops::convolution_of(x, w, node.attributes));
    Convolution anchor{convolution.groups, {}, {}, {}, {}};
    for (const ops::WindowAxis& axis : convolution.window) {
      anchor.strides.push_back(axis.stride);
      anchor.dilations.push_back(axis.dilation);
      anchor.pads_begin.push_back(axis.pad_begin);
      anchor.pads_end.push_back(axis.pad_end);
    }
    computation.anchor = std::move(anchor);
    if (node.inputs.size() > 2 && node.inputs[2]) return take_bias(node, node.inputs[2]);
    return {};
  }

  Result<void> take_bias(const Node& node, ValueId bias) {
    if (!graph_.value(bias).is_constant()) return refused(node, "its bias is no constant");
    part_.bias = bias;
    part_.computation.has_bias = true;
    return {};
  }

  Result<void> take_gemm(const Node& node) {
    if (node.attributes.real("alpha") != 1)
      return refused(node, fmt::format("alpha is {}", node.attributes.real("alpha")));
    Computation& computation = part_.computation;
    computation.anchor = Product{};
    const auto matrix = [&](ValueId id, const std::string& turned) {
      Storage storage = row_major(shape(id));
      if (node.attributes.integer(turned) != 0) {
        std::swap(storage.extents[0], storage.extents[1]);
        std::swap(storage.strides[0], storage.strides[1]);
      }
      return storage;
    };
    computation.source = matrix(part_.source, "transA");
    computation.weights = matrix(part_.weights, "transB");
    computation.result = row_major(shape(part_.result));
    take_weights(part_.weights, graph_.value(part_.weights).constant);
    if (node.inputs.size() < 3 || !node.inputs[2] || node.attributes.real("beta") == 0) return {};
    if (node.attributes.real("beta") != 1)
      return refused(node, fmt::format("beta is {}", node.attributes.real("beta")));
    if (!is_row(node.inputs[2])) return refused(node, "what it adds is not one row");
    return take_bias(node, node.inputs[2]);
  }

  Result<void> take_product(const Node& node) {
    Shape a = shape(part_.source), b = shape(part_.weights), c = shape(part_.result);
    if (a.size() < 2 || b.size() < 2) return refused(node, "one of its operands is a vector");
    // One matrix for all: their rows stand below one another.
    if (b.size() == 2) {
      a = {element_count(a) / a.back(), a.back()};
      c = {element_count(c) / c.back(), c.back()};
    }
    a.insert(a.begin(), c.size() - a.size(), 1);
    b.insert(b.begin(), c.size() - b.size(), 1);
    Computation& computation = part_.computation;
    computation.anchor = Product{};
    computation.source = row_major(a);
    computation.weights = row_major(b);
    computation.result = row_major(c);
    take_weights(part_.weights, graph_.value(part_.weights).constant);
    return {};
  }

  // One element a column of a product.
  bool is_row(ValueId id) const {
    return !shape(id).empty() && shape(id).back() == part_.computation.result.extents.back() &&
           element_count(shape(id)) == shape(id).back();
  }

  // What the kernel computes from the anchor's result.
  void find_following() {
    following_.insert(part_.result);
    for (const NodeId id : group_.nodes) {
      const Node& node = graph_.node(id);
      if (std::ranges::any_of(node.inputs,
                              [&](ValueId input) { return following_.contains(input); }))
        following_.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  bool is_inside(NodeId node) const { return std::ranges::count(group_.nodes, node) > 0; }

  // Who alone reads what has been computed so far, in this kernel; null: several do, or others.
  const Node* only_reader(ValueId id) const {
    const auto& uses = graph_.uses(id);
    if (graph_.is_output(id) || uses.size() != 1 || !is_inside(uses[0].node)) return nullptr;
    return &graph_.node(uses[0].node);
  }

  bool take_next() {
    if (take_swish()) return true;
    const Node* node = only_reader(part_.result);
    if (node == nullptr || node->outputs.size() != 1 ||
        type(node->outputs[0]) != type(part_.result))
      return false;
    if (const auto activation = activation_of(*node)) {
      part_.computation.steps.emplace_back(*activation);
    } else if (!take_combination(*node)) {
      return false;
    }
    part_.taken.push_back(node->id);
    part_.result = node->outputs[0];
    return true;
  }

  // x sigmoid(x), written as two operators.
  bool take_swish() {
    const auto& uses = graph_.uses(part_.result);
    if (graph_.is_output(part_.result) || uses.size() != 2) return false;
    for (const std::size_t first : {0, 1}) {
      const Node& sigmoid = graph_.node(uses[first].node);
      const Node& product = graph_.node(uses[1 - first].node);
      if (sigmoid.op->name != "Sigmoid" || product.op->name != "Mul" || !is_inside(sigmoid.id) ||
          !is_inside(product.id) || only_reader(sigmoid.outputs[0]) != &product)
        continue;
      part_.computation.steps.emplace_back(Activation{Function::Swish});
      part_.taken.insert(part_.taken.end(), {sigmoid.id, product.id});
      part_.result = product.outputs[0];
      return true;
    }
    return false;
  }

  std::optional<float> scalar(ValueId id) const {
    const graph::Value& value = graph_.value(id);
    if (!value.is_constant() || value.constant.elements() != 1) return std::nullopt;
    return static_cast<float>(value.constant.double_at(0));
  }

  std::optional<Activation> activation_of(const Node& node) const {
    const std::string& op = node.op->name;
    const auto alpha = [&] { return static_cast<float>(node.attributes.real("alpha")); };
    if (op == "Relu") return Activation{Function::Relu};
    if (op == "LeakyRelu") return Activation{Function::LeakyRelu, alpha()};
    if (op == "Elu") return Activation{Function::Elu, alpha()};
    if (op == "Sigmoid") return Activation{Function::Sigmoid};
    if (op == "Tanh") return Activation{Function::Tanh};
    if (op == "HardSwish") return Activation{Function::HardSwish};
    if (op == "Mish") return Activation{Function::Mish};
    if (op == "Gelu" && node.attributes.string("approximate") == "none")
      return Activation{Function::Gelu};
    if (op == "Clip") {
      const auto bound = [&](std::size_t input, const char* attribute) -> std::optional<float> {
        if (node.inputs.size() > input && node.inputs[input]) return scalar(node.inputs[input]);
        if (!node.attributes.has(attribute)) return std::nullopt;
        return static_cast<float>(node.attributes.real(attribute));
      };
      const auto low = bound(1, "min"), high = bound(2, "max");
      if (low && high && *low <= *high) return Activation{Function::Clip, *low, *high};
    }
    return std::nullopt;
  }

  bool take_combination(const Node& node) {
    const bool adds = node.op->name == "Add";
    if (!adds && node.op->name != "Mul") return false;
    const ValueId other = node.inputs[node.inputs[0] == part_.result ? 1 : 0];
    if (following_.contains(other) || type(other).type != DataType::Float32) return false;
    Computation& computation = part_.computation;
    if (const auto factor = scalar(other)) {
      computation.steps.emplace_back(adds ? Activation{Function::Linear, 1, *factor}
                                          : Activation{Function::Linear, *factor, 0});
      return true;
    }
    const bool is_bias = adds && computation.steps.empty() && !computation.has_bias &&
                         std::holds_alternative<Product>(computation.anchor) && is_row(other) &&
                         graph_.value(other).is_constant();
    if (is_bias) {
      part_.bias = other;
      computation.has_bias = true;
      return true;
    }
    auto operand = operand_of(other);
    if (!operand) return false;
    computation.steps.emplace_back(Combination{
        adds ? Combination::Operator::Add : Combination::Operator::Multiply, *std::move(operand)});
    part_.operands.push_back(other);
    return true;
  }

  // As the result lies, or repeated along it; nothing where neither is so.
  std::optional<Storage> operand_of(ValueId id) const {
    const Shape& extents = part_.computation.result.extents;
    if (shape(id) == shape(part_.result)) return part_.computation.result;
    if (element_count(shape(id)) == 1) return row_major(Shape(extents.size(), 1));
    Shape padded = shape(id);
    if (padded.size() > shape(part_.result).size()) return std::nullopt;
    padded.insert(padded.begin(), shape(part_.result).size() - padded.size(), 1);
    if (result_layout_) {
      auto storage = storage_of(*result_layout_, padded);
      if (!storage) return std::nullopt;
      return *std::move(storage);
    }
    if (padded.size() == extents.size()) return row_major(padded);
    if (!is_row(id)) return std::nullopt;
    return row_major({1, extents.back()});
  }

  void divide_the_rest() {
    for (const NodeId id : group_.nodes) {
      if (std::ranges::count(part_.taken, id) > 0) continue;
      const bool follows = following_.contains(graph_.node(id).outputs[0]);
      (follows ? part_.behind : part_.before).push_back(id);
    }
  }

  const Graph& graph_;
  const fusion::Group& group_;
  KernelPart part_;
  std::optional<Layout> result_layout_;
  std::set<ValueId> following_;
};

}  // namespace

std::vector<std::string> left_out(const Graph& graph, const KernelPart& part) {
  std::vector<std::string> names;
  for (const auto* nodes : {&part.before, &part.behind})
    for (const NodeId node : *nodes) names.push_back(graph.node(node).name);
  return names;
}

bool has_anchor(const Graph& graph, const fusion::Group& group) {
  return std::ranges::any_of(group.nodes, [&](NodeId id) { return is_anchor(graph.node(id)); });
}

Result<KernelPart> part_of(const Graph& graph, const fusion::Group& group) {
  return PartFinder(graph, group).find();
}

Result<std::map<ValueId, Tensor>> evaluate(const Graph& graph, const std::vector<NodeId>& nodes,
                                           const std::map<ValueId, Tensor>& known) {
  graph::GraphBuilder builder("part");
  std::map<ValueId, ValueId> inside;
  std::vector<Tensor> inputs;
  std::vector<ValueId> outputs;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    std::vector<ValueId> operands;
    for (const ValueId input : node.inputs) {
      if (input && !inside.contains(input)) {
        const graph::Value& value = graph.value(input);
        if (value.is_constant()) {
          inside.emplace(input, builder.add_constant(value.name, value.constant));
        } else {
          inside.emplace(input, builder.add_input(value.name, value.type));
          inputs.push_back(known.at(input));
        }
      }
      operands.push_back(input ? inside.at(input) : ValueId());
    }
    const NodeId made = TRY(builder.add_node(node.name, *node.op, std::move(operands),
                                             node.attributes, node.outputs.size()));
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      inside.emplace(node.outputs[o], builder.output(made, o));
      outputs.push_back(node.outputs[o]);
    }
  }
  std::vector<ValueId> wanted;
  for (const ValueId output : outputs) wanted.push_back(inside.at(output));
  builder.set_outputs(wanted);
  const Graph part = TRY(std::move(builder).finish());
  std::vector<Tensor> values = TRY(loop::interpret(part, inputs));
  std::map<ValueId, Tensor> result;
  for (std::size_t o = 0; o < outputs.size(); ++o) result.emplace(outputs[o], std::move(values[o]));
  return result;
}

}  // namespace loopglass::library

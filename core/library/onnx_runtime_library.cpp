#include "core/library/onnx_runtime_library.h"

#include "core/onnx/export.h"
#include "core/ops/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace loopglass::library {

namespace {

using graph::ValueId;

// Knows all activations as operators of their own.
constexpr int opset = 20;

Tensor dense(const Storage& storage, const float* data) {
  Tensor tensor({DataType::Float32, storage.extents});
  copy_into_rows(storage, data, tensor.as<float>().data());
  return tensor;
}

// --- a computation as a model -------------------------------------------------------------------

class ModelOf {
 public:
  explicit ModelOf(const Computation& computation) : asked_(computation), builder_("computation") {}

  Result<graph::Graph> build(const Arguments& constants) && {
    const ValueId source = input("source", asked_.source);
    const ValueId weights = asked_.constant_weights
                                ? constant("weights", dense(asked_.weights, constants.weights))
                                : input("weights", asked_.weights);
    ValueId bias;
    if (asked_.has_bias) bias = constant("bias", dense(row_major({columns()}), constants.bias));
    ValueId value = TRY(anchor(source, weights, bias));
    std::size_t operand = 0;
    for (const Step& step : asked_.steps) {
      if (const auto* combination = std::get_if<Combination>(&step))
        value = TRY(combine(*combination, value, operand++));
      else value = TRY(activate(std::get<Activation>(step), value));
    }
    // An output that is named, whatever computes it.
    builder_.rename(value, "result");
    builder_.set_outputs({value});
    return std::move(builder_).finish();
  }

 private:
  std::int64_t columns() const {
    const Shape& result = asked_.result.extents;
    return std::holds_alternative<Product>(asked_.anchor) ? result.back() : result[1];
  }

  ValueId input(std::string name, const Storage& storage) {
    return builder_.add_input(std::move(name), {DataType::Float32, storage.extents});
  }
  ValueId constant(const char* name, Tensor tensor) {
    return builder_.add_constant(name, std::move(tensor));
  }
  ValueId scalar(float number) { return constant("number", Tensor::of<float>({}, {number})); }

  Result<ValueId> add(const char* op, std::vector<ValueId> inputs,
                      ops::Attributes attributes = {}) {
    const auto node = TRY(
        builder_.add_node(op, *ops::find_operator(op), std::move(inputs), std::move(attributes)));
    return builder_.output(node);
  }

  Result<ValueId> anchor(ValueId source, ValueId weights, ValueId bias) {
    if (const auto* convolution = std::get_if<Convolution>(&asked_.anchor)) {
      std::vector<std::int64_t> pads = convolution->pads_begin;
      pads.insert(pads.end(), convolution->pads_end.begin(), convolution->pads_end.end());
      std::vector<ValueId> inputs{source, weights};
      if (bias) inputs.push_back(bias);
      return add("Conv", std::move(inputs),
                 {{"group", convolution->groups},
                  {"strides", convolution->strides},
                  {"dilations", convolution->dilations},
                  {"pads", std::move(pads)}});
    }
    const ValueId product = TRY(add("MatMul", {source, weights}));
    if (!bias) return product;
    return add("Add", {product, bias});
  }

  Result<ValueId> combine(const Combination& combination, ValueId value, std::size_t operand) {
    const ValueId other = input(fmt::format("operand_{}", operand), combination.operand);
    return add(combination.op == Combination::Operator::Add ? "Add" : "Mul", {value, other});
  }

  Result<ValueId> activate(const Activation& activation, ValueId value) {
    const ops::Attributes alpha{{"alpha", static_cast<double>(activation.alpha)}};
    switch (activation.function) {
      case Function::Relu: return add("Relu", {value});
      case Function::LeakyRelu: return add("LeakyRelu", {value}, alpha);
      case Function::Elu: return add("Elu", {value}, alpha);
      case Function::Clip:
        return add("Clip", {value, scalar(activation.alpha), scalar(activation.beta)});
      case Function::Linear: {
        const ValueId scaled = TRY(add("Mul", {value, scalar(activation.alpha)}));
        return add("Add", {scaled, scalar(activation.beta)});
      }
      case Function::Sigmoid: return add("Sigmoid", {value});
      case Function::Tanh: return add("Tanh", {value});
      case Function::Swish: {
        const ValueId gate = TRY(add("Sigmoid", {value}));
        return add("Mul", {value, gate});
      }
      case Function::HardSwish: return add("HardSwish", {value});
      case Function::Gelu: return add("Gelu", {value});
      case Function::Mish: return add("Mish", {value});
    }
    return fail(Code::LibraryRefused, "an activation without an operator");
  }

  const Computation& asked_;
  graph::GraphBuilder builder_;
};

// --- one of them --------------------------------------------------------------------------------

class OnnxRuntimePrimitive : public Primitive {
 public:
  OnnxRuntimePrimitive(Computation computation, std::unique_ptr<OnnxRuntimeModel> model,
                       bool is_reference)
      : asked_(std::move(computation)), model_(std::move(model)), is_reference_(is_reference) {}

  std::string implementation() const override { return "MLAS"; }
  std::string layouts() const override { return "rows"; }
  bool is_reference() const override { return is_reference_; }

  Result<void> take(const Arguments& arguments) override {
    if (!result_.defined()) TRY_VOID(bind());
    to_ = arguments.result;
    auto next = inputs_.begin();
    const auto copy = [&](const Storage& storage, const float* from) {
      copy_into_rows(storage, from, (next++)->tensor.as<float>().data());
    };
    copy(asked_.source, arguments.source);
    if (!asked_.constant_weights) copy(asked_.weights, arguments.weights);
    auto operand = arguments.operands.begin();
    for (const Step& step : asked_.steps)
      if (const auto* combination = std::get_if<Combination>(&step))
        copy(combination->operand, *operand++);
    return {};
  }
  Result<void> compute() override { return model_->run(); }
  Result<void> give() override {
    copy_from_rows(asked_.result, std::as_const(result_).as<float>().data(), to_);
    return {};
  }

 private:
  // Memory of our own, in rows, that it reads and writes in every run.
  Result<void> bind() {
    const auto add = [&](std::string name, const Storage& storage) {
      inputs_.push_back({std::move(name), Tensor({DataType::Float32, storage.extents})});
    };
    add("source", asked_.source);
    if (!asked_.constant_weights) add("weights", asked_.weights);
    std::size_t operand = 0;
    for (const Step& step : asked_.steps)
      if (const auto* combination = std::get_if<Combination>(&step))
        add(fmt::format("operand_{}", operand++), combination->operand);
    result_ = Tensor({DataType::Float32, asked_.result.extents});
    return model_->bind(inputs_, {{"result", result_}});
  }

  Computation asked_;
  std::unique_ptr<OnnxRuntimeModel> model_;
  bool is_reference_;
  std::vector<onnx::NamedTensor> inputs_;  // in the order in which arguments name them
  Tensor result_;
  float* to_ = nullptr;
};

}  // namespace

Result<void> OnnxRuntimeLibrary::hold_to(std::string_view level) {
  return fail(Code::LibraryRefused,
              fmt::format("ONNX Runtime cannot be held to the instructions of {}", level), {},
              "leave --target and LOOPGLASS_TARGET out");
}

Result<std::unique_ptr<Primitive>> OnnxRuntimeLibrary::prepare(const Computation& computation,
                                                               Layouts layouts,
                                                               const Arguments& constants) {
  const graph::Graph graph = TRY(ModelOf(computation).build(constants));
  onnx::Source source("a computation");
  source.bytes = std::make_shared<const std::string>(TRY(onnx::serialise(graph, opset)));
  auto model = TRY(runtime_.open(source, threads_));
  // It has no other than rows.
  const bool has_others = layouts == Layouts::Given &&
                          !(lies_in_rows(computation.source) && lies_in_rows(computation.result));
  return std::make_unique<OnnxRuntimePrimitive>(computation, std::move(model), has_others);
}

}  // namespace loopglass::library

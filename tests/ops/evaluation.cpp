#include "tests/ops/evaluation.h"

#include <fmt/format.h>

#include <numeric>

namespace loopglass::ops {

namespace {
const OpDef& definition(const std::string& op) {
  const OpDef* found = find_operator(op);
  if (found == nullptr) throw std::runtime_error(fmt::format("there is no operator '{}'", op));
  return *found;
}
std::string text(const Diagnostic& diagnostic) {
  return fmt::format("{}: {}", code_name(diagnostic.code), diagnostic.what);
}
}  // namespace

Tensor counting(Shape shape) {
  Tensor tensor({DataType::Float32, std::move(shape)});
  std::iota(tensor.as<float>().begin(), tensor.as<float>().end(), 0.0f);
  return tensor;
}

std::vector<Tensor> run_all(const std::string& op, const std::vector<Tensor>& inputs,
                            const Attributes& attributes, std::size_t output_count) {
  auto outputs = loop::evaluate(definition(op), attributes, inputs, output_count);
  if (outputs) return *outputs;
  ADD_FAILURE() << text(outputs.error());
  return std::vector<Tensor>(output_count);
}

Tensor run(const std::string& op, const std::vector<Tensor>& inputs, const Attributes& attributes) {
  return run_all(op, inputs, attributes)[0];
}

Reals elements(const Tensor& tensor) {
  Reals values;
  if (tensor.defined())
    for (std::int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.double_at(i));
  return values;
}

Reals computed(const std::string& op, const std::vector<Tensor>& inputs,
               const Attributes& attributes) {
  return elements(run(op, inputs, attributes));
}

Result<std::vector<TensorType>> inferred(const std::string& op,
                                         const std::vector<TensorType>& inputs,
                                         Attributes attributes, std::size_t output_count) {
  std::vector<const TensorType*> types;
  for (const TensorType& input : inputs) types.push_back(&input);
  return infer(definition(op), types, attributes, output_count);
}

Shape inferred_shape(const std::string& op, const std::vector<TensorType>& inputs,
                     Attributes attributes) {
  const auto types = inferred(op, inputs, std::move(attributes));
  if (types) return (*types)[0].shape;
  ADD_FAILURE() << text(types.error());
  return {-1};
}

std::string refusal(const std::string& op, const std::vector<TensorType>& inputs,
                    Attributes attributes, std::size_t output_count) {
  const auto types = inferred(op, inputs, std::move(attributes), output_count);
  if (!types) return text(types.error());
  ADD_FAILURE() << op << " was accepted";
  return {};
}

testing::Matcher<Reals> Near(const Reals& expected, double tolerance) {
  std::vector<testing::Matcher<double>> matchers;
  for (const double value : expected) {
    if (std::isfinite(value))
      matchers.push_back(testing::DoubleNear(value, tolerance * std::max(1.0, std::abs(value))));
    else matchers.push_back(testing::NanSensitiveDoubleEq(value));
  }
  return testing::ElementsAreArray(matchers);
}

}  // namespace loopglass::ops

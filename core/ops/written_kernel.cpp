#include "core/ops/written_kernel.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/ops/families.h"
#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "core/support/check.h"
#include "core/te/parse.h"
#include "core/tensor/type_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

using Strings = std::vector<std::string>;

std::map<std::string, Expr> values_of(const Extents& extents) {
  std::map<std::string, Expr> values;
  for (const auto& [symbol, extent] : extents) values.emplace(symbol, Expr(extent));
  return values;
}

// The types of a program's inputs or outputs.
Result<Types> types_of(const std::vector<te::Tensor>& tensors, const Extents& extents) {
  Types types;
  for (const te::Tensor& tensor : tensors) {
    auto type = bound_type(tensor, extents);
    if (!type)
      return misused(fmt::format(
          "the shape of '{}' does not follow from the extents of the symbols", tensor.name));
    types.push_back(*std::move(type));
  }
  return types;
}

std::vector<te::Tensor> outputs_of(const te::Program& program) {
  std::vector<te::Tensor> outputs;
  for (const std::string& name : program.outputs) {
    if (const te::Stage* stage = program.stage(name)) {
      outputs.push_back(stage->output);
      continue;
    }
    outputs.push_back(*std::ranges::find(program.inputs, name, &te::Tensor::name));
  }
  return outputs;
}

Result<Types> infer_program(const InferContext& context) {
  const te::Program program = TRY(te::parse(written_text(context.attributes))).program;
  const Extents extents = extents_of(context.attributes);
  for (const std::string& symbol : program.symbols)
    if (!extents.contains(symbol)) return misused(fmt::format("symbol '{}' has no extent", symbol));
  const Types inputs = TRY(types_of(program.inputs, extents));
  if (inputs.size() != context.inputs.size())
    return misused(fmt::format("{} operands for {} inputs", context.inputs.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!context.has(i) || context.input(i) != inputs[i])
      return misused(fmt::format("'{}' is {}", program.inputs[i].name, to_string(inputs[i])));
  Types results = TRY(types_of(outputs_of(program), extents));
  if (results.size() != context.output_count)
    return misused(fmt::format("{} results of {}", context.output_count, results.size()));
  return results;
}

// The program's stages, in the kernel that is being built.
Result<Computed> compute_program(ComputeContext& context) {
  const te::Program program = with_extents(TRY(te::parse(written_text(context.attributes))).program,
                                           extents_of(context.attributes));
  std::map<std::string, te::Tensor> tensors;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    tensors.emplace(program.inputs[i].name, context.input(i));
  const auto body = [&](const te::Stage& stage, const Indices& i, const Indices& r) {
    std::map<std::string, Expr> axes;
    for (std::size_t k = 0; k < i.size(); ++k) axes.emplace(stage.axes[k].name, i[k]);
    for (std::size_t k = 0; k < r.size(); ++k) axes.emplace(stage.reduce_axes[k].name, r[k]);
    return expr::rewrite(expr::substitute(stage.body, axes), [&](const Expr& e) {
      const auto* load = e.as<expr::Load>();
      return load ? tensors.at(load->buffer)(load->indices) : Expr();
    });
  };
  for (const te::Stage& stage : program.stages) {
    const std::string name = program.outputs.size() == 1 && program.outputs[0] == stage.output.name
                                 ? context.name
                                 : stage.output.name;
    std::vector<Expr> reduced;
    for (const te::Axis& axis : stage.reduce_axes) reduced.push_back(axis.extent);
    tensors[stage.output.name] =
        stage.reducer ? context.builder.reduce(
                            name, stage.output.shape, reduced, *stage.reducer,
                            [&](const Indices& i, const Indices& r) { return body(stage, i, r); })
                      : context.builder.compute(name, stage.output.shape, [&](const Indices& i) {
                          return body(stage, i, {});
                        });
  }
  Computed results;
  for (const std::string& name : program.outputs) results.push_back(tensors.at(name));
  return results;
}

Result<Types> infer_nest(const InferContext& context) {
  Types results;
  for (const std::string& text : std::get<Strings>(*context.attributes.find("results"))) {
    TextCursor cursor(text);
    results.push_back(TRY(parse_type(cursor)));
    if (!cursor.at_end()) return cursor.error("expected the end of the type");
  }
  if (results.size() != context.output_count)
    return misused(
        fmt::format("{} types are declared for {} results", results.size(), context.output_count));
  return results;
}

Attributes attributes_of(std::string text, const Extents& extents) {
  Strings symbols;
  Integers values;
  for (const auto& [symbol, extent] : extents) {
    symbols.push_back(symbol);
    values.push_back(extent);
  }
  return {
      {"text", std::move(text)}, {"symbols", std::move(symbols)}, {"extents", std::move(values)}};
}

OpDef kernel(std::string name, std::string doc, std::string text) {
  return {.name = std::move(name),
          .family = Family::Kernel,
          .doc = std::move(doc),
          .inputs = {{"operands", Arity::Variadic, "its inputs, in the order of the text"}},
          .outputs = {{"results", Arity::Variadic, "its outputs, in the order of the text"}},
          .attributes = {required_attribute("text", AttributeKind::String, std::move(text)),
                         attribute("symbols", Strings(), "its symbolic extents"),
                         attribute("extents", Integers(), "what they are here")},
          .infer = {},
          .compute = {},
          .onnx = {}};
}

}  // namespace

std::vector<OpDef> written() {
  OpDef program = kernel("TensorExpressions", "A kernel that was written as tensor expressions.",
                         "inputs, and what each tensor is, element by element");
  program.infer = infer_program;
  program.compute = compute_program;
  OpDef nest = kernel("LoopNest", "A kernel that was written as a loop nest.",
                      "loops and statements, which say in what order it is computed");
  nest.attributes.push_back(
      required_attribute("results", AttributeKind::Strings, "types of its outputs"));
  nest.infer = infer_nest;
  nest.compute = [](ComputeContext&) -> Result<Computed> {
    return unsupported_attribute("it was written as loops, and has no tensor expressions");
  };
  return {std::move(program), std::move(nest)};
}

const OpDef& tensor_expressions() {
  static const OpDef* const found = find_operator("TensorExpressions");
  return *found;
}

const OpDef& loop_nest() {
  static const OpDef* const found = find_operator("LoopNest");
  return *found;
}

Attributes tensor_expressions_attributes(std::string text, const Extents& extents) {
  return attributes_of(std::move(text), extents);
}

Attributes loop_nest_attributes(std::string text, const Extents& extents,
                                std::span<const TensorType> results) {
  Attributes attributes = attributes_of(std::move(text), extents);
  Strings types;
  for (const TensorType& type : results) types.push_back(type_text(type));
  attributes.set("results", std::move(types));
  return attributes;
}

const std::string& written_text(const Attributes& attributes) { return attributes.string("text"); }

Extents extents_of(const Attributes& attributes) {
  const auto& symbols = std::get<Strings>(*attributes.find("symbols"));
  const Integers& values = attributes.integers("extents");
  Extents extents;
  for (std::size_t k = 0; k < std::min(symbols.size(), values.size()); ++k)
    extents.emplace(symbols[k], values[k]);
  return extents;
}

std::optional<TensorType> bound_type(const te::Tensor& tensor, const Extents& extents) {
  TensorType type{tensor.type, {}};
  expr::Ranges ranges;
  for (const auto& [symbol, value] : extents) ranges[symbol] = {value, value};
  for (const Expr& extent : tensor.shape) {
    const auto value = expr::bounds(extent, ranges);  // none where it would wrap
    if (!value || value->min != value->max || value->min < 0) return std::nullopt;
    type.shape.push_back(value->min);
  }
  return type;
}

te::Program with_extents(te::Program program, const Extents& extents) {
  const std::map<std::string, Expr> values = values_of(extents);
  const auto bind = [&](Expr& e) { e = expr::simplify(expr::substitute(e, values)); };
  for (te::Tensor& input : program.inputs) std::ranges::for_each(input.shape, bind);
  for (te::Stage& stage : program.stages) {
    std::ranges::for_each(stage.output.shape, bind);
    for (te::Axis& axis : stage.axes) bind(axis.extent);
    for (te::Axis& axis : stage.reduce_axes) bind(axis.extent);
    stage.body = expr::substitute(stage.body, values);
  }
  program.symbols.clear();
  return program;
}

}  // namespace loopglass::ops

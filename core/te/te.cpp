#include "core/te/te.h"

#include "core/expr/arithmetic.h"
#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/support/check.h"
#include "core/te/axis_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>

#include <utility>

namespace loopglass::te {

using expr::BinaryOperator;

Expr Tensor::operator()(std::vector<Expr> indices) const {
  CHECK(defined(), "an element of an undefined tensor");
  CHECK(indices.size() == rank(),
        fmt::format("{} indices into '{}', which has rank {}", indices.size(), name, rank()));
  return expr::load(type, name, std::move(indices));
}

namespace {
struct ReducerRow {
  std::string_view name;
  BinaryOperator op;
};
constexpr ReducerRow row(Reducer reducer) {
  switch (reducer) {
    case Reducer::Sum: return {"sum", BinaryOperator::Add};
    case Reducer::Product: return {"product", BinaryOperator::Mul};
    case Reducer::Min: return {"min", BinaryOperator::Min};
    case Reducer::Max: return {"max", BinaryOperator::Max};
    case Reducer::And: return {"and", BinaryOperator::And};
    case Reducer::Or: return {"or", BinaryOperator::Or};
  }
  __builtin_unreachable();
}
}  // namespace

Expr identity(Reducer reducer, DataType type) {
  switch (reducer) {
    case Reducer::Sum: return expr::constant(type, 0);
    case Reducer::Product: return expr::constant(type, 1);
    case Reducer::Min: return expr::highest(type);
    case Reducer::Max: return expr::lowest(type);
    case Reducer::And: return expr::boolean(true);
    case Reducer::Or: return expr::boolean(false);
  }
  __builtin_unreachable();
}

Expr combine(Reducer reducer, Expr accumulated, Expr next) {
  return expr::binary(row(reducer).op, std::move(accumulated), std::move(next));
}

bool reduces(Reducer reducer, DataType type) { return expr::accepts(row(reducer).op, type); }

std::string_view name(Reducer reducer) { return row(reducer).name; }

const Stage* Program::stage(std::string_view tensor) const {
  for (const Stage& stage : stages)
    if (stage.output.name == tensor) return &stage;
  return nullptr;
}

namespace {

std::string type_text(const Tensor& tensor) {
  std::vector<std::string> dimensions;
  for (const Expr& extent : tensor.shape) dimensions.push_back(to_string(extent));
  return fmt::format("{}: {}[{}]", tensor.name, loopglass::name(tensor.type),
                     fmt::join(dimensions, ", "));
}

// By their roles, which are not taken by a symbol.
std::string stage_text(const Stage& stage, const std::vector<std::string>& roles) {
  const auto inner = roles.begin() + std::ssize(stage.axes);
  const std::vector<std::string> indices(roles.begin(), inner);
  std::map<std::string, Expr> called;
  std::vector<std::string> reduced;
  for (std::size_t i = 0; i < stage.axes.size(); ++i)
    called[stage.axes[i].name] = expr::variable(roles[i]);
  for (std::size_t i = 0; i < stage.reduce_axes.size(); ++i) {
    called[stage.reduce_axes[i].name] = expr::variable(inner[static_cast<std::ptrdiff_t>(i)]);
    reduced.push_back(fmt::format("{} < {}", inner[static_cast<std::ptrdiff_t>(i)],
                                  to_string(stage.reduce_axes[i].extent)));
  }
  const Expr body = expr::substitute(stage.body, called);
  std::string text = fmt::format("{}\n  {}[{}] = ", type_text(stage.output), stage.output.name,
                                 fmt::join(indices, ", "));
  if (stage.reducer)
    text += fmt::format("{} over {} of {}", name(*stage.reducer), fmt::join(reduced, ", "),
                        to_string(body));
  else text += to_string(body);
  if (!stage.origin.sources.empty())
    text += fmt::format("  from {}", fmt::join(stage.origin.sources, ", "));
  return text + '\n';
}

}  // namespace

std::string to_string(const Program& program) {
  std::string text;
  if (!program.symbols.empty())
    text += fmt::format("symbols {}\n", fmt::join(program.symbols, ", "));
  for (const Tensor& input : program.inputs) text += fmt::format("input {}\n", type_text(input));
  auto roles = axis_roles(program);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    for (std::string& role : roles[i])
      while (std::ranges::find(program.symbols, role) != program.symbols.end()) role += "_";
    text += stage_text(program.stages[i], roles[i]);
  }
  return text + fmt::format("output {}\n", fmt::join(program.outputs, ", "));
}

std::string Builder::unique(std::string wanted) {
  const std::string base = expr::to_name(wanted);
  std::string candidate = base;
  if (names_.insert(candidate).second) return candidate;
  // A free suffix by doubling and halving, for an operator may have thousands of results of one
  // name.
  const auto taken = [&](int suffix) {
    return names_.contains(fmt::format("{}_{}", base, suffix));
  };
  int low = 0, high = 1;
  while (taken(high)) low = std::exchange(high, 2 * high);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (taken(middle) ? low : high) = middle;
  }
  candidate = fmt::format("{}_{}", base, high);
  names_.insert(candidate);
  return candidate;
}

namespace {
std::vector<Axis> make_axes(char letter, const std::vector<Expr>& extents) {
  std::vector<Axis> axes;
  for (const Expr& extent : extents) {
    CHECK(extent.defined() && extent.type() == DataType::Int64, "an extent is not int64");
    axes.push_back({fmt::format("{}{}", letter, axes.size()), extent});
  }
  return axes;
}
Builder::Indices variables(const std::vector<Axis>& axes) {
  Builder::Indices indices;
  for (const Axis& axis : axes) indices.push_back(expr::variable(axis.name));
  return indices;
}
}  // namespace

Tensor Builder::placeholder(std::string name, DataType type, std::vector<Expr> shape) {
  return program_.inputs.emplace_back(Tensor{unique(std::move(name)), type, std::move(shape)});
}

Tensor Builder::placeholder(std::string name, const TensorType& type) {
  return placeholder(std::move(name), type.type, extents(type.shape));
}

Tensor Builder::compute(std::string name, std::vector<Expr> shape,
                        const std::function<Expr(const Indices& i)>& body) {
  std::vector<Axis> axes = make_axes('i', shape);
  Expr value = body(variables(axes));
  CHECK(value.defined(), fmt::format("the body of '{}' is undefined", name));
  Tensor output{unique(std::move(name)), value.type(), std::move(shape)};
  program_.stages.push_back({output, std::move(axes), {}, std::nullopt, std::move(value), origin_});
  return output;
}

Tensor Builder::reduce(std::string name, std::vector<Expr> shape, std::vector<Expr> reduce_extents,
                       Reducer reducer,
                       const std::function<Expr(const Indices& i, const Indices& r)>& body) {
  // A sum over nothing to sum over is the body itself.
  if (reduce_extents.empty())
    return compute(std::move(name), std::move(shape),
                   [&](const Indices& i) { return body(i, {}); });
  std::vector<Axis> axes = make_axes('i', shape), reduce_axes = make_axes('r', reduce_extents);
  Expr value = body(variables(axes), variables(reduce_axes));
  CHECK(value.defined(), fmt::format("the body of '{}' is undefined", name));
  CHECK(reduces(reducer, value.type()),
        fmt::format("'{}': {} over {}", name, te::name(reducer), loopglass::name(value.type())));
  Tensor output{unique(std::move(name)), value.type(), std::move(shape)};
  program_.stages.push_back(
      {output, std::move(axes), std::move(reduce_axes), reducer, std::move(value), origin_});
  return output;
}

Expr Builder::symbol(std::string name) {
  // Symbols share the scope of the axes, which are i0, r0, ...
  if (name.find_first_not_of("ir0123456789") == std::string::npos) name += '_';
  return expr::variable(program_.symbols.emplace_back(unique(std::move(name))));
}

Program Builder::finish(std::vector<Tensor> outputs) && {
  for (const Tensor& output : outputs) {
    CHECK(output.defined(), "an output of a program is undefined");
    program_.outputs.push_back(output.name);
  }
  return std::move(program_);
}

std::vector<Expr> extents(const Shape& shape) {
  std::vector<Expr> result;
  for (const std::int64_t extent : shape) result.emplace_back(extent);
  return result;
}

Shape concrete(const std::vector<Expr>& shape) {
  Shape result;
  for (const Expr& extent : shape) {
    const auto value = expr::as_integer(extent);
    CHECK(value.has_value(), fmt::format("extent {} is not a constant", to_string(extent)));
    result.push_back(*value);
  }
  return result;
}

}  // namespace loopglass::te

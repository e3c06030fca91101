#include "core/te/copies.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"

#include <algorithm>

namespace loopglass::te {
namespace {

using expr::BinaryOperator;
using expr::Expr;

constexpr std::size_t most_pieces = 256;

std::optional<Shape> constant_shape(const std::vector<Expr>& extents) {
  Shape shape;
  for (const Expr& extent : extents) {
    const auto value = expr::as_integer(extent);
    if (!value || *value < 0) return std::nullopt;
    shape.push_back(*value);
  }
  return checked_element_count(shape) ? std::optional(shape) : std::nullopt;
}

// Row-major.
Expr place_of(const std::vector<Expr>& indices, const Shape& shape) {
  Expr place(0);
  for (std::size_t d = 0; d < indices.size(); ++d) place = place * Expr(shape[d]) + indices[d];
  return place;
}

bool is_one_run(const Box& box, const Shape& shape) {
  std::size_t d = 0;
  while (d < shape.size() && box.end[d] - box.begin[d] == 1) ++d;
  for (++d; d < shape.size(); ++d)
    if (box.end[d] - box.begin[d] != shape[d]) return false;
  return true;
}

// A comparison that holds for the first indices along an axis and fails for the rest, or the other
// way round.
struct Threshold {
  std::size_t axis;
  std::int64_t first_of_rest;
};

class Finder {
 public:
  Finder(const ProgramIndex& program, const Stage& stage, Shape shape)
      : program_(program), stage_(stage), shape_(std::move(shape)) {}

  std::vector<Piece> find() {
    Box whole{Shape(shape_.size(), 0), shape_};
    if (stage_.reducer || element_count(shape_) == 0) {
      if (stage_.reducer) pieces_.push_back({std::move(whole), {}});
      return std::move(pieces_);
    }
    take_apart(stage_.body, whole);
    if (pieces_.size() > most_pieces) pieces_ = {{std::move(whole), {}}};
    return std::move(pieces_);
  }

 private:
  expr::Ranges ranges_in(const Box& box) const {
    expr::Ranges ranges;
    for (std::size_t d = 0; d < shape_.size(); ++d)
      ranges[stage_.axes[d].name] = {box.begin[d], box.end[d] - 1};
    return ranges;
  }

  void take_apart(const Expr& body, const Box& box) {
    if (pieces_.size() > most_pieces) return;
    if (const auto* load = body.as<expr::Load>()) return take_load(*load, box);
    if (const auto* select = body.as<expr::Select>())
      return take_select(expr::simplify(select->condition, ranges_in(box)), select->when_true,
                         select->when_false, box);
    pieces_.push_back({box, {}});
  }

  void take_select(const Expr& condition, const Expr& when_true, const Expr& when_false,
                   const Box& box) {
    if (const auto* known = condition.as<expr::IntConstant>())
      return take_apart(known->value != 0 ? when_true : when_false, box);
    const auto* binary = condition.as<expr::Binary>();
    if (binary && binary->op == BinaryOperator::And)
      return take_apart(
          expr::select(binary->left, expr::select(binary->right, when_true, when_false),
                       when_false),
          box);
    if (binary && binary->op == BinaryOperator::Or)
      return take_apart(
          expr::select(binary->left, when_true, expr::select(binary->right, when_true, when_false)),
          box);
    const auto threshold = binary ? threshold_of(*binary, box) : std::nullopt;
    if (!threshold) return pieces_.push_back({box, {}});
    // On either side the condition is decided, so what follows goes deeper.
    const Expr whole = expr::select(condition, when_true, when_false);
    Box first = box, rest = box;
    first.end[threshold->axis] = rest.begin[threshold->axis] = threshold->first_of_rest;
    take_apart(whole, first);
    take_apart(whole, rest);
  }

  std::optional<Threshold> threshold_of(const expr::Binary& comparison, const Box& box) const {
    using enum BinaryOperator;
    if (comparison.op != Less && comparison.op != LessEqual && comparison.op != Greater &&
        comparison.op != GreaterEqual)
      return std::nullopt;
    if (comparison.left.type() != DataType::Int64) return std::nullopt;
    expr::Linear form = expr::linear(comparison.left);
    form.add(expr::linear(comparison.right), -1);
    const auto* variable =
        form.terms.size() == 1 ? form.terms.front().first.as<expr::Variable>() : nullptr;
    if (!variable) return std::nullopt;
    const auto axis = axis_called(variable->name);
    if (!axis) return std::nullopt;
    const auto holds = [&](std::int64_t i) {
      const std::int64_t difference = form.terms.front().second * i + form.constant;
      return comparison.op == Less        ? difference < 0
             : comparison.op == LessEqual ? difference <= 0
             : comparison.op == Greater   ? difference > 0
                                          : difference >= 0;
    };
    std::int64_t low = box.begin[*axis], high = box.end[*axis] - 1;
    const bool at_first = holds(low);
    if (holds(high) == at_first) return std::nullopt;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (holds(middle) == at_first ? low : high) = middle;
    }
    return Threshold{*axis, high};
  }

  std::optional<std::size_t> axis_called(const std::string& name) const {
    for (std::size_t d = 0; d < stage_.axes.size(); ++d)
      if (stage_.axes[d].name == name) return d;
    return std::nullopt;
  }

  void take_load(const expr::Load& load, const Box& box) {
    const Stage* stage = program_.stage(load.buffer);
    if (stage && !program_.is_output(load.buffer)) {
      if (stage->reducer) return pieces_.push_back({box, {}});
      std::map<std::string, Expr> indices;
      for (std::size_t d = 0; d < stage->axes.size(); ++d)
        indices.emplace(stage->axes[d].name, load.indices[d]);
      return take_apart(expr::substitute(stage->body, indices), box);
    }
    pieces_.push_back({box, copied(load, box)});
  }

  std::optional<Copied> copied(const expr::Load& load, const Box& box) const {
    const auto shape = shape_of(load.buffer);
    if (!shape) return std::nullopt;
    for (const Expr& index : load.indices)
      if (expr::has_load(index)) return std::nullopt;  // where to read is data
    const expr::Ranges ranges = ranges_in(box);
    Copied result{load.buffer, *shape, std::vector<AffineIndex>{}, {}};
    for (const Expr& index : load.indices) {
      const auto affine = affine_index(expr::simplify(index, ranges));
      if (affine && result.indices) result.indices->push_back(*affine);
      else result.indices.reset();
    }
    if (is_one_run(box, shape_)) result.run = run_of(load, *shape, box, ranges);
    return result.indices || result.run ? std::optional(result) : std::nullopt;
  }

  std::optional<Shape> shape_of(const std::string& tensor) const {
    if (const Tensor* input = program_.input(tensor)) return constant_shape(input->shape);
    const Stage* stage = program_.stage(tensor);
    return stage ? constant_shape(stage->output.shape) : std::nullopt;
  }

  std::optional<AffineIndex> affine_index(const Expr& index) const {
    const expr::Linear form = expr::linear(index);
    AffineIndex affine{form.constant, std::vector<std::int64_t>(shape_.size(), 0)};
    for (const auto& [atom, coefficient] : form.terms) {
      const auto* variable = atom.as<expr::Variable>();
      const auto axis = variable ? axis_called(variable->name) : std::nullopt;
      if (!axis) return std::nullopt;
      affine.coefficients[*axis] = coefficient;
    }
    return affine;
  }

  // The distance of the element read from the element written, if it is always the same.
  std::optional<std::int64_t> run_of(const expr::Load& load, const Shape& shape, const Box& box,
                                     const expr::Ranges& ranges) const {
    std::vector<Expr> own;
    for (const Axis& axis : stage_.axes) own.push_back(expr::variable(axis.name));
    const auto distance = expr::as_integer(
        expr::simplify(place_of(load.indices, shape) - place_of(own, shape_), ranges));
    if (!distance) return std::nullopt;
    std::int64_t first = *distance;
    const auto strides = row_major_strides(shape_);
    for (std::size_t d = 0; d < shape_.size(); ++d) first += box.begin[d] * strides[d];
    return first;
  }

  const ProgramIndex& program_;
  const Stage& stage_;
  const Shape shape_;
  std::vector<Piece> pieces_;
};

// Along the same axes, in their order, and every element once.
bool keeps_order(const Piece& piece) {
  const Copied& copied = *piece.copied;
  if (copied.run) return true;
  std::size_t next = 0;  // axis of the result
  const auto is_wide = [&](std::size_t d) { return piece.box.end[d] - piece.box.begin[d] > 1; };
  for (std::size_t k = 0; k < copied.shape.size(); ++k) {
    const auto& coefficients = (*copied.indices)[k].coefficients;
    const auto used = [&](std::size_t d) { return is_wide(d) && coefficients[d] != 0; };
    while (next < coefficients.size() && !is_wide(next)) ++next;
    for (std::size_t d = 0; d < coefficients.size(); ++d)
      if (used(d) && (d != next || coefficients[d] != 1)) return false;
    if (next < coefficients.size() && used(next)) ++next;
  }
  while (next < piece.box.begin.size() && !is_wide(next)) ++next;
  return next == piece.box.begin.size();
}

}  // namespace

std::int64_t Box::elements() const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < begin.size(); ++d) count *= end[d] - begin[d];
  return count;
}

std::vector<Piece> pieces_of(const ProgramIndex& program, const std::string& output) {
  const Stage* stage = program.stage(output);
  if (!stage || !program.program().symbols.empty()) return {};
  auto shape = constant_shape(stage->output.shape);
  if (!shape) return {};
  return Finder(program, *stage, std::move(*shape)).find();
}

bool only_places(const Program& program) {
  const ProgramIndex index(program);
  return std::all_of(program.outputs.begin(), program.outputs.end(), [&](const auto& output) {
    const std::vector<Piece> pieces = pieces_of(index, output);
    return !pieces.empty() && std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
      return piece.copied && keeps_order(piece);
    });
  });
}

}  // namespace loopglass::te

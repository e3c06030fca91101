// skip_padding(block, padding, loop): a sum of products does not take terms in which one factor is
// the zero of a border.
//
// Only where that changes nothing: zero times a number is a zero that leaves a sum from +0 as it
// is, zero times an infinity is no number. So the other factors are constants that are known to be
// finite.
#include "core/dependence/illegal.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/padding.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopglass::schedule {

using namespace loop;

namespace {

void flatten(const Expr& e, expr::BinaryOperator op, std::vector<Expr>& operands) {
  const auto* binary = e.as<expr::Binary>();
  if (!binary || binary->op != op) return operands.push_back(e);
  flatten(binary->left, op, operands);
  flatten(binary->right, op, operands);
}

// The term that a block adds to what it stores to.
Result<Expr> term_of(const std::string& call, const Block& block) {
  const loop::Store* store = only_store(block);
  const auto* sum = store ? store->value.as<expr::Binary>() : nullptr;
  const auto is_own = [&](const Expr& e) {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == store->buffer &&
           std::ranges::equal(load->indices, store->indices, expr::same);
  };
  if (!sum || sum->op != expr::BinaryOperator::Add || store->value.type() != DataType::Float32 ||
      is_own(sum->left) == is_own(sum->right))
    return illegal(
        call, block.name,
        fmt::format("block '{}' does not add a float32 term to what it stores to", block.name));
  if (block.init)
    return illegal(call, block.name,
                   fmt::format("the first term of '{}' sets its initial value", block.name),
                   "decompose_reduction parts the two");
  return is_own(sum->left) ? sum->right : sum->left;
}

// The factor of the term that is loaded from the padded buffer, beside nothing but finite
// constants.
Result<const expr::Load*> padded_factor(const std::string& call, const Func& func,
                                        const Block& block, const Expr& term,
                                        const std::string& padded) {
  const expr::Load* found = nullptr;
  std::vector<Expr> factors;
  flatten(term, expr::BinaryOperator::Mul, factors);
  // Of several the product may be infinite.
  if (factors.size() != 2)
    return illegal(call, block.name,
                   fmt::format("block '{}' does not add products of two factors", block.name));
  for (const Expr& factor : factors) {
    const auto* load = factor.as<expr::Load>();
    if (!load)
      return illegal(call, block.name,
                     fmt::format("block '{}' does not add products of what it loads", block.name));
    if (load->buffer == padded && !std::exchange(found, load)) continue;
    const auto parameter = std::ranges::find(func.parameters, load->buffer, &Buffer::name);
    if (parameter == func.parameters.end() || !parameter->finite)
      return illegal(
          call, load->buffer,
          fmt::format("'{}' may hold an infinity, which times zero is no number", load->buffer),
          "only of constants is it known that they are finite");
  }
  if (!found)
    return illegal(
        call, block.name,
        fmt::format("no factor of what '{}' adds is loaded from '{}'", block.name, padded));
  return found;
}

// A sum that starts at -0 ends as +0 once +0 is added to it, and stays -0 otherwise.
Result<void> check_starts_at_zero(const std::string& call, const Func& func, const Block& block) {
  const std::string& sum = only_store(block)->buffer;
  for (const Block* writer : writers_of(func.body, sum)) {
    if (writer->name == block.name) continue;
    const loop::Store* store = only_store(*writer);
    const auto* start = store ? store->value.as<expr::FloatConstant>() : nullptr;
    if (!start || start->value != 0 || std::signbit(start->value))
      return illegal(call, sum,
                     fmt::format("'{}' does not start at zero: block '{}' stores to it, too", sum,
                                 writer->name));
  }
  return {};
}

// What must hold at the element that is loaded, of what is known in the loops down to the
// `place`-th statement.
Expr known_inside(const Path& path, std::size_t place, const Block& border, const Padding& padding,
                  const expr::Load& load) {
  const std::vector<std::size_t> axes = *plain_store_axes(border, *padding.store);
  Bindings element;
  for (std::size_t d = 0; d < axes.size(); ++d)
    element[border.iters[axes[d]].name] = load.indices[d];
  const Bindings bindings = bindings_of(path.block());
  const expr::Ranges ranges = ranges_of(path.loops());
  Expr known;
  for (const Expr& part : expr::conjuncts(padding.inside)) {
    const Expr here = expr::substitute(part, element);
    const Expr in_loops = expr::simplify(expr::substitute(here, bindings), ranges);
    const bool is_known =
        std::ranges::all_of(expr::variables_of(in_loops), [&](const std::string& name) {
          return path.index_of_loop(name) <= static_cast<int>(place);
        });
    if (is_known && !expr::is_true(in_loops)) known = expr::conjunction(known, here);
  }
  return known;
}

Result<Applied> apply_skip_padding(const Func& func, std::span<const Argument> arguments) {
  const std::string &name = name_at(arguments, 0), &border_name = name_at(arguments, 1),
                    &variable = name_at(arguments, 2);
  const std::string call = fmt::format("skip_padding({}, {}, {})", name, border_name, variable);
  const Path path = TRY(find_block(func, name));
  const Path border_path = TRY(find_block(func, border_name));
  const Block& border = border_path.block();
  const Padding padding = TRY(padding_of(call, func, border));
  const std::string& padded = padding.store->buffer;
  if (!is_zero(padding.border) || is_parameter(func, padded))
    return illegal(call, border_name,
                   fmt::format("the border of '{}' is not of zeros, or others see it", padded));
  TRY(find_loop(func, variable));
  const int place = path.index_of_loop(variable);
  if (place < 0)
    return illegal(call, variable,
                   fmt::format("loop '{}' is not around block '{}'", variable, name));
  const Expr term = TRY(term_of(call, path.block()));
  const expr::Load* load = TRY(padded_factor(call, func, path.block(), term, padded));
  TRY_VOID(check_starts_at_zero(call, func, path.block()));
  const Expr inside = known_inside(path, static_cast<std::size_t>(place), border, padding, *load);
  if (!inside.defined())
    return illegal(
        call, variable,
        fmt::format("in loop '{}' it is not known yet whether an iteration is in the border "
                    "of '{}'",
                    variable, padded));
  Block skipping = path.block();
  skipping.predicate = expr::conjunction(skipping.predicate, inside);
  return Applied{
      with_body(func,
                replace(path, loop::make(with_regions(std::move(skipping), buffers_of(func))))),
      {},
      {}};
}

}  // namespace

Primitive skip_padding() {
  return {"skip_padding",
          "A sum of products passes over terms whose factor is the zero of a border, where the "
          "loops down to "
          "the given one tell; the other factors must be constants that are known to be finite.",
          "for k in 3 { S[i] = S[i] + P[i + k] * W[k] }",
          "for k in 3 { if i + k >= 1 and i + k < 9 { S[i] = S[i] + P[i + k] * W[k] } }",
          {{"block", ParameterKind::Block, "adds products to a sum"},
           {"padding", ParameterKind::Block, "stores select(inside, a value, 0)"},
           {"loop", ParameterKind::Loop, "a loop around the first", choices::loops_around()}},
          apply_skip_padding};
}

}  // namespace loopglass::schedule

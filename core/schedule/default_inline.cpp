// Which elementwise blocks the default schedule inlines.
//
// Into other elementwise blocks whenever that repeats no costly work; into a reduction that reads each
// element about once; but into a reduction with reuse (a convolution's padding, say) only where nothing
// is computed and the reads stay regular. Expressions must not grow without bound, since a chain that
// uses each value twice doubles at every step.
#include "core/schedule/default_rules.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

constexpr std::size_t largest_expression = 400;  // nodes of a block's value after inlining

std::size_t size_of(const Expr& e) {
  std::size_t count = 0;
  expr::visit(e, [&](const Expr&) { ++count; });
  return count;
}

bool is_costly(expr::UnaryOperator op) {
  using enum expr::UnaryOperator;
  switch (op) {
    case Exp: case Log: case Sqrt: case Reciprocal: case Erf: case Sin: case Cos: case Tan: case Asin: case Acos:
    case Atan: case Sinh: case Cosh: case Tanh: case Asinh: case Acosh: case Atanh:
      return true;
    case Negate: case Not: case BitNot: case Abs: case Sign: case Floor: case Ceil: case Trunc: case RoundEven:
    case IsNan: case IsInf:
      return false;
  }
  return false;
}

bool has_costly(const Expr& e) {
  bool found = false;
  expr::visit(e, [&](const Expr& node) {
    if (const auto* unary = node.as<expr::Unary>()) found |= is_costly(unary->op);
    if (const auto* binary = node.as<expr::Binary>())
      found |= binary->op == expr::BinaryOperator::Pow ||
               ((binary->op == expr::BinaryOperator::Div || binary->op == expr::BinaryOperator::Mod) &&
                node.type() != DataType::Int64);
  });
  return found;
}

std::size_t loads_from(const Block& block, const std::string& buffer) {
  std::size_t count = 0;
  for (const expr::Load* load : loads_of(block)) count += load->buffer == buffer;
  return count;
}

std::int64_t points(const Block& block) {
  std::int64_t product = 1;
  for (const loop::IterVar& iter : block.iters)
    product = std::min<std::int64_t>(std::int64_t{1} << 40, product * std::max<std::int64_t>(1, expr::as_integer(iter.extent).value_or(1)));
  return product;
}

// Only moves elements: the value is a load, perhaps converted.
bool only_moves(const loop::Store& store) {
  if (const auto* cast = store.value.as<expr::Cast>()) return cast->operand.as<expr::Load>();
  return store.value.as<expr::Load>();
}

// Every index a constant or iteration variable, each used once: a permutation or a slice.
bool is_permutation(const loop::Store& store) {
  const auto* cast = store.value.as<expr::Cast>();
  const auto* load = (cast ? cast->operand : store.value).as<expr::Load>();
  return load && std::all_of(load->indices.begin(), load->indices.end(), [](const Expr& index) {
    return index.as<expr::Variable>() || expr::as_integer(index);
  });
}

// A transposed operand would lose its unit steps inside a reduction with reuse.
bool keeps_innermost(const loop::Store& store) {
  const auto* cast = store.value.as<expr::Cast>();
  const auto* load = (cast ? cast->operand : store.value).as<expr::Load>();
  if (!load || load->indices.empty() || store.indices.empty()) return true;
  return expr::same(load->indices.back(), store.indices.back());
}

bool worth_inlining(const Block& block, const loop::Store& store, const Block& consumer, std::size_t consumers) {
  const loop::Store* into = only_store(consumer);
  if (!into) return false;
  const std::size_t uses = loads_from(consumer, store.buffer);
  if (size_of(into->value) + uses * size_of(store.value) > largest_expression) return false;
  const std::int64_t produced = points(block), evaluations = points(consumer) * static_cast<std::int64_t>(uses);
  if (has_costly(store.value) && (consumers > 1 || evaluations > produced + produced / 4)) return false;
  if (!has_reduction(consumer)) return true;
  if (only_moves(store) && is_permutation(store)) return keeps_innermost(store);
  return consumers == 1 && evaluations <= 2 * produced;
}

bool inlinable(const Func& func, const Block& block) {
  const loop::Store* store = only_store(block);
  if (!store || has_reduction(block) || is_parameter(func, store->buffer)) return false;
  const std::vector<const Block*> consumers = readers_of(func.body, store->buffer);
  return !consumers.empty() && std::all_of(consumers.begin(), consumers.end(), [&](const Block* consumer) {
    return worth_inlining(block, *store, *consumer, consumers.size());
  });
}

}  // namespace

Result<void> inline_producers(Draft& draft) {
  std::vector<std::string> names;
  for (const Block* block : blocks_of(draft.func().body)) names.push_back(block->name);
  for (const std::string& name : names) {
    const Path path = TRY(find_block(draft.func(), name));
    if (!inlinable(draft.func(), path.block())) continue;
    Draft attempt = draft;
    if (attempt.compute_inline(name)) draft = std::move(attempt);
  }
  return {};
}

}  // namespace loopglass::schedule

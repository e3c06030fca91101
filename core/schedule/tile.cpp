// tile(y, x, height, width): split, split, reorder.
#include "core/dependence/witness.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

namespace loopglass::schedule {

namespace {

struct BothSplit {
  loop::Func func;
  std::vector<std::string> order;  // that its loops are to have
};
Result<BothSplit> split_both(const loop::Func& func, std::span<const Argument> arguments) {
  using Factors = std::vector<std::int64_t>;
  const std::vector<Argument> rows{arguments[0], Factors{-1, integer_at(arguments, 2)}};
  const Applied y = TRY(split().apply(func, rows));
  const std::vector<Argument> columns{arguments[1], Factors{-1, integer_at(arguments, 3)}};
  Applied x = TRY(split().apply(y.func, columns));
  return BothSplit{std::move(x.func), {y.made[0], x.made[0], y.made[1], x.made[1]}};
}

Result<Applied> apply_tile(const loop::Func& func, std::span<const Argument> arguments) {
  BothSplit both = TRY(split_both(func, arguments));
  const std::vector<Argument> loops{both.order};
  Applied result = TRY(reorder().apply(both.func, loops));
  result.made = std::move(both.order);
  return result;
}

Search witness_tile(const loop::Func& func, std::span<const Argument> arguments) {
  const Result<BothSplit> both = split_both(func, arguments);
  if (!both) return {};
  const std::vector<Argument> loops{both->order};
  return reorder().witness(both->func, loops);
}

}  // namespace

Primitive tile() {
  return {"tile",
          "Splits two nested loops and puts the inner parts innermost: the loops walk tiles of "
          "height x width.",
          "for y in 64 { for x in 64 { ... } }",
          "for y_o in 8 { for x_o in 8 { for y_i in 8 { for x_i in 8 { ... } } } }",
          {{"y", ParameterKind::Loop, "the outer loop"},
           {"x", ParameterKind::Loop, "the inner loop", choices::loops_directly_inside()},
           {"height", ParameterKind::Integer, "iterations of y in a tile", choices::these({4, 8})},
           {"width", ParameterKind::Integer, "iterations of x in a tile", choices::these({8, 16})}},
          apply_tile,
          witness_tile};
}

}  // namespace loopglass::schedule

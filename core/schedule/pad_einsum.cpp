// pad_einsum(block, multiples): a sum of products over tiles that divide exactly.
//
// Made of other primitives: the result gets a buffer of its own (cache_write) where it is the
// caller's, each axis runs on to its multiple (pad_axis), and each operand that has nothing there
// is copied with zeros behind it (reindex).
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Operands that are read under a condition, in the order of the text.
std::vector<std::string> guarded_operands(const Block& block) {
  std::vector<std::string> operands;
  std::set<std::string> seen;
  loop::walk(block.body, [&](const Stmt& stmt) {
    each_expr(stmt, [&](const Expr& e) {
      expr::visit(e, [&](const Expr& node) {
        if (const auto* select = node.as<expr::Select>())
          if (const auto* load = select->when_true.as<expr::Load>();
              load && seen.insert(load->buffer).second)
            operands.push_back(load->buffer);
      });
    });
  });
  return operands;
}

// One primitive after another on a nest, of which those blocks are kept that were made.
class Composition {
 public:
  // `call`: that they are parts of.
  Composition(std::string call, const Func& func)
      : call_(std::move(call)), applied_{func, {}, {}} {}

  Result<void> run(const char* primitive, const std::vector<Argument>& arguments) {
    auto next = find_primitive(primitive)->apply(applied_.func, arguments);
    if (!next) {
      next.error().what = fmt::format("{}: {}", call_, next.error().what);
      return std::unexpected(std::move(next).error());
    }
    applied_.func = std::move(next->func);
    applied_.made.insert(applied_.made.end(), next->made.begin(), next->made.end());
    if (applied_.remark.empty()) applied_.remark = next->remark;
    return {};
  }
  const Func& func() const { return applied_.func; }
  Applied take() && { return std::move(applied_); }

 private:
  std::string call_;
  Applied applied_;
};

Result<Applied> apply_pad_einsum(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::vector<std::int64_t>& multiples = integers_at(arguments, 1);
  const std::string call = fmt::format("pad_einsum({}, [{}])", name, fmt::join(multiples, ", "));
  const Path path = TRY(find_block(func, name));
  const Block& block = path.block();
  const loop::Store* store = only_store(block);
  if (!store || !has_reduction(block))
    return illegal(call, name, fmt::format("block '{}' is no sum with a single store", name),
                   "pad_axis pads an axis of a block that sums nothing");
  if (multiples.size() != block.iters.size())
    return illegal(call, name,
                   fmt::format("block '{}' has {} axes, and there are {} multiples", name,
                               block.iters.size(), multiples.size()));
  Composition composed(call, func);
  bool pads_result = false, pads_sum = false;
  for (std::size_t axis = 0; axis < multiples.size(); ++axis) {
    const auto extent = expr::as_integer(block.iters[axis].extent);
    if (multiples[axis] < 1)
      return illegal(call, name, fmt::format("{} is no multiple", multiples[axis]));
    if (extent && *extent % multiples[axis] == 0) continue;
    (block.iters[axis].reduction ? pads_sum : pads_result) = true;
  }
  if (!pads_result && !pads_sum) return Applied{func, {}, {}};
  if (!guarded_operands(block).empty())
    return illegal(call, name,
                   fmt::format("block '{}' reads some of its operands under conditions", name),
                   "reindex these first");
  if (pads_result && is_parameter(func, store->buffer))
    TRY_VOID(composed.run("cache_write", {name, std::string("workspace")}));
  for (std::size_t axis = 0; axis < multiples.size(); ++axis)
    if (multiples[axis] > 1)
      TRY_VOID(composed.run("pad_axis", {name, static_cast<std::int64_t>(axis), multiples[axis]}));
  const Block padded = TRY(find_block(composed.func(), name)).block();
  for (const std::string& operand : guarded_operands(padded))
    TRY_VOID(composed.run("reindex", {name, operand, std::string("workspace")}));
  return std::move(composed).take();
}

// All axes to one multiple.
std::vector<Argument> offered_multiples(const Func& func, std::span<const Argument> before) {
  const auto path = find_block(func, name_at(before, 0));
  if (!path) return {};
  std::vector<Argument> offered;
  for (const std::int64_t multiple : {4, 8, 16})
    offered.emplace_back(std::vector<std::int64_t>(path->block().iters.size(), multiple));
  return offered;
}

}  // namespace

Primitive pad_einsum() {
  return {
      "pad_einsum",
      "Lengthens every axis of a sum of products to a multiple, what it sums over too: operands "
      "are copied with zeros behind them, and what is computed too much is dropped. Then tiles "
      "divide exactly, as an intrinsic wants them. Returns the copying blocks.",
      "for i in 10 { for k in 6 { Y[i] += A[i, k] * X[k] } }",
      "for i in 16 { for k in 8 { Y_workspace[i] += A_reindex[i, k] * X_reindex[k] } }",
      {{"block", ParameterKind::Block, "a sum of products"},
       {"multiples", ParameterKind::Integers, "one for each of its iterations; 1: as it is",
        offered_multiples}},
      apply_pad_einsum};
}

}  // namespace loopglass::schedule

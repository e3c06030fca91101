#include "core/default_schedule/block_analysis.h"

#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"

#include <algorithm>
#include <map>

namespace loopglass::schedule {

using namespace loop;

namespace {

bool in_iteration_order(const Path& path) {
  const std::vector<const For*> loops = path.loops();
  const std::vector<loop::IterVar>& iters = path.block().iters;
  if (loops.size() != iters.size()) return false;
  for (std::size_t i = 0; i < iters.size(); ++i) {
    const auto* variable = iters[i].binding.as<expr::Variable>();
    // The variable of a single iteration may have been replaced by its value.
    const bool single =
        expr::as_integer(iters[i].extent) == 1 && expr::as_integer(iters[i].binding) == 0;
    if (!single && (!variable || variable->name != loops[i]->variable)) return false;
    if (!expr::same(loops[i]->extent, iters[i].extent) || loops[i]->kind != loop::ForKind::Serial)
      return false;
  }
  return true;
}

// Those of the constant before it was packed.
std::vector<Expr> indices_before(const loop::Packing& packing, const std::vector<Expr>& indices,
                                 const expr::Ranges& ranges) {
  std::map<std::string, Expr> places;
  for (std::size_t d = 0; d < indices.size(); ++d) places["d" + std::to_string(d)] = indices[d];
  std::vector<Expr> before;
  for (const Expr& source : packing.source)
    before.push_back(expr::simplify(expr::substitute(source, places), ranges));
  return before;
}

Operand operand_of(const Block& block, const Buffer& buffer, const std::vector<Expr>& indices,
                   bool is_store, const expr::Ranges& ranges, bool through_packings) {
  Operand operand;
  operand.buffer = buffer.name;
  operand.indices = indices;
  std::vector<Expr> shape = buffer.shape;
  if (through_packings && buffer.packing) {
    operand.packed_indices = indices;
    operand.indices = indices_before(*buffer.packing, indices, ranges);
    shape.assign(buffer.packing->original_shape.begin(), buffer.packing->original_shape.end());
  }
  operand.type = buffer.type;
  operand.elements = 1;
  for (const Expr& extent : buffer.shape) operand.elements *= expr::as_integer(extent).value_or(0);
  operand.is_store = is_store;
  operand.constant = buffer.role == loop::Role::Constant && (!buffer.packing || through_packings);
  const bool irregular = std::ranges::any_of(indices, expr::has_load);
  Expr address = expr::place_of(operand.indices, shape);
  address = irregular ? address : expr::simplify(address, ranges);
  for (const loop::IterVar& iter : block.iters) {
    if (!expr::uses_variable(address, iter.name)) operand.steps.emplace_back(0);
    else operand.steps.push_back(irregular ? std::nullopt : expr::coefficient(address, iter.name));
  }
  return operand;
}

// The axis with one more iteration inside, if no operand minds.
std::optional<Axis> extended(const Axis& axis, std::size_t iter, const BlockAnalysis& block) {
  Axis result = axis;
  result.iters.push_back(iter);
  result.extent *= block.extents[iter];
  for (std::size_t o = 0; o < block.operands.size(); ++o) {
    const auto inner = block.operands[o].steps[iter], outer = axis.steps[o];
    if (axis.extent == 1) result.steps[o] = inner;
    else if (block.extents[iter] == 1) result.steps[o] = outer;
    else if (!inner || !outer || *outer != *inner * block.extents[iter]) return std::nullopt;
    else result.steps[o] = inner;
  }
  return result;
}

std::vector<Axis> axes_of(const BlockAnalysis& analysis, const Block& block, bool reduction) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < block.iters.size(); ++i) {
    if (block.iters[i].reduction != reduction) continue;
    if (!axes.empty() && axes.back().iters.back() + 1 == i)
      if (auto longer = extended(axes.back(), i, analysis)) {
        axes.back() = std::move(*longer);
        continue;
      }
    Axis axis{{i}, analysis.extents[i], {}};
    for (const Operand& operand : analysis.operands) axis.steps.push_back(operand.steps[i]);
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<Axis> one_by_one(const std::vector<Axis>& axes, const BlockAnalysis& block) {
  std::vector<Axis> result;
  for (const Axis& axis : axes)
    for (const std::size_t iter : axis.iters) {
      Axis single{{iter}, block.extents[iter], {}};
      for (const Operand& operand : block.operands) single.steps.push_back(operand.steps[iter]);
      result.push_back(std::move(single));
    }
  return result;
}

bool asks_where_it_is(const Expr& value) {
  bool asks = false;
  expr::visit(value, [&](const Expr& e) {
    const auto* choice = e.as<expr::Select>();
    asks = asks || (choice && !expr::has_load(choice->condition));
  });
  return asks;
}

bool is_element(const Expr& value) {
  if (const auto* cast = value.as<expr::Cast>()) return is_element(cast->operand);
  return value.as<expr::Load>() != nullptr;
}

bool adds_products(const Block& block, const loop::Store& store) {
  const auto* sum = store.value.as<expr::Binary>();
  if (block.reducer != te::Reducer::Sum || !sum || sum->op != expr::BinaryOperator::Add)
    return false;
  const auto is_product = [](const Expr& term) {
    const auto* product = term.as<expr::Binary>();
    return product && product->op == expr::BinaryOperator::Mul && is_element(product->left) &&
           is_element(product->right);
  };
  return is_product(sum->left) || is_product(sum->right);
}

}  // namespace

std::int64_t bytes_of(const Operand& operand) {
  return operand.elements * static_cast<std::int64_t>(byte_size(operand.type));
}

std::optional<std::size_t> lone_iteration(const Axis& axis, const BlockAnalysis& block) {
  std::optional<std::size_t> lone;
  for (const std::size_t iter : axis.iters) {
    if (block.extents[iter] == 1) continue;
    if (lone) return std::nullopt;
    lone = iter;
  }
  return lone;
}

BlockAnalysis unmerged(const BlockAnalysis& block) {
  BlockAnalysis result = block;
  result.axes = one_by_one(block.axes, block);
  result.reduction_axes = one_by_one(block.reduction_axes, block);
  return result;
}

std::optional<std::int64_t> step_in_tiles(const Operand& operand, std::size_t iter,
                                          std::int64_t length, const BlockAnalysis& block,
                                          const Func& func) {
  const std::vector<Expr>& indices =
      operand.packed_indices.empty() ? operand.indices : operand.packed_indices;
  if (block.extents[iter] % length != 0 || std::ranges::any_of(indices, expr::has_load))
    return std::nullopt;
  expr::Ranges ranges;
  for (std::size_t i = 0; i < block.extents.size(); ++i)
    ranges[block.iter_names[i]] = {0, block.extents[i] - 1};
  const std::string tile = block.iter_names[iter] + "_tile",
                    place = block.iter_names[iter] + "_place";
  ranges[tile] = {0, block.extents[iter] / length - 1};
  ranges[place] = {0, length - 1};
  const auto variable = [](const std::string& name) {
    return expr::variable(name, DataType::Int64);
  };
  const auto buffers = loop::buffers_of(func);
  const Expr address = expr::simplify(
      expr::substitute(expr::place_of(indices, loop::find_buffer(buffers, operand.buffer)->shape),
                       {{block.iter_names[iter], variable(tile) * length + variable(place)}}),
      ranges);
  return expr::coefficient(address, place);
}

bool lies_in_tiles(const Operand& packed, const Axis& axis, std::int64_t length,
                   const BlockAnalysis& block, const Func& func) {
  const auto lone = lone_iteration(axis, block);
  return lone && step_in_tiles(packed, *lone, length, block, func) == 1;
}

std::optional<BlockAnalysis> analyse(const Func& func, const std::string& name,
                                     bool through_packings) {
  const auto path = find_block(func, name);
  if (!path) return std::nullopt;
  const Block& block = path->block();
  const loop::Store* store = only_store(block);
  if (!store || block.predicate.defined() || !in_iteration_order(*path)) return std::nullopt;
  const auto store_axes = plain_store_axes(block, *store);
  if (!store_axes) return std::nullopt;

  BlockAnalysis result;
  result.name = name;
  result.buffer = store->buffer;
  expr::Ranges ranges;
  for (std::size_t i = 0; i < block.iters.size(); ++i) {
    const auto extent = expr::as_integer(block.iters[i].extent);
    if (!extent || *extent < 1) return std::nullopt;
    result.extents.push_back(*extent);
    result.iter_names.push_back(block.iters[i].name);
    ranges[block.iters[i].name] = {0, *extent - 1};
    if (block.iters[i].reduction) result.reductions.push_back(i);
    (block.iters[i].reduction ? result.reduction_points : result.spatial_points) *= *extent;
  }
  if (store_axes->size() + result.reductions.size() != block.iters.size()) return std::nullopt;

  result.reducer = block.reducer;
  result.asks_where_it_is = asks_where_it_is(store->value);
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const auto add = [&](const std::string& buffer, const std::vector<Expr>& indices, bool is_store) {
    const Buffer& declared = *loop::find_buffer(buffers, buffer);
    result.widest_bytes = std::max(result.widest_bytes, byte_size(declared.type));
    result.operands.push_back(
        operand_of(block, declared, indices, is_store, ranges, through_packings));
    result.operands.back().parameter = is_parameter(func, buffer);
  };
  add(store->buffer, store->indices, true);
  // What is read twice in one place, as by a square, is loaded once.
  const auto is_known = [&](const expr::Load& load) {
    return std::ranges::any_of(result.operands, [&](const Operand& known) {
      return known.buffer == load.buffer &&
             std::ranges::equal(known.indices, load.indices, expr::same);
    });
  };
  for (const expr::Load* load : loads_of(block))
    if (load->buffer != store->buffer && !is_known(*load)) add(load->buffer, load->indices, false);
  result.multiplies_and_adds = is_float(result.store().type) && adds_products(block, *store);
  result.axes = axes_of(result, block, false);
  result.reduction_axes = axes_of(result, block, true);
  return result;
}

std::optional<std::string> epilogue_of(const Func& func, const std::string& reduction) {
  const auto path = find_block(func, reduction);
  const loop::Store* store = path ? only_store(path->block()) : nullptr;
  if (!store || is_parameter(func, store->buffer)) return std::nullopt;
  const std::vector<const Block*> readers = readers_of(func.body, store->buffer);
  if (readers.size() != 1 || has_reduction(*readers[0])) return std::nullopt;
  return readers[0]->name;
}

}  // namespace loopglass::schedule

// Sums over groups: Y[g * 28 + c] = sum over k of X[g * 6 + k] * W[g * 28 + c, k], which comes as
// Y[c] = sum over k of X[c floordiv 28 * 6 + k] * W[c, k].
//
// X moves unevenly with c, so that no tile could have rows of several c. With an axis for the
// groups and one inside of them, everything is as in a convolution without groups, once a group.
#include "core/default_schedule/rules.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

Diagnostic no_groups(const std::string& block) {
  return {Code::ScheduleIllegal, fmt::format("'{}' has no groups to be parted", block), block, {}};
}

// A spatial iteration, and the number that it is divided by.
struct Groups {
  std::size_t iter;
  std::int64_t size;
};

// By what the iteration is divided, or taken modulo, in the index; 0: it is not.
std::int64_t divisor_in(const Expr& index, const std::string& iter) {
  std::int64_t divisor = 0;
  expr::visit(index, [&](const Expr& e) {
    const auto* binary = e.as<expr::Binary>();
    if (!binary || (binary->op != expr::BinaryOperator::FloorDiv &&
                    binary->op != expr::BinaryOperator::FloorMod))
      return;
    const auto* variable = binary->left.as<expr::Variable>();
    if (variable && variable->name == iter) divisor = expr::as_integer(binary->right).value_or(0);
  });
  return divisor;
}

std::optional<Groups> groups_of(const BlockAnalysis& block) {
  for (std::size_t i = 0; i < block.iter_names.size(); ++i) {
    if (std::ranges::find(block.reductions, i) != block.reductions.end()) continue;
    for (const Operand& operand : block.operands) {
      if (operand.steps[i]) continue;
      for (const Expr& index : operand.indices) {
        const std::int64_t size = divisor_in(index, block.iter_names[i]);
        if (size > 1 && size < block.extents[i] && block.extents[i] % size == 0)
          return Groups{i, size};
      }
    }
  }
  return std::nullopt;
}

// The dimension of the store that the iteration walks.
std::optional<std::size_t> dimension_of(const BlockAnalysis& block, std::size_t iter) {
  for (std::size_t d = 0; d < block.store().indices.size(); ++d)
    if (expr::uses_variable(block.store().indices[d], block.iter_names[iter])) return d;
  return std::nullopt;
}

// The axis by which a block reads this dimension of the buffer, wherever it reads it.
std::optional<std::size_t> axis_reading(const Block& block, const std::string& buffer,
                                        std::size_t dimension) {
  std::optional<std::size_t> axis;
  for (const expr::Load* load : loads_of(block)) {
    if (load->buffer != buffer) continue;
    const auto* variable = load->indices[dimension].as<expr::Variable>();
    const auto iter = std::ranges::find_if(block.iters, [&](const loop::IterVar& each) {
      return variable && each.name == variable->name;
    });
    if (iter == block.iters.end()) return std::nullopt;
    const auto place = static_cast<std::size_t>(iter - block.iters.begin());
    if (axis && *axis != place) return std::nullopt;
    axis = place;
  }
  return axis;
}

// "d0 d1 d2 -> d0 d1/28 d1%28 d2"
std::string parting_map(std::size_t rank, std::size_t dimension, std::int64_t size) {
  std::vector<std::string> names, parted;
  for (std::size_t d = 0; d < rank; ++d) {
    names.push_back(fmt::format("d{}", d));
    if (d != dimension) {
      parted.push_back(names.back());
      continue;
    }
    parted.push_back(fmt::format("d{}/{}", d, size));
    parted.push_back(fmt::format("d{}%{}", d, size));
  }
  return fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(parted, " "));
}

Result<void> part_axis(Draft& draft, const std::string& block, std::size_t axis,
                       std::int64_t size) {
  const Draft::Names loops = TRY(draft.loops(block));
  if (axis >= loops.size()) return std::unexpected(no_groups(block));
  TRY(draft.split(loops[axis], {-1, size}));
  return draft.split_axis(block, axis, size);
}

}  // namespace

Result<void> part_groups(Draft& draft, const std::string& reduction) {
  const auto block = analyse(draft.func(), reduction);
  const auto groups = block ? groups_of(*block) : std::nullopt;
  if (!groups) return std::unexpected(no_groups(reduction));
  const auto dimension = dimension_of(*block, groups->iter);
  if (!dimension) return std::unexpected(no_groups(reduction));
  const auto reader_axis = [&](const std::string& reader, const std::string& buffer) {
    const auto path = find_block(draft.func(), reader);
    return path && analyse(draft.func(), reader) ? axis_reading(path->block(), buffer, *dimension)
                                                 : std::nullopt;
  };
  std::string buffer = block->buffer;
  std::optional<std::string> reader = epilogue_of(draft.func(), reduction);
  auto axis = reader ? reader_axis(*reader, buffer) : std::nullopt;
  if (!axis) {
    reader = TRY(draft.cache_write(reduction, "workspace"));
    buffer = only_store(TRY(find_block(draft.func(), reduction)).block())->buffer;
    axis = reader_axis(*reader, buffer);
    if (!axis) return std::unexpected(no_groups(reduction));
  }
  TRY_VOID(draft.transform_layout(
      buffer, parting_map(block->store().indices.size(), *dimension, groups->size)));
  TRY_VOID(part_axis(draft, reduction, groups->iter, groups->size));
  TRY_VOID(part_axis(draft, *reader, *axis, groups->size));
  const auto parted = analyse(draft.func(), reduction);
  if (!parted || groups_of(*parted)) return std::unexpected(no_groups(reduction));
  return {};
}

}  // namespace loopglass::schedule

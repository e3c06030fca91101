// Whether a nest is what an intrinsic is described to compute.
//
// First the shape of what is stored, operand by operand; then how far each loop of the nest moves
// in each operand, which says which loop of the description it is.
#include "core/expr/place.h"
#include "core/loop/intrinsics.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/annotations.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace loopglass::loop {

namespace {

using Reason = std::unexpected<std::string>;

// Loops with nothing between them, and the one store inside.
struct Core {
  std::vector<const For*> loops;  // outermost first
  Store store;                    // over the loops around
};

std::expected<Core, std::string> core_of(const Stmt& nest) {
  Core core;
  const Stmt* stmt = &nest;
  while (const For* node = as<For>(*stmt)) {
    if (node->kind != ForKind::Serial)
      return Reason(fmt::format("loop '{}' is {}", node->variable, name(node->kind)));
    core.loops.push_back(node);
    stmt = &node->body;
  }
  Bindings bindings;
  if (const Block* block = as<Block>(*stmt)) {
    if (block->init)
      return Reason(fmt::format("block '{}' sets an initial value in it", block->name));
    if (block->predicate.defined())
      return Reason(fmt::format("block '{}' runs only where {}", block->name,
                                expr::to_string(block->predicate)));
    bindings = bindings_of(*block);
    stmt = &block->body;
  }
  const Store* store = as<Store>(*stmt);
  if (!store) return Reason("there is more in it than loops around one store");
  core.store = *store;
  // Within a tile a quotient may be the same everywhere.
  const expr::Ranges ranges = ranges_of(core.loops);
  const auto settled = [&](const Expr& e) {
    return expr::simplify(expr::substitute(e, bindings), ranges);
  };
  for (Expr& index : core.store.indices) index = settled(index);
  core.store.value = settled(core.store.value);
  return core;
}

// What stands in the nest for each parameter of the description.
using Operands = std::map<std::string, expr::Load>;

bool is_commutative(expr::BinaryOperator op) {
  return op == expr::BinaryOperator::Add || op == expr::BinaryOperator::Mul ||
         op == expr::BinaryOperator::Min || op == expr::BinaryOperator::Max;
}

bool same_places(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::ranges::equal(a, b, [](const Expr& x, const Expr& y) { return expr::same(x, y); });
}

// The ways to have `described` in `e`, each with its operands; of factors that could be either,
// both are tried. None where `e` has another shape.
std::vector<Operands> with_shape(const Expr& described, const Expr& e, const Operands& known) {
  if (described.type() != e.type() || described.node().value.index() != e.node().value.index())
    return {};
  if (const auto* parameter = described.as<expr::Load>()) {
    const auto* load = e.as<expr::Load>();
    Operands more = known;
    const auto [operand, is_new] = more.emplace(parameter->buffer, *load);
    const bool agrees = is_new || (operand->second.buffer == load->buffer &&
                                   same_places(operand->second.indices, load->indices));
    return agrees ? std::vector{std::move(more)} : std::vector<Operands>{};
  }
  if (const auto* cast = described.as<expr::Cast>())
    return with_shape(cast->operand, e.as<expr::Cast>()->operand, known);
  if (const auto* wanted = described.as<expr::Binary>()) {
    const auto* given = e.as<expr::Binary>();
    if (wanted->op != given->op) return {};
    std::vector<Operands> ways;
    const auto add = [&](const Expr& left, const Expr& right) {
      for (const Operands& first : with_shape(wanted->left, left, known))
        for (Operands& both : with_shape(wanted->right, right, first))
          ways.push_back(std::move(both));
    };
    add(given->left, given->right);
    if (is_commutative(wanted->op)) add(given->right, given->left);
    return ways;
  }
  return expr::same(described, e) ? std::vector{known} : std::vector<Operands>{};
}

// How many elements of a buffer an iteration of a loop moves on; nullopt: that is not known.
std::optional<std::int64_t> stride_by_dimension(const expr::Load& operand, const Buffer& buffer,
                                                const std::string& loop) {
  std::int64_t sum = 0;
  std::optional<std::int64_t> row = 1;
  for (std::size_t d = operand.indices.size(); d-- > 0;) {
    const auto factor = expr::coefficient(operand.indices[d], loop);
    if (!factor || (*factor != 0 && !row)) return {};
    std::int64_t step = 0;
    if (*factor != 0 &&
        (__builtin_mul_overflow(*factor, *row, &step) || __builtin_add_overflow(sum, step, &sum)))
      return {};
    const auto extent = expr::as_integer(buffer.shape[d]);
    std::int64_t longer = 0;
    row = row && extent && !__builtin_mul_overflow(*row, *extent, &longer) ? std::optional(longer)
                                                                           : std::nullopt;
  }
  return sum;
}

// Where a dimension's index is a part of a place, as of an image that was reshaped, by the place.
std::optional<std::int64_t> stride_of(const expr::Load& operand, const Buffer& buffer,
                                      const std::string& loop) {
  if (const auto stride = stride_by_dimension(operand, buffer, loop)) return stride;
  return expr::coefficient(expr::simplify(expr::place_of(operand.indices, buffer.shape)), loop);
}

class Matching {
 public:
  Matching(const Intrinsic& intrinsic, const Core& description, Operands described,
           const Core& nest, Operands operands, const std::vector<Buffer>& buffers)
      : intrinsic_(intrinsic),
        description_(description),
        nest_(nest),
        described_(std::move(described)),
        operands_(std::move(operands)),
        buffers_(buffers) {}

  std::expected<std::vector<Tile>, std::string> tiles() {
    std::vector<std::size_t> order(nest_.loops.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::optional<std::string> first;
    do {
      std::map<std::string, std::string> loops;  // of the nest, by those of the description
      bool fits = true;
      for (std::size_t k = 0; k < order.size(); ++k) {
        loops[description_.loops[k]->variable] = nest_.loops[order[k]]->variable;
        fits &= expr::as_integer(description_.loops[k]->extent) ==
                expr::as_integer(nest_.loops[order[k]]->extent);
      }
      if (!fits) continue;
      auto found = tiles_by(loops);
      if (found) return found;
      if (!first) first = std::move(found.error());
    } while (std::ranges::next_permutation(order).found);
    if (first) return Reason(*first);
    return Reason(fmt::format("its loops have {} iterations, not {}", extents(nest_.loops),
                              extents(description_.loops)));
  }

 private:
  static std::string extents(const std::vector<const For*>& loops) {
    std::vector<std::string> texts;
    for (const For* node : loops) texts.push_back(expr::to_string(node->extent));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::expected<std::vector<Tile>, std::string> tiles_by(
      const std::map<std::string, std::string>& loops) const {
    std::vector<Tile> tiles;
    for (std::size_t p = 0; p < intrinsic_.description.parameters.size(); ++p) {
      const std::string& parameter = intrinsic_.description.parameters[p].name;
      const expr::Load& operand = operands_.at(parameter);
      auto tile = tile_of(parameter, operand, intrinsic_.strides[p], loops);
      if (!tile) return Reason(std::move(tile.error()));
      tiles.push_back(*std::move(tile));
    }
    if (auto clash = meeting_rows(tiles.back())) return Reason(*std::move(clash));
    return tiles;
  }

  std::expected<Tile, std::string> tile_of(const std::string& parameter, const expr::Load& operand,
                                           const std::vector<std::int64_t>& wanted,
                                           const std::map<std::string, std::string>& loops) const {
    const Buffer& buffer = *find_buffer(buffers_, operand.buffer);
    const std::vector<Expr>& axes = described_.at(parameter).indices;
    Tile tile{operand.buffer, operand.indices, {}};
    for (const auto& [axis, loop] : loops) {
      const auto is_axis = [&](const Expr& index) { return expr::uses_variable(index, axis); };
      const auto stride = stride_of(operand, buffer, loop);
      if (!stride)
        return Reason(
            fmt::format("how far '{}' moves in '{}' is not a number", loop, operand.buffer));
      if (std::ranges::none_of(axes, is_axis) && *stride != 0)
        return Reason(fmt::format("'{}' moves with '{}', and should not", operand.buffer, loop));
    }
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const std::string& loop = loops.at(axes[d].as<expr::Variable>()->name);
      const std::int64_t stride = *stride_of(operand, buffer, loop);
      if (wanted[d] != 0 && stride != wanted[d])
        return Reason(
            fmt::format("from one iteration of '{}' to the next '{}' moves on by {} {}, "
                        "and should by {}",
                        loop, operand.buffer, stride,
                        std::abs(stride) == 1 ? "element" : "elements", wanted[d]));
      tile.strides.push_back(stride);
    }
    std::map<std::string, Expr> start;
    for (const For* node : nest_.loops) start.emplace(node->variable, Expr(0));
    for (Expr& index : tile.origin) index = expr::simplify(expr::substitute(index, start));
    return tile;
  }

  // Rows of what is stored to must not reach into each other.
  std::optional<std::string> meeting_rows(const Tile& tile) const {
    const Buffer& stored = intrinsic_.description.parameters.back();
    std::int64_t reach = 0;  // from the first element of a row to its last
    for (std::size_t d = stored.shape.size(); d-- > 0;) {
      const std::int64_t stride = std::abs(tile.strides[d]);
      if (stride <= reach)
        return fmt::format("elements of '{}' are stored to more than once", tile.buffer);
      reach += stride * (*expr::as_integer(stored.shape[d]) - 1);
    }
    return {};
  }

  const Intrinsic& intrinsic_;
  const Core &description_, &nest_;
  const Operands described_, operands_;  // in the description, and in the nest
  const std::vector<Buffer>& buffers_;
};

}  // namespace

std::expected<std::vector<Tile>, std::string> match_intrinsic(const Intrinsic& intrinsic,
                                                              const Stmt& nest,
                                                              const std::vector<Buffer>& buffers) {
  const Core description = core_of(intrinsic.description.body).value();
  const auto core = core_of(nest);
  if (!core) return Reason(core.error());
  if (core->loops.size() != description.loops.size())
    return Reason(fmt::format("it has {} loops around the store, not {}", core->loops.size(),
                              description.loops.size()));
  const Store &wanted = description.store, &given = core->store;
  const Buffer* stored = find_buffer(buffers, given.buffer);
  if (!stored || stored->type != intrinsic.description.parameters.back().type)
    return Reason(fmt::format("'{}' is {}, not {}", given.buffer,
                              stored ? loopglass::name(stored->type) : "no buffer",
                              loopglass::name(intrinsic.description.parameters.back().type)));
  const std::vector<Operands> ways = with_shape(
      wanted.value, given.value, {{wanted.buffer, expr::Load{given.buffer, given.indices}}});
  if (ways.empty())
    return Reason(fmt::format("it stores {}, which has not the form of {}",
                              expr::to_string(given.value), expr::to_string(wanted.value)));
  for (const auto& [parameter, operand] : ways.front())
    if (parameter != wanted.buffer && operand.buffer == given.buffer)
      return Reason(fmt::format("'{}' is both read and stored to", given.buffer));
  const Operands described =
      with_shape(wanted.value, wanted.value,
                 {{wanted.buffer, expr::Load{wanted.buffer, wanted.indices}}})
          .front();
  std::optional<std::string> objection;
  for (const Operands& operands : ways) {
    auto tiles = Matching(intrinsic, description, described, *core, operands, buffers).tiles();
    if (tiles) return tiles;
    if (!objection) objection = std::move(tiles.error());
  }
  return Reason(*std::move(objection));
}

std::expected<IntrinsicCall, std::string> noted_intrinsic(const Stmt& noted,
                                                          const std::vector<Buffer>& buffers) {
  const Annotation* note = find_annotation(noted->annotations, intrinsic_annotation);
  if (!note) return Reason("none is noted");
  const Intrinsic* intrinsic = find_intrinsic(note->value);
  if (!intrinsic) return Reason(fmt::format("there is no intrinsic '{}'", note->value));
  if (!as<For>(noted)) return Reason("an intrinsic takes a loop");
  auto tiles = match_intrinsic(*intrinsic, noted, buffers);
  if (!tiles) return Reason(std::move(tiles.error()));
  return IntrinsicCall{intrinsic, *std::move(tiles)};
}

std::vector<UnusedIntrinsic> unused_intrinsics(const Func& func) {
  std::vector<UnusedIntrinsic> unused;
  std::vector<Buffer> buffers;
  walk(func.body, [&](const Stmt& stmt) {
    const Annotation* note = find_annotation(stmt->annotations, intrinsic_annotation);
    if (!note) return;
    if (buffers.empty()) buffers = buffers_of(func);
    if (const auto call = noted_intrinsic(stmt, buffers); !call)
      unused.push_back({note->value, call.error()});
  });
  return unused;
}

}  // namespace loopglass::loop

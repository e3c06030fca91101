#include "core/default_schedule/inner_loop.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/expr/expr.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/annotations.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/intrinsics.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"
#include "core/support/ceil_div.h"
#include "core/support/counted.h"
#include "core/te/flops.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t multiply_adds_a_cycle = 2, loads_a_cycle = 2;

bool in_tile(const For& node) {
  return node.kind == loop::ForKind::Vectorized || node.kind == loop::ForKind::Unrolled ||
         expr::as_integer(node.extent) == 1;
}

// How often the block runs, as far as extents are constant.
double instances(const std::vector<const For*>& loops) {
  double count = 1;
  for (const For* node : loops)
    if (const auto extent = expr::as_integer(node->extent)) count *= static_cast<double>(*extent);
  return count;
}

// The sum with most terms.
std::optional<Path> heaviest_sum(const Func& func) {
  std::optional<Path> heaviest;
  double most = 0;
  for (const Block* block : blocks_of(func.body)) {
    if (!has_reduction(*block) || !only_store(*block)) continue;
    auto path = find_block(func, block->name);
    if (!path) continue;
    const double count = instances(path->loops());
    if (count <= most) continue;
    most = count;
    heaviest = std::move(*path);
  }
  return heaviest;
}

// Elements per iteration of the loop; nullopt: irregular, or by an extent that is not known.
std::optional<std::int64_t> step_of(const Access& access, const Buffer& buffer,
                                    const std::string& variable, const expr::Ranges& ranges) {
  const auto moves = [&](const Expr& e) { return expr::uses_variable(e, variable); };
  if (std::ranges::none_of(access.indices, moves)) return 0;
  // As one address: a loop over several dimensions walks on where each of them turns round.
  Expr address(0);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const auto extent = expr::as_integer(buffer.shape[d]);
    if (!extent && d > 0 &&
        std::any_of(access.indices.begin(), access.indices.begin() + static_cast<std::ptrdiff_t>(d),
                    moves))
      return std::nullopt;
    address = address * (extent ? Expr(*extent) : Expr(0)) + access.indices[d];
  }
  const Expr simple = expr::simplify(address, ranges);
  return moves(simple) ? expr::coefficient(simple, variable) : std::optional<std::int64_t>(0);
}

bool are_same(const Access& a, const Access& b) {
  return a.buffer == b.buffer && std::ranges::equal(a.indices, b.indices, expr::same);
}

class Counting {
 public:
  Counting(const Func& func, const Path& path, const Machine& machine)
      : buffers_(loop::buffers_of(func)), path_(path), ranges_(loop::ranges_of(path.loops())) {
    const loop::Store& store = *only_store(path.block());
    const Buffer& target = *loop::find_buffer(buffers_, store.buffer);
    lanes_ = machine.lanes(byte_size(target.type));
  }

  std::optional<InnerLoop> count() {
    if (!take_loops()) return std::nullopt;
    constexpr std::int64_t operations_of_multiply_add = 2;
    result_.of_a_term = std::max<std::int64_t>(
        1, te::operations(only_store(path_.block())->value) / operations_of_multiply_add);
    std::int64_t held = 0, broadcasts = 0;
    std::vector<Access> seen;  // what a term reads several times is loaded once
    for (Access& access : accesses_of(path_.statements.front())) {
      if (!access.block_body || access.block->name != path_.block().name) continue;
      for (Expr& index : access.indices) index = expr::simplify(index, ranges_);
      if (access.is_store || !access.starts.empty()) continue;
      if (access.of_own_sum && stays_in_registers()) continue;
      if (std::ranges::any_of(seen, [&](const Access& each) { return are_same(each, access); }))
        continue;
      seen.push_back(access);
      if (!turns_with(access)) {  // loaded once, before all turns
        held += along_lanes(access) ? vectors_of_a_term(access) : 1;
        continue;
      }
      result_.loads.push_back(operand_of(access));
      const std::int64_t stay = kept(access);
      if (!along_lanes(access)) broadcasts = std::max({broadcasts, stay, std::int64_t{1}});
      else held += stay;
    }
    // As LLVM arranges it: what is used again stays until then, and of vectors what is used once is
    // read by the multiply-add itself.
    result_.registers = result_.independent_sums + held + broadcasts;
    return result_;
  }

 private:
  struct TileLoop {
    std::string variable;
    std::int64_t extent;
    bool vectorized, summed;
  };

  bool take_loops() {
    const std::vector<const For*> loops = path_.loops();
    const auto summed = [&](const For& node) {
      return std::any_of(
          path_.block().iters.begin(), path_.block().iters.end(), [&](const loop::IterVar& iter) {
            return iter.reduction && expr::uses_variable(iter.binding, node.variable);
          });
    };
    std::size_t first = loops.size();
    while (first > 0 && in_tile(*loops[first - 1])) --first;
    // Lanes go through the loops inside together.
    std::vector<const For*> tile(loops.begin() + static_cast<std::ptrdiff_t>(first), loops.end());
    for (std::size_t k = 0; k < first; ++k)
      if (loops[k]->kind == loop::ForKind::Vectorized) tile.insert(tile.begin(), loops[k]);
    for (const For* node : tile) {
      const auto extent = expr::as_integer(node->extent);
      if (!extent) return false;
      const bool vectorized = node->kind == loop::ForKind::Vectorized;
      if (vectorized) result_.vectorized = node->variable;
      tile_.push_back({node->variable, *extent, vectorized, summed(*node)});
    }
    result_.block = path_.block().name;
    result_.independent_sums = result_.multiply_adds = 1;
    for (const TileLoop& node : tile_) {
      result_.multiply_adds *= vectors(node);
      (node.summed ? result_.chain : result_.independent_sums) *= vectors(node);
    }
    while (first > 0 && loops[first - 1]->kind == loop::ForKind::Vectorized) --first;
    if (first > 0) {
      result_.turning = loops[first - 1]->variable;
      result_.sums = summed(*loops[first - 1]);
    }
    return true;
  }

  std::int64_t vectors(const TileLoop& node) const {
    return node.vectorized ? ceil_div(node.extent, lanes_) : node.extent;
  }

  // A sum does, from turn to turn, where the turns are its terms; else each turn is of other sums.
  bool stays_in_registers() const { return result_.sums || result_.turning.empty(); }

  bool along_lanes(const Access& access) const {
    return std::any_of(tile_.begin(), tile_.end(), [&](const TileLoop& node) {
      return node.vectorized && step_of(access, buffer_of(access), node.variable, ranges_) != 0;
    });
  }

  const Buffer& buffer_of(const Access& access) const {
    return *loop::find_buffer(buffers_, access.buffer);
  }

  bool turns_with(const Access& access) const {
    return result_.turning.empty() ||
           std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) {
             return expr::uses_variable(index, result_.turning);
           });
  }

  // For one term of each sum.
  std::int64_t vectors_of_a_term(const Access& access) const {
    std::int64_t count = 1;
    for (const TileLoop& node : tile_)
      if (!node.summed && step_of(access, buffer_of(access), node.variable, ranges_) != 0)
        count *= vectors(node);
    return count;
  }

  // Of an operand in registers: what the loops inside the first that reads all of it again move
  // through. None: it is used once.
  std::int64_t kept(const Access& access) const {
    std::int64_t count = 0;
    for (const TileLoop& node : tile_) {
      const bool moves = step_of(access, buffer_of(access), node.variable, ranges_) != 0;
      if (!moves && vectors(node) > 1) count = std::max<std::int64_t>(count, 1);
      else if (moves) count *= vectors(node);
    }
    return count;
  }

  TileOperand operand_of(const Access& access) const {
    const Buffer& buffer = buffer_of(access);
    TileOperand operand;
    operand.buffer = access.buffer;
    operand.along_lanes = along_lanes(access);
    for (const TileLoop& node : tile_) {
      const auto step = step_of(access, buffer, node.variable, ranges_);
      if (step == 0) continue;
      const bool gathered = node.vectorized && step != 1;
      operand.vectors *= gathered ? node.extent : vectors(node);
      if (!gathered) continue;
      operand.scalars = 1;
      if (step) operand.lane_stride = *step * static_cast<std::int64_t>(byte_size(buffer.type));
    }
    if (operand.scalars > 0) operand.scalars = std::exchange(operand.vectors, 0);
    return operand;
  }

  std::vector<Buffer> buffers_;
  const Path& path_;
  expr::Ranges ranges_;
  std::int64_t lanes_ = 1;
  std::vector<TileLoop> tile_;  // outermost first
  InnerLoop result_;
};

}  // namespace

std::int64_t InnerLoop::loaded() const {
  std::int64_t sum = 0;
  for (const TileOperand& operand : loads) sum += operand.vectors + operand.scalars;
  return sum;
}

std::optional<InnerLoop> inner_loop(const Func& func, const Machine& machine) {
  const auto path = heaviest_sum(func);
  // What an intrinsic does inside is its own affair.
  const std::vector<Buffer> buffers = buffers_of(func);
  const auto is_left_to_intrinsic = [&](const Stmt& stmt) {
    return loop::find_annotation(stmt->annotations, loop::intrinsic_annotation) &&
           loop::noted_intrinsic(stmt, buffers);
  };
  return path && std::ranges::none_of(path->statements, is_left_to_intrinsic)
             ? Counting(func, *path, machine).count()
             : std::nullopt;
}

std::string_view name(Limit limit) {
  switch (limit) {
    case Limit::Registers: return "registers";
    case Limit::Gathers: return "gathers";
    case Limit::Latency: return "latency";
    case Limit::Loads: return "loads";
    case Limit::Scalar: return "scalar";
    case Limit::Intrinsic: return "intrinsic";
    case Limit::Roof: return "roof";
    case Limit::Threads: return "threads";
  }
  return {};
}

std::vector<LimitRemark> limits(const InnerLoop& loop, const Machine& machine) {
  std::vector<LimitRemark> found;
  // By the cycles a turn would take if only this were in the way; sums that do not fit spill.
  std::vector<std::pair<double, LimitRemark>> by_cycles;
  const double computing = static_cast<double>(loop.multiply_adds * loop.of_a_term) /
                           static_cast<double>(multiply_adds_a_cycle);
  const auto add = [&](double cycles, Limit limit, std::string text) {
    if (cycles > computing) by_cycles.push_back({cycles, {limit, std::move(text)}});
  };
  if (loop.registers > machine.vector_registers)
    add(computing + static_cast<double>(loop.registers - machine.vector_registers),
        Limit::Registers,
        fmt::format("{} of {} vector registers are wanted: what does not fit is stored and loaded "
                    "in every turn",
                    loop.registers, machine.vector_registers.value));
  for (const TileOperand& operand : loop.loads) {
    if (operand.scalars == 0) continue;
    add(static_cast<double>(operand.scalars) * gathered_element, Limit::Gathers,
        operand.lane_stride
            ? fmt::format("{} is not loaded as whole vectors: a stride of {} bytes along {}",
                          operand.buffer, *operand.lane_stride, loop.vectorized)
            : fmt::format(
                  "{} is not loaded as whole vectors: its index does not move evenly along {}",
                  operand.buffer, loop.vectorized));
  }
  const auto hiding = static_cast<std::int64_t>(operation_latency) * multiply_adds_a_cycle;
  if (loop.sums || loop.chain > 1)
    add(operation_latency * static_cast<double>(loop.chain), Limit::Latency,
        fmt::format("{}; {} hide the latency of a multiply-add",
                    counted(loop.independent_sums, "independent sum"), hiding));
  add(static_cast<double>(loop.loaded()) / static_cast<double>(loads_a_cycle), Limit::Loads,
      fmt::format("{} for {}", counted(loop.loaded(), "load"),
                  counted(loop.multiply_adds * loop.of_a_term, "multiply-add")));
  std::stable_sort(by_cycles.begin(), by_cycles.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [cycles, remark] : by_cycles) found.push_back(std::move(remark));
  return found;
}

bool runs_in_vectors(const Func& func) {
  bool found = false;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    const auto* node = loop::as<loop::For>(stmt);
    found = found || (node && node->kind == loop::ForKind::Vectorized) ||
            loop::find_annotation(stmt->annotations, loop::intrinsic_annotation);
  });
  return found;
}

std::vector<LimitRemark> limits(const Func& func, const Machine& machine) {
  std::vector<LimitRemark> found;
  for (const loop::UnusedIntrinsic& unused : loop::unused_intrinsics(func))
    found.push_back(
        {Limit::Intrinsic, fmt::format("'{}' is not used: {}", unused.name, unused.why)});
  if (!runs_in_vectors(func)) found.push_back({Limit::Scalar, scalar_words});
  if (const auto inner = inner_loop(func, machine))
    std::ranges::move(limits(*inner, machine), std::back_inserter(found));
  return found;
}

}  // namespace loopglass::schedule

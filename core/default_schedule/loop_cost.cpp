#include "core/default_schedule/loop_cost.h"

#include "core/expr/operators.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"

#include <limits>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Of a core with vectors that issues about four operations a cycle.
constexpr double simple_operation = 0.25, division = 4, function = 10;

// Some five microseconds.
constexpr double least_parallel_cycles = 15000;

double cycles_of(expr::Work work) {
  switch (work) {
    case expr::Work::Simple: return simple_operation;
    case expr::Work::Division: return division;
    case expr::Work::Function: return function;
  }
  __builtin_unreachable();
}

double cost(const Expr& value) {
  double sum = 0;
  expr::visit(value, [&](const Expr& node) {
    if (const auto* unary = node.as<expr::Unary>()) sum += cycles_of(expr::work(unary->op));
    else if (const auto* binary = node.as<expr::Binary>())
      sum += binary->op == expr::BinaryOperator::Pow ? 2 * function
                                                     : cycles_of(expr::work(binary->op));
    else if (node.as<expr::Load>() || node.as<expr::Select>() || node.as<expr::Cast>())
      sum += simple_operation;
  });
  return sum;
}

double moved_bytes(const BlockAnalysis& block) {
  double sum = 0;
  for (const Operand& operand : block.operands) {
    auto bytes = static_cast<double>(byte_size(operand.type));
    for (std::size_t iter = 0; iter < block.extents.size(); ++iter)
      if (operand.uses(iter)) bytes *= static_cast<double>(block.extents[iter]);
    sum += bytes;
  }
  return sum;
}

}  // namespace

double elementwise_cycles(const Func& func, const BlockAnalysis& block, const Machine& machine) {
  const auto path = find_block(func, block.name);
  const loop::Store* store = path ? only_store(path->block()) : nullptr;
  if (store == nullptr) return std::numeric_limits<double>::infinity();
  const int lanes = machine.lanes(block.widest_bytes);
  const double vectors = static_cast<double>(block.spatial_points) / lanes;
  return vectors * cost(store->value) + moved_bytes(block) / machine.l2_bytes_per_cycle();
}

double plain_cycles(const Path& block) {
  const loop::Store* store = only_store(block.block());
  // An iteration is a store and finding out where.
  double cycles = 1 + (store ? cost(store->value) : 0);
  for (const For* loop : block.loops())
    cycles *= static_cast<double>(expr::as_integer(loop->extent).value_or(1));
  return cycles;
}

bool is_worth_threads(double cycles) { return cycles >= least_parallel_cycles; }

}  // namespace loopglass::schedule

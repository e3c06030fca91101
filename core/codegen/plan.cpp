#include "core/codegen/plan.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/annotations.h"
#include "core/loop/buffers.h"
#include "core/loop/intrinsics.h"
#include "core/loop/symbols.h"
#include "core/loop/uses.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace loopglass::codegen {
namespace {

using loop::ForKind;
using loop::Stmt;

constexpr std::int64_t maximum_lanes = 512;
constexpr std::int64_t maximum_unrolled_statements = 8192;
constexpr std::int64_t maximum_stack_bytes = 1 << 20;
constexpr std::int64_t alignment = 64;

std::int64_t round_up(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

Expr round_up(const Expr& bytes) {
  return floor_div(bytes + (alignment - 1), alignment) * alignment;
}

std::optional<std::int64_t> constant_elements(const std::vector<Expr>& shape) {
  Shape extents;
  for (const Expr& extent : shape) {
    std::optional<std::int64_t> value = expr::as_integer(extent);
    if (!value || *value < 0) return std::nullopt;
    extents.push_back(*value);
  }
  return checked_element_count(extents);
}

// Visits the body once, outermost loops first, and fills in a Plan.
class Planner {
 public:
  Planner(Plan& plan, const loop::Func& func)
      : plan_(plan), symbols_(func.symbols), buffers_(loop::buffers_of(func)) {}

  void parameters(const loop::Func& func) {
    for (std::size_t i = 0; i < func.parameters.size(); ++i) {
      Storage storage;
      storage.buffer = func.parameters[i];
      storage.parameter = i;
      storage.elements = constant_elements(storage.buffer.shape).value_or(-1);
      add(std::move(storage));
    }
  }

  // Returns how many statements are emitted for `stmt`.
  Result<std::int64_t> statement(const Stmt& stmt) {
    if (const auto* note = loop::find_annotation(stmt->annotations, loop::intrinsic_annotation))
      TRY_VOID(plan_intrinsic(stmt, note->value));
    return std::visit([&](const auto& value) { return plan(value); }, stmt->value);
  }

 private:
  // The loops are planned as well: nothing is lost by it, and they are few.
  Result<void> plan_intrinsic(const Stmt& stmt, const std::string& name) {
    const std::string hint = "the loop pass match-intrinsics runs it as the loops that it is";
    if (vector_)
      return unsupported(
          fmt::format("the intrinsic '{}' stands in the lanes of '{}'", name, vector_->variable),
          hint);
    auto call = loop::noted_intrinsic(stmt, buffers_);
    if (!call)
      return unsupported(
          fmt::format("a nest is not what the intrinsic '{}' computes: {}", name, call.error()),
          hint);
    plan_.intrinsics.emplace(stmt.get(), *std::move(call));
    return {};
  }

  Result<std::int64_t> plan(const loop::For& loop) {
    const std::optional<std::int64_t> extent = expr::as_integer(loop.extent);
    if (vector_ && expr::uses_variable(loop.extent, vector_->variable))
      return unsupported(fmt::format(
          "the extent of loop '{}' differs between the lanes of the vectorised loop '{}'",
          loop.variable, vector_->variable));
    switch (loop.kind) {
      case ForKind::Serial: return TRY(statement(loop.body)) + 1;
      case ForKind::Parallel: return plan_parallel(loop);
      case ForKind::Vectorized: return plan_vectorized(loop, extent);
      case ForKind::Unrolled: return plan_unrolled(loop, extent);
      default:
        return unsupported(fmt::format("loop '{}' is {}, an axis of a GPU's launch", loop.variable,
                                       name(loop.kind)),
                           "the loop pass demote-loops gives it to threads or makes it serial");
    }
  }

  Result<std::int64_t> plan_parallel(const loop::For& loop) {
    if (const loop::For* outer = vector_ ? vector_ : parallel_)
      return unsupported(fmt::format("parallel loop '{}' stands inside the {} loop '{}'",
                                     loop.variable, name(outer->kind), outer->variable),
                         "the loop pass demote-loops makes it serial");
    parallel_ = &loop;
    Result<std::int64_t> statements = statement(loop.body);
    parallel_ = nullptr;
    return TRY(std::move(statements)) + 1;
  }

  Result<std::int64_t> plan_unrolled(const loop::For& loop, std::optional<std::int64_t> extent) {
    if (!extent)
      return unsupported(fmt::format("unrolled loop '{}' has no constant extent", loop.variable));
    const std::int64_t statements = TRY(statement(loop.body));
    if (*extent > maximum_unrolled_statements / std::max<std::int64_t>(statements, 1))
      return unsupported(
          fmt::format("unrolled loop '{}' is {} times {} statements; at most {} are emitted",
                      loop.variable, *extent, statements, maximum_unrolled_statements),
          "the loop pass limit-unrolling leaves it a loop");
    return statements * *extent + 1;
  }

  Result<std::int64_t> plan_vectorized(const loop::For& loop, std::optional<std::int64_t> extent) {
    if (!extent)
      return unsupported(fmt::format("vectorised loop '{}' has no constant extent", loop.variable));
    if (*extent > maximum_lanes)
      return unsupported(
          fmt::format("vectorised loop '{}' has {} lanes; at most {} are emitted as one vector",
                      loop.variable, *extent, maximum_lanes),
          "split the loop and vectorise the inner part");
    if (vector_)
      return unsupported(fmt::format("vectorised loop '{}' stands inside the vectorised loop '{}'",
                                     loop.variable, vector_->variable),
                         "the loop pass demote-loops makes the outer one serial");
    if (*extent < 2)
      return unsupported(fmt::format("vectorised loop '{}' has {} lanes, which is no vector",
                                     loop.variable, *extent),
                         "the loop pass demote-loops makes it serial");
    if (!std::has_single_bit(static_cast<std::uint64_t>(*extent)))
      return unsupported(fmt::format("vectorised loop '{}' has {} lanes, which is no power of two",
                                     loop.variable, *extent),
                         "the loop pass cut-vectors makes vectors of it that are");
    vector_ = &loop;
    Result<std::int64_t> statements = statement(loop.body);
    vector_ = nullptr;
    return statements;
  }

  Result<std::int64_t> plan(const loop::Block& block) {
    return unsupported(fmt::format("block '{}' has not been lowered", block.name),
                       "the loop pass lower-blocks does");
  }

  Result<std::int64_t> plan(const loop::Store& store) {
    if (!vector_) return 1;
    const std::string& lane = vector_->variable;
    // What is stored once would be added once, too, where each lane adds.
    if (plan_.access(store.buffer, store.indices, lane).lane_stride == 0 &&
        (expr::uses_variable(store.value, lane) || loop::loads(store.value, store.buffer)))
      return unsupported(
          fmt::format(
              "all lanes of the vectorised loop '{}' store different values to one element of '{}'",
              lane, store.buffer),
          "a vectorised loop must carry no dependence; reduce into one element per lane first");
    return 1;
  }

  Result<std::int64_t> plan(const loop::Prefetch&) { return 1; }

  Result<std::int64_t> plan(const loop::If& branch) {
    std::int64_t statements = TRY(statement(branch.then_body));
    if (branch.else_body) statements += TRY(statement(branch.else_body));
    return statements + 1;
  }

  Result<std::int64_t> plan(const loop::Seq& seq) {
    std::int64_t statements = 0;
    for (const Stmt& inner : seq.statements) statements += TRY(statement(inner));
    return statements;
  }

  Result<std::int64_t> plan(const loop::Alloc& alloc) {
    Storage storage;
    storage.buffer = alloc.buffer;
    const std::optional<std::int64_t> elements = constant_elements(alloc.buffer.shape);
    const bool in_workspace =
        alloc.buffer.scope == loop::Scope::Workspace || alloc.buffer.scope == loop::Scope::Global;
    if (!elements && !(in_workspace && loop::follows_from(alloc.buffer, symbols_)))
      return unsupported(
          fmt::format("buffer '{}' has no constant size", alloc.buffer.name),
          "compute_at or reverse_compute_at leaves a part of it, of a size that is known");
    if (vector_)
      return unsupported(fmt::format("buffer '{}' is allocated inside the vectorised loop '{}'",
                                     alloc.buffer.name, vector_->variable),
                         "the loop pass expand-lane-buffers gives it a place for each lane");
    if (alloc.buffer.scope == loop::Scope::Shared)
      return unsupported(
          fmt::format("buffer '{}' lies in the shared memory of a GPU's block", alloc.buffer.name),
          "the loop pass place-workspace puts it elsewhere");
    storage.elements = elements.value_or(-1);
    if (in_workspace) {
      TRY_VOID(place_in_workspace(storage));
    } else {
      TRY_VOID(place_on_stack(storage, round_up(least_bytes(storage))));
    }
    add(std::move(storage));
    return statement(alloc.body);
  }

  static std::int64_t least_bytes(const Storage& storage) {
    return std::max<std::int64_t>(storage.bytes(), 1);
  }

  // Where it depends on symbols, and otherwise a number.
  static Expr bytes_of(const Storage& storage) {
    if (storage.elements >= 0) return round_up(least_bytes(storage));
    Expr bytes(static_cast<std::int64_t>(byte_size(storage.buffer.type)));
    for (const Expr& extent : storage.buffer.shape) bytes = bytes * extent;
    return round_up(bytes);
  }

  Result<void> place_in_workspace(Storage& storage) {
    if (parallel_)
      return unsupported(
          fmt::format("buffer '{}' lies in the workspace, which all iterations of the parallel "
                      "loop '{}' share, and is allocated in each of them",
                      storage.buffer.name, parallel_->variable),
          "the loop pass place-workspace gives each its own, if their number and size are known "
          "before the kernel runs");
    const Expr bytes = bytes_of(storage);
    const auto so_far = expr::as_integer(plan_.workspace_bytes), more = expr::as_integer(bytes);
    if (more && *more > Tensor::maximum_bytes - so_far.value_or(0))
      return unsupported(
          fmt::format("buffer '{}' makes the workspace larger than 64 GiB", storage.buffer.name));
    storage.home = Home::Workspace;
    storage.offset = plan_.workspace_bytes;
    plan_.workspace_bytes = expr::simplify(plan_.workspace_bytes + bytes);
    return {};
  }

  Result<void> place_on_stack(Storage& storage, std::int64_t bytes) {
    storage.home = Home::Stack;
    stack_bytes_ += bytes;
    if (stack_bytes_ > maximum_stack_bytes)
      return unsupported(
          fmt::format("buffer '{}' makes the stack frame larger than 1 MiB", storage.buffer.name),
          "give it the workspace scope");
    return {};
  }

  void add(Storage storage) {
    const std::vector<Expr>& shape = storage.buffer.shape;
    storage.strides.resize(shape.size());
    Expr stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      storage.strides[d] = stride;
      stride = shape[d] * stride;
    }
    std::string name = storage.buffer.name;
    plan_.storage.insert_or_assign(std::move(name), std::move(storage));
  }

  static std::unexpected<Diagnostic> unsupported(std::string what, std::string hint = {}) {
    return fail(Code::CodegenUnsupported, std::move(what), {}, std::move(hint));
  }

  Plan& plan_;
  const std::vector<std::string>& symbols_;
  const std::vector<loop::Buffer> buffers_;
  const loop::For* vector_ = nullptr;  // the vectorised loop around, if any
  const loop::For* parallel_ = nullptr;
  std::int64_t stack_bytes_ = 0;
};

}  // namespace

Access Plan::access(const std::string& buffer, const std::vector<Expr>& indices,
                    const std::string& lane_variable) const {
  const Storage& place = storage.at(buffer);
  CHECK(indices.size() == place.strides.size(), "rank of " + buffer);
  Expr index = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) index = index + indices[d] * place.strides[d];
  if (lane_variable.empty()) return {&place, index, 0};
  return {&place, index, expr::coefficient(index, lane_variable)};
}

Result<Plan> make_plan(const loop::Func& func, std::span<const schedule::InPlace> in_place) {
  TRY_VOID(loop::verify(func));
  Plan plan;
  Planner planner(plan, func);
  planner.parameters(func);
  for (const schedule::InPlace& pair : in_place)
    for (const std::size_t parameter : {pair.read, pair.written}) {
      CHECK(parameter < func.parameters.size(),
            "an in-place pair of another kernel than " + func.name);
      plan.storage.at(func.parameters[parameter].name).may_overlap = true;
    }
  if (func.body) TRY(planner.statement(func.body));
  return plan;
}

}  // namespace loopglass::codegen

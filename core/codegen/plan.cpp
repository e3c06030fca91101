#include "core/codegen/plan.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <unordered_set>

namespace loopglass::codegen {
namespace {

using loop::ForKind;
using loop::Stmt;

constexpr int maximum_lanes = 512;
constexpr std::int64_t maximum_unrolled_statements = 8192;
constexpr std::int64_t maximum_stack_bytes = 1 << 20;
// A workspace buffer allocated in a parallel loop lives on the stack of its thread up to this size.
constexpr std::int64_t small_buffer_bytes = 64 << 10;
constexpr std::int64_t alignment = 64;

std::int64_t round_up(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
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

template <class Predicate>
bool any_node(const Expr& e, const Predicate& predicate,
              std::unordered_set<const expr::Node*>& seen) {
  if (!seen.insert(e.get()).second) return false;
  if (predicate(e.node())) return true;
  struct Operands {
    const Predicate& predicate;
    std::unordered_set<const expr::Node*>& seen;
    bool in(const Expr& operand) const { return any_node(operand, predicate, seen); }
    bool operator()(const expr::IntConstant&) const { return false; }
    bool operator()(const expr::FloatConstant&) const { return false; }
    bool operator()(const expr::Variable&) const { return false; }
    bool operator()(const expr::Load& load) const {
      for (const Expr& index : load.indices)
        if (in(index)) return true;
      return false;
    }
    bool operator()(const expr::Unary& unary) const { return in(unary.operand); }
    bool operator()(const expr::Binary& binary) const {
      return in(binary.left) || in(binary.right);
    }
    bool operator()(const expr::Select& select) const {
      return in(select.condition) || in(select.when_true) || in(select.when_false);
    }
    bool operator()(const expr::Cast& cast) const { return in(cast.operand); }
  };
  return std::visit(Operands{predicate, seen}, e.node().value);
}

// Visits the body once, outermost loops first, and fills in a Plan.
class Planner {
 public:
  explicit Planner(Plan& plan) : plan_(plan) {}

  Result<void> parameters(const loop::Func& func) {
    for (std::size_t i = 0; i < func.parameters.size(); ++i) {
      Storage storage;
      storage.buffer = func.parameters[i];
      storage.parameter = i;
      storage.elements = constant_elements(storage.buffer.shape).value_or(-1);
      add(std::move(storage));
    }
    return {};
  }

  // Returns how many statements are emitted for `stmt`.
  Result<std::int64_t> statement(const Stmt& stmt) {
    return std::visit([&](const auto& value) { return plan(value); }, stmt->value);
  }

 private:
  Result<std::int64_t> plan(const loop::For& loop) {
    std::optional<std::int64_t> extent = expr::as_integer(loop.extent);
    if (!lane_.empty() && plan_.depends_on_lane(loop.extent, lane_))
      return unsupported(fmt::format(
          "the extent of loop '{}' differs between the lanes of the vectorised loop '{}'",
          loop.variable, lane_));
    ForKind kind = loop.kind;
    if (kind == ForKind::Parallel && (!lane_.empty() || parallel_)) kind = ForKind::Serial;
    if (kind == ForKind::Vectorized && contains_vectorized(loop.body)) kind = ForKind::Serial;
    if (kind == ForKind::Vectorized) return plan_vectorized(loop, extent);
    if (kind == ForKind::Unrolled && !extent)
      return unsupported(fmt::format("unrolled loop '{}' has no constant extent", loop.variable));

    const loop::For* outer = parallel_;
    if (kind == ForKind::Parallel) parallel_ = &loop;
    std::int64_t statements = TRY(statement(loop.body));
    parallel_ = outer;
    if (kind == ForKind::Unrolled) {
      if (*extent > maximum_unrolled_statements / std::max<std::int64_t>(statements, 1))
        kind = ForKind::Serial;
      else statements *= *extent;
    }
    plan_.kinds[&loop] = kind;
    return statements + 1;
  }

  Result<std::int64_t> plan_vectorized(const loop::For& loop, std::optional<std::int64_t> extent) {
    if (!extent)
      return unsupported(fmt::format("vectorised loop '{}' has no constant extent", loop.variable));
    if (*extent > maximum_lanes)
      return unsupported(
          fmt::format("vectorised loop '{}' has {} lanes; at most {} are emitted as one vector",
                      loop.variable, *extent, maximum_lanes),
          "split the loop and vectorise the inner part");
    // One lane is no vector.
    ForKind kind = *extent <= 1 ? ForKind::Serial : ForKind::Vectorized;
    plan_.kinds[&loop] = kind;
    if (kind == ForKind::Serial) return TRY(statement(loop.body)) + 1;
    lane_ = loop.variable;
    lanes_ = static_cast<int>(*extent);
    Result<std::int64_t> statements = statement(loop.body);
    lane_.clear();
    lanes_ = 1;
    return statements;
  }

  Result<std::int64_t> plan(const loop::Block& block) {
    return unsupported(fmt::format("block '{}' has not been lowered", block.name));
  }

  Result<std::int64_t> plan(const loop::Store& store) {
    if (lane_.empty()) return 1;
    Access access = plan_.access(store.buffer, store.indices, lane_);
    if (access.lane_stride == 0 && plan_.depends_on_lane(store.value, lane_))
      return unsupported(
          fmt::format(
              "all lanes of the vectorised loop '{}' store different values to one element of '{}'",
              lane_, store.buffer),
          "a vectorised loop must carry no dependence; reduce into one element per lane first");
    return 1;
  }

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
    std::optional<std::int64_t> elements = constant_elements(alloc.buffer.shape);
    if (!elements)
      return unsupported(fmt::format("buffer '{}' has no constant size", alloc.buffer.name));
    storage.lanes = lanes_;
    storage.lane_variable = lane_;
    storage.elements = *elements * lanes_;
    std::int64_t bytes = round_up(std::max<std::int64_t>(storage.bytes(), 1));
    bool in_workspace =
        alloc.buffer.scope == loop::Scope::Workspace || alloc.buffer.scope == loop::Scope::Global;
    if (in_workspace && parallel_ && bytes <= small_buffer_bytes &&
        stack_bytes_ + bytes <= maximum_stack_bytes)
      in_workspace = false;
    TRY_VOID(in_workspace ? place_in_workspace(storage, bytes) : place_on_stack(storage, bytes));
    add(std::move(storage));
    return statement(alloc.body);
  }

  Result<void> place_in_workspace(Storage& storage, std::int64_t bytes) {
    storage.home = Home::Workspace;
    storage.offset = plan_.workspace_bytes;
    std::int64_t copies = 1;
    if (parallel_) {
      std::optional<std::int64_t> extent = expr::as_integer(parallel_->extent);
      if (!extent)
        return unsupported(fmt::format(
            "buffer '{}' is needed once per iteration of '{}', which has no constant extent",
            storage.buffer.name, parallel_->variable));
      storage.owner = parallel_->variable;
      storage.copy_bytes = bytes;
      copies = std::max<std::int64_t>(*extent, 1);
    }
    if (bytes > (Tensor::maximum_bytes - plan_.workspace_bytes) / copies)
      return unsupported(
          fmt::format("buffer '{}' makes the workspace larger than 64 GiB", storage.buffer.name));
    plan_.workspace_bytes += bytes * copies;
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
    // Row-major, the lanes of a lane-private buffer innermost.
    const std::vector<Expr>& shape = storage.buffer.shape;
    storage.strides.resize(shape.size());
    Expr stride = storage.lanes;
    for (std::size_t d = shape.size(); d-- > 0;) {
      storage.strides[d] = stride;
      stride = shape[d] * stride;
    }
    std::string name = storage.buffer.name;
    plan_.storage.insert_or_assign(std::move(name), std::move(storage));
  }

  static bool contains_vectorized(const Stmt& stmt) {
    struct Search {
      bool operator()(const loop::For& loop) const {
        return (loop.kind == ForKind::Vectorized && expr::as_integer(loop.extent) != 1) ||
               contains_vectorized(loop.body);
      }
      bool operator()(const loop::Block& block) const { return contains_vectorized(block.body); }
      bool operator()(const loop::Store&) const { return false; }
      bool operator()(const loop::If& branch) const {
        return contains_vectorized(branch.then_body) ||
               (branch.else_body && contains_vectorized(branch.else_body));
      }
      bool operator()(const loop::Alloc& alloc) const { return contains_vectorized(alloc.body); }
      bool operator()(const loop::Seq& seq) const {
        for (const Stmt& inner : seq.statements)
          if (contains_vectorized(inner)) return true;
        return false;
      }
    };
    return std::visit(Search{}, stmt->value);
  }

  static std::unexpected<Diagnostic> unsupported(std::string what, std::string hint = {}) {
    return fail(Code::CodegenUnsupported, std::move(what), {}, std::move(hint));
  }

  Plan& plan_;
  std::string lane_;  // of the vectorised loop around, if any
  int lanes_ = 1;
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
  if (place.lanes > 1) index = index + expr::variable(place.lane_variable);
  if (lane_variable.empty()) return {&place, index, 0};
  // A load from a lane-private buffer differs between lanes although it does not name the lane.
  std::unordered_set<const expr::Node*> seen;
  auto loads_private = [&](const expr::Node& node) {
    const auto* load = std::get_if<expr::Load>(&node.value);
    return load && storage.at(load->buffer).lanes > 1;
  };
  if (any_node(index, loads_private, seen)) return {&place, index, std::nullopt};
  return {&place, index, expr::coefficient(index, lane_variable)};
}

bool Plan::depends_on_lane(const Expr& e, const std::string& lane_variable) const {
  std::unordered_set<const expr::Node*> seen;
  auto depends = [&](const expr::Node& node) {
    if (const auto* variable = std::get_if<expr::Variable>(&node.value))
      return variable->name == lane_variable;
    const auto* load = std::get_if<expr::Load>(&node.value);
    return load && storage.at(load->buffer).lanes > 1;
  };
  return any_node(e, depends, seen);
}

Result<Plan> make_plan(const loop::Func& func, std::span<const schedule::InPlace> in_place) {
  TRY_VOID(loop::verify(func));
  Plan plan;
  Planner planner(plan);
  TRY_VOID(planner.parameters(func));
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

// reindex(block, buffer, scope): a block reads its operand by its own iterations, from a copy made
// before.
//
// The copy has an index for each iteration that the operand moves with, whatever the operand's own
// indices are: a convolution's input so becomes the matrix that a product reads. What is read under
// a guard, select(inside, X[...], 0), is copied as it stands, guard and all.
#include "core/dependence/integer_set.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/growth.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

bool is_constant(const Expr& e) { return e.as<expr::IntConstant>() || e.as<expr::FloatConstant>(); }

// The load of select(guard, select(guard, ... load, constant), constant), where nothing is loaded
// to know a guard; null: it is something else.
const expr::Load* guarded_load(const Expr& e, const std::string& buffer) {
  if (const auto* load = e.as<expr::Load>())
    return load->buffer == buffer && std::ranges::none_of(load->indices, expr::has_load) ? load
                                                                                         : nullptr;
  const auto* select = e.as<expr::Select>();
  return select && is_constant(select->when_false) && !expr::has_load(select->condition)
             ? guarded_load(select->when_true, buffer)
             : nullptr;
}

// How the block reads the buffer, which must be one expression wherever it does.
class Reading {
 public:
  explicit Reading(std::string buffer) : buffer_(std::move(buffer)) {}

  void look_at(const Block& block) {
    for (const Stmt& part : {block.init, block.body})
      loop::walk(part,
                 [&](const Stmt& stmt) { each_expr(stmt, [&](const Expr& e) { look_into(e); }); });
  }
  const Expr& expression() const { return found_; }
  bool is_one() const { return found_.defined() && !differs_; }

 private:
  void look_into(const Expr& e) {
    const auto* load = e.as<expr::Load>();
    if ((load && load->buffer == buffer_) || guarded_load(e, buffer_)) {
      differs_ |= found_.defined() && !expr::same(found_, e);
      if (!found_.defined()) found_ = e;
      return;
    }
    expr::each_operand(e, [&](const Expr& operand) { look_into(operand); });
  }

  const std::string buffer_;
  Expr found_;
  bool differs_ = false;
};

// The iterations that move what is read, in the order in which its indices speak of them.
std::vector<const loop::IterVar*> moving_iterations(const Block& block, const Expr& read,
                                                    const expr::Load& load) {
  std::vector<const loop::IterVar*> moving;
  const auto add_those_in = [&](const Expr& e) {
    for (const loop::IterVar& iter : block.iters)
      if (expr::uses_variable(e, iter.name) && std::ranges::find(moving, &iter) == moving.end())
        moving.push_back(&iter);
  };
  for (const Expr& index : load.indices) add_those_in(index);
  add_those_in(read);
  return moving;
}

// A copy reads for all values of the iterations what the block may read for some: under conditions
// further out, or of its own.
Result<void> check_in_bounds(const std::string& call, const std::vector<std::string>& symbols,
                             const Block& block, const std::vector<const loop::IterVar*>& moving,
                             const Expr& read, const Buffer& buffer) {
  IntegerSet inside;
  for (const std::string& symbol : symbols) {
    inside.add(symbol);
    inside.require(expr::variable(symbol) >= Expr(0));
  }
  for (const loop::IterVar* iter : moving) inside.add(iter->name);
  for (const loop::IterVar* iter : moving)
    inside.require(expr::variable(iter->name) >= Expr(0) &&
                   expr::variable(iter->name) < iter->extent);
  for (const auto* select = read.as<expr::Select>(); select;
       select = select->when_true.as<expr::Select>())
    inside.require(select->condition);
  const expr::Load& load = *guarded_load(read, buffer.name);
  for (std::size_t d = 0; d < load.indices.size(); ++d) {
    IntegerSet outside = inside;
    outside.require(load.indices[d] < Expr(0) || load.indices[d] >= buffer.shape[d]);
    if (outside.is_empty() != true)
      return illegal(call, block.name,
                     fmt::format("{} is not sure to be an element of '{}' in every iteration",
                                 expr::to_string(read), buffer.name));
  }
  return {};
}

Result<Applied> apply_reindex(const Func& func, std::span<const Argument> arguments) {
  const std::string &name = name_at(arguments, 0), &source = name_at(arguments, 1);
  const std::string call = fmt::format("reindex({}, {}, {})", name, source, name_at(arguments, 2));
  const loop::Scope scope = TRY(scope_named(call, name_at(arguments, 2)));
  const Path path = TRY(find_block(func, name));
  const Block& block = path.block();
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* from = loop::find_buffer(buffers, source);
  if (!from)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, source), source);
  if (!only_store(block))
    return illegal(call, name, fmt::format("block '{}' is more than a single store", name));
  if (!reads(block, source))
    return illegal(call, name, fmt::format("block '{}' does not read '{}'", name, source));
  Reading reading(source);
  reading.look_at(block);
  if (!reading.is_one())
    return illegal(call, name,
                   fmt::format("block '{}' reads '{}' at more than one place, or to know where to "
                               "read",
                               name, source),
                   "cache_read copies a buffer as it is");
  const Expr read = reading.expression();
  const expr::Load* load = guarded_load(read, source);
  if (!load) return illegal(call, name, fmt::format("where '{}' is read is itself loaded", source));
  const auto moving = moving_iterations(block, read, *load);
  for (const loop::IterVar* iter : moving)
    if (!expr::as_integer(iter->extent))
      return illegal(call, name,
                     fmt::format("'{}' moves with iteration '{}', which has no constant extent",
                                 source, iter->name));
  for (const Expr& extent : from->shape)
    if (!expr::as_integer(extent))
      return illegal(call, source,
                     fmt::format("'{}' has the symbolic extent {}", source, to_string(extent)));
  TRY_VOID(check_in_bounds(call, func.symbols, block, moving, read, *from));
  TRY_VOID(check_final_before(call, path, source));

  Names names(func);
  Buffer to{names.fresh(fmt::format("{}_reindex", source)),
            from->type,
            {},
            scope,
            loop::Role::Intermediate,
            {}};
  Block copy;
  copy.name = to.name;
  copy.origin = block.origin;
  std::vector<NewLoop> loops;
  std::vector<Expr> own, copied;  // indices in the block, and in the copying one
  Bindings renamed;
  for (const loop::IterVar* iter : moving) {
    const std::string axis = fmt::format("i{}", copy.iters.size());
    loops.push_back({names.fresh(fmt::format("copy{}", copy.iters.size())), iter->extent});
    copy.iters.push_back({axis, iter->extent, false, expr::variable(loops.back().variable)});
    to.shape.push_back(iter->extent);
    own.push_back(expr::variable(iter->name));
    copied.push_back(expr::variable(axis));
    renamed.emplace(iter->name, copied.back());
  }
  TRY_VOID(check_growth(call, to.name, from->shape, to.shape));
  std::vector<Buffer> known = buffers;
  known.push_back(to);
  copy.body = loop::make(loop::Store{to.name, copied, expr::substitute(read, renamed), {}});
  const Stmt nest = nest_of(loops, with_regions(std::move(copy), known));

  const auto redirect = [&](const Expr& e) -> Expr {
    return expr::same(e, read) ? expr::load(to.type, to.name, own) : Expr();
  };
  const Block changed = with_regions(
      map_block_body(block, [&](const Expr& e) { return expr::rewrite(e, redirect); }), known);
  const Func redirected = with_body(func, replace(path, loop::make(changed)));
  const Func placed = insert_beside(redirected, TRY(find_block(redirected, name)), nest, true);
  return Applied{with_allocation(placed, to), {to.name}, remark_on_copy(to)};
}

}  // namespace

Primitive reindex() {
  return {
      "reindex",
      "Lets a block read an operand by its own iterations, from a copy that is made before its "
      "loops; returns the copying block.",
      "for i in 8 { for k in 3 { Y[i] += X[i + k] * W[k] } }",
      "for a in 8 { for b in 3 { X_reindex[a, b] = X[a + b] } }  "
      "for i in 8 { for k in 3 { Y[i] += X_reindex[i, k] * W[k] } }",
      {{"block", ParameterKind::Block, "the reader"},
       {"buffer", ParameterKind::Buffer, "what it reads, in one expression",
        choices::buffers_read()},
       {"scope", ParameterKind::Name, "workspace, shared, stack or register", choices::scopes()}},
      apply_reindex};
}

}  // namespace loopglass::schedule

// cache_read(block, buffer, scope): a block reads its operand from a copy made before.
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

Result<loop::Scope> scope_named(const std::string& call, const std::string& name) {
  for (const loop::Scope scope : loop::own_scopes)
    if (loop::name(scope) == name) return scope;
  return illegal(call, name,
                 fmt::format("there is no scope '{}' for a buffer of the kernel's own", name),
                 "one of workspace, shared, stack, register");
}

Stmt copy_nest(const std::string& name, const Buffer& from, const Buffer& to, const Origin& origin,
               Names& names, const std::vector<Buffer>& buffers) {
  Block block;
  block.name = name;
  block.origin = origin;
  std::vector<NewLoop> loops;
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    const std::string axis = fmt::format("i{}", d);
    loops.push_back({names.fresh(fmt::format("copy{}", d)), from.shape[d]});
    block.iters.push_back({axis, from.shape[d], false, expr::variable(loops.back().variable)});
    indices.push_back(expr::variable(axis));
  }
  block.body =
      loop::make(loop::Store{to.name, indices, expr::load(from.type, from.name, indices), {}});
  return nest_of(loops, with_regions(std::move(block), buffers));
}

std::string remark_on_copy(const Buffer& copy) {
  if (std::ranges::all_of(copy.shape,
                          [](const Expr& e) { return expr::as_integer(e).has_value(); }))
    return {};
  return fmt::format(
      "'{}' is of a size that symbols give: to be compiled, it needs compute_at or "
      "reverse_compute_at, which leave a part of a known size",
      copy.name);
}

Result<void> check_final_before(const std::string& call, const Path& path,
                                const std::string& buffer) {
  const Stmt& nest = root_nest(path);
  for (const Access& access : accesses_of(nest))
    if (access.is_store && access.buffer == buffer)
      return illegal(
          call, buffer,
          fmt::format("'{}' is computed in the same loops, so it cannot be copied before them",
                      buffer));
  return {};
}

Func insert_beside(const Func& func, const Path& path, const Stmt& nest, bool before) {
  const std::size_t root = root_index(path);
  const bool listed = loop::as<loop::Seq>(path.statements[root]) != nullptr;
  const Stmt& neighbour = path.statements[listed ? root + 1 : root];
  std::vector<Stmt> statements = statements_of(path.statements[root]);
  auto slot = std::find(statements.begin(), statements.end(), neighbour);
  statements.insert(before ? slot : slot + 1, nest);
  return with_body(func, replace(path, root, loop::sequence(std::move(statements))));
}

namespace {

Result<Applied> apply_cache_read(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string& source = name_at(arguments, 1);
  const std::string call =
      fmt::format("cache_read({}, {}, {})", name, source, name_at(arguments, 2));
  const loop::Scope scope = TRY(scope_named(call, name_at(arguments, 2)));
  const Path path = TRY(find_block(func, name));
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* from = loop::find_buffer(buffers, source);
  if (!from)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, source), source);
  if (!reads(path.block(), source))
    return illegal(call, name, fmt::format("block '{}' does not read '{}'", name, source));
  TRY_VOID(check_final_before(call, path, source));

  Names names(func);
  Buffer to = *from;
  to.name = names.fresh(fmt::format("{}_{}", source, loop::name(scope)));
  to.scope = scope;
  to.role = loop::Role::Intermediate;
  to.packing.reset();
  to.finite = false;
  std::vector<Buffer> known = buffers;
  known.push_back(to);
  const Stmt copy = copy_nest(to.name, *from, to, path.block().origin, names, known);

  const auto redirect = [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == source ? expr::load(to.type, to.name, load->indices) : Expr();
  };
  const Block changed = with_regions(
      map_block_body(path.block(), [&](const Expr& e) { return expr::rewrite(e, redirect); }),
      known);
  const Func redirected = with_body(func, replace(path, loop::make(changed)));
  const Func placed = insert_beside(redirected, TRY(find_block(redirected, name)), copy, true);
  return Applied{with_allocation(placed, to), {to.name}, remark_on_copy(to)};
}

}  // namespace

Primitive cache_read() {
  return {
      "cache_read",
      "Copies a buffer before the block's loops and lets the block read the copy; returns the "
      "copying block.",
      "for i in 8 { B[i] = A[i] }",
      "for c in 8 { A_stack[c] = A[c] }  for i in 8 { B[i] = A_stack[i] }",
      {{"block", ParameterKind::Block, "the reader"},
       {"buffer", ParameterKind::Buffer, "what it reads", choices::buffers_read()},
       {"scope", ParameterKind::Name, "workspace, shared, stack or register", choices::scopes()}},
      apply_cache_read};
}

}  // namespace loopglass::schedule

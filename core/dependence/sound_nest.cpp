#include "core/dependence/sound_nest.h"

#include "core/dependence/access_iterations.h"
#include "core/dependence/dependence.h"
#include "core/dependence/independence.h"
#include "core/dependence/unwritten.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/symbols.h"
#include "core/loop/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace loopglass::schedule {

namespace {

using expr::Expr;
using loop::Access;
using loop::Buffer;
using loop::For;
using loop::Func;

Result<void> check_inside(const Func& func, const Access& access, const Buffer& buffer,
                          const std::set<std::string>& read_only, const loop::SourceLines& lines) {
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Expr &index = access.indices[d], &extent = buffer.shape[d];
    IntegerSet outside = iterations_of(func, access, read_only);
    outside.require(index < 0 || index >= extent);
    if (outside.is_empty().value_or(false)) continue;
    const std::string who = described(access, {}), last = to_string(expr::simplify(extent - 1));
    const std::string where =
        fmt::format("{}buffer '{}'", lines.before(access.statement), buffer.name);
    const auto point =
        outside.is_exact() ? outside.least(dimensions_of(func, access)) : std::nullopt;
    if (!point)
      return fail(
          Code::FuncInvalid,
          fmt::format("{}: it cannot be shown that index {} stays inside, from 0 to {}", who,
                      to_string(index), last),
          where,
          fmt::format("clamp it, max(0, min(..., {})), or guard it with a select or an if", last));
    return fail(
        Code::FuncInvalid,
        fmt::format("{}{}: index {} is {}, and the extent is {}", who, words(func, access, *point),
                    to_string(index), value_at(index, *point), value_at(extent, *point)),
        where, "guard it with a select or an if, or make the buffer larger");
  }
  return {};
}

// Primitives set it apart from the updates, or leave it where the element is made.
Result<void> check_initial_value(const loop::Stmt& stmt, const loop::SourceLines& lines) {
  const auto& block = *loop::as<loop::Block>(stmt);
  if (!block.init) return {};
  const auto* start = loop::as<loop::Store>(block.init);
  const loop::Store* update = loop::only_store(block);
  const auto same = [](const Expr& a, const Expr& b) { return expr::same(a, b); };
  if (start && update && start->buffer == update->buffer &&
      std::ranges::equal(start->indices, update->indices, same))
    return {};
  return fail(Code::FuncInvalid, "the initial value is not of the element that the block updates",
              fmt::format("{}block '{}'", lines.before(stmt.get()), block.name),
              "its body and its init are one store each, to the same element");
}

// As if it ran one iteration after the other: whether it need not.
Result<void> check_promise(const Func& func, const loop::Stmt& stmt,
                           const loop::SourceLines& lines) {
  const For& node = *loop::as<For>(stmt);
  if (node.kind == loop::ForKind::Serial || node.kind == loop::ForKind::Unrolled) return {};
  const loop::Path path = TRY(loop::find_loop(func, node.variable));
  const std::string said = fmt::format("for {} {}", node.variable, loop::name(node.kind));
  const Private buffers = private_buffers(node.kind, path);
  auto independent = check_independent(said, func, path, buffers);
  if (independent) return {};
  Diagnostic refusal = std::move(independent.error());
  refusal.where = lines.before(stmt.get()) + refusal.where;
  if (const auto clash = clash_of_iterations(func, path, buffers).witness)
    refusal.hint = fmt::format("{}, and {}: without '{}' one comes after the other",
                               visit_words(clash->first, *clash),
                               visit_words(clash->second, *clash), loop::name(node.kind));
  return std::unexpected(std::move(refusal));
}

}  // namespace

Result<void> check_sound(const Func& func, const loop::SourceLines& lines) {
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const std::vector<Access> accesses = loop::accesses_of(func.body);
  const std::set<std::string> read_only = read_only_parameters(func);
  for (const Access& access : accesses)
    TRY_VOID(
        check_inside(func, access, *loop::find_buffer(buffers, access.buffer), read_only, lines));
  std::vector<loop::Stmt> loops, blocks;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    if (loop::as<For>(stmt)) loops.push_back(stmt);
    if (loop::as<loop::Block>(stmt)) blocks.push_back(stmt);
  });
  for (const loop::Stmt& block : blocks) TRY_VOID(check_initial_value(block, lines));
  for (const loop::Stmt& node : loops) TRY_VOID(check_promise(func, node, lines));
  return check_written(func, accesses, lines);
}

Result<void> check_extents(const Func& func, const std::map<std::string, std::int64_t>& symbols,
                           const loop::SourceLines& lines) {
  expr::Ranges ranges;
  for (const auto& [symbol, value] : symbols) ranges[symbol] = {value, value};
  std::vector<loop::Stmt> loops;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    if (loop::as<For>(stmt)) loops.push_back(stmt);
  });
  for (const loop::Stmt& stmt : loops) {
    const auto* node = loop::as<For>(stmt);
    const auto extent = expr::bounds(node->extent, ranges);
    if (!extent || extent->max > loop::greatest_extent)
      return fail(Code::FuncInvalid,
                  extent ? fmt::format("the loop may have {} iterations", extent->max)
                         : fmt::format("it is not known how far {} goes", to_string(node->extent)),
                  fmt::format("{}loop '{}'", lines.before(stmt.get()), node->variable),
                  fmt::format("extents go to {}", loop::greatest_extent));
    ranges[node->variable] = {0, std::max<std::int64_t>(extent->max - 1, 0)};
  }
  return {};
}

}  // namespace loopglass::schedule

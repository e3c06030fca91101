#include "core/schedule/sound_nest.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/buffers.h"
#include "core/loop/walk.h"
#include "core/schedule/dependence.h"
#include "core/schedule/independence.h"
#include "core/schedule/integer_set.h"

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

using Point = std::map<std::string, std::int64_t>;

// The iterations in which the access takes place.
IntegerSet iterations_of(const Func& func, const Access& access,
                         const std::set<std::string>& read_only) {
  IntegerSet set;
  set.assume_unchanged(read_only);
  const auto add = [&](const std::string& variable) {
    set.add(variable);
    set.require(expr::variable(variable) >= 0);
  };
  for (const std::string& symbol : func.symbols) add(symbol);
  for (const For* node : access.loops) add(node->variable);
  for (const For* node : access.loops) set.require(expr::variable(node->variable) < node->extent);
  for (const Expr& condition : access.conditions()) set.require(condition);
  return set;
}

std::string words(const Func& func, const Access& access, const Point& point) {
  std::vector<std::string> at;
  for (const std::string& symbol : func.symbols)
    at.push_back(fmt::format("{} = {}", symbol, point.at(symbol)));
  for (const For* node : access.loops)
    at.push_back(fmt::format("{} = {}", node->variable, point.at(node->variable)));
  return at.empty() ? std::string() : fmt::format(" at {}", fmt::join(at, ", "));
}

std::int64_t value(const Expr& e, const Point& point) {
  loop::Bindings values;
  for (const auto& [name, value] : point) values.emplace(name, Expr(value));
  return expr::as_integer(expr::simplify(expr::substitute(e, values))).value_or(0);
}

// `read_only`: buffers that nothing is stored to.
Result<void> check_inside(const Func& func, const Access& access, const Buffer& buffer,
                          const std::set<std::string>& read_only) {
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Expr &index = access.indices[d], &extent = buffer.shape[d];
    IntegerSet outside = iterations_of(func, access, read_only);
    outside.require(index < 0 || index >= extent);
    if (outside.is_empty().value_or(false)) continue;
    const std::string who = described(access, {});
    std::vector<std::string> order = func.symbols;
    for (const For* node : access.loops) order.push_back(node->variable);
    const auto point = outside.is_exact() ? outside.least(order) : std::nullopt;
    if (!point)
      return fail(
          Code::FuncInvalid,
          fmt::format("{}: it cannot be shown that index {} stays inside, from 0 to {} - 1", who,
                      to_string(index), to_string(extent)),
          fmt::format("buffer '{}'", buffer.name),
          fmt::format("clamp it, max(0, min(..., {} - 1)), or guard it with a select or an if",
                      to_string(extent)));
    return fail(
        Code::FuncInvalid,
        fmt::format("{}{}: index {} is {}, and the extent is {}", who, words(func, access, *point),
                    to_string(index), value(index, *point), value(extent, *point)),
        fmt::format("buffer '{}'", buffer.name),
        "guard it with a select or an if, or make the buffer larger");
  }
  return {};
}

// As if it ran one iteration after the other: whether it need not.
Result<void> check_promise(const Func& func, const For& node) {
  if (node.kind == loop::ForKind::Serial || node.kind == loop::ForKind::Unrolled) return {};
  const loop::Path path = TRY(loop::find_loop(func, node.variable));
  const std::string said = fmt::format("for {} {}", node.variable, loop::name(node.kind));
  return check_independent(
      said, func, path,
      node.kind == loop::ForKind::Vectorized ? Private::No : Private::PerIteration);
}

}  // namespace

Result<void> check_sound(const Func& func) {
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const std::vector<Access> accesses = loop::accesses_of(func.body);
  std::set<std::string> read_only;
  for (const Buffer& buffer : buffers) read_only.insert(buffer.name);
  for (const Access& access : accesses)
    if (access.is_store) read_only.erase(access.buffer);
  for (const Access& access : accesses)
    TRY_VOID(check_inside(func, access, *loop::find_buffer(buffers, access.buffer), read_only));
  std::vector<const For*> loops;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    if (const auto* node = loop::as<For>(stmt)) loops.push_back(node);
  });
  for (const For* node : loops) TRY_VOID(check_promise(func, *node));
  return {};
}

}  // namespace loopglass::schedule

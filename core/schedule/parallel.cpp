// parallel(loop): iterations are handed to threads.
#include "core/dependence/independence.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::schedule {

using namespace loop;

Applied with_kind(const Func& func, const Path& path, loop::ForKind kind) {
  return {with_body(func, replace(path, loop::make(loop::of_kind(path.loop(), kind)))), {}, {}};
}

Result<std::int64_t> constant_extent(const std::string& call, const For& loop, std::int64_t limit) {
  const auto extent = expr::as_integer(loop.extent);
  if (!extent)
    return illegal(call, loop.variable,
                   fmt::format("the extent {} is not constant", expr::to_string(loop.extent)),
                   "split the loop by a constant first");
  if (*extent > limit)
    return illegal(call, loop.variable,
                   fmt::format("{} iterations are more than {}", *extent, limit),
                   "split the loop first");
  return *extent;
}

bool contains_kind(const Stmt& stmt, loop::ForKind kind) {
  bool found = false;
  loop::walk(stmt, [&](const Stmt& s) {
    const For* node = loop::as<For>(s);
    found |= node && node->kind == kind;
  });
  return found;
}

const For* launch_axis_in(const Stmt& stmt) {
  const For* found = nullptr;
  loop::walk(stmt, [&](const Stmt& s) {
    const For* node = loop::as<For>(s);
    if (node && !found && loop::is_launch_axis(node->kind)) found = node;
  });
  return found;
}

namespace {

// The loop, where nothing but a dependence can be in the way.
Result<Path> loop_to_parallelize(const std::string& call, const Func& func,
                                 const std::string& variable) {
  Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)));
  for (const For* outer : path.loops())
    if (outer->kind != loop::ForKind::Serial && outer->kind != loop::ForKind::Unrolled)
      return illegal(call, variable,
                     fmt::format("the loop runs inside '{}', which is {}", outer->variable,
                                 loop::name(outer->kind)),
                     "threads are shared out once: reorder or fuse the loop outwards");
  if (contains_kind(path.loop().body, loop::ForKind::Parallel))
    return illegal(call, variable, "a loop inside it is parallel already");
  if (const For* inner = launch_axis_in(path.loop().body))
    return illegal(call, variable,
                   fmt::format("'{}' inside it is {}: a nest is a launch's or shared among threads",
                               inner->variable, loop::name(inner->kind)));
  return path;
}

Result<Applied> apply_parallel(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::string call = fmt::format("parallel({})", variable);
  const Path path = TRY(loop_to_parallelize(call, func, variable));
  TRY_VOID(check_independent(call, func, path, private_buffers(loop::ForKind::Parallel, path)));
  Applied applied = with_kind(func, path, loop::ForKind::Parallel);
  std::vector<std::string> outer;
  for (const For* node : path.loops()) outer.push_back(node->variable);
  if (!outer.empty())
    applied.remark =
        fmt::format("threads begin and join anew in every iteration of {}", fmt::join(outer, ", "));
  return applied;
}

}  // namespace

Primitive parallel() {
  return {"parallel",
          "Hands the iterations of a loop to threads; they must be independent. Inside of another "
          "loop threads join in each of its iterations.",
          "for y in 64 { ... }",
          "for y in 64 parallel { ... }",
          {{"loop", ParameterKind::Loop, "a loop that is in no parallel one"}},
          apply_parallel,
          [](const Func& func, std::span<const Argument> arguments) {
            const auto path = loop_to_parallelize("parallel", func, name_at(arguments, 0));
            return path ? clash_of_iterations(func, *path,
                                              private_buffers(loop::ForKind::Parallel, *path))
                        : Search{};
          }};
}

}  // namespace loopglass::schedule

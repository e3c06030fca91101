// bind(loop, axis): iterations become the blocks or threads of a GPU's launch.
//
// After TVM's `bind` (Chen et al., OSDI 2018): a nest is written once for a launch, and a loop pass
// says what its axes are on a machine that has none (demote-loops).
#include "core/dependence/independence.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t most_threads = 1024;  // of a block, on every GPU since 2010

std::string axis_names() {
  std::string names;
  for (const loop::ForKind kind : loop::all_for_kinds)
    if (loop::is_launch_axis(kind))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", loop::name(kind));
  return names;
}

Result<loop::ForKind> axis_named(const std::string& call, const std::string& name) {
  for (const loop::ForKind kind : loop::all_for_kinds)
    if (loop::is_launch_axis(kind) && loop::name(kind) == name) return kind;
  return illegal(call, name, fmt::format("a launch has no axis '{}'", name),
                 "one of " + axis_names());
}

// What stands around or inside and cannot be there with this axis.
Result<void> check_neighbours(const std::string& call, const Path& path, loop::ForKind axis) {
  const std::string& variable = path.loop().variable;
  const auto clash = [&](const For& other, bool is_outer) -> Result<void> {
    const auto refused = [&](std::string_view why) {
      return illegal(call, variable,
                     fmt::format("'{}' {} it is {}: {}", other.variable,
                                 is_outer ? "around" : "inside", loop::name(other.kind), why));
    };
    if (other.kind == axis && axis != loop::ForKind::VirtualThread)
      return refused("an axis is walked once");
    const loop::ForKind outer = is_outer ? other.kind : axis;
    const loop::ForKind inner = is_outer ? axis : other.kind;
    if (loop::is_block_axis(inner) && loop::is_thread_axis(outer))
      return refused("threads are of a block, not the other way round");
    if (other.kind == loop::ForKind::Parallel)
      return refused("a nest is a launch's or shared among threads");
    if (is_outer && other.kind == loop::ForKind::Vectorized)
      return refused("a thread has lanes, not the other way round");
    return {};
  };
  for (const For* outer : path.loops()) TRY_VOID(clash(*outer, true));
  Result<void> inside;
  loop::walk(path.loop().body, [&](const Stmt& stmt) {
    const For* inner = loop::as<For>(stmt);
    if (inner && inside) inside = clash(*inner, false);
  });
  return inside;
}

// All threads of a block are launched together: an axis has one extent within a nest.
Result<void> check_extent(const std::string& call, const Path& path, loop::ForKind axis) {
  if (!loop::is_thread_axis(axis) || axis == loop::ForKind::VirtualThread) return {};
  const For& loop = path.loop();
  TRY(constant_extent(call, loop, most_threads));
  const Stmt& nest = root_nest(path);
  Result<void> same;
  loop::walk(nest, [&](const Stmt& stmt) {
    const For* other = loop::as<For>(stmt);
    if (!same || !other || other->kind != axis || expr::same(other->extent, loop.extent)) return;
    same = illegal(
        call, loop.variable,
        fmt::format("'{}' walks {} with an extent of {}, and all of a nest have one",
                    other->variable, loop::name(axis), expr::to_string(other->extent)),
        fmt::format("split '{}' by {} first", loop.variable, expr::to_string(other->extent)));
  });
  return same;
}

// The product of the thread axes around and inside the loop, if it is more than a block can have.
std::string remark_on(const Path& path, loop::ForKind axis) {
  if (!loop::is_thread_axis(axis) || axis == loop::ForKind::VirtualThread) return {};
  std::int64_t threads = expr::as_integer(path.loop().extent).value_or(1);
  const auto multiply = [&](const For& node) {
    if (loop::is_thread_axis(node.kind) && node.kind != loop::ForKind::VirtualThread)
      threads *= expr::as_integer(node.extent).value_or(1);
  };
  for (const For* outer : path.loops()) multiply(*outer);
  std::map<loop::ForKind, const For*> inside;  // siblings share an axis
  loop::walk(path.loop().body, [&](const Stmt& stmt) {
    if (const For* inner = loop::as<For>(stmt)) inside.emplace(inner->kind, inner);
  });
  for (const auto& [kind, inner] : inside) multiply(*inner);
  if (threads <= most_threads) return {};
  return fmt::format("{} threads in a block, of which a GPU runs at most {}", threads,
                     most_threads);
}

struct LoopToBind {
  Path path;
  loop::ForKind axis;
};

// The loop and its axis, where nothing but a dependence can be in the way.
Result<LoopToBind> loop_to_bind(const std::string& call, const Func& func,
                                std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const loop::ForKind axis = TRY(axis_named(call, name_at(arguments, 1)));
  Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)));
  TRY_VOID(check_neighbours(call, path, axis));
  TRY_VOID(check_extent(call, path, axis));
  return LoopToBind{std::move(path), axis};
}

Result<Applied> apply_bind(const Func& func, std::span<const Argument> arguments) {
  const std::string call =
      fmt::format("bind({}, {})", name_at(arguments, 0), name_at(arguments, 1));
  const auto [path, axis] = TRY(loop_to_bind(call, func, arguments));
  TRY_VOID(check_independent(call, func, path, private_buffers(axis, path)));
  Applied applied = with_kind(func, path, axis);
  applied.remark = remark_on(path, axis);
  return applied;
}

}  // namespace

Primitive bind() {
  return {"bind",
          "Gives the iterations of a loop to the blocks, threads or virtual threads of a GPU's "
          "launch; they must be independent.",
          "for y in 64 { for x in 32 { ... } }",
          "for y in 64 blockIdx.x { for x in 32 threadIdx.x { ... } }",
          {{"loop", ParameterKind::Loop, "a serial loop"},
           {"axis", ParameterKind::Name, axis_names(), choices::launch_axes()}},
          apply_bind,
          [](const Func& func, std::span<const Argument> arguments) {
            const auto loop = loop_to_bind("bind", func, arguments);
            return loop ? clash_of_iterations(func, loop->path,
                                              private_buffers(loop->axis, loop->path))
                        : Search{};
          }};
}

}  // namespace loopglass::schedule

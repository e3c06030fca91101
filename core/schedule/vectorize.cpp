// vectorize(loop): iterations become the lanes of vector operations.
#include "core/dependence/independence.h"
#include "core/expr/rewrite.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t most_lanes = 256;  // sixteen 512-bit registers of float32: more only spills

// The loop, where nothing but a dependence can be in the way.
Result<Path> loop_to_vectorize(const std::string& call, const Func& func,
                               const std::string& variable) {
  Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)));
  for (const For* outer : path.loops())
    if (outer->kind == loop::ForKind::Vectorized)
      return illegal(call, variable,
                     fmt::format("'{}' around it is vectorized already", outer->variable));
  if (contains_kind(path.loop().body, loop::ForKind::Vectorized))
    return illegal(call, variable, "a loop inside it is vectorized already");
  if (const For* inner = launch_axis_in(path.loop().body))
    return illegal(call, variable,
                   fmt::format("'{}' inside it is {}: a thread has lanes, not the other way round",
                               inner->variable, loop::name(inner->kind)));
  // Lanes go through the loops inside together.
  const For* uneven = nullptr;
  loop::walk(path.loop().body, [&](const Stmt& stmt) {
    const For* node = loop::as<For>(stmt);
    if (node && expr::uses_variable(node->extent, variable)) uneven = node;
  });
  if (uneven)
    return illegal(
        call, uneven->variable,
        fmt::format("the extent of '{}' inside it is another one in each lane", uneven->variable));
  return path;
}

Result<Applied> apply_vectorize(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::string call = fmt::format("vectorize({})", variable);
  const Path path = TRY(loop_to_vectorize(call, func, variable));
  TRY_VOID(check_independent(call, func, path, private_buffers(loop::ForKind::Vectorized, path)));
  // Last: a loop that may not be lanes is not to be split in vain.
  TRY(constant_extent(call, path.loop(), most_lanes));
  return with_kind(func, path, loop::ForKind::Vectorized);
}

}  // namespace

Primitive vectorize() {
  return {"vectorize",
          "Runs all iterations of a loop at once, as the lanes of vector operations; they must be "
          "independent.",
          "for x in 16 { Y[x] = X[x] + 1 }",
          "for x in 16 vectorized { Y[x] = X[x] + 1 }",
          {{"loop", ParameterKind::Loop, "a loop of constant extent"}},
          apply_vectorize,
          [](const Func& func, std::span<const Argument> arguments) {
            const auto path = loop_to_vectorize("vectorize", func, name_at(arguments, 0));
            if (!path) return Search{};
            const Private buffers = private_buffers(loop::ForKind::Vectorized, *path);
            // It may be refused for its extent alone.
            if (check_independent("vectorize", func, *path, buffers)) return Search{};
            return clash_of_iterations(func, *path, buffers);
          }};
}

}  // namespace loopglass::schedule

// unroll(loop): the body is repeated, with the variable constant in each copy.
#include "core/loop/path.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t most_copies = 128;  // beyond that code size only hurts

Result<Applied> apply_unroll(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::string call = fmt::format("unroll({})", variable);
  const Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)));
  TRY(constant_extent(call, path.loop(), most_copies));
  return with_kind(func, path, loop::ForKind::Unrolled);
}

}  // namespace

Primitive unroll() {
  return {
      "unroll",
      "Repeats the body of a loop once per iteration; the order stays, so that no dependence is in "
      "the way.",
      "for x in 4 { Y[x] = 0 }",
      "for x in 4 unrolled { Y[x] = 0 }",
      {{"loop", ParameterKind::Loop,
        fmt::format("a loop of constant extent, {} at most", most_copies)}},
      apply_unroll};
}

}  // namespace loopglass::schedule

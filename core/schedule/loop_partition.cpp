// loop_partition(loop, extents): one loop becomes several that run one after another.
#include "core/schedule/choices.h"
#include "core/schedule/partition.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::size_t most_parts = 16;  // each is another copy of the body

// The parts' extents; -1 stands for what is left.
Result<std::vector<std::int64_t>> part_extents(const std::string& call, const For& loop,
                                               std::vector<std::int64_t> extents) {
  const auto whole = expr::as_integer(loop.extent);
  if (!whole)
    return illegal(call, loop.variable,
                   fmt::format("the extent {} is not constant", expr::to_string(loop.extent)),
                   "split(loop, [-1, 8], peel) cuts what is left over off a symbolic extent");
  if (extents.size() < 2 || extents.size() > most_parts)
    return illegal(call, loop.variable,
                   fmt::format("takes 2 to {} parts, in their order, e.g. [1, -1, 1]", most_parts));
  if (std::count(extents.begin(), extents.end(), -1) > 1)
    return illegal(call, loop.variable, "at most one part may be -1, the one inferred");
  std::int64_t left = *whole;
  for (const std::int64_t extent : extents) {
    if (extent == -1) continue;
    if (extent < 1)
      return illegal(call, loop.variable, fmt::format("{} is no number of iterations", extent));
    if (extent > left)
      return illegal(call, loop.variable,
                     fmt::format("the parts are more than the {} iterations there are", *whole));
    left -= extent;
  }
  const auto inferred = std::find(extents.begin(), extents.end(), -1);
  if (inferred != extents.end()) *inferred = left;
  if (left == 0 && inferred != extents.end())
    return illegal(call, loop.variable,
                   fmt::format("the other parts are all of the {} iterations: nothing is left for "
                               "-1",
                               *whole));
  if (left > 0 && inferred == extents.end())
    return illegal(call, loop.variable,
                   fmt::format("the parts are {} iterations of {}", *whole - left, *whole),
                   "one part may be -1: what is left");
  return extents;
}

Result<Applied> apply_loop_partition(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::string call = fmt::format("loop_partition({})", variable);
  const Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)),
                   "partition before choosing the loop's kind");
  Names names(func);
  std::vector<Part> parts;
  std::vector<std::string> made;
  for (const std::int64_t extent :
       TRY(part_extents(call, path.loop(), integers_at(arguments, 1)))) {
    made.push_back(names.fresh(fmt::format("{}_{}", variable, parts.size())));
    parts.push_back({made.back(), Expr(extent)});
  }
  return Applied{TRY(partitioned(call, func, path, parts, names)), made, {}};
}

}  // namespace

Primitive loop_partition() {
  return {
      "loop_partition",
      "Cuts a loop into loops that run one after another: conditions that hold in one of them for "
      "all its iterations, as inside the borders of a picture, are not asked there. Each part has "
      "a copy of what is inside.",
      "for x in 56 { A[x] where x > 0 }",
      "for x_0 in 1 { A[x_0] where x_0 > 0 }  for x_1 in 55 { A[x_1 + 1] }",
      {{"loop", ParameterKind::Loop, "the loop to cut"},
       {"extents", ParameterKind::Integers,
        "iterations of the parts, in their order; one may be -1: what is left", choices::parts()}},
      apply_loop_partition};
}

}  // namespace loopglass::schedule

// tensorize(loop, intrinsic): a nest is left to an instruction, or to code written for it by hand.
//
// It is noted on the loop, and looked at again when machine code is made (core/loop/intrinsics.h):
// what later primitives make of the nest may no longer be what the intrinsic computes, and then
// runs as the loops that it is.
#include "core/loop/annotations.h"
#include "core/loop/buffers.h"
#include "core/loop/intrinsics.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

std::vector<std::string> names_of_intrinsics() {
  std::vector<std::string> names;
  for (const Intrinsic& intrinsic : all_intrinsics()) names.push_back(intrinsic.name);
  return names;
}

std::vector<Argument> offered_intrinsics(const Func&, std::span<const Argument>) {
  std::vector<Argument> offered;
  for (std::string& name : names_of_intrinsics()) offered.emplace_back(std::move(name));
  return offered;
}

bool has_condition(const Stmt& nest) {
  bool found = false;
  loop::walk(nest, [&](const Stmt& stmt) {
    const auto* block = loop::as<Block>(stmt);
    found = found || (block && block->predicate.defined());
  });
  return found;
}

// What would have to be done first.
std::string hint_for(const Intrinsic& intrinsic, const Stmt& nest) {
  if (has_condition(nest))
    return "whole tiles have no condition where split(loop, factors, peel) cuts off what is left "
           "over, or pad_axis runs on to a multiple";
  std::vector<std::string> loops;
  const Stmt* stmt = &intrinsic.description.body;
  for (; loop::as<For>(*stmt); stmt = &loop::as<For>(*stmt)->body)
    loops.push_back(fmt::format("'{}' of {}", loop::as<For>(*stmt)->variable,
                                expr::to_string(loop::as<For>(*stmt)->extent)));
  return fmt::format(
      "it takes loops {} around {}: split and reorder until these are innermost, and "
      "decompose_reduction a sum with an initial value",
      fmt::join(loops, ", "), to_string(loop::as<Store>(*stmt)->value));
}

Result<Applied> apply_tensorize(const Func& func, std::span<const Argument> arguments) {
  const std::string &variable = name_at(arguments, 0), &name = name_at(arguments, 1);
  const std::string call = fmt::format("tensorize({}, {})", variable, name);
  const Intrinsic* intrinsic = find_intrinsic(name);
  if (!intrinsic)
    return illegal(call, name, fmt::format("there is no intrinsic '{}'", name),
                   fmt::format("one of {}", fmt::join(names_of_intrinsics(), ", ")));
  const Path path = TRY(find_loop(func, variable));
  for (const For* outer : path.loops())
    if (outer->kind == loop::ForKind::Vectorized)
      return illegal(
          call, variable,
          fmt::format("'{}' around it is vectorized, and an intrinsic is no part of a lane",
                      outer->variable));
  const auto tiles = match_intrinsic(*intrinsic, path.target(), buffers_of(func));
  if (!tiles)
    return illegal(call, variable,
                   fmt::format("the nest at '{}' is not what '{}' computes: {}", variable, name,
                               tiles.error()),
                   hint_for(*intrinsic, path.target()));
  return Applied{
      with_body(func, replace(path, with_annotations(
                                        path.target(),
                                        annotated(path.target()->annotations,
                                                  {std::string(intrinsic_annotation), name})))),
      {},
      {}};
}

}  // namespace

Primitive tensorize() {
  return {"tensorize",
          "Leaves the nest at a loop to an intrinsic that computes the same: an instruction of the "
          "machine, or code written for it. The loops stay and say what is computed.",
          "for i in 8 { for j in 8 { for k in 8 { C[i, j] += A[i, k] * B[k, j] } } }",
          "@intrinsic=\"matmul_8x8x8\" for i in 8 { ... }",
          {{"loop", ParameterKind::Loop, "the outermost of the loops that the intrinsic takes"},
           {"intrinsic", ParameterKind::Name,
            fmt::format("one of {}", fmt::join(names_of_intrinsics(), ", ")), offered_intrinsics}},
          apply_tensorize};
}

}  // namespace loopglass::schedule

// annotate(loop, key, value): a note on a loop.
//
// Notes that code generation goes by are in core/loop/annotations.h; any other is for whoever reads
// the nest. They stay with the loop for as long as it keeps its name (keep_notes.h).
#include "core/expr/parse.h"
#include "core/loop/annotations.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_annotate(const Func& func, std::span<const Argument> arguments) {
  const std::string &variable = name_at(arguments, 0), &key = name_at(arguments, 1),
                    &value = name_at(arguments, 2);
  const std::string call = fmt::format("annotate({}, {}, \"{}\")", variable, key, value);
  const Path path = TRY(find_loop(func, variable));
  if (!expr::is_name(key)) return illegal(call, key, fmt::format("'{}' is no name", key));
  if (key == intrinsic_annotation)
    return illegal(call, key, "an intrinsic takes a nest that it computes",
                   "tensorize looks whether it does");
  if (key == function_annotation || key == contract_annotation)
    return illegal(call, key, fmt::format("'{}' is a loop pass's to write", key));
  if (key == unroll_annotation) {
    if (!unrolled_copies(value))
      return illegal(
          call, value,
          fmt::format("'{}' is no count of copies from 1 to {}", value, most_unrolled_copies));
    if (path.loop().kind != loop::ForKind::Serial)
      return illegal(
          call, variable,
          fmt::format("the loop is {}: LLVM unrolls serial ones", loop::name(path.loop().kind)));
  }
  return Applied{
      with_body(func,
                replace(path, with_annotations(path.target(), annotated(path.target()->annotations,
                                                                        {key, value})))),
      {},
      {}};
}

}  // namespace

Primitive annotate() {
  return {"annotate",
          "Notes something on a loop. `unroll_count` tells LLVM how many copies of a serial loop's "
          "body to make, 1 being the body itself; other keys are for who reads the nest.",
          "for k in 512 { ... }",
          "@unroll_count=\"4\" for k in 512 { ... }",
          {{"loop", ParameterKind::Loop, "a loop"},
           {"key", ParameterKind::Name, "what kind of note it is",
            choices::these({std::string(unroll_annotation)})},
           {"value", ParameterKind::Name, "a text, in quotes unless it is a word",
            choices::these({std::string("1"), std::string("4")})}},
          apply_annotate};
}

}  // namespace loopglass::schedule

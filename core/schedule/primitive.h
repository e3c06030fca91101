// Schedule primitives: each a function Func -> Func that keeps the meaning, listed in one table
// (primitives.cpp). Name, parameters, doc and legality stand in the primitive's own file; the
// script parser, menus, completion and reference page derive from the row.
#pragma once

#include "core/loop/func.h"

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::schedule {

struct Search;  // core/dependence/witness.h

enum class ParameterKind : std::uint8_t {
  Block,
  Loop,
  Loops,
  Buffer,
  Integer,
  Integers,
  Name,
  Names
};

std::string_view kind_name(ParameterKind kind);  // "a loop"

// Concrete arguments: names of blocks, loops and buffers of the Func at hand, or integers.
using Argument =
    std::variant<std::string, std::vector<std::string>, std::int64_t, std::vector<std::int64_t>>;

struct Parameter {
  std::string name;
  ParameterKind kind;
  std::string doc;
  // What is worth offering here, the arguments before it being chosen; legal or not. Undefined:
  // every block, loop or buffer there is.
  std::function<std::vector<Argument>(const loop::Func&, std::span<const Argument> before)>
      choices = {};
  bool optional = false;
};

struct Applied {
  loop::Func func;
  // Names of loops or blocks created, in the order of the script's results.
  std::vector<std::string> made;
  std::string remark;  // e.g. that floating-point sums are reassociated; may be empty
};

struct Primitive {
  std::string name;
  std::string doc;            // one sentence
  std::string before, after;  // small pictures for the reference page
  std::vector<Parameter> parameters;
  // ScheduleIllegal with the entity, the operands and a witness where there is one.
  std::function<Result<Applied>(const loop::Func&, std::span<const Argument>)> apply;
  // What a dependence that is in the way looks like; Nothing where something else is in the way
  // before. Undefined: nothing to look for.
  std::function<Search(const loop::Func&, std::span<const Argument>)> witness = {};
  // Whether `apply` would do it, and what it would refuse it for. Derived: a Func is a value, so
  // that to ask is to apply and to drop what comes of it, and the two cannot disagree.
  std::function<Result<void>(const loop::Func&, std::span<const Argument>)> check = {};
};

const std::vector<Primitive>& all_primitives();
const Primitive* find_primitive(std::string_view name);

}  // namespace loopglass::schedule

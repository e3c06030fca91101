// Operators that hand on what they are given, and conversions that can be told from their types.
#include "core/graph/program.h"
#include "core/ops/copies.h"
#include "passes/graph/rules/families.h"

#include <fmt/format.h>

#include <limits>

namespace loopglass::passes::rules {

namespace {

// Not a list of operators: read off the computation.
std::optional<graph::ValueId> copied(Site& site) {
  const graph::Node& node = site.node();
  if (!site.input(0) || site.result_type() != site.type(site.input(0))) return std::nullopt;
  const auto program = graph::program_of(
      node, [&](graph::ValueId id) -> const TensorType& { return site.type(id); });
  if (!program || !ops::copies_input(*program)) return std::nullopt;
  site.explain(fmt::format("{} ({}) changes nothing", node.name, node.op->name));
  return site.input(0);
}

// Bits of a number, its sign's aside, that the type holds exactly; Bool counts as one bit.
int exact_bits(DataType type) {
  if (type == DataType::Float16) return 11;
  return visit_type(type, [](auto zero) { return std::numeric_limits<decltype(zero)>::digits; });
}

// Whether `to` has every value of `from`, infinities included.
bool holds_all_of(DataType to, DataType from) {
  if (to == from || from == DataType::Bool) return true;
  if (to == DataType::Bool || (is_float(from) && !is_float(to))) return false;
  if (is_signed_integer(from) && is_unsigned_integer(to)) return false;
  return exact_bits(to) >= exact_bits(from) && (to != DataType::Float16 || byte_size(from) == 1);
}

std::optional<graph::ValueId> cast_of_cast(Site& site) {
  const graph::Node* first = site.producer(site.input(0), "Cast");
  if (first == nullptr) return std::nullopt;
  const graph::ValueId x = first->inputs.front();
  const DataType from = site.type(x).type, between = site.type(site.input(0)).type,
                 to = site.result_type().type;
  if (!holds_all_of(between, from)) return std::nullopt;
  // Floats saturate at an integer's bounds where integers wrap around.
  if (is_float(between) && !is_float(from) && is_integer(to) && !holds_all_of(to, from))
    return std::nullopt;
  return site.make("Cast", {x}, {{"to", std::string(name(to))}});
}

std::optional<graph::ValueId> cast_like(Site& site) {
  return site.make("Cast", {site.input(0)}, {{"to", std::string(name(site.result_type().type))}});
}

}  // namespace

RuleTable identity_rules() {
  return {
      {.name = "identity",
       .before = "f(x)",
       .after = "x",
       .condition =
           "where the computation copies its first input: Identity, Dropout at inference, a "
           "Cast to the type at hand, a Reshape to the same shape",
       .roots = {},
       .apply = copied,
       .local = true},
      {.name = "cast-like-to-cast",
       .before = "CastLike(x, y)",
       .after = "Cast(x)",
       .condition = "only the type of y matters, which is known",
       .roots = {"CastLike"},
       .apply = cast_like,
       .local = true},
      {.name = "cast-of-cast",
       .before = "Cast(Cast(x))",
       .after = "Cast(x)",
       .condition = "where the type between holds every value of x",
       .roots = {"Cast"},
       .apply = cast_of_cast},
  };
}

}  // namespace loopglass::passes::rules

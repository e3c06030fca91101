// What a filter's text parses to; filter*.cpp share it.
#pragma once

#include "core/support/filter.h"

#include <regex>
#include <variant>

namespace loopglass {

using FilterTree = std::shared_ptr<const Filter::Node>;

// `value` is in canonical form: a Word as the schema writes it, aliases resolved.
struct Comparison {
  std::string field;
  Relation relation;
  std::string value;
  std::optional<long double> number = {};             // what `value` says as a number
  std::shared_ptr<const std::regex> expression = {};  // for Matches: of a whole text
};
struct Negation {
  FilterTree operand;
};
// Two or more; none of them of the same kind.
struct Conjunction {
  std::vector<FilterTree> operands;
};
struct Disjunction {
  std::vector<FilterTree> operands;
};

struct Filter::Node {
  std::variant<Comparison, Negation, Conjunction, Disjunction> form;
};

struct RelationSpec {
  Relation relation;
  std::string_view sign;
  std::string_view is, is_not;  // in words
};
// Longer signs before those that they begin with.
inline constexpr RelationSpec relation_specs[] = {
    {Relation::NotEqual, "!=", "is not", "is"},
    {Relation::Matches, "=~", "matches the expression", "does not match the expression"},
    {Relation::LessEqual, "<=", "is at most", "is more than"},
    {Relation::GreaterEqual, ">=", "is at least", "is less than"},
    {Relation::Equal, "=", "is", "is not"},
    {Relation::Contains, "~", "contains", "does not contain"},
    {Relation::Less, "<", "is less than", "is at least"},
    {Relation::Greater, ">", "is more than", "is at most"},
};
const RelationSpec& spec_of(Relation relation);

// Whether a character may stand in a value without quotes.
bool is_bare(char c);

}  // namespace loopglass

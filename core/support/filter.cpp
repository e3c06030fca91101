// Matching filters and printing them.
#include "core/support/filter.h"

#include "core/support/check.h"
#include "core/support/closest.h"
#include "core/support/filter_tree.h"

#include <algorithm>
#include <cmath>

namespace loopglass {

const FieldSpec* FilterSchema::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldSpec& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const RelationSpec& spec_of(Relation relation) {
  for (const RelationSpec& spec : relation_specs)
    if (spec.relation == relation) return spec;
  throw InternalError("relation outside its enumeration");
}

bool is_bare(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view("&|!()=<>~\"").find(c) == std::string_view::npos;
}

namespace {

// Attributes are often stored in single precision: a number with a fraction counts as equal when
// six digits agree.
bool same_number(long double value, long double wanted) {
  return value == wanted ||
         (wanted != std::floor(wanted) && std::fabs(value - wanted) <= 1e-6L * std::fabs(wanted));
}

bool contains(const std::string& text, const std::string& lower_part) {
  return lower_case(text).find(lower_part) != std::string::npos;
}

bool holds(const Comparison& comparison, const FieldValue& value) {
  const auto some_text = [&](const auto& test) {
    return std::any_of(value.texts.begin(), value.texts.end(), test);
  };
  const auto some_number = [&](const auto& test) {
    return comparison.number &&
           std::any_of(value.numbers.begin(), value.numbers.end(),
                       [&](long double held) { return test(held, *comparison.number); });
  };
  switch (comparison.relation) {
    case Relation::Equal:
      return some_text([&](const std::string& text) { return text == comparison.value; }) ||
             some_number(same_number);
    case Relation::NotEqual:
      return !(some_text([&](const std::string& text) { return text == comparison.value; }) ||
               some_number(same_number));
    case Relation::Contains:
      return some_text([part = lower_case(comparison.value)](const std::string& text) {
        return contains(text, part);
      });
    case Relation::Matches:
      return some_text(
          [&](const std::string& text) { return std::regex_match(text, *comparison.expression); });
    case Relation::Less: return some_number(std::less<>());
    case Relation::LessEqual: return some_number(std::less_equal<>());
    case Relation::Greater: return some_number(std::greater<>());
    case Relation::GreaterEqual: return some_number(std::greater_equal<>());
  }
  __builtin_unreachable();
}

bool matches(const Filter::Node& node, const FieldReader& entity) {
  const auto one = [&](const FilterTree& operand) { return matches(*operand, entity); };
  struct Visitor {
    const FieldReader& entity;
    decltype(one)& matches_one;
    bool operator()(const Comparison& comparison) const {
      return holds(comparison, entity(comparison.field));
    }
    bool operator()(const Negation& negation) const { return !matches_one(negation.operand); }
    bool operator()(const Conjunction& all) const {
      return std::all_of(all.operands.begin(), all.operands.end(), matches_one);
    }
    bool operator()(const Disjunction& any) const {
      return std::any_of(any.operands.begin(), any.operands.end(), matches_one);
    }
  };
  return std::visit(Visitor{entity, one}, node.form);
}

std::string value_text(const std::string& value) {
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_bare)) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// How tightly a form binds: | least, then &, then the rest.
int binding(const Filter::Node& node) {
  if (std::holds_alternative<Disjunction>(node.form)) return 0;
  return std::holds_alternative<Conjunction>(node.form) ? 1 : 2;
}

std::string text_of(const FilterTree& tree, int least_binding) {
  const auto join = [](const std::vector<FilterTree>& operands, std::string_view sign, int inside) {
    std::string text;
    for (const FilterTree& operand : operands)
      text += (text.empty() ? "" : std::string(sign)) + text_of(operand, inside);
    return text;
  };
  struct Visitor {
    decltype(join)& joined;
    std::string operator()(const Comparison& c) const {
      return c.field + std::string(spec_of(c.relation).sign) + value_text(c.value);
    }
    std::string operator()(const Negation& negation) const {
      return "!" + text_of(negation.operand, 2);
    }
    std::string operator()(const Conjunction& all) const { return joined(all.operands, " & ", 2); }
    std::string operator()(const Disjunction& any) const { return joined(any.operands, " | ", 1); }
  };
  const std::string text = std::visit(Visitor{join}, tree->form);
  return binding(*tree) < least_binding ? "(" + text + ")" : text;
}

}  // namespace

bool Filter::matches(const FieldReader& entity) const {
  return root_ == nullptr || loopglass::matches(*root_, entity);
}

std::string to_text(const Filter& filter) { return filter.root_ ? text_of(filter.root_, 0) : ""; }

}  // namespace loopglass

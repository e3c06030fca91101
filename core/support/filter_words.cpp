// A filter in plain English. Negations are carried down to the conditions first, so that a sentence
// is only made of "and", "or" and conditions that hold or do not.
#include "core/support/filter_tree.h"

#include <fmt/format.h>

namespace loopglass {

namespace {

class Speaker {
 public:
  explicit Speaker(const FilterSchema& schema) : schema_(schema) {}

  std::string operator()(const Filter::Node& node) const { return say(node, false, false); }

 private:
  // `inner`: it stands inside another "and" or "or".
  std::string say(const Filter::Node& node, bool negated, bool inner) const {
    struct Visitor {
      const Speaker& speaker;
      bool negated, inner;
      std::string operator()(const Comparison& c) const {
        return "whose " + speaker.condition(c, negated);
      }
      std::string operator()(const Negation& n) const {
        return speaker.say(*n.operand, !negated, inner);
      }
      std::string operator()(const Conjunction& all) const {
        return speaker.list(all.operands, negated, !negated, inner);
      }
      std::string operator()(const Disjunction& any) const {
        return speaker.list(any.operands, negated, negated, inner);
      }
    };
    return std::visit(Visitor{*this, negated, inner}, node.form);
  }

  std::string list(const std::vector<FilterTree>& operands, bool negated, bool is_and,
                   bool inner) const {
    // A list of conditions reads as one: "whose a, b and whose c"; "either whose a or whose b".
    bool plain = true;
    for (const FilterTree& operand : operands) plain = plain && is_condition(*operand);
    std::string text;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      std::string part = say(*operands[i], negated, true);
      const bool last = i + 1 == operands.size();
      if (i == 0) text = part;
      else if (last) text += fmt::format("{} {} {}", plain ? "" : ",", is_and ? "and" : "or", part);
      else text += ", " + (plain && is_and ? part.substr(std::string_view("whose ").size()) : part);
    }
    if (!inner) return text;
    return is_and ? "(" + text + ")" : "either " + text;
  }

  static bool is_condition(const Filter::Node& node) {
    if (const auto* negation = std::get_if<Negation>(&node.form))
      return is_condition(*negation->operand);
    return std::holds_alternative<Comparison>(node.form);
  }

  std::string condition(const Comparison& c, bool negated) const {
    const FieldSpec* field = schema_.find(c.field);
    const RelationSpec& relation = spec_of(c.relation);
    return fmt::format("{} {} {}", field != nullptr ? field->phrase : c.field,
                       negated ? relation.is_not : relation.is, c.value.empty() ? "\"\"" : c.value);
  }

  const FilterSchema& schema_;
};

}  // namespace

std::string in_words(const Filter& filter, const FilterSchema& schema) {
  if (filter.is_everything()) return "all " + schema.noun;
  return schema.noun + " " + Speaker(schema)(*filter.root_);
}

}  // namespace loopglass

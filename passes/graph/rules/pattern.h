// The notation most rules are written in: a pattern before, a pattern after, and the terms on which
// one may stand for the other. Matching, making and the text that a person reads all derive from
// it:
//
//   {"negate-negate", -(-x), x},
//   {"multiply-by-zero", x * 0, 0, {.kind = FiniteOnly, .exact_for_integers = true}},
//
// x, y and z stand for any value, u and v for one that is no constant, c and d for constants; the
// same letter twice is the same value. A number stands for a constant all of whose elements are
// that number. Commutative operators match in either order.
//
// A rule applies only if the result keeps its type (so x * 1 is x only where the 1 does not make it
// larger) and the operators that fall away do at least as much work (work.h) as those that come
// instead: what others need does not fall away, and operators on constants alone are no work.
#pragma once

#include "passes/graph/rules/rule.h"

#include <map>
#include <memory>

namespace loopglass::passes::rules {

class Pattern {
 public:
  enum class Kind : std::uint8_t { Any, Computed, Constant, Number, Operation };
  struct Content {
    Kind kind;
    std::string name;  // of a letter or an operator; a number's, where it has one
    double number = 0;
    std::vector<Pattern> operands;  // of an operator
  };

  template <class N>
  requires std::is_arithmetic_v<N> Pattern(N number)
      : Pattern(Content{Kind::Number, {}, static_cast<double>(number), {}}) {}  // NOLINT
  static Pattern letter(Kind kind, std::string name) {
    return Pattern({kind, std::move(name), 0, {}});
  }
  static Pattern truth(bool holds);
  static Pattern operation(std::string op, std::vector<Pattern> operands) {
    return Pattern({Kind::Operation, std::move(op), 0, std::move(operands)});
  }

  const Content& operator*() const { return *content_; }
  const Content* operator->() const { return content_.get(); }

 private:
  explicit Pattern(Content content)
      : content_(std::make_shared<const Content>(std::move(content))) {}
  std::shared_ptr<const Content> content_;
};
std::string to_text(const Pattern& pattern);  // "(x + c) * y"

// What a pattern's letters stand for at a site, and the operators it covers, the root first.
struct Match {
  Site& site;
  std::map<std::string, graph::ValueId> letters;
  std::vector<const graph::Node*> nodes;

  graph::ValueId operator[](const Pattern& letter) const { return letters.at(letter->name); }
};

struct Condition {
  std::string text;  // a clause, "for integers"
  std::function<bool(const Match&)> holds;
};

struct Terms {
  RuleClass kind = RuleClass::Exact;
  // Stands for two rules: this one for floating point, and one of the class Exact for the rest,
  // whose name ends in "-integers". The type that counts is that of the first letter.
  bool exact_for_integers = false;
  std::vector<Condition> when = {};
  bool saves_work = false;   // applies only where what comes instead is less work
  std::string because = {};  // why it is right, where that is not plain to see
};

struct Row {
  std::string name;
  Pattern before, after;
  Terms terms = {};
};
RuleTable table(const std::vector<Row>& rows);

// The element type of the value that the first letter of `pattern` stands for.
DataType first_type(const Pattern& pattern, const Match& match);

}  // namespace loopglass::passes::rules

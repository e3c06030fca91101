// Integer points that meet conditions, decided exactly: Presburger arithmetic, by isl.
//
// Conditions are expressions as nests have them, over named dimensions of int64. Sums, products by
// constants, quotients and remainders by constants, min, max and select are understood. Anything
// else (a load, a product of variables) may have any value: the set is then larger than what was
// asked for, and says so.
#pragma once

#include "core/expr/expr.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopglass::schedule {

class IntegerSet {
 public:
  // Another dimension, of whole numbers of either sign.
  void add(const std::string& dimension);
  bool has(const std::string& dimension) const { return dimensions_.contains(dimension); }
  // What is loaded from these is the same wherever it is loaded at one place.
  void assume_unchanged(std::set<std::string> buffers) { unchanged_ = std::move(buffers); }
  // The points for which the condition does not hold are out. All variables are dimensions.
  void require(const expr::Expr& condition);
  // Whether its points are just those that meet the conditions, and no others.
  bool is_exact() const { return exact_; }

  // nullopt: not decided within a fixed number of isl's operations.
  std::optional<bool> is_empty() const;
  // The point with the least value of the first of these dimensions, of those the one with the
  // least of the second, ...; nullopt: there is none, or it was not decided.
  std::optional<std::map<std::string, std::int64_t>> least(
      const std::vector<std::string>& order) const;
  // The same of these dimensions alone, for those values of them that no point of `others` has.
  std::optional<std::map<std::string, std::int64_t>> least_outside(
      std::vector<IntegerSet> others, const std::vector<std::string>& order) const;

 private:
  // A sum of dimensions by their numbers, and a constant.
  struct Form {
    std::map<std::size_t, std::int64_t> factors;
    std::int64_t constant = 0;
  };
  struct Divided {
    Form quotient, remainder;
  };
  struct Row {
    Form form;
    bool is_zero = false;  // else: at least zero
  };
  using Rows = std::vector<Row>;           // that hold together
  using Alternatives = std::vector<Rows>;  // of which one holds

  using Wide = __int128;
  struct Interval {
    Wide min, max;  // inclusive
  };
  static constexpr Interval anything{std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()};

  Form dimension(std::size_t number) const { return {{{number, 1}}, 0}; }
  std::size_t new_dimension(Interval values);
  Interval values_of(const Form& form) const;
  void require(Alternatives alternatives);
  // nullopt: not understood.
  std::optional<Alternatives> condition(const expr::Expr& e, bool holds);
  std::optional<Alternatives> comparison(const expr::Binary& node, bool holds);
  Form form(const expr::Expr& e);
  Form atom(const expr::Expr& e);
  Divided divided(const Form& dividend, std::int64_t divisor);
  std::optional<Form> truncated(const expr::Expr& e, std::int64_t divisor);
  std::optional<Form> chosen(const expr::Expr& e);
  bool is_unchanged(const expr::Expr& e) const;
  // Where each dimension stands, if these come first.
  std::vector<std::size_t> places(const std::vector<std::string>& first) const;

  class Isl;

  std::vector<Interval> values_of_;  // each dimension may have, those of values among them
  std::map<std::string, std::size_t> dimensions_;  // by name
  Rows rows_;
  std::vector<Alternatives> choices_;
  // Values that are not dimensions, by the expressions they are of.
  std::vector<std::pair<expr::Expr, Form>> values_;
  std::set<std::string> unchanged_;
  bool exact_ = true;
};

}  // namespace loopglass::schedule

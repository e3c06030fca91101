#include "core/dependence/meeting.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/rewrite.h"

#include <algorithm>

namespace loopglass::schedule {

using expr::Expr;
using loop::Access;
using loop::For;

namespace {

enum class Side : bool { First, Second };

// All pairs of iterations in which the accesses meet.
class MeetingPairs {
 public:
  MeetingPairs(const Access& first, const Access& second, const Relations& relations,
               const expr::Ranges& ranges)
      : relations_(relations), ranges_(ranges) {
    for (const auto& [name, relation] : relations) relate(name, relation);
    happens(first, Side::First);
    happens(second, Side::Second);
    for (std::size_t d = 0; d < first.indices.size(); ++d)
      set_.require(equal(of(first.indices[d], Side::First), of(second.indices[d], Side::Second)));
  }

  const IntegerSet& set() const { return set_; }
  const std::vector<std::string>& symbols() const { return symbols_; }
  const std::vector<std::string>& distances() const { return distances_; }

  // First how far the iterations are from one another, then where they are.
  std::vector<std::string> order() const {
    std::vector<std::string> order = symbols_;
    order.insert(order.end(), distances_.begin(), distances_.end());
    order.insert(order.end(), loops_.begin(), loops_.end());
    return order;
  }

  // What the dimension of this variable is called.
  std::string dimension(const std::string& variable, Side side) const {
    const auto relation = relations_.find(variable);
    const bool is_shared = relation == relations_.end() ? !own_.contains(variable)
                                                        : relation->second == Relation::Same;
    return is_shared || side == Side::First ? variable : variable + "'";
  }

 private:
  Expr of(const Expr& e, Side side) const {
    loop::Bindings renamed;
    for (const std::string& name : expr::variables_of(e))
      renamed.emplace(name, expr::variable(dimension(name, side)));
    return expr::substitute(e, renamed);
  }

  // All variables count from 0.
  void add(const std::string& dimension, std::vector<std::string>& kind) {
    if (set_.has(dimension)) return;
    set_.add(dimension);
    set_.require(expr::variable(dimension) >= 0);
    kind.push_back(dimension);
  }

  void relate(const std::string& name, Relation relation) {
    add(dimension(name, Side::First), loops_);
    add(dimension(name, Side::Second), loops_);
    for (const Side side : {Side::First, Side::Second})
      if (const auto range = ranges_.find(name); range != ranges_.end()) {
        const Expr variable = expr::variable(dimension(name, side));
        set_.require(variable >= range->second.min && variable <= range->second.max);
      }
    if (relation != Relation::Later && relation != Relation::Earlier) return;
    const Expr first = expr::variable(dimension(name, Side::First)),
               second = expr::variable(dimension(name, Side::Second));
    const std::string distance = name + "-";
    add(distance, distances_);
    set_.require(equal(expr::variable(distance),
                       relation == Relation::Later ? second - first : first - second));
    set_.require(expr::variable(distance) >= 1);
  }

  // What must hold for the access to be made.
  void happens(const Access& access, Side side) {
    for (const For* node : access.loops) own_.insert(node->variable);
    for (const For* node : access.loops) add(dimension(node->variable, side), loops_);
    const auto require = [&](const Expr& condition) { set_.require(of(known(condition), side)); };
    for (const For* node : access.loops) require(expr::variable(node->variable) < node->extent);
    for (const Expr& condition : access.conditions()) require(condition);
    for (const Expr& index : access.indices) known(index);
  }

  const Expr& known(const Expr& e) {
    for (const std::string& name : expr::variables_of(e))
      if (!own_.contains(name) && !relations_.contains(name)) add(name, symbols_);
    return e;
  }

  const Relations& relations_;
  const expr::Ranges& ranges_;
  IntegerSet set_;
  std::set<std::string> own_;                             // loops around the accesses
  std::vector<std::string> symbols_, distances_, loops_;  // dimensions
};

}  // namespace

IntegerSet meetings(const Access& first, const Access& second, const Relations& relations,
                    const expr::Ranges& ranges) {
  return MeetingPairs(first, second, relations, ranges).set();
}

bool never_meet(const Access& first, const Access& second, const Relations& relations,
                const expr::Ranges& ranges) {
  return meetings(first, second, relations, ranges).is_empty().value_or(false);
}

std::optional<Meeting> nearest_meeting(const Access& first, const Access& second,
                                       const Relations& relations, const expr::Ranges& ranges) {
  const MeetingPairs pairs(first, second, relations, ranges);
  if (!pairs.set().is_exact()) return std::nullopt;
  const auto point = pairs.set().least(pairs.order());
  if (!point) return std::nullopt;
  Meeting meeting;
  for (const std::string& symbol : pairs.symbols()) meeting.symbols[symbol] = point->at(symbol);
  for (const std::string& distance : pairs.distances()) meeting.distance += point->at(distance);
  const auto values = [&](const Access& access, Side side) {
    std::map<std::string, std::int64_t> result;
    for (const For* node : access.loops)
      result[node->variable] = point->at(pairs.dimension(node->variable, side));
    return result;
  };
  meeting.first = values(first, Side::First);
  meeting.second = values(second, Side::Second);
  loop::Bindings at;
  for (const auto& [name, value] : meeting.symbols) at.emplace(name, Expr(value));
  for (const auto& [name, value] : meeting.first) at.emplace(name, Expr(value));
  for (const Expr& index : first.indices) {
    const auto value = expr::as_integer(expr::simplify(expr::substitute(index, at)));
    if (!value) return std::nullopt;
    meeting.element.push_back(*value);
  }
  return meeting;
}

}  // namespace loopglass::schedule

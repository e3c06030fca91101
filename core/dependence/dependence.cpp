#include "core/dependence/dependence.h"

#include "core/dependence/independence.h"
#include "core/dependence/meeting.h"
#include "core/expr/linear.h"
#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/flow.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Wide = __int128;

// Beyond these numbers nothing is claimed.
constexpr std::int64_t greatest = std::int64_t{1} << 40;
bool tame(std::int64_t value) { return -greatest <= value && value <= greatest; }

struct Extremes {
  Wide min = 0, max = 0;

  void add(Wide low, Wide high) {
    min += low;
    max += high;
  }
};

// Iterations of a loop that is not known to end.
expr::Interval range_of(const std::string& variable, const expr::Ranges& ranges) {
  const auto known = ranges.find(variable);
  return known == ranges.end() ? expr::Interval{0, greatest} : known->second;
}

// Extremes of a * x - b * y over x and y in the range that are so related; nullopt: there are none.
std::optional<Extremes> related(Wide a, Wide b, expr::Interval range, Relation relation) {
  const Wide low = range.min, high = range.max;
  Extremes result;
  bool first = true;
  const auto corner = [&](Wide x, Wide y) {
    const Wide value = a * x - b * y;
    result.min = first ? value : std::min(result.min, value);
    result.max = first ? value : std::max(result.max, value);
    first = false;
  };
  switch (relation) {
    case Relation::Same:
      corner(low, low);
      corner(high, high);
      break;
    case Relation::Any:
      for (const Wide x : {low, high})
        for (const Wide y : {low, high}) corner(x, y);
      break;
    case Relation::Later:
    case Relation::Earlier: {
      if (low == high) return std::nullopt;
      const bool later = relation == Relation::Later;
      const auto ordered = [&](Wide less, Wide more) {
        corner(later ? less : more, later ? more : less);
      };
      ordered(low, low + 1);
      ordered(low, high);
      ordered(high - 1, high);
      break;
    }
  }
  return result;
}

class QuickTest {
 public:
  QuickTest(const Relations& relations, const expr::Ranges& ranges)
      : relations_(relations), ranges_(ranges) {}

  Relation relation(const std::string& variable) const {
    const auto known = relations_.find(variable);
    return known == relations_.end() ? Relation::Any : known->second;
  }

  // Whether the two indices may be equal.
  bool possible(const Expr& left, const Expr& right) const {
    const expr::Linear a = expr::linear(left), b = expr::linear(right);
    if (!tame(a.constant) || !tame(b.constant)) return true;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> variables;
    Extremes sum;
    sum.add(Wide{a.constant} - b.constant, Wide{a.constant} - b.constant);
    std::int64_t divisor = 0;
    bool bounded = true, whole = true;
    const auto collect = [&](const expr::Linear& form, bool is_left) {
      for (const auto& [atom, coefficient] : form.terms) {
        if (!tame(coefficient)) {
          bounded = whole = false;
        } else if (const auto* variable = atom.as<expr::Variable>()) {
          auto& factors = variables[variable->name];
          (is_left ? factors.first : factors.second) = coefficient;
        } else if (!cancels(atom, coefficient, is_left ? b : a)) {
          const auto bounds = expr::has_load(atom) ? std::nullopt : expr::bounds(atom, ranges_);
          divisor = std::gcd(divisor, coefficient);
          if (!bounds || !tame(bounds->min) || !tame(bounds->max)) {
            bounded = false;
            continue;
          }
          const Wide factor = is_left ? coefficient : -coefficient;
          const Wide x = factor * bounds->min, y = factor * bounds->max;
          sum.add(std::min(x, y), std::max(x, y));
        }
      }
    };
    collect(a, true);
    collect(b, false);
    for (const auto& [name, factors] : variables) {
      const auto [x, y] = factors;
      const auto extremes = related(x, y, range_of(name, ranges_), relation(name));
      if (!extremes) return false;  // no such iterations
      sum.add(extremes->min, extremes->max);
      divisor = relation(name) == Relation::Same ? std::gcd(divisor, x - y)
                                                 : std::gcd(std::gcd(divisor, x), y);
    }
    if (bounded && (sum.min > 0 || sum.max < 0)) return false;
    const std::int64_t constant = a.constant - b.constant;
    return !whole || (divisor == 0 ? constant == 0 : constant % divisor == 0);
  }

 private:
  // The same on both sides: nothing of it is left in the difference.
  bool cancels(const Expr& atom, std::int64_t coefficient, const expr::Linear& other) const {
    if (expr::has_load(atom)) return false;
    for (const std::string& name : expr::variables_of(atom))
      if (relation(name) != Relation::Same) return false;
    return std::any_of(other.terms.begin(), other.terms.end(), [&](const auto& term) {
      return term.second == coefficient && expr::same(term.first, atom);
    });
  }

  Relations relations_;
  const expr::Ranges& ranges_;
};

std::vector<Expr> simplified(const std::vector<Expr>& indices, const expr::Ranges& ranges) {
  std::vector<Expr> result;
  for (const Expr& index : indices) result.push_back(expr::simplify(index, ranges));
  return result;
}

Expr place_of(const std::vector<Expr>& indices, const Buffer& buffer, const expr::Ranges& ranges) {
  return expr::simplify(expr::place_of(indices, buffer.shape), ranges);
}

// Accesses by the same indices: what the indices tell apart must be the same in both.
bool digits_allow(const std::vector<Expr>& indices, const Buffer& buffer, const Relations& given,
                  const expr::Ranges& ranges) {
  std::set<std::string> same, used;
  for (const auto& [name, relation] : given)
    if (relation == Relation::Same) same.insert(name);
  for (const Expr& index : indices) used.merge(expr::variables_of(index));
  const std::set<std::string> open = not_told_apart(indices, buffer.shape, ranges, same);
  return std::none_of(given.begin(), given.end(), [&](const auto& entry) {
    return (entry.second == Relation::Later || entry.second == Relation::Earlier) &&
           used.contains(entry.first) && !open.contains(entry.first);
  });
}

}  // namespace

bool may_meet(const Access& first, const Access& second, const Buffer& buffer,
              const Relations& relations, const expr::Ranges& ranges) {
  // A loop of one iteration has no other.
  for (const auto& [name, relation] : relations)
    if (relation == Relation::Later || relation == Relation::Earlier)
      if (const auto range = ranges.find(name);
          range != ranges.end() && range->second.min >= range->second.max)
        return false;
  const std::vector<Expr> left = simplified(first.indices, ranges),
                          right = simplified(second.indices, ranges);
  const QuickTest test(relations, ranges);
  for (std::size_t d = 0; d < left.size(); ++d)
    if (!test.possible(left[d], right[d])) return false;
  if (!test.possible(place_of(left, buffer, ranges), place_of(right, buffer, ranges))) return false;
  // One function of the loops, some of which are others in the two accesses.
  const auto own_loops = [&](const Access& access) {
    Bindings extents;
    for (const For* node : access.loops)
      if (test.relation(node->variable) == Relation::Any) extents[node->variable] = node->extent;
    return extents;
  };
  const bool alike =
      same_but_for_names(left, own_loops(first), right, own_loops(second)) &&
      std::none_of(left.begin(), left.end(), [](const Expr& e) { return expr::has_load(e); });
  return !alike || digits_allow(left, buffer, relations, ranges);
}

Order::Order(const Func& func)
    : buffers_(loop::buffers_of(func)),
      accesses_(accesses_of(func.body)),
      ranges_(ranges_of(func)) {}

const Buffer& Order::buffer_of(const Access& access) const {
  return *loop::find_buffer(buffers_, access.buffer);
}

bool Order::may_follow(const Access& first, const Access& second, Test test) const {
  if (first.buffer != second.buffer) return false;
  const Buffer& buffer = buffer_of(first);
  Relations relations;
  const auto meet = [&] {
    return may_meet(first, second, buffer, relations, ranges_) &&
           !(test == Test::Exact && never_meet(first, second, relations, ranges_));
  };
  for (std::size_t k = 0;
       k < first.loops.size() && k < second.loops.size() && first.loops[k] == second.loops[k];
       ++k) {
    relations[first.loops[k]->variable] = Relation::Later;
    if (meet()) return true;
    relations[first.loops[k]->variable] = Relation::Same;
  }
  return &first < &second && meet();
}

const Access* Order::stored_later(const Access& access) const {
  for (const Access& other : accesses_)
    if (other.is_store && other.statement != access.statement && may_follow(access, other))
      return &other;
  return nullptr;
}

bool updates_by_reducer(const Block& block) {
  const loop::Store* store = only_store(block);
  const auto* value = store ? store->value.as<expr::Binary>() : nullptr;
  if (!value || !block.reducer || !has_reduction(block)) return false;
  const Expr own = expr::load(store->value.type(), store->buffer, store->indices);
  if (!expr::same(store->value, te::combine(*block.reducer, own, value->right))) return false;
  return !loop::loads(value->right, store->buffer) &&
         std::none_of(store->indices.begin(), store->indices.end(),
                      [&](const Expr& index) { return loop::loads(index, store->buffer); });
}

bool same_reduction(const Access& first, const Access& second) {
  if (!first.block || first.block != second.block) return false;
  const Block& block = *first.block;
  const auto is_update = [&](const Access& access) {
    return access.statement == block.body.get() && access.buffer == only_store(block)->buffer;
  };
  return updates_by_reducer(block) && is_update(first) && is_update(second);
}

bool starts_sum(const Access& first, const Access& second) {
  if (!first.block || first.block != second.block || !updates_by_reducer(*first.block))
    return false;
  const loop::Store* start = loop::as<loop::Store>(first.block->init);
  const loop::Store* update = only_store(*first.block);
  if (!start || start->buffer != update->buffer || first.buffer != start->buffer ||
      second.buffer != start->buffer ||
      !std::equal(start->indices.begin(), start->indices.end(), update->indices.begin(),
                  update->indices.end(),
                  [](const Expr& a, const Expr& b) { return expr::same(a, b); }))
    return false;
  const auto sets = [&](const Access& access) {
    return access.is_store && access.statement == first.block->init.get();
  };
  const auto adds = [&](const Access& access) {
    return access.statement == first.block->body.get();
  };
  return (sets(first) && (sets(second) || adds(second))) || (adds(first) && sets(second));
}

std::string described(const Access& access, const expr::Ranges& ranges) {
  std::vector<std::string> indices;
  for (const Expr& index : simplified(access.indices, ranges))
    indices.push_back(expr::to_string(index));
  return fmt::format("{} {} {}[{}]",
                     access.block ? fmt::format("block '{}'", access.block->name) : "a statement",
                     access.is_store ? "stores" : "reads", access.buffer, fmt::join(indices, ", "));
}

}  // namespace loopglass::schedule

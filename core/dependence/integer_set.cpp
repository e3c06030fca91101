#include "core/dependence/integer_set.h"

#include "core/expr/condition.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>
#include <memory>

namespace loopglass::schedule {

using expr::BinaryOperator;
using expr::Expr;

namespace {

// A tenth of a second at most; what nests ask takes less than a hundredth of it.
constexpr unsigned long most_operations = 500'000;
// Cases that one condition may fall into, so that it stays one.
constexpr std::size_t most_alternatives = 32;
// Dimensions are loops and symbols, whose values are smaller.
constexpr std::int64_t greatest_dimension = std::int64_t{1} << 31;

bool fits(__int128 value) {
  return std::numeric_limits<std::int64_t>::min() <= value &&
         value <= std::numeric_limits<std::int64_t>::max();
}

bool is_comparison(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::Less:
    case BinaryOperator::LessEqual:
    case BinaryOperator::Greater:
    case BinaryOperator::GreaterEqual:
    case BinaryOperator::Equal:
    case BinaryOperator::NotEqual: return true;
    default: return false;
  }
}

BinaryOperator opposite(BinaryOperator comparison) {
  switch (comparison) {
    case BinaryOperator::Less: return BinaryOperator::GreaterEqual;
    case BinaryOperator::LessEqual: return BinaryOperator::Greater;
    case BinaryOperator::Greater: return BinaryOperator::LessEqual;
    case BinaryOperator::GreaterEqual: return BinaryOperator::Less;
    case BinaryOperator::Equal: return BinaryOperator::NotEqual;
    default: return BinaryOperator::Equal;
  }
}

}  // namespace

void IntegerSet::add(const std::string& dimension) {
  if (!has(dimension))
    dimensions_.emplace(dimension, new_dimension({-greatest_dimension, greatest_dimension}));
}

std::size_t IntegerSet::new_dimension(Interval values) {
  values_of_.push_back(values);
  return values_of_.size() - 1;
}

IntegerSet::Interval IntegerSet::values_of(const Form& form) const {
  Interval sum{form.constant, form.constant};
  for (const auto& [dimension, factor] : form.factors) {
    const Interval& values = values_of_[dimension];
    const Wide a = values.min * factor, b = values.max * factor;
    sum.min += std::min(a, b);
    sum.max += std::max(a, b);
  }
  return sum;
}

void IntegerSet::require(const Expr& required) {
  for (const Expr& part : expr::conjuncts(required)) {
    if (auto alternatives = condition(part, true)) require(std::move(*alternatives));
    else exact_ = false;
  }
}

void IntegerSet::require(Alternatives alternatives) {
  if (alternatives.size() != 1) choices_.push_back(std::move(alternatives));
  else rows_.insert(rows_.end(), alternatives[0].begin(), alternatives[0].end());
}

// Negations are driven down to the comparisons, so that what is left out only adds points.
std::optional<IntegerSet::Alternatives> IntegerSet::condition(const Expr& e, bool holds) {
  if (expr::is_true(e) || expr::is_false(e))
    return expr::is_true(e) == holds ? Alternatives{Rows{}} : Alternatives{};
  if (const auto* node = e.as<expr::Unary>(); node && node->op == expr::UnaryOperator::Not)
    return condition(node->operand, !holds);
  const auto* node = e.as<expr::Binary>();
  if (!node) return std::nullopt;
  if (is_comparison(node->op)) return comparison(*node, holds);
  if (node->op != BinaryOperator::And && node->op != BinaryOperator::Or) return std::nullopt;
  auto left = condition(node->left, holds), right = condition(node->right, holds);
  if ((node->op == BinaryOperator::And) != holds) {
    if (!left || !right || left->size() + right->size() > most_alternatives) return std::nullopt;
    left->insert(left->end(), right->begin(), right->end());
    return left;
  }
  if (!left || !right) exact_ = false;
  if (!left || !right) return left ? left : right;
  if (left->size() * right->size() > most_alternatives) return std::nullopt;
  Alternatives both;
  for (const Rows& a : *left)
    for (const Rows& b : *right) {
      both.push_back(a);
      both.back().insert(both.back().end(), b.begin(), b.end());
    }
  return both;
}

std::optional<IntegerSet::Alternatives> IntegerSet::comparison(const expr::Binary& node,
                                                               bool holds) {
  if (node.left.type() != DataType::Int64) return std::nullopt;
  const Form left = form(node.left), right = form(node.right);
  // more - less - by >= 0, or = 0.
  const auto row = [](const Form& more, const Form& less, int by,
                      bool is_zero) -> std::optional<Row> {
    Row row{more, is_zero};
    bool exact = !__builtin_sub_overflow(more.constant, less.constant, &row.form.constant) &&
                 !__builtin_sub_overflow(row.form.constant, by, &row.form.constant);
    for (const auto& [dimension, factor] : less.factors) {
      std::int64_t& total = row.form.factors[dimension];
      exact = exact && !__builtin_sub_overflow(total, factor, &total);
    }
    return exact ? std::optional(std::move(row)) : std::nullopt;
  };
  const auto one = [](std::optional<Row> row) -> std::optional<Alternatives> {
    if (!row) return std::nullopt;
    return Alternatives{Rows{*std::move(row)}};
  };
  switch (holds ? node.op : opposite(node.op)) {
    case BinaryOperator::Less: return one(row(right, left, 1, false));
    case BinaryOperator::LessEqual: return one(row(right, left, 0, false));
    case BinaryOperator::Greater: return one(row(left, right, 1, false));
    case BinaryOperator::GreaterEqual: return one(row(left, right, 0, false));
    case BinaryOperator::Equal: return one(row(left, right, 0, true));
    default: {
      auto less = one(row(right, left, 1, false)), greater = one(row(left, right, 1, false));
      if (!less || !greater) return std::nullopt;
      less->push_back(std::move(greater->front()));
      return less;
    }
  }
}

// A sum is taken for what it says only where it cannot wrap, whatever its parts are: what is loaded
// may be any number, twice of it is not known.
IntegerSet::Form IntegerSet::form(const Expr& e) {
  const expr::Linear linear = expr::linear(e);
  Form sum{{}, linear.constant};
  bool understood = true;
  const auto add = [&](std::int64_t& total, std::int64_t value, std::int64_t factor) {
    const Wide result = total + Wide{value} * factor;
    understood = understood && fits(result);
    if (understood) total = static_cast<std::int64_t>(result);
  };
  for (const auto& [part, coefficient] : linear.terms) {
    const Form value = atom(part);
    add(sum.constant, value.constant, coefficient);
    for (const auto& [dimension, factor] : value.factors)
      add(sum.factors[dimension], factor, coefficient);
  }
  if (understood) {
    const Interval values = values_of(sum);
    if (fits(values.min) && fits(values.max)) return sum;
  }
  exact_ = false;
  return dimension(new_dimension(anything));
}

// What is no sum. Equal expressions are equal but for what they load, which may have changed
// meanwhile.
IntegerSet::Form IntegerSet::atom(const Expr& e) {
  if (const auto constant = expr::as_integer(e)) return {{}, *constant};
  if (const auto* node = e.as<expr::Variable>()) {
    const auto found = dimensions_.find(node->name);
    CHECK(found != dimensions_.end(), fmt::format("'{}' is no dimension", node->name));
    return dimension(found->second);
  }
  if (is_unchanged(e))
    for (const auto& [known, value] : values_)
      if (expr::same(known, e)) return value;
  std::optional<Form> value;
  const auto* node = e.as<expr::Binary>();
  const auto divisor = node ? expr::as_integer(node->right) : std::nullopt;
  const bool divides = divisor && 0 < *divisor && *divisor <= greatest_dimension;
  if (divides && node->op == BinaryOperator::FloorDiv)
    value = divided(form(node->left), *divisor).quotient;
  else if (divides && node->op == BinaryOperator::FloorMod)
    value = divided(form(node->left), *divisor).remainder;
  else if (divides && node->op == BinaryOperator::Div) value = truncated(node->left, *divisor);
  else if (divides && node->op == BinaryOperator::Mod)
    return form(node->left - (node->left / node->right) * node->right);
  else if (e.as<expr::Select>() ||
           (node && (node->op == BinaryOperator::Min || node->op == BinaryOperator::Max)))
    value = chosen(e);
  if (!value) {
    exact_ = false;
    value = dimension(new_dimension(anything));
  }
  values_.emplace_back(e, *value);
  return *value;
}

bool IntegerSet::is_unchanged(const Expr& e) const {
  bool unchanged = true;
  expr::visit(e, [&](const Expr& part) {
    const auto* load = part.as<expr::Load>();
    unchanged = unchanged && (!load || unchanged_.contains(load->buffer));
  });
  return unchanged;
}

// dividend = divisor * quotient + remainder, which counts from 0.
IntegerSet::Divided IntegerSet::divided(const Form& dividend, std::int64_t divisor) {
  const auto floor = [&](Wide value) {
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
  };
  const Interval values = values_of(dividend);
  const std::size_t quotient = new_dimension({floor(values.min), floor(values.max)});
  const std::size_t remainder = new_dimension({0, divisor - 1});
  Form zero = dividend;
  zero.factors[quotient] = -divisor;
  zero.factors[remainder] = -1;
  rows_.push_back({std::move(zero), true});
  rows_.push_back({dimension(remainder), false});
  rows_.push_back({{{{remainder, -1}}, divisor - 1}, false});
  return {dimension(quotient), dimension(remainder)};
}

// Rounded towards zero: of what is negative the quotient of the opposite, turned round.
std::optional<IntegerSet::Form> IntegerSet::truncated(const Expr& e, std::int64_t divisor) {
  const Expr by(divisor);
  return chosen(expr::select(e >= 0, floor_div(e, by), -floor_div(-e, by)));
}

// One of two.
std::optional<IntegerSet::Form> IntegerSet::chosen(const Expr& e) {
  const auto* select = e.as<expr::Select>();
  const auto* node = e.as<expr::Binary>();
  const Expr first = select ? select->when_true : node->left;
  const Expr second = select ? select->when_false : node->right;
  const Expr takes_first = select                            ? select->condition
                           : node->op == BinaryOperator::Min ? first <= second
                                                             : first >= second;
  auto is_first = condition(takes_first, true), is_second = condition(takes_first, false);
  if (!is_first || !is_second) return std::nullopt;
  const Form a = form(first), b = form(second);
  const Interval of_a = values_of(a), of_b = values_of(b);
  // Of the least the least, of the greatest the greatest; of a choice either.
  const bool is_min = node && node->op == BinaryOperator::Min, is_max = node && !is_min;
  const std::size_t result =
      new_dimension({is_max ? std::max(of_a.min, of_b.min) : std::min(of_a.min, of_b.min),
                     is_min ? std::min(of_a.max, of_b.max) : std::max(of_a.max, of_b.max)});
  Alternatives alternatives;
  for (auto& [cases, value] : {std::pair(&*is_first, a), {&*is_second, b}})
    for (Rows& rows : *cases) {
      Form difference = value;
      difference.factors[result] -= 1;
      rows.push_back({std::move(difference), true});
      alternatives.push_back(std::move(rows));
    }
  if (alternatives.size() > most_alternatives) return std::nullopt;
  require(std::move(alternatives));
  return dimension(result);
}

namespace {

struct FreeContext {
  void operator()(isl_ctx* context) const { isl_ctx_free(context); }
};
using Context = std::unique_ptr<isl_ctx, FreeContext>;  // goes after what was made in it

Context bounded_context() {
  Context context(isl_ctx_alloc());
  isl_options_set_on_error(context.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context.get(), most_operations);
  return context;
}

}  // namespace

// The set as isl has it. `order`: where each dimension stands.
class IntegerSet::Isl {
 public:
  Isl(isl_ctx* context, const IntegerSet& set, const std::vector<std::size_t>& order)
      : context_(context), order_(order) {
    points_ = isl_set_from_basic_set(basic(set.rows_));
    for (const Alternatives& alternatives : set.choices_) {
      isl_set* choice = isl_set_empty(space());
      for (const Rows& rows : alternatives)
        choice = isl_set_union(choice, isl_set_from_basic_set(basic(rows)));
      points_ = isl_set_intersect(points_, choice);
    }
  }
  Isl(const Isl&) = delete;
  Isl& operator=(const Isl&) = delete;
  ~Isl() { isl_set_free(points_); }

  std::optional<bool> is_empty() const {
    const isl_bool empty = isl_set_is_empty(points_);
    if (empty == isl_bool_error) return std::nullopt;
    return empty == isl_bool_true;
  }

  // The first dimensions only.
  void project(std::size_t dimensions) {
    points_ = isl_set_project_out(points_, isl_dim_set, static_cast<unsigned>(dimensions),
                                  static_cast<unsigned>(order_.size() - dimensions));
  }
  void subtract(const Isl& other) {
    points_ = isl_set_subtract(points_, isl_set_copy(other.points_));
  }

  // By place in the order.
  std::optional<std::vector<std::int64_t>> least() const {
    isl_point* point = isl_set_sample_point(isl_set_lexmin(isl_set_copy(points_)));
    std::optional<std::vector<std::int64_t>> result;
    if (point && isl_point_is_void(point) == isl_bool_false) {
      result.emplace();
      const auto dimensions = static_cast<int>(isl_set_dim(points_, isl_dim_set));
      for (int k = 0; k < dimensions; ++k) {
        isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, k);
        result->push_back(isl_val_get_num_si(value));
        isl_val_free(value);
      }
    }
    isl_point_free(point);
    return result;
  }

 private:
  isl_space* space() const {
    return isl_space_set_alloc(context_, 0, static_cast<unsigned>(order_.size()));
  }

  isl_basic_set* basic(const Rows& rows) const {
    return isl_basic_set_from_constraint_matrices(space(), matrix(rows, true), matrix(rows, false),
                                                  isl_dim_cst, isl_dim_param, isl_dim_set,
                                                  isl_dim_div);
  }

  isl_mat* matrix(const Rows& rows, bool zero) const {
    const auto count =
        std::ranges::count_if(rows, [&](const Row& row) { return row.is_zero == zero; });
    const auto columns = static_cast<unsigned>(order_.size() + 1);
    isl_mat* matrix = isl_mat_alloc(context_, static_cast<unsigned>(count), columns);
    int line = 0;
    for (const Row& row : rows) {
      if (row.is_zero != zero) continue;
      for (int k = 0; k < static_cast<int>(columns); ++k)
        matrix = isl_mat_set_element_si(matrix, line, k, 0);
      matrix = set(matrix, line, 0, row.form.constant);
      for (const auto& [dimension, factor] : row.form.factors)
        matrix = set(matrix, line, 1 + static_cast<int>(order_[dimension]), factor);
      ++line;
    }
    return matrix;
  }

  isl_mat* set(isl_mat* matrix, int line, int column, std::int64_t value) const {
    return isl_mat_set_element_val(matrix, line, column, isl_val_int_from_si(context_, value));
  }

  isl_ctx* context_;
  const std::vector<std::size_t>& order_;
  isl_set* points_ = nullptr;
};

std::vector<std::size_t> IntegerSet::places(const std::vector<std::string>& first) const {
  std::vector<std::size_t> places(values_of_.size(), values_of_.size());
  std::size_t next = 0;
  for (const std::string& dimension : first) places[dimensions_.at(dimension)] = next++;
  for (std::size_t& place : places)
    if (place == values_of_.size()) place = next++;
  return places;
}

std::optional<bool> IntegerSet::is_empty() const {
  const std::vector<std::size_t> order = places({});
  const Context context = bounded_context();
  return Isl(context.get(), *this, order).is_empty();
}

std::optional<std::map<std::string, std::int64_t>> IntegerSet::least(
    const std::vector<std::string>& first) const {
  const std::vector<std::size_t> order = places(first);
  const Context context = bounded_context();
  const auto point = Isl(context.get(), *this, order).least();
  if (!point) return std::nullopt;
  std::map<std::string, std::int64_t> result;
  for (const auto& [dimension, number] : dimensions_) result[dimension] = (*point)[order[number]];
  return result;
}

std::optional<std::map<std::string, std::int64_t>> IntegerSet::least_outside(
    std::vector<IntegerSet> others, const std::vector<std::string>& order) const {
  const Context context = bounded_context();
  const std::vector<std::size_t> own_places = places(order);
  Isl rest(context.get(), *this, own_places);
  rest.project(order.size());
  for (IntegerSet& other : others) {
    for (const std::string& dimension : order) other.add(dimension);
    const std::vector<std::size_t> other_places = other.places(order);
    Isl known(context.get(), other, other_places);
    known.project(order.size());
    rest.subtract(known);
  }
  const auto point = rest.least();
  if (!point) return std::nullopt;
  std::map<std::string, std::int64_t> result;
  for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = (*point)[k];
  return result;
}

}  // namespace loopglass::schedule

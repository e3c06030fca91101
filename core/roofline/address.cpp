#include "core/roofline/address.h"

#include "core/expr/rewrite.h"
#include "core/locality/reuse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace loopglass::roofline {

void Address::add(const expr::Expr& e, std::int64_t factor) {
  if (factor == 0) return;
  if (const auto value = expr::as_integer(e)) {
    constant += factor * *value;
    return;
  }
  if (const auto* binary = e.as<expr::Binary>()) {
    switch (binary->op) {
      case expr::BinaryOperator::Add:
      case expr::BinaryOperator::Sub:
        add(binary->left, factor);
        return add(binary->right, binary->op == expr::BinaryOperator::Add ? factor : -factor);
      case expr::BinaryOperator::Mul:
        if (const auto times = expr::as_integer(binary->right))
          return add(binary->left, factor * *times);
        if (const auto times = expr::as_integer(binary->left))
          return add(binary->right, factor * *times);
        break;
      default: break;
    }
  }
  const std::string key = expr::to_string(e);
  Term& term = terms[key];
  term.atom = e;
  term.factor += factor;
  if (term.factor == 0) terms.erase(key);
}

bool Address::uses(const std::string& variable) const {
  return std::ranges::any_of(
      terms, [&](const auto& term) { return expr::uses_variable(term.second.atom, variable); });
}

std::string Address::text() const {
  std::string text = std::to_string(constant);
  for (const auto& [key, term] : terms) text += "+" + std::to_string(term.factor) + "*" + key;
  return text;
}

Address address_of(const std::vector<expr::Expr>& indices, const loop::Buffer& buffer,
                   const expr::Ranges& ranges) {
  // Of a dimension of which nobody knows how long it is, far away.
  constexpr std::int64_t unknown_extent = 1 << 20;
  expr::Expr flat(0);
  for (std::size_t d = 0; d < indices.size(); ++d)
    flat =
        flat * expr::Expr(expr::as_integer(buffer.shape[d]).value_or(unknown_extent)) + indices[d];
  Address address;
  address.add(expr::simplify(flat, ranges), 1);
  return address;
}

void Touched::add(const Address& address, const std::map<std::string, std::int64_t>& turning) {
  expr::Ranges ranges;
  for (const auto& [variable, extent] : turning) ranges[variable] = {0, extent - 1};
  Box box;
  box.constant = address.constant;
  std::set<std::string> used;
  for (const auto& [key, term] : address.terms) {
    double points = 1;
    expr::Ranges of_atom = ranges;
    for (const std::string& variable : expr::variables_of(term.atom)) {
      const auto loop = turning.find(variable);
      if (loop != turning.end()) {
        points *= static_cast<double>(loop->second);
        used.insert(variable);
      } else {
        of_atom[variable] = {0, 0};
      }
    }
    if (points <= 1 && !expr::has_load(term.atom)) {
      box.standing[key] += term.factor;
      continue;
    }
    const auto span = expr::bounds(term.atom, of_atom);
    const double all =
        span ? static_cast<double>(span->max - span->min) + 1 : std::numeric_limits<double>::max();
    const auto count = static_cast<std::int64_t>(std::min({points, all, 1e15}));
    if (count <= 1) continue;
    // Nobody knows where a gather goes: to as many lines as it has elements.
    const std::int64_t step =
        span ? std::abs(term.factor)
             : std::max<std::int64_t>(std::abs(term.factor), locality::line_bytes);
    if (term.factor < 0) box.constant -= step * (count - 1);
    box.steps[step] += count - 1;
  }
  for (auto& [step, count] : box.steps) ++count;
  for (const std::string& variable : used) box.points *= static_cast<double>(turning.at(variable));
  box = packed(std::move(box));
  for (Box& known : boxes_)
    if (join(known, box)) return;
  boxes_.push_back(std::move(box));
}

// Steps that go on where those of shorter steps end become one of these.
Touched::Box Touched::packed(Box box) {
  std::map<std::int64_t, std::int64_t> steps;
  for (const auto& [step, count] : box.steps) {
    const auto last = steps.empty() ? steps.end() : std::prev(steps.end());
    if (last != steps.end() && step % last->first == 0 && step <= last->first * last->second)
      last->second += step / last->first * (count - 1);
    else if (count > 1) steps[step] = count;
  }
  box.steps = std::move(steps);
  return box;
}

// Whether both together are one box, which `box` then is.
bool Touched::join(Box& box, const Box& other) {
  if (box.standing != other.standing) return false;
  const Box *first = &box, *second = &other;
  if (first->constant > second->constant) std::swap(first, second);
  const std::int64_t apart = second->constant - first->constant;
  std::set<std::int64_t> steps{1};
  for (const auto& [step, count] : box.steps) steps.insert(step);
  for (const auto& [step, count] : other.steps) steps.insert(step);
  const auto count_of = [](const Box& of, std::int64_t step) {
    const auto found = of.steps.find(step);
    return found == of.steps.end() ? 1 : found->second;
  };
  // One has all of the other, or they differ along one step alone, and meet there.
  const bool has_second = apart == 0 && std::ranges::all_of(steps, [&](std::int64_t step) {
                            return count_of(*first, step) >= count_of(*second, step);
                          });
  const bool has_first = apart == 0 && std::ranges::all_of(steps, [&](std::int64_t step) {
                           return count_of(*second, step) >= count_of(*first, step);
                         });
  std::optional<Box> joined;
  if (has_second) joined = *first;
  else if (has_first) joined = *second;
  for (const std::int64_t step : steps) {
    if (joined) break;
    const bool is_alike = std::ranges::all_of(steps, [&](std::int64_t each) {
      return each == step || count_of(*first, each) == count_of(*second, each);
    });
    if (!is_alike || apart % step != 0 || apart / step > count_of(*first, step)) continue;
    joined = *first;
    joined->steps[step] = std::max(count_of(*first, step), apart / step + count_of(*second, step));
  }
  if (!joined) return false;
  joined->points = box.points + other.points;
  box = packed(*std::move(joined));
  return true;
}

double Touched::bytes(const loop::Buffer& buffer) const {
  constexpr auto line = static_cast<double>(locality::line_bytes);
  const auto element = static_cast<double>(byte_size(buffer.type));
  // Boxes that met a third one in between.
  std::vector<Box> boxes;
  for (Box box : boxes_) {
    for (auto known = boxes.begin(); known != boxes.end();)
      if (join(box, *known)) {
        boxes.erase(known);
        known = boxes.begin();
      } else {
        ++known;
      }
    boxes.push_back(std::move(box));
  }
  double sum = 0;
  for (const Box& box : boxes) {
    double run = element, rows = 1;  // bytes side by side, or with gaps that are less than a line
    for (const auto& [step, count] : box.steps) {
      const double distance = static_cast<double>(step) * element;
      if (rows == 1 && distance - run < line) run += distance * static_cast<double>(count - 1);
      else rows *= static_cast<double>(count);
    }
    sum += std::min(rows * std::ceil(run / line), box.points) * line;
  }
  double whole = element;
  for (const expr::Expr& extent : buffer.shape)
    whole *= static_cast<double>(expr::as_integer(extent).value_or(1 << 20));
  return std::min(sum, std::ceil(whole / line) * line);
}

}  // namespace loopglass::roofline

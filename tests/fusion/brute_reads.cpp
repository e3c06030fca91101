#include "tests/fusion/brute_reads.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::test {

namespace {

using expr::BinaryOperator;
using expr::Expr;
using Values = std::map<std::string, std::int64_t>;

// Of expressions over indices alone.
std::optional<std::int64_t> value_of(const Expr& e, const Values& values) {
  if (const auto* constant = e.as<expr::IntConstant>()) return constant->value;
  if (const auto* variable = e.as<expr::Variable>()) {
    const auto found = values.find(variable->name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  if (const auto* cast = e.as<expr::Cast>())
    return is_float(e.type()) || is_float(cast->operand.type()) ? std::nullopt
                                                                : value_of(cast->operand, values);
  if (const auto* select = e.as<expr::Select>()) {
    const auto condition = value_of(select->condition, values);
    if (!condition) return std::nullopt;
    return value_of(*condition != 0 ? select->when_true : select->when_false, values);
  }
  if (const auto* unary = e.as<expr::Unary>()) {
    const auto operand = value_of(unary->operand, values);
    if (!operand) return std::nullopt;
    if (unary->op == expr::UnaryOperator::Negate) return -*operand;
    if (unary->op == expr::UnaryOperator::Not) return *operand == 0;
    return std::nullopt;
  }
  const auto* binary = e.as<expr::Binary>();
  if (binary == nullptr) return std::nullopt;
  const auto a = value_of(binary->left, values), b = value_of(binary->right, values);
  if (!a || !b) return std::nullopt;
  const auto floor_div = [](std::int64_t x, std::int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
  };
  switch (binary->op) {
    case BinaryOperator::Add: return *a + *b;
    case BinaryOperator::Sub: return *a - *b;
    case BinaryOperator::Mul: return *a * *b;
    case BinaryOperator::Div: return *b == 0 ? 0 : *a / *b;
    case BinaryOperator::Mod: return *b == 0 ? 0 : *a % *b;
    case BinaryOperator::FloorDiv: return *b == 0 ? 0 : floor_div(*a, *b);
    case BinaryOperator::FloorMod: return *b == 0 ? 0 : *a - floor_div(*a, *b) * *b;
    case BinaryOperator::Min: return std::min(*a, *b);
    case BinaryOperator::Max: return std::max(*a, *b);
    case BinaryOperator::And: return *a != 0 && *b != 0;
    case BinaryOperator::Or: return *a != 0 || *b != 0;
    case BinaryOperator::Equal: return *a == *b;
    case BinaryOperator::NotEqual: return *a != *b;
    case BinaryOperator::Less: return *a < *b;
    case BinaryOperator::LessEqual: return *a <= *b;
    case BinaryOperator::Greater: return *a > *b;
    case BinaryOperator::GreaterEqual: return *a >= *b;
    default: return std::nullopt;
  }
}

// An element of a tensor, or none that the indices say.
struct Element {
  std::string tensor;
  std::optional<std::int64_t> place;  // nothing: data says which
  bool inside = true;
};

std::int64_t count(const std::vector<Expr>& shape) { return element_count(te::concrete(shape)); }

class Walker {
 public:
  explicit Walker(const te::Program& program) : program_(program) {
    for (const te::Tensor& tensor : program.inputs)
      shapes_[tensor.name] = te::concrete(tensor.shape);
    for (const te::Stage& stage : program.stages)
      shapes_[stage.output.name] = te::concrete(stage.output.shape);
  }
  const Shape& shape(const std::string& tensor) const { return shapes_.at(tensor); }

  // All loads of one iteration; those that it really makes, or those of all branches.
  void loads(const Expr& e, const Values& values, bool all, std::vector<Element>& found) const {
    if (const auto* load = e.as<expr::Load>()) {
      Element element{load->buffer, 0};
      const Shape& shape = shapes_.at(load->buffer);
      for (std::size_t d = 0; d < load->indices.size(); ++d) {
        loads(load->indices[d], values, all, found);
        const auto index = value_of(load->indices[d], values);
        if (!index || !element.place) {
          element.place = std::nullopt;
          continue;
        }
        element.inside = element.inside && *index >= 0 && *index < shape[d];
        element.place = *element.place * shape[d] + *index;
      }
      found.push_back(element);
    } else if (const auto* unary = e.as<expr::Unary>()) {
      loads(unary->operand, values, all, found);
    } else if (const auto* binary = e.as<expr::Binary>()) {
      loads(binary->left, values, all, found);
      loads(binary->right, values, all, found);
    } else if (const auto* cast = e.as<expr::Cast>()) {
      loads(cast->operand, values, all, found);
    } else if (const auto* select = e.as<expr::Select>()) {
      loads(select->condition, values, all, found);
      const auto condition = all ? std::nullopt : value_of(select->condition, values);
      if (condition.value_or(1) != 0) loads(select->when_true, values, all, found);
      if (condition.value_or(0) == 0) loads(select->when_false, values, all, found);
    }
  }

  // Every iteration of the stage's loops, with the place of the element that it makes.
  template <class Visit>
  static void iterate(const te::Stage& stage, const Visit& visit) {
    std::vector<te::Axis> axes = stage.axes;
    axes.insert(axes.end(), stage.reduce_axes.begin(), stage.reduce_axes.end());
    std::int64_t points = 1;
    std::vector<std::int64_t> extents;
    for (const te::Axis& axis : axes) {
      extents.push_back(*expr::as_integer(axis.extent));
      points *= extents.back();
    }
    for (std::int64_t point = 0; point < points; ++point) {
      Values values;
      std::int64_t rest = point, place = 0;
      std::vector<std::int64_t> at(axes.size());
      for (std::size_t k = axes.size(); k-- > 0;) {
        at[k] = rest % extents[k];
        rest /= extents[k];
      }
      for (std::size_t k = 0; k < axes.size(); ++k) {
        values[axes[k].name] = at[k];
        if (k < stage.axes.size()) place = place * extents[k] + at[k];
      }
      visit(values, place);
    }
  }

 private:
  const te::Program& program_;
  std::map<std::string, Shape> shapes_;
};

// The axes along which the one element that is read changes, walked in order, walk it in order.
bool in_order(const std::vector<std::set<std::int64_t>>& read, const Shape& result,
              std::int64_t elements) {
  std::vector<std::int64_t> stride(result.size(), 1);
  for (std::size_t d = result.size(); d-- > 1;) stride[d - 1] = stride[d] * result[d];
  const auto index = [&](std::size_t place, std::size_t d) {
    return static_cast<std::int64_t>(place) / stride[d] % result[d];
  };
  std::vector<bool> used(result.size(), false);
  for (std::size_t place = 0; place < read.size(); ++place) {
    if (read[place].size() != 1) return false;
    for (std::size_t d = 0; d < result.size(); ++d)
      if (index(place, d) > 0 && read[place] != read[place - static_cast<std::size_t>(stride[d])])
        used[d] = true;
  }
  std::int64_t walked = 1;
  for (std::size_t d = 0; d < result.size(); ++d) walked *= used[d] ? result[d] : 1;
  if (walked != elements) return false;
  for (std::size_t place = 0; place < read.size(); ++place) {
    std::int64_t expected = 0;
    for (std::size_t d = 0; d < result.size(); ++d)
      if (used[d]) expected = expected * result[d] + index(place, d);
    if (*read[place].begin() != expected) return false;
  }
  return true;
}

}  // namespace

bool is_small(const te::Program& program, std::int64_t most_iterations) {
  std::int64_t all = 0;
  for (const te::Tensor& input : program.inputs)
    if (count(input.shape) == 0) return false;
  for (const te::Stage& stage : program.stages) {
    std::int64_t points = 1;
    for (const auto* axes : {&stage.axes, &stage.reduce_axes})
      for (const te::Axis& axis : *axes) {
        const auto extent = expr::as_integer(axis.extent);
        if (!extent || *extent == 0 || points > most_iterations / *extent) return false;
        points *= *extent;
      }
    all += points;
  }
  return all <= most_iterations;
}

std::optional<BruteReads> brute_reads(const te::Program& program, const std::string& input) {
  const Walker walker(program);
  using ops::PatternKind;
  struct Tensor {
    std::vector<std::set<std::int64_t>> reads;  // of the input, by place
    bool reduced = false;
  };
  std::map<std::string, Tensor> seen;
  Tensor& own = seen[input];
  own.reads.resize(static_cast<std::size_t>(element_count(walker.shape(input))));
  for (std::size_t k = 0; k < own.reads.size(); ++k) own.reads[k] = {static_cast<std::int64_t>(k)};

  BruteReads found;
  bool read_again = false;  // of the input, or of what is made of it
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const te::Stage& stage : program.stages) {
    Tensor made;
    bool depends = false;
    made.reads.resize(static_cast<std::size_t>(count(stage.output.shape)));
    Walker::iterate(stage, [&](const Values& values, std::int64_t place) {
      std::vector<Element> elements;
      walker.loads(stage.body, values, true, elements);
      for (const Element& element : elements) {
        const auto source = seen.find(element.tensor);
        if (source == seen.end()) continue;
        depends = true;
        made.reduced = made.reduced || source->second.reduced || stage.reducer.has_value();
        if (!element.place) found.by_data = true;
        auto& reads = made.reads[static_cast<std::size_t>(place)];
        if (!element.place || !element.inside) {
          reads.insert(-1);  // somewhere else
          continue;
        }
        const auto& all = source->second.reads[static_cast<std::size_t>(*element.place)];
        reads.insert(all.begin(), all.end());
      }
      elements.clear();
      walker.loads(stage.body, values, false, elements);
      std::set<std::pair<std::string, std::int64_t>> once;  // in an iteration
      for (const Element& element : elements) {
        if (!seen.contains(element.tensor)) continue;
        if (!element.place || !element.inside) continue;
        if (!once.insert({element.tensor, *element.place}).second) continue;
        auto& counts = times[element.tensor];
        counts.resize(seen.at(element.tensor).reads.size(), 0);
        if (++counts[static_cast<std::size_t>(*element.place)] > 1) read_again = true;
      }
    });
    if (depends) seen[stage.output.name] = std::move(made);
  }
  if (const auto counts = times.find(input); counts != times.end())
    found.most = std::ranges::max(counts->second);
  bool is_read = false;
  for (const std::string& output : program.outputs) {
    const auto result = seen.find(output);
    if (result == seen.end() || output == input) continue;
    is_read = true;
    PatternKind kind = PatternKind::Injective;
    const Shape &from = walker.shape(input), &to = walker.shape(output);
    if (result->second.reduced)
      kind = read_again || found.by_data ? PatternKind::OutElementwiseFusable
                                         : PatternKind::CommReduce;
    else if (!found.by_data && in_order(result->second.reads, to, element_count(from)))
      kind = from == to ? PatternKind::Elementwise : PatternKind::Broadcast;
    found.kind = std::max(found.kind, kind);
  }
  return is_read ? std::optional(found) : std::nullopt;
}

namespace {

Values values_at(const std::vector<te::Axis>& axes, std::int64_t place) {
  Values values;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const std::int64_t extent = *expr::as_integer(axes[k].extent);
    values[axes[k].name] = place % extent;
    place /= extent;
  }
  return values;
}

// Collects the places of the input that an element of a tensor is made of; false: sums, or data
// says which.
bool collect(const te::Program& program, const Walker& walker, const std::string& input,
             const std::string& tensor, std::int64_t place, std::set<std::int64_t>& places) {
  if (tensor == input) {
    places.insert(place);
    return true;
  }
  const te::Stage* stage = program.stage(tensor);
  if (stage == nullptr) return true;  // another input
  std::vector<Element> elements;
  walker.loads(stage->body, values_at(stage->axes, place), true, elements);
  for (const Element& element : elements) {
    std::set<std::int64_t> below;
    const bool known = element.place && element.inside;
    if (!collect(program, walker, input, element.tensor, known ? *element.place : 0, below))
      return false;
    if (below.empty()) continue;
    if (!known || stage->reducer) return false;
    places.insert(below.begin(), below.end());
  }
  return true;
}

}  // namespace

bool reads_element_by_element(const te::Program& program, const std::string& input) {
  const Walker walker(program);
  return reads_in_order(program, input) &&
         std::ranges::all_of(program.outputs, [&](const std::string& output) {
           return walker.shape(output) == walker.shape(input);
         });
}

bool reads_in_order(const te::Program& program, const std::string& input) {
  const Walker walker(program);
  bool is_read = false;
  for (const std::string& output : program.outputs) {
    const std::int64_t elements = element_count(walker.shape(output));
    if (elements != element_count(walker.shape(input))) return false;
    for (std::int64_t sample = 0; sample < 64; ++sample) {
      // All over the tensor, and at its ends.
      const std::int64_t place = elements < 64 ? sample % elements
                                 : sample == 0 ? 0
                                               : (elements - 1) - (sample - 1) * 7919 % elements;
      std::set<std::int64_t> places;
      if (!collect(program, walker, input, output, place, places)) return false;
      if (places.empty()) continue;
      is_read = true;
      if (places != std::set{place}) return false;
    }
  }
  return is_read;
}

bool reads_again(const te::Program& program, const std::string& input) {
  const Walker walker(program);
  std::size_t reading = 0;
  for (const te::Stage& stage : program.stages) {
    std::vector<te::Axis> axes = stage.axes;
    axes.insert(axes.end(), stage.reduce_axes.begin(), stage.reduce_axes.end());
    const auto place_at = [&](const Values& values) -> std::optional<std::int64_t> {
      std::vector<Element> elements;
      walker.loads(stage.body, values, false, elements);
      for (const Element& element : elements)
        if (element.tensor == input && element.place && element.inside) return element.place;
      return std::nullopt;
    };
    // Somewhere in the middle, where no padding is near.
    Values middle;
    for (const te::Axis& axis : axes) middle[axis.name] = *expr::as_integer(axis.extent) / 2;
    const auto place = place_at(middle);
    if (!place) continue;
    if (++reading > 1) return true;  // another stage read it before
    for (const te::Axis& a : axes)
      for (const te::Axis& b : axes)
        for (std::int64_t i = 0; i < *expr::as_integer(a.extent); ++i)
          for (std::int64_t j = 0; j < (a.name == b.name ? 1 : *expr::as_integer(b.extent)); ++j) {
            Values other = middle;
            if (a.name != b.name) other[b.name] = j;
            other[a.name] = i;
            if (other != middle && place_at(other) == place) return true;
          }
  }
  return false;
}

}  // namespace loopglass::test

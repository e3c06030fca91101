#include "core/fusion/operand_read.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace loopglass::fusion {

namespace {

using expr::Expr;

// The axes of a stage's loops, those of its sums as well, that run over more than one value.
std::vector<te::Axis> wide_axes(const te::Stage& stage) {
  std::vector<te::Axis> axes;
  for (const auto* list : {&stage.axes, &stage.reduce_axes})
    std::ranges::copy_if(*list, std::back_inserter(axes),
                         [](const te::Axis& axis) { return expr::as_integer(axis.extent) != 1; });
  return axes;
}

bool is_same_load(const expr::Load& a, const expr::Load& b) {
  return a.buffer == b.buffer && std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(),
                                            b.indices.end(), expr::same);
}

// coefficient * axis, with 0 <= axis < extent.
struct Term {
  std::int64_t coefficient, extent;
};

// No two combinations of the axes have the same sum: a number in digits of mixed radix.
bool all_sums_differ(std::vector<Term> terms) {
  std::ranges::sort(terms, {}, &Term::coefficient);
  std::int64_t reach = 0;
  for (const Term& term : terms) {
    if (term.coefficient <= reach) return false;
    reach += term.coefficient * (term.extent - 1);
  }
  return true;
}

// No element is read in two iterations of the loops: each axis moves one index, and no two values
// of the axes of an index give the same.
bool reads_once(const te::Stage& stage, const expr::Load& load) {
  std::vector<std::vector<Term>> terms(load.indices.size());
  for (const te::Axis& axis : wide_axes(stage)) {
    const auto extent = expr::as_integer(axis.extent);
    std::size_t moved = 0;
    for (std::size_t d = 0; d < load.indices.size(); ++d) {
      if (!expr::uses_variable(load.indices[d], axis.name)) continue;
      const auto coefficient = expr::coefficient(load.indices[d], axis.name);
      if (!extent || !coefficient || *coefficient == 0) return false;
      terms[d].push_back({std::abs(*coefficient), *extent});
      ++moved;
    }
    if (moved != 1) return false;
  }
  return std::ranges::all_of(terms, all_sums_differ);
}

// --- how often ----------------------------------------------------------------------------------

constexpr std::int64_t most_points = 1 << 16;  // of the axes of one index

// The value of an index at a point of its axes.
class IndexValue {
 public:
  explicit IndexValue(const Expr& index) : index_(index), form_(expr::linear(index)) {
    for (const auto& [atom, coefficient] : form_.terms)
      is_affine_ = is_affine_ && atom.as<expr::Variable>() != nullptr;
  }

  bool is_affine() const { return is_affine_; }

  std::optional<std::int64_t> at(const std::map<std::string, std::int64_t>& values) const {
    if (is_affine_) {
      std::int64_t sum = form_.constant;
      for (const auto& [atom, coefficient] : form_.terms) {
        const auto value = values.find(atom.as<expr::Variable>()->name);
        if (value == values.end()) return std::nullopt;
        sum += coefficient * value->second;
      }
      return sum;
    }
    std::map<std::string, Expr> constants;
    for (const auto& [name, value] : values) constants.emplace(name, value);
    return expr::as_integer(expr::simplify(expr::substitute(index_, constants)));
  }

 private:
  Expr index_;
  expr::Linear form_;
  bool is_affine_ = true;
};

// At how many points of the axes any of the indices takes each value from 0 up to `extent`; nothing
// where that is too much.
class IndexValues {
 public:
  IndexValues(const std::vector<Expr>& indices, std::vector<te::Axis> axes)
      : axes_(std::move(axes)) {
    for (const Expr& index : indices) indices_.emplace_back(index);
  }

  std::optional<std::vector<std::int64_t>> counts(std::int64_t extent) {
    std::int64_t points = 1;
    for (const te::Axis& axis : axes_) {
      const auto known = expr::as_integer(axis.extent);
      if (!known || *known < 1 || points > most_points / *known) return std::nullopt;
      points *= *known;
    }
    if (!std::ranges::all_of(indices_, &IndexValue::is_affine) && points > most_points / 16)
      return std::nullopt;
    std::vector<std::int64_t> found(static_cast<std::size_t>(extent), 0);
    for (std::int64_t point = 0; point < points; ++point) {
      const auto values = place(point);
      std::set<std::int64_t> here;
      for (const IndexValue& index : indices_) {
        const auto value = index.at(values);
        if (!value) return std::nullopt;
        here.insert(*value);
      }
      for (const std::int64_t value : here)
        if (value >= 0 && value < extent) ++found[static_cast<std::size_t>(value)];
    }
    return found;
  }

 private:
  std::map<std::string, std::int64_t> place(std::int64_t point) const {
    std::map<std::string, std::int64_t> values;
    for (const te::Axis& axis : axes_) {
      values[axis.name] = point % *expr::as_integer(axis.extent);
      point /= *expr::as_integer(axis.extent);
    }
    return values;
  }

  std::vector<IndexValue> indices_;
  std::vector<te::Axis> axes_;
};

// Where an element is read only under a condition, that says no more than that the index is inside.
bool only_bounds(const Expr& body, const std::vector<Expr>& indices, const expr::Ranges& single) {
  using enum expr::BinaryOperator;
  bool only = true;
  const auto is_an_index = [&](const Expr& comparison) {
    const auto variables = expr::variables_of(expr::simplify(comparison, single));
    return variables.empty() || std::ranges::any_of(indices, [&](const Expr& index) {
             return expr::variables_of(index) == variables;
           });
  };
  const auto look = [&](const Expr& condition) {
    expr::visit(condition, [&](const Expr& e) {
      const auto* binary = e.as<expr::Binary>();
      if (binary == nullptr) return;
      if (binary->op == FloorMod || binary->op == Mod) only = false;
      if (e.type() != DataType::Bool || binary->op == And || binary->op == Or) return;
      only = only && is_an_index(e);
    });
  };
  expr::visit(body, [&](const Expr& e) {
    const auto* select = e.as<expr::Select>();
    if (select != nullptr && !expr::has_load(select->condition)) look(select->condition);
  });
  return only;
}

struct Reads {
  std::int64_t most = 1;     // of one element
  std::int64_t touched = 1;  // how many elements
};

// Of loads whose indices differ along one dimension at most: each axis moves one index or none, so
// that they multiply.
std::optional<Reads> reads_of(const te::Stage& stage, std::span<const expr::Load> loads,
                              const std::vector<Expr>& shape) {
  expr::Ranges single;  // axes of one value
  for (const auto* list : {&stage.axes, &stage.reduce_axes})
    for (const te::Axis& axis : *list)
      if (expr::as_integer(axis.extent) == 1) single[axis.name] = {0, 0};
  // By dimension, those that differ.
  std::vector<std::vector<Expr>> indices(shape.size());
  for (const expr::Load& load : loads) {
    std::vector<Expr> own;
    for (const Expr& index : load.indices) own.push_back(expr::simplify(index, single));
    if (!only_bounds(stage.body, own, single)) return std::nullopt;
    for (std::size_t d = 0; d < own.size(); ++d)
      if (std::ranges::none_of(indices[d], [&](const Expr& e) { return expr::same(e, own[d]); }))
        indices[d].push_back(own[d]);
  }
  if (std::ranges::count_if(indices, [](const auto& each) { return each.size() > 1; }) > 1)
    return std::nullopt;
  std::vector<std::vector<te::Axis>> axes(shape.size());
  Reads reads;
  for (const te::Axis& axis : wide_axes(stage)) {
    std::size_t moved = 0;
    for (std::size_t d = 0; d < indices.size(); ++d)
      if (std::ranges::any_of(indices[d], [&](const Expr& index) {
            return expr::uses_variable(index, axis.name);
          })) {
        axes[d].push_back(axis);
        ++moved;
      }
    const auto extent = expr::as_integer(axis.extent);
    if (!extent || moved > 1) return std::nullopt;
    if (moved == 0) reads.most *= *extent;
  }
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const auto extent = expr::as_integer(shape[d]);
    if (!extent || std::ranges::any_of(indices[d], expr::has_load)) return std::nullopt;
    const auto counts = IndexValues(indices[d], axes[d]).counts(*extent);
    if (!counts || counts->empty() || *std::ranges::max_element(*counts) == 0) return std::nullopt;
    reads.most *= std::ranges::max(*counts);
    reads.touched *= std::ranges::count_if(*counts, [](std::int64_t count) { return count > 0; });
  }
  return reads;
}

// The same of one stage alone, by the loops of its loads or by all that they take together.
bool reads_once(const te::Stage& stage, std::span<const expr::Load> loads,
                const std::vector<Expr>& shape) {
  if (loads.size() == 1) return reads_once(stage, loads.front());
  const auto reads = reads_of(stage, loads, shape);
  return reads && reads->most == 1;
}

// --- of what kind --------------------------------------------------------------------------------

// Follows one input through the stages of a program.
class Follower {
 public:
  Follower(const te::Program& program, const std::vector<OperandReads::LoadsOf>& loads,
           const std::string& input)
      : program_(program), loads_(loads) {
    seen_[input] = {};
  }

  std::optional<PatternKind> operator()() {
    for (std::size_t i = 0; i < program_.stages.size(); ++i) enter(program_.stages[i], loads_[i]);
    std::optional<PatternKind> kind;
    for (const std::string& output : program_.outputs)
      if (const auto found = seen_.find(output); found != seen_.end() && found->second.is_read)
        kind = std::max(kind.value_or(PatternKind::Elementwise), found->second.kind);
    return kind == PatternKind::CommReduce && read_again_ ? PatternKind::OutElementwiseFusable
                                                          : kind;
  }

 private:
  struct Tensor {
    PatternKind kind = PatternKind::Elementwise;  // of the input
    bool is_read = false;                         // by a stage that makes this one
    bool is_loaded = false;                       // by a stage that was entered
  };

  void enter(const te::Stage& stage, const OperandReads::LoadsOf& loads) {
    Tensor made;
    for (auto& [source, tensor] : seen_) {
      const auto found = loads.find(source);
      if (found == loads.end()) continue;
      // By another stage, or by this one.
      if (tensor.is_loaded || !reads_once(stage, found->second, shape_of(program_, source)))
        read_again_ = true;
      tensor.is_loaded = true;
      for (const expr::Load& load : found->second) {
        const PatternKind read = stage.reducer
                                     ? PatternKind::CommReduce
                                     : kind_of_read(stage, load, shape_of(program_, source));
        made.kind = std::max({made.kind, tensor.kind, read});
      }
      // Each element is made of two of the tensor's.
      if (found->second.size() > 1) made.kind = std::max(made.kind, PatternKind::Injective);
      made.is_read = true;
    }
    if (made.is_read) seen_[stage.output.name] = made;
  }

  const te::Program& program_;
  const std::vector<OperandReads::LoadsOf>& loads_;
  std::map<std::string, Tensor> seen_;  // what depends on the input, and itself
  bool read_again_ = false;             // an element of any of them
};

}  // namespace

// What is written twice is read once.
OperandReads::OperandReads(const te::Program& program) : program_(program) {
  for (const te::Stage& stage : program.stages) {
    LoadsOf& of_stage = loads_.emplace_back();
    for (expr::Load& load : loads_of(stage.body)) {
      std::vector<expr::Load>& known = of_stage[load.buffer];
      if (std::ranges::none_of(known, [&](const auto& other) { return is_same_load(other, load); }))
        known.push_back(std::move(load));
    }
  }
}

std::optional<PatternKind> OperandReads::kind(const std::string& input) const {
  return Follower(program_, loads_, input)();
}

bool reads_in_order(PatternKind kind, std::int64_t operand_elements, std::int64_t result_elements) {
  return kind <= PatternKind::Broadcast && operand_elements == result_elements;
}

std::optional<std::int64_t> OperandReads::most(const std::string& input) const {
  std::int64_t most = 0, once = 1, touched = 0, loads = 0;
  const std::vector<Expr> operand = shape_of(program_, input);
  for (std::size_t i = 0; i < program_.stages.size(); ++i) {
    const auto found = loads_[i].find(input);
    if (found == loads_[i].end()) continue;
    const std::vector<expr::Load>& all = found->second;
    if (const auto together = reads_of(program_.stages[i], all, operand)) {
      ++loads;
      most += together->most;
      once = std::max(once, together->most);
      touched += together->touched;
      continue;
    }
    for (const expr::Load& load : all) {
      const auto reads = reads_of(program_.stages[i], std::span(&load, 1), operand);
      if (!reads) return std::nullopt;
      ++loads;
      most += reads->most;
      once = std::max(once, reads->most);
      touched += reads->touched;
    }
  }
  // Several loads, each of every element once at most, may be of different elements, unless there
  // are not so many.
  if (loads > 1 && once == 1 && touched <= element_count(te::concrete(operand)))
    return std::nullopt;
  return most;
}

}  // namespace loopglass::fusion

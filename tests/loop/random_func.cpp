#include "random_func.h"

#include "core/expr/arithmetic.h"
#include "core/expr/simplify.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace loopglass::loop {

namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;

constexpr auto first_unary = UnaryOperator::Negate, last_unary = UnaryOperator::IsInf;
constexpr auto first_binary = BinaryOperator::Add, last_binary = BinaryOperator::GreaterEqual;
constexpr int symbol_limit = 4;
constexpr std::int64_t most_iterations = 3000;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Func run() {
    func_.name = "random";
    func_.symbols = {"n"};
    ranges_["n"] = {0, symbol_limit - 1};
    for (int k = below(3) + 1; k > 0; --k) declare(Role::Input);
    for (int k = below(2) + 1; k > 0; --k) declare(Role::Output);
    func_.body = statements(3);
    return func_;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }
  DataType any_type() { return static_cast<DataType>(below(static_cast<int>(DataType::Bool) + 1)); }

  Buffer buffer(std::string name) {
    Buffer result;
    result.name = std::move(name);
    result.type = any_type();
    // Indices are of this type, so that some are loaded.
    if (one_in(5)) result.type = DataType::Int64;
    for (int rank = below(3); rank >= 0; --rank) result.shape.emplace_back(below(6) + 1);
    return result;
  }

  void declare(Role role) {
    Buffer parameter = buffer(fmt::format("{}{}", role == Role::Input ? 'X' : 'Y', count_++));
    parameter.role = role;
    func_.parameters.push_back(parameter);
    buffers_.push_back(parameter);
  }

  // Statements.

  Stmt statements(int depth) {
    std::vector<Stmt> list;
    for (int k = one_in(3) ? 2 : 1; k > 0; --k) list.push_back(statement(depth));
    return sequence(std::move(list));
  }

  Stmt statement(int depth) {
    if (depth == 0) return one_in(3) ? make(If{value(DataType::Bool, 2), store(), {}}) : store();
    switch (below(8)) {
      case 0: return one_in(4) ? prefetch() : store();
      case 1:
        return make(If{one_in(2) ? index_condition() : value(DataType::Bool, 2),
                       statements(depth - 1), one_in(2) ? statements(depth - 1) : nullptr});
      case 2: return allocation(depth);
      case 3:
      case 4: return block(depth);
      default: return loop(depth);
    }
  }

  Stmt loop(int depth) {
    For loop;
    loop.variable = fmt::format("l{}", count_++);
    std::int64_t most = below(5);
    loop.extent = Expr(most);
    if (one_in(12) && iterations_ * 700 <= most_iterations) {
      loop.extent = Expr(most = 500 + below(200));  // more than one batch
    } else if (one_in(6) && !variables_.empty()) {
      loop.extent = expr::variable(any_variable()) + Expr(below(2));
      most = expr::bounds(loop.extent, ranges_)->max;
    }
    if (iterations_ * most > most_iterations) loop.extent = Expr(most = 1);
    const Scoped scoped(*this);
    iterations_ *= std::max<std::int64_t>(1, most);
    variables_.push_back(loop.variable);
    ranges_[loop.variable] = {0, std::max<std::int64_t>(0, most - 1)};
    loop.body = statements(depth - 1);
    return make(std::move(loop));
  }

  Stmt block(int depth) {
    Block block;
    block.name = fmt::format("b{}", count_++);
    std::vector<std::string> inside;
    expr::Ranges ranges{{"n", ranges_.at("n")}};
    for (int k = below(3); k >= 0; --k) {
      IterVar iter;
      iter.name = fmt::format("v{}", count_++);
      iter.reduction = one_in(3);
      iter.binding = one_in(2) && !variables_.empty() ? expr::variable(any_variable()) : index(1);
      const auto bounds = expr::bounds(iter.binding, ranges_);
      iter.extent = Expr(bounds->max + 1);
      ranges[iter.name] = *bounds;
      inside.push_back(iter.name);
      block.iters.push_back(std::move(iter));
    }
    const Scoped scoped(*this);
    if (one_in(2)) block.predicate = one_in(3) ? value(DataType::Bool, 1) : index_condition();
    variables_ = std::move(inside);
    ranges_ = std::move(ranges);
    if (one_in(2)) {
      block.body = one_in(2) ? update() : store();
      if (one_in(2)) {
        Store init = *as<Store>(block.body);
        init.value = value(find(init.buffer).type, 1);
        block.init = one_in(4) ? store() : make(std::move(init));
      }
    } else {
      if (one_in(3)) block.init = store();
      block.body = statements(depth - 1);
    }
    return make(std::move(block));
  }

  Stmt allocation(int depth) {
    Alloc alloc{buffer(fmt::format("A{}", count_++)), nullptr};
    alloc.buffer.scope = Scope::Workspace;
    const Scoped scoped(*this);
    buffers_.push_back(alloc.buffer);
    alloc.body = sequence({statement(depth - 1), statements(depth - 1)});
    return make(std::move(alloc));
  }

  const Buffer& find(const std::string& name) { return *find_buffer(buffers_, name); }
  const Buffer& writable() {
    std::vector<const Buffer*> found;
    for (const Buffer& buffer : buffers_)
      if (buffer.role != Role::Input) found.push_back(&buffer);
    return *found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
  }

  Stmt store() {
    const Buffer& to = writable();
    return make(Store{to.name, inside_indices(to), value(to.type, 3), {}});
  }

  // Anywhere, outside as well.
  Stmt prefetch() {
    const Buffer& of =
        func_.parameters[static_cast<std::size_t>(below(std::ssize(func_.parameters)))];
    std::vector<Expr> indices;
    for (std::size_t d = 0; d < of.shape.size(); ++d) indices.push_back(index(2));
    return make(Prefetch{of.name, std::move(indices)});
  }

  // A[i] = op(A[i], rest), on either side.
  Stmt update() {
    const Buffer& to = writable();
    const std::vector<Expr> at = inside_indices(to);
    std::vector<BinaryOperator> fitting;
    for (int op = static_cast<int>(first_binary); op <= static_cast<int>(last_binary); ++op)
      if (const auto known = static_cast<BinaryOperator>(op);
          expr::accepts(known, to.type) && (!expr::gives_bool(known) || to.type == DataType::Bool))
        fitting.push_back(known);
    const BinaryOperator op = fitting[static_cast<std::size_t>(below(std::ssize(fitting)))];
    Expr own = expr::load(to.type, to.name, at), rest = value(to.type, 2);
    if (one_in(3)) std::swap(own, rest);
    return make(Store{to.name, at, expr::binary(op, own, rest), {}});
  }

  // Expressions.

  const std::string& any_variable() {
    return variables_[static_cast<std::size_t>(below(static_cast<int>(variables_.size())))];
  }

  // Of variables in scope, bounded.
  Expr index(int depth) {
    if (depth == 0 || one_in(4)) {
      if (one_in(5)) return expr::variable("n");
      return variables_.empty() || one_in(4) ? Expr(below(4)) : expr::variable(any_variable());
    }
    const Expr a = index(depth - 1);
    switch (below(8)) {
      case 0:
      case 1: return a + index(depth - 1);
      case 2: return a - index(depth - 1);
      case 3: return a * Expr(below(4));
      case 4: return floor_div(a, Expr(1 + below(4)));
      case 5: return floor_mod(a, Expr(1 + below(5)));
      case 6: return expr::max(a, index(depth - 1));
      default: return a;
    }
  }

  Expr index_condition() {
    const BinaryOperator ops[] = {BinaryOperator::Less,    BinaryOperator::LessEqual,
                                  BinaryOperator::Greater, BinaryOperator::GreaterEqual,
                                  BinaryOperator::Equal,   BinaryOperator::NotEqual};
    const Expr one = expr::binary(ops[below(6)], index(1), index(1));
    if (one_in(3)) return one_in(2) ? one && index_condition() : one || index_condition();
    return one;
  }

  static bool is_inside(const Expr& index, const Expr& extent, const expr::Ranges& ranges) {
    const auto bounds = expr::bounds(index, ranges);
    return bounds && bounds->min >= 0 && bounds->max < *expr::as_integer(extent);
  }

  std::vector<Expr> inside_indices(const Buffer& to) {
    std::vector<Expr> indices;
    for (const Expr& extent : to.shape) {
      Expr at = one_in(8) ? value(DataType::Int64, 1) : index(2);
      if (one_in(10) || !is_inside(at, extent, ranges_)) at = floor_mod(at, extent);
      indices.push_back(at);
    }
    return indices;
  }

  // Wherever it points: outside, something else is taken.
  Expr guarded_load(const Buffer& from) {
    std::vector<Expr> indices;
    Expr inside = expr::boolean(true);
    for (const Expr& extent : from.shape) {
      indices.push_back(index(2) - Expr(below(3)));
      inside = inside && indices.back() >= 0 && indices.back() < extent;
    }
    return expr::select(inside, expr::load(from.type, from.name, indices), value(from.type, 0));
  }

  Expr constant(DataType type) {
    if (is_float(type)) {
      const double some[] = {0, 1, -1, 0.5, 3.25, -7.75, 1e-3, 100};
      return expr::constant(type, some[below(8)]);
    }
    return expr::integer(type, type == DataType::Bool ? below(2) : below(9));
  }

  Expr leaf(DataType type) {
    std::vector<const Buffer*> found;
    for (const Buffer& buffer : buffers_)
      if (buffer.type == type) found.push_back(&buffer);
    if (!found.empty() && !one_in(4)) {
      const Buffer& from = *found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
      return one_in(3) ? guarded_load(from) : expr::load(type, from.name, leaf_indices(from));
    }
    if (type == DataType::Int64 && one_in(2)) return index(2);
    if (one_in(4)) return constant(type);
    const Buffer& from =
        buffers_[static_cast<std::size_t>(below(static_cast<int>(buffers_.size())))];
    return expr::cast(type, expr::load(from.type, from.name, leaf_indices(from)));
  }

  std::vector<Expr> leaf_indices(const Buffer& from) {
    std::vector<Expr> indices;
    for (const Expr& extent : from.shape) {
      const Expr at = index(2);
      indices.push_back(is_inside(at, extent, ranges_) ? at : floor_mod(at, extent));
    }
    return indices;
  }

  Expr value(DataType type, int depth) {
    if (depth == 0) return one_in(2) ? constant(type) : leaf(type);
    switch (below(9)) {
      case 0: return leaf(type);
      case 1: return expr::cast(type, value(any_type(), depth - 1));
      case 2:
        return expr::select(one_in(2) ? index_condition() : value(DataType::Bool, depth - 1),
                            value(type, depth - 1), value(type, depth - 1));
      case 3:
      case 4: return unary(type, depth);
      default: return binary(type, depth);
    }
  }

  Expr unary(DataType type, int depth) {
    for (int tries = 0; tries < 40; ++tries) {
      const auto op = static_cast<UnaryOperator>(below(static_cast<int>(last_unary) + 1));
      const DataType from = expr::gives_bool(op) && op != UnaryOperator::Not ? any_type() : type;
      if (expr::gives_bool(op) != (type == DataType::Bool) || !expr::accepts(op, from)) continue;
      return expr::unary(op, value(from, depth - 1));
    }
    return leaf(type);
  }

  Expr binary(DataType type, int depth) {
    for (int tries = 0; tries < 40; ++tries) {
      const auto op = static_cast<BinaryOperator>(below(static_cast<int>(last_binary) + 1));
      const bool compares = op >= BinaryOperator::Equal;
      const DataType from = compares ? any_type() : type;
      if (expr::gives_bool(op) != (type == DataType::Bool) || !expr::accepts(op, from)) continue;
      return expr::binary(op, value(from, depth - 1), value(from, depth - 1));
    }
    return leaf(type);
  }

  // What a statement brings into scope ends with it.
  struct Scoped {
    explicit Scoped(Generator& generator)
        : generator(generator),
          variables(generator.variables_),
          buffers(generator.buffers_),
          ranges(generator.ranges_),
          iterations(generator.iterations_) {}
    ~Scoped() {
      generator.variables_ = std::move(variables);
      generator.buffers_ = std::move(buffers);
      generator.ranges_ = std::move(ranges);
      generator.iterations_ = iterations;
    }
    Generator& generator;
    std::vector<std::string> variables;
    std::vector<Buffer> buffers;
    expr::Ranges ranges;
    std::int64_t iterations;
  };

  std::mt19937 random_;
  Func func_;
  int count_ = 0;
  std::vector<std::string> variables_;  // loops, or iterations of the block
  std::vector<Buffer> buffers_;
  expr::Ranges ranges_;
  std::int64_t iterations_ = 1;
};

}  // namespace

Func random_func(std::uint32_t seed) { return Generator(seed).run(); }

void fill_with_anything(Tensor& tensor, std::mt19937& random) {
  visit_type(tensor.data_type(), [&](auto element) {
    using T = decltype(element);
    for (T& value : tensor.as<T>()) {
      const auto drawn = random();
      if constexpr (std::is_same_v<T, bool>) {
        value = drawn & 1;
      } else if constexpr (expr::is_float_type<T>) {
        const double some[] = {0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               1e4,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};
        value = static_cast<T>(drawn % 4 ? static_cast<double>(drawn % 4096) / 333 - 6
                                         : some[drawn / 4 % 8]);
      } else {
        const T some[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
        value = drawn % 4 ? static_cast<T>(drawn % 23) : some[drawn / 4 % 4];
      }
    }
  });
}

}  // namespace loopglass::loop

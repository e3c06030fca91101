#include "tests/schedule/random_program.h"

#include "core/loop/lower.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

namespace loopglass::schedule {

namespace {

using expr::Expr;
using Indices = te::Builder::Indices;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  loop::Func run() {
    const DataType types[] = {DataType::Float32, DataType::Float32, DataType::Int32,
                              DataType::Float64, DataType::Int8};
    type_ = types[below(5)];
    std::vector<std::string> constants;
    const int inputs = 1 + below(3);
    for (int i = 0; i < inputs; ++i) {
      tensors_.push_back(builder_.placeholder(fmt::format("in{}", i), type_, random_shape()));
      if (below(2)) constants.push_back(tensors_.back().name);
    }
    const int stages = 1 + below(5);
    for (int s = 0; s < stages; ++s) stage();
    std::vector<te::Tensor> outputs{tensors_.back()};
    if (below(3) == 0) outputs.push_back(any());
    return loop::lower(std::move(builder_).finish(outputs), "random", constants);
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  const te::Tensor& any() {
    return tensors_[static_cast<std::size_t>(below(static_cast<int>(tensors_.size())))];
  }

  std::vector<Expr> random_shape() {
    const std::int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 40};
    std::vector<Expr> shape;
    const int rank = below(4);
    std::int64_t elements = 1;
    for (int d = 0; d < rank; ++d) {
      std::int64_t extent = extents[below(15)];
      if (below(60) == 0) extent = 0;
      if (elements * extent > 6000) extent = 2;
      elements *= std::max<std::int64_t>(1, extent);
      shape.emplace_back(extent);
    }
    return shape;
  }

  Expr number(double value) { return expr::constant(type_, value); }
  // Keeps values in a range where everything is exact in every type.
  Expr small(Expr e) { return expr::max(expr::min(std::move(e), number(5)), number(-5)); }
  static std::int64_t extent(const te::Tensor& t, std::size_t d) {
    return *expr::as_integer(t.shape[d]);
  }

  void stage() {
    switch (below(10)) {
      case 0: return unary(any());
      case 1: return binary(any(), any());
      case 2: return transpose(any());
      case 3: return pad(any());
      case 4: return reshape(any());
      case 5: return reduce(any());
      case 6: return product(any(), any());
      case 7: return window(any());
      case 8: return biased(any());
      default: return gather(any());
    }
  }

  void add(te::Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  std::string name() { return fmt::format("t{}", tensors_.size()); }

  void unary(const te::Tensor x) {
    const int which = below(3);
    add(builder_.compute(name(), x.shape, [&](const Indices& i) {
      if (which == 0) return small(x(i) * number(2));
      if (which == 1) return expr::max(x(i), number(0));
      return expr::select(x(i) > number(1), x(i), small(x(i) * x(i)));
    }));
  }

  // The second operand broadcast: matching trailing dimensions, index 0 elsewhere.
  void binary(const te::Tensor x, const te::Tensor y) {
    Indices fit(y.rank());
    for (std::size_t d = 0; d < y.rank(); ++d)
      if (extent(y, d) == 0) return unary(x);
    const bool product = below(2);
    add(builder_.compute(name(), x.shape, [&](const Indices& i) {
      Indices at;
      for (std::size_t d = 0; d < y.rank(); ++d) {
        const std::size_t from_end = y.rank() - d;
        const bool matches = from_end <= i.size() && extent(x, i.size() - from_end) == extent(y, d);
        at.push_back(matches ? i[i.size() - from_end] : Expr(0));
      }
      return small(product ? x(i) * y(at) : x(i) + y(at));
    }));
  }

  void transpose(const te::Tensor x) {
    std::vector<std::size_t> order(x.rank());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Expr> shape;
    for (const std::size_t d : order) shape.push_back(x.shape[d]);
    add(builder_.compute(name(), shape, [&](const Indices& i) {
      Indices at(x.rank());
      for (std::size_t d = 0; d < order.size(); ++d) at[order[d]] = i[d];
      return x(at);
    }));
  }

  void pad(const te::Tensor x) {
    if (x.rank() == 0) return unary(x);
    const auto d = static_cast<std::size_t>(below(static_cast<int>(x.rank())));
    const std::int64_t before = below(3), after = below(3);
    std::vector<Expr> shape = x.shape;
    shape[d] = Expr(extent(x, d) + before + after);
    add(builder_.compute(name(), shape, [&](Indices i) {
      i[d] = i[d] - Expr(before);
      return expr::select(i[d] >= 0 && i[d] < x.shape[d], x(i), number(0));
    }));
  }

  void reshape(const te::Tensor x) {
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < x.rank(); ++d) elements *= extent(x, d);
    if (elements == 0) return unary(x);
    std::vector<std::int64_t> divisors;
    for (std::int64_t f = 1; f <= elements; ++f)
      if (elements % f == 0) divisors.push_back(f);
    const std::int64_t first =
        divisors[static_cast<std::size_t>(below(static_cast<int>(divisors.size())))];
    add(builder_.compute(name(), {Expr(first), Expr(elements / first)}, [&](const Indices& i) {
      Expr rest = i[0] * Expr(elements / first) + i[1];
      Indices at(x.rank());
      for (std::size_t d = x.rank(); d-- > 0;) {
        at[d] = floor_mod(rest, x.shape[d]);
        rest = floor_div(rest, x.shape[d]);
      }
      return x(at);
    }));
  }

  void reduce(const te::Tensor x) {
    std::vector<Expr> kept, reduced;
    std::vector<bool> is_reduced;
    for (std::size_t d = 0; d < x.rank(); ++d) {
      is_reduced.push_back(below(2));
      (is_reduced.back() ? reduced : kept).push_back(x.shape[d]);
    }
    if (reduced.empty()) return unary(x);
    const te::Reducer reducers[] = {te::Reducer::Sum, te::Reducer::Max, te::Reducer::Min};
    const te::Tensor raw = builder_.reduce(
        name(), kept, reduced, reducers[below(3)], [&](const Indices& i, const Indices& r) {
          Indices at;
          std::size_t next_kept = 0, next_reduced = 0;
          for (const bool reduced_here : is_reduced)
            at.push_back(reduced_here ? r[next_reduced++] : i[next_kept++]);
          return x(at);
        });
    add(builder_.compute(name() + "c", kept, [&](const Indices& i) { return small(raw(i)); }));
  }

  // Sums over the last dimension of x against whichever dimension of y has its extent.
  void product(const te::Tensor x, const te::Tensor y) {
    if (x.rank() == 0 || y.rank() == 0 || x.rank() > 2) return unary(x);
    const std::int64_t inner = extent(x, x.rank() - 1);
    std::size_t match = y.rank();
    for (std::size_t d = 0; d < y.rank(); ++d)
      if (extent(y, d) == inner) match = d;
    if (match == y.rank()) return unary(x);
    std::vector<Expr> shape(x.shape.begin(), x.shape.end() - 1);
    for (std::size_t d = 0; d < y.rank(); ++d)
      if (d != match) shape.push_back(y.shape[d]);
    std::int64_t elements = inner;
    for (const Expr& e : shape) elements *= *expr::as_integer(e);
    if (elements > 40000) return unary(x);
    const te::Tensor raw = builder_.reduce(
        name(), shape, {Expr(inner)}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
          Indices left(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(x.rank()) - 1), right;
          left.push_back(r[0]);
          std::size_t next = x.rank() - 1;
          for (std::size_t d = 0; d < y.rank(); ++d) right.push_back(d == match ? r[0] : i[next++]);
          return x(left) * y(right);
        });
    add(builder_.compute(name() + "c", shape, [&](const Indices& i) { return small(raw(i)); }));
  }

  // Sums over the first dimension, and what is added to them.
  void biased(const te::Tensor x) {
    if (x.rank() == 0) return unary(x);
    const std::vector<Expr> shape(x.shape.begin() + 1, x.shape.end());
    const te::Tensor bias = builder_.placeholder(name() + "b", type_, shape);
    const te::Tensor sum = builder_.reduce(name(), shape, {x.shape[0]}, te::Reducer::Sum,
                                           [&](const Indices& i, const Indices& r) {
                                             Indices at{r[0]};
                                             at.insert(at.end(), i.begin(), i.end());
                                             return small(x(at));
                                           });
    const te::Tensor both =
        builder_.compute(name() + "d", shape, [&](const Indices& i) { return sum(i) + bias(i); });
    add(builder_.compute(name() + "c", shape, [&](const Indices& i) { return small(both(i)); }));
  }

  void window(const te::Tensor x) {
    if (x.rank() == 0) return unary(x);
    const std::size_t d = x.rank() - 1;
    const std::int64_t kernel = 1 + below(3), stride = 1 + below(2);
    if (extent(x, d) < kernel) return unary(x);
    std::vector<Expr> shape = x.shape;
    shape[d] = Expr((extent(x, d) - kernel) / stride + 1);
    add(builder_.reduce(name(), shape, {Expr(kernel)}, te::Reducer::Max,
                        [&](Indices i, const Indices& r) {
                          i[d] = i[d] * Expr(stride) + r[0];
                          return x(i);
                        }));
  }

  void gather(const te::Tensor x) {
    if (x.rank() == 0 || extent(x, 0) == 0) return unary(x);
    const Expr rows = x.shape[0];
    add(builder_.compute(name(), x.shape, [&](Indices i) {
      const Expr index = expr::cast(DataType::Int64, x(i));
      i[0] = expr::max(expr::min(index, rows - 1), Expr(0));
      return x(i);
    }));
  }

  std::mt19937_64 random_;
  te::Builder builder_;
  std::vector<te::Tensor> tensors_;
  DataType type_ = DataType::Float32;
};

}  // namespace

loop::Func random_nest(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace loopglass::schedule

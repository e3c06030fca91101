#include "tests/schedule/nests.h"

#include "core/loop/interpreter.h"
#include "core/loop/lower.h"
#include "core/loop/text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

namespace loopglass::schedule {

using expr::Expr;
using Indices = te::Builder::Indices;

Tensor small_numbers(const TensorType& type, std::uint64_t seed) {
  Tensor tensor(type);
  std::mt19937_64 random(seed);
  visit_type(type.type, [&]<class T>(T) {
    std::uniform_int_distribution<int> pick(std::is_unsigned_v<T> ? 0 : -3, 3);
    for (T& element : tensor.as<T>())
      element = static_cast<T>(std::is_same_v<T, bool> ? pick(random) > 0 : pick(random));
  });
  return tensor;
}

namespace {

Shape shape_of(const loop::Buffer& buffer) { return te::concrete(buffer.shape); }

// Unwritten elements show: NaN, or -1.
Tensor unwritten(const TensorType& type) {
  Tensor tensor(type);
  std::memset(tensor.data(), type.type == DataType::Bool ? 1 : 0xff, tensor.bytes());
  return tensor;
}

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

}  // namespace

::testing::AssertionResult same_results(const loop::Func& before, const loop::Func& after,
                                        std::uint64_t seed, double tolerance) {
  std::vector<Tensor> expected, actual;
  for (std::size_t p = 0; p < before.parameters.size(); ++p) {
    const loop::Buffer& parameter = before.parameters[p];
    const TensorType type{parameter.type, shape_of(parameter)};
    if (parameter.role == loop::Role::Output) {
      expected.push_back(unwritten(type));
      actual.push_back(unwritten({parameter.type, shape_of(after.parameters[p])}));
    } else {
      expected.push_back(small_numbers(type, seed * 100 + p));
      actual.push_back(
          loop::pack(after.parameters[p], expected.back()).reshaped(shape_of(after.parameters[p])));
    }
  }
  try {
    loop::interpret(before, expected);
    loop::interpret(after, actual);
  } catch (const std::exception& error) {
    return ::testing::AssertionFailure() << error.what() << "\n" << loop::to_text(after);
  }
  for (std::size_t p = 0; p < before.parameters.size(); ++p) {
    if (before.parameters[p].role != loop::Role::Output) continue;
    for (std::int64_t i = 0; i < expected[p].elements(); ++i)
      if (!close(actual[p].double_at(i), expected[p].double_at(i), tolerance))
        return ::testing::AssertionFailure()
               << before.parameters[p].name << "[" << i << "] is " << actual[p].double_at(i)
               << ", should be " << expected[p].double_at(i) << "\n"
               << loop::to_text(after);
  }
  return ::testing::AssertionSuccess();
}

loop::Func two_elementwise(const Shape& shape) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", {DataType::Float32, shape});
  const te::Tensor y = builder.compute(
      "Y", x.shape, [&](const Indices& i) { return x(i) + expr::constant(x.type, 1); });
  const te::Tensor z = builder.compute(
      "Z", x.shape, [&](const Indices& i) { return y(i) * expr::constant(x.type, 2); });
  return loop::lower(std::move(builder).finish({z}), "two");
}

loop::Func rows_summed(std::int64_t rows, std::int64_t columns) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {rows, columns}});
  const te::Tensor y = builder.compute(
      "Y", x.shape, [&](const Indices& i) { return x(i) + expr::constant(x.type, 1); });
  const te::Tensor s = builder.reduce("S", {rows}, {columns}, te::Reducer::Sum,
                                      [&](const Indices& i, const Indices& r) {
                                        return y({i[0], r[0]});
                                      });
  return loop::lower(std::move(builder).finish({s}), "rows");
}

loop::Func matrix_product(std::int64_t m, std::int64_t n, std::int64_t k, DataType type) {
  te::Builder builder;
  const te::Tensor a = builder.placeholder("A", TensorType{type, {m, k}});
  const te::Tensor b = builder.placeholder("B", TensorType{type, {k, n}});
  const te::Tensor c =
      builder.reduce("C", {m, n}, {k}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return a({i[0], r[0]}) * b({r[0], i[1]});
      });
  return loop::lower(std::move(builder).finish({c}), "product", {"B"});
}

loop::Func convolution(const ConvolutionShape& s) {
  te::Builder builder;
  const DataType type = DataType::Float32;
  const te::Tensor x =
      builder.placeholder("X", TensorType{type, {s.batch, s.channels, s.height, s.width}});
  const te::Tensor w =
      builder.placeholder("W", TensorType{type, {s.filters, s.channels, s.kernel, s.kernel}});
  const te::Tensor bias = builder.placeholder("bias", TensorType{type, {s.filters}});
  te::Tensor input = x;
  if (s.pad > 0)
    input = builder.compute(
        "conv_pad", {s.batch, s.channels, s.height + 2 * s.pad, s.width + 2 * s.pad},
        [&](const Indices& i) {
          const Expr y = i[2] - Expr(s.pad), column = i[3] - Expr(s.pad);
          return expr::select(y >= 0 && y < Expr(s.height) && column >= 0 && column < Expr(s.width),
                              x({i[0], i[1], y, column}), expr::constant(type, 0));
        });
  const std::int64_t height = (s.height + 2 * s.pad - s.kernel) / s.stride + 1;
  const std::int64_t width = (s.width + 2 * s.pad - s.kernel) / s.stride + 1;
  const te::Tensor sum = builder.reduce(
      "conv", {s.batch, s.filters, height, width}, {s.channels, s.kernel, s.kernel},
      te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return input({i[0], r[0], i[2] * Expr(s.stride) + r[1], i[3] * Expr(s.stride) + r[2]}) *
               w({i[1], r[0], r[1], r[2]});
      });
  const te::Tensor biased =
      builder.compute("biased", sum.shape, [&](const Indices& i) { return sum(i) + bias({i[1]}); });
  const te::Tensor relu = builder.compute("relu", sum.shape, [&](const Indices& i) {
    return expr::max(biased(i), expr::constant(type, 0));
  });
  return loop::lower(std::move(builder).finish({relu}), "conv_relu", {"W", "bias"});
}

loop::Func depthwise_convolution(const ConvolutionShape& s) {
  te::Builder builder;
  const DataType type = DataType::Float32;
  const std::int64_t padded_height = s.height + 2 * s.pad, padded_width = s.width + 2 * s.pad;
  const te::Tensor x =
      builder.placeholder("X", TensorType{type, {s.batch, s.height, s.width, s.channels}});
  const te::Tensor w = builder.placeholder("W", TensorType{type, {s.kernel, s.kernel, s.channels}});
  const te::Tensor border = builder.compute(
      "border", {s.batch, padded_height, padded_width, s.channels}, [&](const Indices& i) {
        const Expr y = i[1] - Expr(s.pad), column = i[2] - Expr(s.pad);
        return expr::select(y >= 0 && y < Expr(s.height) && column >= 0 && column < Expr(s.width),
                            x({i[0], y, column, i[3]}), expr::constant(type, 0));
      });
  const std::int64_t height = (padded_height - s.kernel) / s.stride + 1;
  const std::int64_t width = (padded_width - s.kernel) / s.stride + 1;
  const te::Tensor sum = builder.reduce(
      "conv", {s.batch, height, width, s.channels}, {s.kernel, s.kernel}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        return border({i[0], i[1] * Expr(s.stride) + r[0], i[2] * Expr(s.stride) + r[1], i[3]}) *
               w({r[0], r[1], i[3]});
      });
  const te::Tensor relu = builder.compute("relu", sum.shape, [&](const Indices& i) {
    return expr::max(sum(i), expr::constant(type, 0));
  });
  return loop::lower(std::move(builder).finish({relu}), "depthwise", {"W"});
}

loop::Func depthwise_convolution_of_planes(const ConvolutionShape& s) {
  te::Builder builder;
  const DataType type = DataType::Float32;
  const std::int64_t padded_height = s.height + 2 * s.pad, padded_width = s.width + 2 * s.pad;
  const te::Tensor x =
      builder.placeholder("X", TensorType{type, {s.batch, s.channels, s.height, s.width}});
  const te::Tensor w = builder.placeholder("W", TensorType{type, {s.channels, s.kernel, s.kernel}});
  const te::Tensor border = builder.compute(
      "border", {s.batch, s.channels, padded_height, padded_width}, [&](const Indices& i) {
        const Expr y = i[2] - Expr(s.pad), column = i[3] - Expr(s.pad);
        return expr::select(y >= 0 && y < Expr(s.height) && column >= 0 && column < Expr(s.width),
                            x({i[0], i[1], y, column}), expr::constant(type, 0));
      });
  const std::int64_t height = (padded_height - s.kernel) / s.stride + 1;
  const std::int64_t width = (padded_width - s.kernel) / s.stride + 1;
  const te::Tensor sum = builder.reduce(
      "conv", {s.batch, s.channels, height, width}, {s.kernel, s.kernel}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        return border({i[0], i[1], i[2] * Expr(s.stride) + r[0], i[3] * Expr(s.stride) + r[1]}) *
               w({i[1], r[0], r[1]});
      });
  const te::Tensor relu = builder.compute("relu", sum.shape, [&](const Indices& i) {
    return expr::max(sum(i), expr::constant(type, 0));
  });
  return loop::lower(std::move(builder).finish({relu}), "depthwise", {"W"});
}

loop::Func recurrent_steps(std::int64_t batch, std::int64_t state, int steps) {
  te::Builder builder;
  const DataType type = DataType::Float32;
  te::Tensor h = builder.placeholder("H", TensorType{type, {batch, state}});
  const te::Tensor r = builder.placeholder("R", TensorType{type, {2 * state, state}});
  for (int step = 0; step < steps; ++step) {
    const te::Tensor product =
        builder.reduce(fmt::format("product{}", step), {batch, 2 * state}, {state},
                       te::Reducer::Sum, [&](const Indices& i, const Indices& k) {
                         return h({i[0], k[0]}) * r({i[1], k[0]});
                       });
    h = builder.compute(fmt::format("h{}", step), h.shape, [&](const Indices& i) {
      return h(i) + product(i) * product({i[0], i[1] + state});
    });
  }
  return loop::lower(std::move(builder).finish({h}), "steps", {"R"});
}

namespace {

te::Tensor rows_weighed(te::Builder& builder, const te::Tensor& x, const Shape& shape) {
  const DataType type = DataType::Float32;
  const std::vector<Expr> whole(shape.begin(), shape.end());
  const std::vector<Expr> rows(whole.begin(), whole.end() - 1);
  const auto row_of = [](const Indices& i) { return Indices(i.begin(), i.end() - 1); };
  const auto over_rows = [&](const char* name, te::Reducer reducer, const te::Tensor& of) {
    return builder.reduce(name, rows, {whole.back()}, reducer,
                          [&](const Indices& i, const Indices& r) {
                            Indices at = i;
                            at.push_back(r[0]);
                            return of(at);
                          });
  };
  const te::Tensor largest = over_rows("largest", te::Reducer::Max, x);
  const te::Tensor distance = builder.compute("distance", whole, [&](const Indices& i) {
    return (largest(row_of(i)) - x(i)) / expr::constant(type, 2);
  });
  const te::Tensor sum = over_rows("sum", te::Reducer::Sum, distance);
  return builder.compute("product", whole,
                         [&](const Indices& i) { return distance(i) * sum(row_of(i)); });
}

}  // namespace

loop::Func row_by_row(const Shape& shape) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, shape});
  const te::Tensor product = rows_weighed(builder, x, shape);
  return loop::lower(std::move(builder).finish({product}), "rows");
}

loop::Func attention(const AttentionShape& shape, Reads reads) {
  te::Builder builder;
  const auto shaped = [&](std::int64_t rows, std::int64_t columns) {
    Shape whole = shape.images;
    whole.insert(whole.end(), {rows, columns});
    return whole;
  };
  // At the place of an image, and another row and column of it.
  const auto at = [](const Indices& i, const Expr& row, const Expr& column) {
    Indices place(i.begin(), i.end() - 2);
    place.insert(place.end(), {row, column});
    return place;
  };
  const auto placeholder = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    return builder.placeholder(name, TensorType{DataType::Float32, shaped(rows, columns)});
  };
  const auto product = [&](const char* name, const te::Tensor& left, const te::Tensor& right,
                           const Shape& result, std::int64_t terms) {
    return builder.reduce(name, {result.begin(), result.end()}, {Expr(terms)}, te::Reducer::Sum,
                          [&](const Indices& i, const Indices& r) {
                            return left(at(i, i[i.size() - 2], r[0])) *
                                   right(at(i, r[0], i.back()));
                          });
  };
  const te::Tensor q = placeholder("Q", shape.rows, shape.width),
                   k = placeholder("K", shape.width, shape.columns),
                   v = placeholder("V", shape.columns, shape.width);
  const Shape square = shaped(shape.rows, shape.columns);
  const te::Tensor scores = product("scores", q, k, square, shape.width);
  const te::Tensor rows = rows_weighed(builder, scores, square);
  const te::Tensor weighed =
      product("weighed", rows, v, shaped(shape.rows, shape.width), shape.columns);
  std::vector<te::Tensor> results{weighed};
  if (reads == Reads::ScoresAgain)
    results.push_back(builder.compute("again", {square.begin(), square.end()},
                                      [&](const Indices& i) { return scores(i) + scores(i); }));
  return loop::lower(std::move(builder).finish(results), "attention");
}

loop::Func copied(const std::string& x, const std::string& y, const std::string& indices) {
  std::vector<std::string> extents;
  std::stringstream shape(y);
  for (std::string extent; std::getline(shape, extent, ',');) extents.push_back(extent);
  return loop::parse(
             fmt::format("func f(X: float32[{}] input, Y: float32[{}] output) {{ for i in {} {{ "
                         "for j in {} {{ for k in {} {{ block Y(a = i, b = j, c = k) {{ "
                         "Y[a, b, c] = X[{}] }} }} }} }} }}",
                         x, y, extents[0], extents[1], extents[2], indices))
      .value();
}

loop::Func reduction(const Shape& shape, int axis, te::Reducer reducer, DataType type) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{type, shape});
  std::vector<Expr> kept, reduced;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d)
    (axis < 0 || d == axis ? reduced : kept).emplace_back(shape[static_cast<std::size_t>(d)]);
  const te::Tensor sum =
      builder.reduce("sum", kept, reduced, reducer, [&](const Indices& i, const Indices& r) {
        Indices at;
        std::size_t next_kept = 0, next_reduced = 0;
        for (int d = 0; d < static_cast<int>(shape.size()); ++d)
          at.push_back(axis < 0 || d == axis ? r[next_reduced++] : i[next_kept++]);
        return x(at);
      });
  const te::Tensor y =
      builder.compute("Y", kept, [&](const Indices& i) { return sum(i) + sum(i); });
  return loop::lower(std::move(builder).finish({y}), "reduction");
}

}  // namespace loopglass::schedule

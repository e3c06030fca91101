// Every operator on every element type, one element at a time and in vectors, on all pairs of
// values where something special happens: what the machine code computes is what the interpreter
// does.
#include "tests/codegen/run_both.h"

#include "core/expr/arithmetic.h"
#include "core/loop/text.h"

#include <algorithm>
#include <array>
#include <limits>

namespace loopglass {
namespace {

using expr::BinaryOperator;
using expr::Expr;
using expr::UnaryOperator;

const std::vector<DataType> all_types = {DataType::Float16, DataType::Float32, DataType::Float64,
                                         DataType::Int8,    DataType::Int16,   DataType::Int32,
                                         DataType::Int64,   DataType::UInt8,   DataType::UInt16,
                                         DataType::UInt32,  DataType::UInt64,  DataType::Bool};

template <class T>
std::vector<T> special_values() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {Limits::min(), static_cast<T>(Limits::min() + 1),
            T(-7),         T(-2),
            T(-1),         T(0),
            T(1),          T(2),
            T(3),          T(7),
            T(8),          T(31),
            T(33),         T(64),
            T(100),        static_cast<T>(Limits::max() - 1),
            Limits::max()};
  } else {
    double infinity = std::numeric_limits<double>::infinity();
    std::vector<T> values;
    for (double value :
         {-infinity, -70000.0, -128.5, -3.0,    -2.5, -1.0, -0.75,    -0.5,        -1e-7,
          -0.0,      0.0,      1e-7,   0.3,     0.5,  1.0,  1.5,      2.0,         3.7,
          17.25,     255.5,    300.0,  65000.0, 3e9,  1e19, infinity, std::nan("")})
      values.push_back(static_cast<T>(value));
    return values;
  }
}

// All pairs of special values, in A and B.
template <class T>
std::pair<Tensor, Tensor> all_pairs() {
  std::vector<T> values = special_values<T>();
  auto count = static_cast<std::int64_t>(values.size() * values.size());
  Tensor a(TensorType{data_type_of<T>(), {count}}), b(a.type());
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values.size(); ++j) {
      a.as<T>()[i * values.size() + j] = values[i];
      b.as<T>()[i * values.size() + j] = values[j];
    }
  return {a, b};
}

std::vector<UnaryOperator> unary_operators(DataType type) {
  std::vector<UnaryOperator> operators;
  for (int op = 0; op <= static_cast<int>(UnaryOperator::IsInf); ++op)
    if (expr::accepts(static_cast<UnaryOperator>(op), type))
      operators.push_back(static_cast<UnaryOperator>(op));
  return operators;
}
std::vector<BinaryOperator> binary_operators(DataType type) {
  std::vector<BinaryOperator> operators;
  for (int op = 0; op <= static_cast<int>(BinaryOperator::GreaterEqual); ++op)
    if (expr::accepts(static_cast<BinaryOperator>(op), type))
      operators.push_back(static_cast<BinaryOperator>(op));
  return operators;
}

// A Func that stores each body, an expression of A[i] and B[i], to an output of its own, in a loop
// of `lanes` lanes and a tail of single elements.
loop::Func func_of(DataType type, std::int64_t count,
                   const std::vector<std::function<Expr(Expr, Expr)>>& bodies, int lanes) {
  loop::Func func;
  func.name = "f";
  func.parameters = {{"A", type, {count}, loop::Scope::Global, loop::Role::Input, {}},
                     {"B", type, {count}, loop::Scope::Global, loop::Role::Input, {}}};
  std::vector<loop::Stmt> statements;
  std::int64_t whole = count / lanes;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    std::string suffix = std::to_string(k), output = "Y" + suffix;
    auto store_at = [&](const Expr& i) {
      Expr value = bodies[k](expr::load(type, "A", {i}), expr::load(type, "B", {i}));
      return loop::make(loop::Store{output, {i}, value, {}});
    };
    Expr probe = bodies[k](expr::load(type, "A", {0}), expr::load(type, "B", {0}));
    func.parameters.push_back(
        {output, probe.type(), {count}, loop::Scope::Global, loop::Role::Output, {}});
    Expr outer = expr::variable("x" + suffix), lane = expr::variable("l" + suffix),
         rest = expr::variable("t" + suffix);
    loop::Stmt vector = loop::make(
        loop::For{"l" + suffix, lanes, loop::ForKind::Vectorized, store_at(outer * lanes + lane)});
    statements.push_back(loop::make(loop::For{"x" + suffix, whole, loop::ForKind::Serial, vector}));
    if (count % lanes)
      statements.push_back(loop::make(loop::For{"t" + suffix, count % lanes, loop::ForKind::Serial,
                                                store_at(rest + whole * lanes)}));
  }
  func.body = loop::sequence(statements);
  return func;
}

Arguments arguments_of(const loop::Func& func, const Tensor& a, const Tensor& b) {
  Arguments arguments = random_arguments(func);
  arguments.tensors[0] = a;
  arguments.tensors[1] = b;
  return arguments;
}

class Operators : public testing::TestWithParam<DataType> {};

// Polynomials in float32 are good to a few units in the last place; the rest is exact.
double tolerance_of(UnaryOperator op, DataType type) {
  using enum UnaryOperator;
  constexpr std::array polynomials{Exp, Log, Tanh, Erf, Atan, Sin, Cos};
  const bool inexact = std::ranges::find(polynomials, op) != polynomials.end();
  if (!inexact || type == DataType::Float64) return 0;
  return type == DataType::Float16 ? 2e-3 : 5e-7;
}

TEST_P(Operators, UnaryAgreesWithTheInterpreter) {
  visit_type(GetParam(), [](auto element) {
    using T = decltype(element);
    auto [a, b] = all_pairs<T>();
    for (bool exact : {true, false}) {
      std::vector<std::function<Expr(Expr, Expr)>> bodies;
      for (UnaryOperator op : unary_operators(GetParam()))
        if ((tolerance_of(op, GetParam()) == 0) == exact)
          bodies.push_back([op](Expr x, Expr) { return expr::unary(op, x); });
      if (bodies.empty()) continue;
      for (int lanes : {1, 16}) {
        loop::Func func = func_of(GetParam(), a.elements(), bodies, lanes);
        expect_same(func, arguments_of(func, a, b),
                    exact ? 0 : tolerance_of(UnaryOperator::Exp, GetParam()));
      }
    }
  });
}

TEST_P(Operators, BinaryAgreesWithTheInterpreter) {
  visit_type(GetParam(), [](auto element) {
    using T = decltype(element);
    auto [a, b] = all_pairs<T>();
    std::vector<std::function<Expr(Expr, Expr)>> bodies;
    for (BinaryOperator op : binary_operators(GetParam()))
      bodies.push_back([op](Expr x, Expr y) { return expr::binary(op, x, y); });
    for (int lanes : {1, 16}) {
      loop::Func func = func_of(GetParam(), a.elements(), bodies, lanes);
      expect_same(func, arguments_of(func, a, b));
    }
  });
}

// Constants take shorter ways: shifts for powers of two, no test for zero, no test for NaN.
TEST_P(Operators, BinaryByAConstantAgreesWithTheInterpreter) {
  visit_type(GetParam(), [](auto element) {
    using T = decltype(element);
    auto [a, b] = all_pairs<T>();
    std::vector<std::function<Expr(Expr, Expr)>> bodies;
    for (BinaryOperator op : binary_operators(GetParam())) {
      if (op == BinaryOperator::Pow) continue;  // below
      for (double constant : {0.0, -1.0, 8.0, 7.0}) {
        Expr c = expr::constant(GetParam(), constant);
        bodies.push_back([op, c](Expr x, Expr) { return expr::binary(op, x, c); });
        bodies.push_back([op, c](Expr x, Expr) { return expr::binary(op, c, x); });
      }
    }
    loop::Func func = func_of(GetParam(), a.elements(), bodies, 4);
    expect_same(func, arguments_of(func, a, b));
  });
}

// Of lanes that fill vectors, several of them, or none; added to something before or behind.
TEST(DotProducts, AgreeWithTheInterpreterOnAnyLanes) {
  auto [a, b] = all_pairs<std::int32_t>();
  const std::vector<std::function<Expr(Expr, Expr)>> bodies{
      [](const Expr& x, const Expr& y) { return expr::dot_pairs(x, y); },
      [](const Expr& x, const Expr& y) { return x + expr::dot_pairs(expr::pair(x, y), y); },
      [](const Expr& x, const Expr& y) { return expr::dot_quads(x, y); },
      [](const Expr& x, const Expr& y) { return x + expr::dot_quads(y, x); },
      [](const Expr& x, const Expr& y) {
        const Expr dot = expr::dot_quads(expr::quad(x, y, y, x), y);
        return dot + expr::dot_quads(y, x) + dot;
      }};
  for (int lanes : {1, 3, 4, 8, 12, 16, 24, 32, 48}) {
    loop::Func func = func_of(DataType::Int32, a.elements(), bodies, lanes);
    expect_same(func, arguments_of(func, a, b));
  }
}

// A square is a product, which is rounded better than the C library's power.
TEST(Powers, OfConstantsAgreeWithTheInterpreter) {
  auto [a, b] = all_pairs<float>();
  std::vector<std::function<Expr(Expr, Expr)>> bodies;
  for (double constant : {0.0, 0.5, 2.0, 3.0, -1.0, 8.0}) {
    Expr c = expr::floating(DataType::Float32, constant);
    bodies.push_back([c](Expr x, Expr) { return expr::binary(BinaryOperator::Pow, x, c); });
    bodies.push_back([c](Expr x, Expr) { return expr::binary(BinaryOperator::Pow, c, x); });
  }
  loop::Func func = func_of(DataType::Float32, a.elements(), bodies, 8);
  expect_same(func, arguments_of(func, a, b), 2e-7);
}

TEST_P(Operators, CastsAgreeWithTheInterpreter) {
  visit_type(GetParam(), [](auto element) {
    using T = decltype(element);
    auto [a, b] = all_pairs<T>();
    std::vector<std::function<Expr(Expr, Expr)>> bodies;
    for (DataType to : all_types)
      bodies.push_back([to](Expr x, Expr) { return expr::cast(to, x); });
    for (int lanes : {1, 16}) {
      loop::Func func = func_of(GetParam(), a.elements(), bodies, lanes);
      expect_same(func, arguments_of(func, a, b));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Operators, testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace loopglass

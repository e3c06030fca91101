// Building tensor expressions.
#include "core/te/te.h"
#include "core/support/check.h"

#include <gtest/gtest.h>

namespace loopglass::te {
namespace {

const TensorType matrix{DataType::Float32, {4, 8}};

TEST(Builder, NamesAxesAndStagesByOrder) {
  Builder builder;
  const Tensor a = builder.placeholder("A", matrix);
  const Tensor b = builder.placeholder("B", TensorType{DataType::Float32, {8, 2}});
  builder.set_origin({{5}});
  const Tensor c = builder.reduce("C", extents({4, 2}), extents({8}), Reducer::Sum,
                                  [&](const auto& i, const auto& r) {
                                    return a({i[0], r[0]}) * b({r[0], i[1]});
                                  });
  const Tensor d = builder.compute(
      "D", c.shape, [&](const auto& i) { return expr::max(c(i), expr::constant(c.type, 0)); });
  EXPECT_EQ(to_string(std::move(builder).finish({d})),
            "input A: float32[4, 8]\n"
            "input B: float32[8, 2]\n"
            "C: float32[4, 2]\n"
            "  C[i, j] = sum over k < 8 of A[i, k] * B[k, j]  from 5\n"
            "D: float32[4, 2]\n"
            "  D[i, j] = max(C[i, j], 0.0f)  from 5\n"
            "output D\n");
}

TEST(Builder, MakesNamesUniqueAndFitForText) {
  Builder builder;
  EXPECT_EQ(builder.placeholder("x", matrix).name, "x");
  EXPECT_EQ(builder.placeholder("x", matrix).name, "x_1");
  EXPECT_EQ(builder.placeholder("x", matrix).name, "x_2");
  EXPECT_EQ(builder.placeholder("block/3:y", matrix).name, "block_3_y");
  EXPECT_EQ(builder.placeholder("for", matrix).name, "for_");
}

TEST(Builder, SymbolsAreExtentsThatAreNotKnown) {
  Builder builder;
  const Expr n = builder.symbol("n");
  const Tensor x = builder.placeholder("X", DataType::Float32, {n});
  const Tensor y = builder.compute("Y", {n}, [&](const auto& i) { return x(i); });
  EXPECT_EQ(to_string(std::move(builder).finish({y})),
            "symbols n\ninput X: float32[n]\nY: float32[n]\n  Y[i] = X[i]\noutput Y\n");
}

TEST(Builder, ASymbolDoesNotTakeAnAxisName) {
  Builder builder;
  EXPECT_EQ(to_string(builder.symbol("i0")), "i0_");
}

TEST(Builder, ReducingOverNothingIsTheBody) {
  Builder builder;
  const Tensor x = builder.placeholder("X", matrix);
  const Tensor y = builder.reduce("Y", x.shape, {}, Reducer::Sum,
                                  [&](const auto& i, const auto&) { return x(i); });
  const Program program = std::move(builder).finish({y});
  EXPECT_FALSE(program.stage("Y")->reducer);
}

TEST(Builder, RefusesWrongIndices) {
  Builder builder;
  const Tensor x = builder.placeholder("X", matrix);
  EXPECT_THROW(x({Expr(0)}), InternalError);
}

TEST(Reducers, StartFromTheirIdentity) {
  for (const Reducer reducer : {Reducer::Sum, Reducer::Product, Reducer::Min, Reducer::Max}) {
    for (const DataType type : {DataType::Float32, DataType::Int8, DataType::UInt8}) {
      const Expr value = expr::constant(type, 3);
      EXPECT_TRUE(expr::same(combine(reducer, identity(reducer, type), value), value))
          << name(reducer);
    }
  }
  for (const Reducer reducer : {Reducer::And, Reducer::Or})
    for (const bool value : {false, true})
      EXPECT_TRUE(
          expr::same(combine(reducer, identity(reducer, DataType::Bool), expr::boolean(value)),
                     expr::boolean(value)));
}

}  // namespace
}  // namespace loopglass::te

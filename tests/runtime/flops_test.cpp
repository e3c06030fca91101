// Counting arithmetic.
#include "core/te/flops.h"

#include <gtest/gtest.h>

namespace loopglass::te {
namespace {

TEST(Flops, AMultiplyAccumulateCountsTwo) {
  Builder builder;
  Tensor a = builder.placeholder("A", DataType::Float32, {4, 8}),
         b = builder.placeholder("B", DataType::Float32, {8, 3});
  Tensor c = builder.reduce("C", {4, 3}, {8}, Reducer::Sum, [&](const auto& i, const auto& r) {
    return a({i[0], r[0]}) * b({r[0], i[1]});
  });
  EXPECT_EQ(flops(std::move(builder).finish({c})), 2 * 4 * 3 * 8);
}

TEST(Flops, IndexArithmeticComparisonsAndConversionsAreFree) {
  Builder builder;
  Tensor x = builder.placeholder("X", DataType::Float32, {10});
  Tensor y = builder.compute("Y", {5}, [&](const auto& i) {
    return expr::select(i[0] * 2 < 7, expr::cast(DataType::Float64, x({i[0] * 2 + 1})),
                        expr::floating(DataType::Float64, 0));
  });
  EXPECT_EQ(flops(std::move(builder).finish({y})), 0);
}

TEST(Flops, ASelectCountsItsCostlierBranch) {
  Builder builder;
  Tensor x = builder.placeholder("X", DataType::Float32, {10});
  Tensor y = builder.compute("Y", {10}, [&](const auto& i) {
    Expr e = x({i[0]});
    return expr::select(e > expr::floating(DataType::Float32, 0), e + e * e,
                        expr::unary(expr::UnaryOperator::Exp, e));
  });
  EXPECT_EQ(flops(std::move(builder).finish({y})), 2 * 10);
}

}  // namespace
}  // namespace loopglass::te

// A sum that starts from what was added to it at the end.
#include "core/loop/lower.h"
#include "core/schedule/primitive.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using te::Builder;
using ::testing::HasSubstr;
using ::testing::Not;
using Indices = Builder::Indices;

// S[i, j] = sum over k of A[i, k] * B[k, j], and Y of it by `last`.
loop::Func sum_and_then(
    const std::function<expr::Expr(const te::Tensor& sum, const te::Tensor& bias, const Indices&)>&
        last) {
  Builder builder;
  const auto input = [&](const char* name, const Shape& shape) {
    return builder.placeholder(name, TensorType{DataType::Float32, shape});
  };
  const te::Tensor a = input("A", {6, 5}), b = input("B", {5, 7}), c = input("C", {7});
  const te::Tensor s =
      builder.reduce("S", {6, 7}, {5}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return a({i[0], r[0]}) * b({r[0], i[1]});
      });
  const te::Tensor y =
      builder.compute("Y", {6, 7}, [&](const Indices& i) { return last(s, c, i); });
  return loop::lower(std::move(builder).finish({y}), "sum_and_then");
}

loop::Func biased() {
  return sum_and_then([](const te::Tensor& sum, const te::Tensor& bias, const Indices& i) {
    return bias({i[1]}) + sum(i);
  });
}

TEST(FuseEpilogue, ASumStartsFromItsBias) {
  const std::string fused = body_of(scheduled(biased(), "fuse_epilogue(\"Y\")"));
  EXPECT_THAT(fused, HasSubstr("init { Y[i0, i1] = C[i1] }"));
  EXPECT_THAT(fused, HasSubstr("Y[i0, i1] = Y[i0, i1] + A["));
  EXPECT_THAT(fused, Not(HasSubstr("alloc")));
}

// As any sum: split, decomposed, factored.
TEST(FuseEpilogue, WhatComesOfItIsScheduledOn) {
  const std::string fused = "s = block(\"S\")\nfuse_epilogue(\"Y\")\ni, j, k = loops(s)\n";
  scheduled(biased(), fused +
                          "ko, ki = split(k, [-1, 2])\nreorder([ko, i, j, ki])\n"
                          "decompose_reduction(s, ko)");
  scheduled(biased(), fused + "reorder([i, k, j])\nvectorize(j)\nparallel(i)");
  scheduled(biased(), fused + "ko, ki = split(k, [-1, 2])\nrfactor(s, ki, 0)");
  scheduled(biased(), fused + "cache_write(s, \"register\")");
}

TEST(FuseEpilogue, SaysThatTermsAreAddedInAnotherOrder) {
  const Primitive& primitive = *find_primitive("fuse_epilogue");
  const auto applied = primitive.apply(biased(), std::vector<Argument>{std::string("Y")});
  ASSERT_TRUE(applied) << to_string(applied.error());
  EXPECT_THAT(applied->remark, HasSubstr("added in another order"));
}

TEST(FuseEpilogue, SaysWhatIsNoSumAndWhatIsMoreThanAddedToIt) {
  const auto relu = sum_and_then([](const te::Tensor& sum, const te::Tensor&, const Indices& i) {
    return expr::binary(expr::BinaryOperator::Max, sum(i), expr::constant(sum.type, 0));
  });
  EXPECT_THAT(refusal(relu, "fuse_epilogue(\"Y\")"),
              HasSubstr("it does more to an element of 'S' than to add to it"));
  const auto twice = sum_and_then(
      [](const te::Tensor& sum, const te::Tensor&, const Indices& i) { return sum(i) + sum(i); });
  EXPECT_THAT(refusal(twice, "fuse_epilogue(\"Y\")"), HasSubstr("does more to an element"));
  const auto turned =
      sum_and_then([](const te::Tensor& sum, const te::Tensor& bias, const Indices& i) {
        return sum({i[0], expr::Expr(6) - i[1]}) + bias({i[1]});
      });
  EXPECT_THAT(refusal(turned, "fuse_epilogue(\"Y\")"), HasSubstr("not element by element"));
  EXPECT_THAT(refusal(two_elementwise({8}), "fuse_epilogue(\"Z\")"),
              HasSubstr("is no sum that sets its initial value by itself"));
  EXPECT_THAT(refusal(biased(),
                      "s = block(\"S\")\ni, j, k = loops(s)\ndecompose_reduction(\"S\", i)\n"
                      "fuse_epilogue(\"Y\")"),
              HasSubstr("it has no producer of its own"));
}

}  // namespace

}  // namespace loopglass::schedule

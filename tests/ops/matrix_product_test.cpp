// MatMul, Gemm and Einsum against hand values and plain loops.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Tensor a23 = f32({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor b32 = f32({3, 2}, {1, 0, 0, 1, 1, 1});
const Reals product{4, 5, 10, 11};

TEST(MatMul, MultipliesMatrices) { expect_tensor(run("MatMul", {a23, b32}), {2, 2}, product); }

// numpy: a vector on the left is a row, on the right a column, and the axis it brought is dropped.
TEST(MatMul, TakesVectors) {
  const Tensor v = f32({3}, {1, 10, 100});
  expect_tensor(run("MatMul", {v, b32}), {2}, {101, 110});
  expect_tensor(run("MatMul", {a23, v}), {2}, {321, 654});
  expect_tensor(run("MatMul", {v, v}), {}, {10101});
  expect_tensor(run("MatMul", {v, counting({2, 3, 1})}), {2, 1}, {210, 543});
}

// Batches 2x1 and 3 broadcast to 2x3.
TEST(MatMul, BroadcastsBatches) {
  const Tensor a = random_floats({2, 1, 3, 4}, 1), b = random_floats({3, 4, 2}, 2);
  Reals expected;
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t q = 0; q < 3; ++q)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += static_cast<double>(a.as<float>()[(p * 3 + i) * 4 + k]) *
                   b.as<float>()[(q * 4 + k) * 2 + j];
          expected.push_back(sum);
        }
  expect_tensor(run("MatMul", {a, b}), {2, 3, 3, 2}, expected);
}

TEST(MatMul, IntegersWrap) {
  const Tensor a = Tensor::of<std::int32_t>({1, 2}, {1 << 30, 3}),
               b = Tensor::of<std::int32_t>({2, 1}, {4, 5});
  expect_tensor(run("MatMul", {a, b}), {1, 1}, {15});
}

TEST(MatMul, RefusesExtentsThatDoNotMeet) {
  EXPECT_EQ(refusal("MatMul", {a23.type(), a23.type()}),
            "LG2004: MatMul: [2, 3] by [2, 3] do not multiply");
  EXPECT_EQ(refusal("MatMul", {a23.type(), {DataType::Float32, {}}}),
            "LG2004: MatMul: a scalar has no matrix product");
}

TEST(Gemm, TransposesInTheIndexMaps) {
  const Tensor a32 = f32({3, 2}, {1, 4, 2, 5, 3, 6}), b23 = f32({2, 3}, {1, 0, 1, 0, 1, 1});
  const Attributes ta{{"transA", std::int64_t{1}}}, tb{{"transB", std::int64_t{1}}};
  expect_tensor(run("Gemm", {a32, b32}, ta), {2, 2}, product);
  expect_tensor(run("Gemm", {a23, b23}, tb), {2, 2}, product);
  expect_tensor(run("Gemm", {a32, b23}, {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}),
                {2, 2}, product);
}

TEST(Gemm, ScalesAndAddsABroadcastC) {
  const Attributes scaled{{"alpha", 2.0}, {"beta", 0.5}};
  expect_tensor(run("Gemm", {a23, b32, f32({2}, {10, 20})}, scaled), {2, 2}, {13, 20, 25, 32});
  expect_tensor(run("Gemm", {a23, b32, f32({2, 1}, {10, 20})}, scaled), {2, 2}, {13, 15, 30, 32});
  expect_tensor(run("Gemm", {a23, b32, f32({}, {10})}, scaled), {2, 2}, {13, 15, 25, 27});
  // beta 0 leaves C out, whatever is in it.
  expect_tensor(
      run("Gemm", {a23, b32, f32({}, {static_cast<float>(not_a_number)})}, {{"beta", 0.0}}), {2, 2},
      product);
}

TEST(Gemm, RefusesFractionsOfIntegersAndCThatWidens) {
  const TensorType integers{DataType::Int32, {2, 2}};
  EXPECT_THAT(refusal("Gemm", {integers, integers}, {{"alpha", 0.5}}),
              StartsWith("LG2003: Gemm: alpha or beta"));
  EXPECT_THAT(refusal("Gemm", {a23.type(), b32.type(), {DataType::Float32, {3, 2, 2}}}),
              HasSubstr("does not broadcast"));
}

TEST(Einsum, IsWhatItsEquationSays) {
  const auto einsum = [](const std::string& equation, const std::vector<Tensor>& inputs) {
    return run("Einsum", inputs, {{"equation", equation}});
  };
  expect_tensor(einsum("ij,jk->ik", {a23, b32}), {2, 2}, product);
  expect_tensor(einsum("ij,jk", {a23, b32}), {2, 2}, product);
  expect_tensor(einsum("ij->ji", {a23}), {3, 2}, {1, 4, 2, 5, 3, 6});
  expect_tensor(einsum("ba", {a23}), {3, 2},
                {1, 4, 2, 5, 3, 6});  // implied outputs are in alphabetical order
  expect_tensor(einsum("ij->i", {a23}), {2}, {6, 15});
  expect_tensor(einsum("i j ->", {a23}), {}, {21});
  expect_tensor(einsum("ii->i", {counting({3, 3})}), {3}, {0, 4, 8});
  expect_tensor(einsum("...ii->...i", {counting({2, 2, 2})}), {2, 2}, {0, 3, 4, 7});
  expect_tensor(einsum("...ij,...jk->...ik", {counting({2, 1, 2}), f32({2, 1}, {1, 10})}),
                {2, 1, 1}, {10, 32});
  expect_tensor(einsum("i,j,k->ijk", {f32({2}, {1, 2}), f32({1}, {3}), f32({2}, {5, 7})}),
                {2, 1, 2}, {15, 21, 30, 42});
}

TEST(Einsum, RefusesEquationsThatDoNotFit) {
  const auto refused = [](const std::string& equation) {
    return refusal("Einsum", {a23.type(), b32.type()}, {{"equation", equation}});
  };
  EXPECT_THAT(refused("ij->i"), HasSubstr("is for 1 operands, not 2"));
  EXPECT_THAT(refused("ij,ij->ij"), HasSubstr("label 'i' has extents 2 and 3"));
  EXPECT_THAT(refused("ij,jk->il"), HasSubstr("label 'l' of the output"));
  EXPECT_THAT(refused("ij,jk->ii"), HasSubstr("label 'i' of the output"));
  EXPECT_THAT(refused("ijk,jk->i"), HasSubstr("does not fit an operand"));
  EXPECT_THAT(refused("i1,jk->i"), HasSubstr("is no term"));
  EXPECT_THAT(refused("...j,jk->k"), HasSubstr("ellipsis"));
}

}  // namespace
}  // namespace loopglass::ops

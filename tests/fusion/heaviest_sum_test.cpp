// What a person's kernel spends its arithmetic on, by which its time is estimated.
#include "core/fusion/heaviest_sum.h"

#include "core/te/parse.h"
#include "samples/kernel_samples.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

HeaviestSum of_text(std::string_view text) {
  const auto parsed = te::parse(text);
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return parsed ? heaviest_sum(parsed->program) : HeaviestSum::Other;
}

TEST(HeaviestSum, IsThatOfTheStageWithMostOperations) {
  EXPECT_EQ(of_text("input A: float32[8, 16]\ninput B: float32[16, 4]\n"
                    "C[i, j] = sum over k of A[i, k] * B[k, j]\nD[i, j] = max(C[i, j], 0.0)"),
            HeaviestSum::Products);
  EXPECT_EQ(of_text("input X: float32[20]\ninput W: float32[3]\n"
                    "Y[i < 18] = sum over k of X[i + k] * W[k]"),
            HeaviestSum::WindowProducts);
  EXPECT_EQ(of_text("input X: float32[20, 9]\nY[i] = sum over k of X[i, k]"), HeaviestSum::Other);
  EXPECT_EQ(of_text("input X: float32[20, 9]\nY[i] = sum over k of X[i, k] * 2.0"),
            HeaviestSum::Other);
  EXPECT_EQ(of_text("input X: float32[20]\nY[i] = exp(X[i]) * X[i]"), HeaviestSum::Other);
}

TEST(HeaviestSum, OfSamplesIsWhatTheyAreCalled) {
  const auto of_sample = [](const char* name) {
    return of_text(samples::find_kernel_sample(name)->text);
  };
  EXPECT_EQ(of_sample("matmul"), HeaviestSum::Products);
  EXPECT_EQ(of_sample("attention"), HeaviestSum::Products);
  EXPECT_EQ(of_sample("conv2d"), HeaviestSum::WindowProducts);
  EXPECT_EQ(of_sample("softmax"), HeaviestSum::Other);
}

}  // namespace
}  // namespace loopglass::fusion

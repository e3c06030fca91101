// Fourier transforms as products: that they mean the same, and which are left.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"

#include <gmock/gmock.h>

#include <random>

namespace loopglass::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

graph::Graph transform_network(const char* op, const std::vector<TensorType>& inputs,
                               const Tensor& window, const ops::Attributes& attributes) {
  graph::GraphBuilder builder("network");
  std::vector<graph::ValueId> operands;
  for (const TensorType& type : inputs) operands.push_back(builder.add_input("x", type));
  if (window.defined()) operands.push_back(builder.add_constant("window", window));
  const auto node =
      builder.add_node("transform", *ops::find_operator(op), operands, attributes, 1, {}, {"y"});
  if (!node) throw std::invalid_argument(to_string(node.error()));
  builder.set_outputs({builder.output(*node)});
  return *std::move(builder).finish();
}

TEST(FourierProducts, OfOneAxisMeanTheSame) {
  for (const DataType type : {DataType::Float32, DataType::Float64})
    for (const std::int64_t length : {1, 2, 7, 16, 60, 97, 100, 128, 210, 211, 400})
      for (const std::int64_t parts : {1, 2})
        for (const bool inverse : {false, true})
          for (const bool one_sided : {false, true}) {
            if (one_sided && (inverse || parts == 2)) continue;
            const graph::Graph before =
                transform_network("DFT", {{type, {2, length, parts}}}, Tensor(),
                                  {{"axis", std::int64_t{1}},
                                   {"inverse", std::int64_t{inverse}},
                                   {"onesided", std::int64_t{one_sided}}});
            const auto step = applied("fourier-products", before);
            EXPECT_THAT(operator_names(*step.result), Not(Contains("DFT")));
            EXPECT_EQ(step.result->value(step.result->outputs()[0]).name, "y");
            expect_same_meaning(before, *step.result, type == DataType::Float32 ? 2e-4 : 1e-9);
            if (HasFailure()) {
              ADD_FAILURE() << length << " " << parts << " " << inverse << " " << one_sided;
              return;
            }
          }
}

TEST(FourierProducts, TakeLongTransformsApart) {
  const auto names = [](std::int64_t length) {
    return operator_names(
        *applied("fourier-products", transform_network("DFT", {{DataType::Float32, {3, length, 1}}},
                                                       Tensor(), {{"axis", std::int64_t{1}}}))
             .result);
  };
  EXPECT_EQ(std::ranges::count(names(96), "MatMul"), 1);
  EXPECT_EQ(std::ranges::count(names(1024), "MatMul"), 2);
  EXPECT_EQ(std::ranges::count(names(211), "MatMul"), 1) << "a prime";
}

TEST(FourierProducts, CutSignalsOffAndFillThemUp) {
  for (const std::int64_t extent : {9, 90, 100, 121, 300})
    for (const std::int64_t length : {7, 95, 97, 120}) {
      const graph::Graph before =
          transform_network("DFT", {{DataType::Float32, {2, extent, 2}}}, Tensor(),
                            {{"axis", std::int64_t{1}}, {"dft_length", length}});
      expect_same_meaning(before, *applied("fourier-products", before).result, 2e-4);
    }
}

TEST(FourierProducts, OfFramesMeanTheSame) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const auto between = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution(least, most)(random);
    };
    const std::int64_t length = between(2, 40), step = between(1, 50),
                       samples = length + between(0, 100);
    const bool has_window = between(0, 1) == 1;
    ops::Attributes attributes{{"frame_step", step}, {"onesided", between(0, 1)}};
    if (!has_window || between(0, 1) == 1) attributes.set("frame_length", length);
    const Shape signal = between(0, 1) == 1 ? Shape{2, samples} : Shape{2, samples, 1};
    const graph::Graph before = transform_network(
        "STFT", {{DataType::Float32, signal}},
        has_window ? runtime::random_tensor({DataType::Float32, {length}}, 5) : Tensor(),
        attributes);
    const auto step_made = applied("fourier-products", before);
    EXPECT_THAT(operator_names(*step_made.result),
                ElementsAre("Reshape", "Conv", "Transpose", "Reshape"));
    expect_same_meaning(before, *step_made.result, 1e-4);
    if (HasFailure()) return;
  }
}

TEST(FourierProducts, LeaveWhatTheyDoNotGain) {
  const auto refused = [](const graph::Graph& before) {
    const auto step = applied("fourier-products", before);
    EXPECT_FALSE(step.changed);
    return codes(step);
  };
  const std::int64_t one = 1;
  EXPECT_THAT(refused(transform_network("DFT", {{DataType::Float16, {2, 8, 1}}}, Tensor(),
                                        {{"axis", one}})),
              ElementsAre("NARROW_NUMBERS"));
  EXPECT_THAT(refused(transform_network("DFT", {{DataType::Float32, {8, 3, 1}}}, Tensor(),
                                        {{"axis", 0 * one}})),
              ElementsAre("INNER_AXIS"));
  EXPECT_THAT(refused(transform_network("DFT", {{DataType::Float32, {1, 9973, 1}}}, Tensor(),
                                        {{"axis", one}})),
              ElementsAre("LARGE_MATRIX"));
  EXPECT_THAT(refused(transform_network(
                  "STFT", {{DataType::Float32, {1, 60, 2}}}, Tensor(),
                  {{"frame_step", 4 * one}, {"frame_length", 8 * one}, {"onesided", 0 * one}})),
              ElementsAre("COMPLEX_SIGNAL"));
  EXPECT_THAT(
      refused(transform_network("STFT", {{DataType::Float32, {1, 60}}, {DataType::Float32, {8}}},
                                Tensor(), {{"frame_step", 4 * one}})),
      ElementsAre("WINDOW_NOT_CONSTANT"));
}

}  // namespace
}  // namespace loopglass::test

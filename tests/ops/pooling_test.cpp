// Pooling: windows, pads, ceil_mode, positions of maxima; over whole images; and MaxUnpool.
#include "tests/ops/arrays.h"

#include <random>

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Attributes windows(Integers kernel, Integers strides, Integers pads = {}) {
  return {{"kernel_shape", std::move(kernel)},
          {"strides", std::move(strides)},
          {"pads", std::move(pads)}};
}

const Tensor line = f32({1, 1, 5}, {3, 1, 4, 1, 5});

TEST(MaxPool, TakesTheGreatestOfEachWindow) {
  expect_tensor(run("MaxPool", {line}, windows({2}, {1})), {1, 1, 4}, {3, 4, 4, 5});
  expect_tensor(run("MaxPool", {line}, windows({3}, {2})), {1, 1, 2}, {4, 5});
  expect_tensor(run("MaxPool", {line}, with(windows({2}, {1}), "dilations", Integers{3})),
                {1, 1, 2}, {3, 5});
  expect_tensor(run("MaxPool", {counting({2, 1, 4, 4})}, windows({2, 2}, {2, 2})), {2, 1, 2, 2},
                {5, 7, 13, 15, 21, 23, 29, 31});
}

// Padding is less than everything, not zero.
TEST(MaxPool, IgnoresPadding) {
  const Tensor negative = f32({1, 1, 3}, {-3, -1, -2});
  expect_tensor(run("MaxPool", {negative}, windows({2}, {1}, {1, 1})), {1, 1, 4}, {-3, -1, -1, -2});
  const Tensor bytes = Tensor::of<std::int8_t>({1, 1, 3}, {-128, -3, -100});
  expect_tensor(run("MaxPool", {bytes}, windows({2}, {1}, {1, 1})), {1, 1, 4},
                {-128, -3, -3, -100});
}

TEST(MaxPool, CeilModeAddsTheLastPartialWindow) {
  const Tensor x = f32({1, 1, 6}, {1, 2, 3, 4, 5, 6});
  expect_tensor(run("MaxPool", {x}, windows({3}, {2})), {1, 1, 2}, {3, 5});
  expect_tensor(run("MaxPool", {x}, with(windows({3}, {2}), "ceil_mode", one)), {1, 1, 3},
                {3, 5, 6});
  // A window that would begin behind the input is dropped: 1 in 2 of 4 elements makes two, not
  // three.
  expect_tensor(
      run("MaxPool", {f32({1, 1, 4}, {1, 2, 3, 4})}, with(windows({1}, {2}), "ceil_mode", one)),
      {1, 1, 2}, {1, 3});
}

TEST(MaxPool, SaysWhereTheGreatestWere) {
  const Tensor x = f32({2, 1, 2, 3}, {1, 5, 5, 0, 2, 9, 7, 7, 7, 7, 7, 7});
  const auto rows = run_all("MaxPool", {x}, windows({2, 2}, {1, 1}), 2);
  expect_tensor(rows[0], {2, 1, 1, 2}, {5, 9, 7, 7});
  expect_tensor(rows[1], {2, 1, 1, 2}, {1, 5, 6, 7});  // the first of several
  EXPECT_EQ(rows[1].data_type(), DataType::Int64);
  const auto columns =
      run_all("MaxPool", {x}, with(windows({2, 2}, {1, 1}), "storage_order", one), 2);
  expect_tensor(columns[1], {2, 1, 1, 2}, {2, 5, 6, 8});
  const auto padded = run_all("MaxPool", {line}, windows({2}, {2}, {1, 0}), 2);
  expect_tensor(padded[1], {1, 1, 3}, {0, 2, 4});
}

TEST(MaxPool, PropagatesNaNAndItsPosition) {
  const Tensor x = f32({1, 1, 3}, {1, static_cast<float>(not_a_number), 2});
  const auto outputs = run_all("MaxPool", {x}, windows({2}, {1}), 2);
  expect_tensor(outputs[0], {1, 1, 2}, {not_a_number, not_a_number});
  expect_tensor(outputs[1], {1, 1, 2}, {1, 1});
}

// Before the input, behind it, and with taps on either side of it.
TEST(Pooling, WindowsOfPaddingOnly) {
  const Tensor x = f32({1, 1, 2}, {3, 4});
  const Attributes around = windows({2}, {1}, {2, 3});
  const Attributes astride = with(windows({2}, {1}, {1, 1}), "dilations", Integers{3});
  expect_tensor(run("MaxPool", {x}, around), {1, 1, 6}, {-infinity, 3, 4, 4, -infinity, -infinity});
  expect_tensor(run("MaxPool", {x}, astride), {1, 1, 1}, {-infinity});
  const Tensor bytes = Tensor::of<std::int8_t>({1, 1, 2}, {3, 4});
  expect_tensor(run("MaxPool", {bytes}, around), {1, 1, 6}, {-128, 3, 4, 4, -128, -128});
  expect_tensor(run("AveragePool", {x}, around), {1, 1, 6},
                {not_a_number, 3, 3.5, 4, not_a_number, not_a_number});
  expect_tensor(run("AveragePool", {x}, astride), {1, 1, 1}, {not_a_number});
  expect_tensor(run("AveragePool", {x}, with(around, "count_include_pad", one)), {1, 1, 6},
                {0, 1.5, 3.5, 2, 0, 0});
  expect_tensor(run("LpPool", {x}, around), {1, 1, 6}, {0, 3, 5, 4, 0, 0});
}

// Two axes without an element do not make one.
TEST(Pooling, CornersOfPaddingOnly) {
  const Tensor x = f32({1, 1, 1, 1}, {7});
  const Tensor means = run("AveragePool", {x}, windows({1, 1}, {1, 1}, {1, 1, 0, 0}));
  expect_tensor(means, {1, 1, 2, 2}, {not_a_number, not_a_number, not_a_number, 7});
}

TEST(MaxPool, RefusesToSayWhereInPadding) {
  EXPECT_THAT(refusal("MaxPool", {line.type()}, windows({2}, {1}, {2, 0}), 2),
              StartsWith("LG2002: MaxPool: indices, where window 0"));
  EXPECT_THAT(refusal("MaxPool", {line.type()}, windows({2}, {1}, {0, 2}), 2),
              HasSubstr("lies wholly in the padding"));
  EXPECT_THAT(refusal("MaxPool", {line.type()}, {}),
              HasSubstr("needs its attribute 'kernel_shape'"));
  EXPECT_THAT(refusal("MaxPool", {{DataType::Float32, {5, 5}}}, windows({2}, {1})),
              HasSubstr("no spatial axes"));
}

TEST(AveragePool, LeavesPaddingOutOfTheMeanUnlessItCounts) {
  const Tensor x = f32({1, 1, 3}, {2, 4, 6});
  expect_tensor(run("AveragePool", {x}, windows({2}, {1}, {1, 1})), {1, 1, 4}, {2, 3, 5, 6});
  expect_tensor(run("AveragePool", {x}, with(windows({2}, {1}, {1, 1}), "count_include_pad", one)),
                {1, 1, 4}, {1, 3, 5, 3});
}

// Corners of a padded image see 4 elements, edges 6, the middle 9.
TEST(AveragePool, CountsTheElementsOfEachWindow) {
  const Tensor ones = f32({1, 1, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_tensor(run("AveragePool", {ones}, windows({3, 3}, {1, 1}, {1, 1, 1, 1})), {1, 1, 3, 3},
                {1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_tensor(run("AveragePool", {ones},
                    with(windows({3, 3}, {1, 1}, {1, 1, 1, 1}), "count_include_pad", one)),
                {1, 1, 3, 3}, {4. / 9, 6. / 9, 4. / 9, 6. / 9, 1, 6. / 9, 4. / 9, 6. / 9, 4. / 9});
}

// What ceil_mode adds beyond the pads counts under no setting.
TEST(AveragePool, CeilModeNeverCountsWhatItAdds) {
  const Tensor x = f32({1, 1, 4}, {3, 6, 9, 12});
  const Attributes ceil = with(windows({3}, {2}, {0, 0}), "ceil_mode", one);
  expect_tensor(run("AveragePool", {x}, ceil), {1, 1, 2}, {6, 10.5});
  expect_tensor(run("AveragePool", {x}, with(ceil, "count_include_pad", one)), {1, 1, 2},
                {6, 10.5});
}

TEST(AveragePool, Float16IsSummedInFloat32) {
  const Tensor ones = to_half(Tensor::of<float>({1, 1, 4096}, std::vector<float>(4096, 1.0f)));
  expect_tensor(run("AveragePool", {ones}, windows({4096}, {1})), {1, 1, 1}, {1}, 0);
  expect_tensor(run("GlobalAveragePool", {ones}), {1, 1, 1}, {1}, 0);
}

TEST(AveragePool, SamePadsAndValid) {
  const Tensor x = f32({1, 1, 4}, {2, 4, 6, 8});
  expect_tensor(run("AveragePool", {x}, with(windows({2}, {1}), "auto_pad", "SAME_UPPER")),
                {1, 1, 4}, {3, 5, 7, 8});
  expect_tensor(run("AveragePool", {x}, with(windows({2}, {1}), "auto_pad", "SAME_LOWER")),
                {1, 1, 4}, {2, 3, 5, 7});
  expect_tensor(run("AveragePool", {x}, with(windows({3}, {1}), "auto_pad", "VALID")), {1, 1, 2},
                {4, 6});
  const Attributes both = with(with(windows({3}, {2}), "auto_pad", "VALID"), "ceil_mode", one);
  EXPECT_THAT(refusal("AveragePool", {x.type()}, both), HasSubstr("ceil_mode with auto_pad"));
}

// Windows of any form, which are taken axis by axis or as a whole; here element by element.
TEST(Pooling, OfRandomWindowsIsWhatItsDefinitionSays) {
  std::mt19937 random(11);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    const auto rank = static_cast<std::size_t>(between(1, 3));
    Integers kernel, strides, dilations, begins, ends;
    Shape shape{1, 2}, pooled{1, 2};
    for (std::size_t d = 0; d < rank; ++d) {
      kernel.push_back(between(1, 5));
      strides.push_back(between(1, 4));
      dilations.push_back(between(1, 4) == 1 ? between(2, 3) : 1);
      const std::int64_t reach = (kernel[d] - 1) * dilations[d] + 1;
      begins.push_back(between(0, kernel[d] - 1));
      ends.push_back(between(0, kernel[d] - 1));
      shape.push_back(std::max<std::int64_t>(between(1, 9), reach - begins[d] - ends[d]));
      pooled.push_back((shape.back() + begins[d] + ends[d] - reach) / strides[d] + 1);
    }
    const std::string op = std::vector{"MaxPool", "AveragePool", "LpPool"}[trial % 3];
    const bool is_max = op == "MaxPool", counts_pads = op == "AveragePool" && between(0, 1) == 1;
    Integers pads = begins;
    pads.insert(pads.end(), ends.begin(), ends.end());
    Attributes attributes = windows(kernel, strides, pads);
    attributes.set("dilations", dilations);
    if (op == "AveragePool") attributes.set("count_include_pad", std::int64_t{counts_pads});
    Tensor x({DataType::Float32, shape});
    for (float& each : x.as<float>())
      each = is_max && between(0, 30) == 0 ? NAN : static_cast<float>(between(-20, 20));

    Reals expected;
    const auto indices_of = [](std::int64_t flat, const Shape& of) {
      Integers indices(of.size());
      for (std::size_t d = of.size(); d-- > 0; flat /= of[d]) indices[d] = flat % of[d];
      return indices;
    };
    const std::int64_t taps = element_count(Shape(kernel.begin(), kernel.end()));
    for (std::int64_t o = 0; o < element_count(pooled); ++o) {
      const Integers at = indices_of(o, pooled);
      double best = -INFINITY, sum = 0, power = 0, count = 0;
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const Integers of_kernel = indices_of(tap, Shape(kernel.begin(), kernel.end()));
        std::int64_t flat = at[1];
        bool inside = true;
        for (std::size_t d = 0; d < rank; ++d) {
          const std::int64_t place =
              at[d + 2] * strides[d] - begins[d] + of_kernel[d] * dilations[d];
          inside = inside && place >= 0 && place < shape[d + 2];
          flat = flat * shape[d + 2] + place;
        }
        if (inside) {
          const double value = x.double_at(flat);
          best = std::isnan(best) || std::isnan(value) ? NAN : std::max(best, value);
          sum += value;
          power += value * value;
        }
        count += inside || counts_pads;
      }
      expected.push_back(is_max ? best : op == "LpPool" ? std::sqrt(power) : sum / count);
    }
    SCOPED_TRACE(testing::Message() << op << " " << trial);
    if (op == "AveragePool" &&
        std::ranges::any_of(expected, [](double v) { return std::isnan(v); }))
      continue;  // of a window without elements
    expect_tensor(run(op, {x}, attributes), pooled, expected);
    if (HasFailure()) return;
  }
}

TEST(LpPool, IsTheNormOfEachWindow) {
  const Tensor x = f32({1, 1, 3}, {3, -4, 12});
  expect_tensor(run("LpPool", {x}, windows({2}, {1})), {1, 1, 2}, {5, std::sqrt(160)});
  expect_tensor(run("LpPool", {x}, with(windows({2}, {1}, {1, 0}), "p", one)), {1, 1, 3},
                {3, 7, 16});
  expect_tensor(run("LpPool", {x}, with(windows({3}, {1}), "p", std::int64_t{3})), {1, 1, 1},
                {std::cbrt(27 + 64 + 1728)});
  expect_tensor(run("GlobalLpPool", {x}), {1, 1, 1}, {13});
  EXPECT_THAT(refusal("LpPool", {x.type()}, with(windows({2}, {1}), "p", std::int64_t{0})),
              StartsWith("LG2002"));
}

TEST(GlobalPool, ReducesEachChannelsImage) {
  const Tensor x = counting({2, 2, 2, 2});
  expect_tensor(run("GlobalAveragePool", {x}), {2, 2, 1, 1}, {1.5, 5.5, 9.5, 13.5});
  expect_tensor(run("GlobalMaxPool", {x}), {2, 2, 1, 1}, {3, 7, 11, 15});
}

TEST(MaxUnpool, PutsElementsBack) {
  const auto pooled = run_all("MaxPool", {counting({1, 2, 2, 4})}, windows({2, 2}, {2, 2}), 2);
  expect_tensor(run("MaxUnpool", pooled, windows({2, 2}, {2, 2})), {1, 2, 2, 4},
                {0, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 0, 13, 0, 15});
}

// A greater output_shape adds zeros at the ends; indices count as before. Of two elements for one
// place the last stays, whether it is greater or not.
TEST(MaxUnpool, EnlargesTheOutputAndKeepsTheLast) {
  const Attributes larger = with(windows({2}, {2}), "output_shape", Integers{1, 2, 5});
  expect_tensor(
      run("MaxUnpool", {f32({1, 2, 2}, {1, 2, 4, 3}), i64({1, 2, 2}, {1, 2, 4, 4})}, larger),
      {1, 2, 5}, {0, 1, 2, 0, 0, 3, 0, 0, 0, 0});
  EXPECT_THAT(refusal("MaxUnpool", {{DataType::Float32, {1, 2, 2}}, {DataType::Int64, {1, 2, 2}}},
                      with(windows({2}, {2}), "output_shape", Integers{1, 2, 3})),
              HasSubstr("output_shape"));
}

}  // namespace
}  // namespace loopglass::ops

// Shapes, orders, parts: elements must arrive where they belong, none changed.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- Reshape and its kin -----------------------------------------------------------------------

TEST(Reshape, ResolvesMinusOneAndZero) {
  const TensorType x = f32_type({2, 3, 4});
  EXPECT_EQ(inferred_shape("Reshape", {x}, {{"shape", Integers{4, -1}}}), (Shape{4, 6}));
  EXPECT_EQ(inferred_shape("Reshape", {x}, {{"shape", Integers{0, -1}}}), (Shape{2, 12}));
  EXPECT_EQ(inferred_shape("Reshape", {f32_type({1})}, {{"shape", Integers{}}}), Shape{});
  EXPECT_EQ(inferred_shape("Reshape", {f32_type({0, 3})},
                           {{"shape", Integers{3, 0}}, {"allowzero", std::int64_t{1}}}),
            (Shape{3, 0}));
}

TEST(Reshape, KeepsRowMajorOrder) {
  const Tensor y = run("Reshape", {counting({2, 3, 4})}, {{"shape", Integers{4, 6}}});
  EXPECT_EQ(y.shape(), (Shape{4, 6}));
  EXPECT_EQ(elements(y), elements(counting({24})));
}

TEST(Reshape, RefusesShapesThatDoNotFit) {
  const TensorType x = f32_type({2, 3});
  EXPECT_THAT(refusal("Reshape", {x}, {{"shape", Integers{4}}}), HasSubstr("does not reshape"));
  EXPECT_THAT(refusal("Reshape", {x}, {{"shape", Integers{4, -1}}}), HasSubstr("does not reshape"));
  EXPECT_THAT(refusal("Reshape", {x}, {{"shape", Integers{-1, -1}}}), HasSubstr("twice"));
  EXPECT_THAT(refusal("Reshape", {x}, {{"shape", Integers{-2, 3}}}), HasSubstr("extent -2"));
  EXPECT_THAT(refusal("Reshape", {x}, {{"shape", Integers{2, 3, 0}}}), HasSubstr("rank 2"));
}

TEST(Flatten, MakesMatrices) {
  const TensorType x = f32_type({2, 3, 4});
  EXPECT_EQ(inferred_shape("Flatten", {x}), (Shape{2, 12}));
  EXPECT_EQ(inferred_shape("Flatten", {x}, axis(0)), (Shape{1, 24}));
  EXPECT_EQ(inferred_shape("Flatten", {x}, axis(3)), (Shape{24, 1}));
  EXPECT_EQ(inferred_shape("Flatten", {x}, axis(-1)), (Shape{6, 4}));
  EXPECT_EQ(inferred_shape("Flatten", {f32_type({})}, axis(0)), (Shape{1, 1}));
  EXPECT_THAT(refusal("Flatten", {x}, axis(4)), HasSubstr("axis 4"));
}

TEST(Squeeze, DropsUnitDimensions) {
  const TensorType x = f32_type({1, 3, 1});
  EXPECT_EQ(inferred_shape("Squeeze", {x}), (Shape{3}));
  EXPECT_EQ(inferred_shape("Squeeze", {x}, {{"axes", Integers{-1}}}), (Shape{1, 3}));
  EXPECT_THAT(refusal("Squeeze", {x}, {{"axes", Integers{1}}}), HasSubstr("is not 1"));
  EXPECT_THAT(refusal("Squeeze", {x}, {{"axes", Integers{0, -3}}}), HasSubstr("named twice"));
}

TEST(Unsqueeze, PutsUnitDimensionsIn) {
  const TensorType x = f32_type({3, 4});
  EXPECT_EQ(inferred_shape("Unsqueeze", {x}, {{"axes", Integers{-1, 0}}}), (Shape{1, 3, 4, 1}));
  EXPECT_EQ(computed("Unsqueeze", {counting({3})}, {{"axes", Integers{1}}}),
            elements(counting({3})));
  EXPECT_THAT(refusal("Unsqueeze", {x}, {{"axes", Integers{3}}}), HasSubstr("axis 3"));
}

TEST(Dropout, IsTheIdentityAtInference) {
  const auto outputs = run_all("Dropout", {f32({2}, {1, 2})}, {{"ratio", 0.9}}, 2);
  EXPECT_THAT(elements(outputs[0]), ElementsAre(1, 2));
  EXPECT_EQ(outputs[1].data_type(), DataType::Bool);
  EXPECT_THAT(elements(outputs[1]), ElementsAre(1, 1));
}

TEST(Dropout, RefusesToDrawRandomNumbers) {
  EXPECT_THAT(refusal("Dropout", {f32_type({2})}, {{"training_mode", std::int64_t{1}}}),
              HasSubstr("random"));
  EXPECT_EQ(inferred_shape("Dropout", {f32_type({2})},
                           {{"training_mode", std::int64_t{1}}, {"ratio", 0.0}}),
            Shape{2});
}

TEST(Transpose, Permutes) {
  EXPECT_THAT(computed("Transpose", {counting({2, 3})}), ElementsAre(0, 3, 1, 4, 2, 5));
  const Tensor y = run("Transpose", {counting({2, 1, 3})}, {{"perm", Integers{2, 0, 1}}});
  EXPECT_EQ(y.shape(), (Shape{3, 2, 1}));
  EXPECT_THAT(elements(y), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(refusal("Transpose", {f32_type({2, 3})}, {{"perm", Integers{0, 0}}}),
              HasSubstr("not a permutation"));
}

TEST(Expand, BroadcastsBothWays) {
  EXPECT_THAT(computed("Expand", {f32({2, 1}, {1, 2})}, {{"shape", Integers{2, 3}}}),
              ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_EQ(inferred_shape("Expand", {f32_type({3, 1})}, {{"shape", Integers{2, 1, 1}}}),
            (Shape{2, 3, 1}));
  EXPECT_THAT(refusal("Expand", {f32_type({3})}, {{"shape", Integers{2}}}),
              HasSubstr("do not broadcast"));
}

TEST(Tile, Repeats) {
  EXPECT_THAT(computed("Tile", {counting({2, 1})}, {{"repeats", Integers{2, 3}}}),
              ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1));
  EXPECT_EQ(inferred_shape("Tile", {f32_type({2})}, {{"repeats", Integers{0}}}), Shape{0});
  EXPECT_THAT(refusal("Tile", {f32_type({2})}, {{"repeats", Integers{1, 1}}}),
              HasSubstr("2 repeats"));
  EXPECT_THAT(refusal("Tile", {f32_type({2})}, {{"repeats", Integers{-1}}}),
              HasSubstr("-1 repeats"));
}

TEST(DepthToSpace, SpreadsChannelsInEitherOrder) {
  const Tensor x = counting({1, 8, 1, 1});
  EXPECT_THAT(computed("DepthToSpace", {x}, {{"blocksize", std::int64_t{2}}}),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(computed("DepthToSpace", {x}, {{"blocksize", std::int64_t{2}}, {"mode", "CRD"}}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(refusal("DepthToSpace", {f32_type({1, 6, 2, 2})}, {{"blocksize", std::int64_t{2}}}),
              HasSubstr("6 channels"));
}

TEST(SpaceToDepth, UndoesDepthToSpace) {
  const Tensor x = counting({2, 8, 3, 2});
  const Tensor spread = run("DepthToSpace", {x}, {{"blocksize", std::int64_t{2}}});
  EXPECT_TRUE(run("SpaceToDepth", {spread}, {{"blocksize", std::int64_t{2}}}).same_content(x));
  EXPECT_THAT(refusal("SpaceToDepth", {f32_type({1, 1, 3, 2})}, {{"blocksize", std::int64_t{2}}}),
              HasSubstr("does not divide"));
}

// --- Parts -------------------------------------------------------------------------------------

TEST(Concat, LaysInputsEndToEnd) {
  const Tensor a = f32({2, 1}, {1, 2}), b = f32({2, 2}, {3, 4, 5, 6}), none = f32({2, 0}, {});
  EXPECT_THAT(computed("Concat", {a, b, none, a}, axis(-1)), ElementsAre(1, 3, 4, 1, 2, 5, 6, 2));
  EXPECT_THAT(computed("Concat", {a, f32({1, 1}, {9})}, axis(0)), ElementsAre(1, 2, 9));
  EXPECT_THAT(refusal("Concat", {f32_type({2, 1}), f32_type({3, 1})}, axis(1)),
              HasSubstr("beyond axis 1"));
  EXPECT_THAT(refusal("Concat", {f32_type({2}), f32_type({2, 1})}, axis(0)),
              HasSubstr("the first is"));
}

TEST(Split, CutsEquallyOrAsTold) {
  const auto halves = run_all("Split", {counting({4})}, {}, 2);
  EXPECT_THAT(elements(halves[0]), ElementsAre(0, 1));
  EXPECT_THAT(elements(halves[1]), ElementsAre(2, 3));
  const auto parts = run_all("Split", {counting({2, 3})},
                             {{"axis", std::int64_t{1}}, {"split", Integers{1, 0, 2}}}, 3);
  EXPECT_THAT(elements(parts[0]), ElementsAre(0, 3));
  EXPECT_EQ(parts[1].shape(), (Shape{2, 0}));
  EXPECT_THAT(elements(parts[2]), ElementsAre(1, 2, 4, 5));
  const auto uneven = run_all("Split", {counting({5})}, {{"num_outputs", std::int64_t{2}}}, 2);
  EXPECT_THAT(elements(uneven[1]), ElementsAre(3, 4));
}

TEST(Split, RefusesPartsThatDoNotAddUp) {
  EXPECT_THAT(refusal("Split", {f32_type({5})}, {}, 2), HasSubstr("2 equal parts"));
  EXPECT_THAT(refusal("Split", {f32_type({5})}, {{"split", Integers{2, 2}}}, 2),
              HasSubstr("[2, 2]"));
  EXPECT_THAT(refusal("Split", {f32_type({5})}, {{"split", Integers{6, -1}}}, 2), HasSubstr("-1"));
}

Reals sliced(std::int64_t start, std::int64_t end, std::int64_t step) {
  return computed(
      "Slice", {counting({5})},
      {{"starts", Integers{start}}, {"ends", Integers{end}}, {"steps", Integers{step}}});
}

// Of whole numbers beyond the tensor only those of a start are not numpy's: the text of the
// operator, and ONNX Runtime, clamp it to an element that there is.
TEST(Slice, BackwardsFromBeforeTheFirstElementIsFromTheFirst) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(sliced(-6, least, -1), ElementsAre(0));
  EXPECT_THAT(sliced(-100, -200, -3), ElementsAre(0));
  EXPECT_THAT(sliced(-6, 0, -1), ElementsAre());
  EXPECT_THAT(
      computed("Slice", {counting({0})},
               {{"starts", Integers{-1}}, {"ends", Integers{least}}, {"steps", Integers{-1}}}),
      ElementsAre());
}

TEST(Slice, CutsAsNumpyDoes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(sliced(1, 4, 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(sliced(-2, most, 1), ElementsAre(3, 4));
  EXPECT_THAT(sliced(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(sliced(-1, least, -1), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(sliced(3, 0, -2), ElementsAre(3, 1));
  EXPECT_THAT(sliced(100, 200, 1), ElementsAre());
  EXPECT_THAT(sliced(3, 1, 1), ElementsAre());
  EXPECT_THAT(sliced(0, most, most), ElementsAre(0));
  EXPECT_THAT(sliced(4, least, least), ElementsAre(4));
}

TEST(Slice, NamesAxes) {
  EXPECT_THAT(computed("Slice", {counting({2, 3})},
                       {{"starts", Integers{1}}, {"ends", Integers{3}}, {"axes", Integers{-1}}}),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(refusal("Slice", {f32_type({3})},
                      {{"starts", Integers{0}}, {"ends", Integers{1}}, {"steps", Integers{0}}}),
              HasSubstr("step of 0"));
  EXPECT_THAT(
      refusal("Slice", {f32_type({3})}, {{"starts", Integers{0, 0}}, {"ends", Integers{1}}}),
      HasSubstr("2 starts"));
  EXPECT_THAT(refusal("Slice", {f32_type({3})},
                      {{"starts", Integers{0}}, {"ends", Integers{1}}, {"axes", Integers{1}}}),
              HasSubstr("axis 1"));
}

Reals padded(const std::string& mode, std::int64_t before, std::int64_t after) {
  return computed("Pad", {f32({3}, {1, 2, 3})},
                  {{"pads", Integers{before, after}}, {"mode", mode}, {"value", 9.0}});
}

TEST(Pad, HasFourModes) {
  EXPECT_THAT(padded("constant", 1, 2), ElementsAre(9, 1, 2, 3, 9, 9));
  EXPECT_THAT(padded("edge", 2, 1), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(padded("reflect", 2, 2), ElementsAre(3, 2, 1, 2, 3, 2, 1));
  EXPECT_THAT(padded("reflect", 5, 0), ElementsAre(2, 1, 2, 3, 2, 1, 2, 3));
  EXPECT_THAT(padded("wrap", 2, 4), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3, 1));
}

// Long axes are told apart from their margins.
TEST(Pad, ReflectsLongAxes) {
  constexpr std::int64_t count = 300;
  const Tensor x = counting({2, count});
  for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, 7},
                                   {7, 0},
                                   {299, 299},
                                   {300, 5},
                                   {-3, 40},
                                   {40, -3}}) {
    const Tensor y = run("Pad", {x}, {{"pads", Integers{0, begin, 0, end}}, {"mode", "reflect"}});
    const std::int64_t length = count + begin + end;
    ASSERT_EQ(y.shape(), (Shape{2, length}));
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t i = 0; i < length; ++i) {
        std::int64_t place = i - begin;
        while (place < 0 || place >= count) place = place < 0 ? -place : 2 * (count - 1) - place;
        ASSERT_EQ(y.double_at(row * length + i), x.double_at(row * count + place))
            << begin << " " << end << " " << i;
      }
  }
}

TEST(Pad, TakesAwayWithNegativePads) {
  EXPECT_THAT(padded("constant", -1, 1), ElementsAre(2, 3, 9));
  EXPECT_THAT(padded("edge", 1, -2), ElementsAre(1, 1));
  EXPECT_THAT(padded("reflect", -1, 1), ElementsAre(2, 3, 2));
  EXPECT_THAT(padded("wrap", -1, 3), ElementsAre(2, 3, 2, 3, 2));
  EXPECT_THAT(padded("wrap", 3, -1), ElementsAre(2, 1, 2, 1, 2));
  EXPECT_THAT(refusal("Pad", {f32_type({3})}, {{"pads", Integers{-3, 5}}, {"mode", "wrap"}}),
              HasSubstr("no element to pad with"));
  EXPECT_THAT(refusal("Pad", {f32_type({3})}, {{"pads", Integers{-2, -2}}}),
              HasSubstr("take away more"));
}

TEST(Pad, NamesAxesAndRefusesOthers) {
  EXPECT_EQ(
      inferred_shape("Pad", {f32_type({2, 3})}, {{"pads", Integers{1, 1}}, {"axes", Integers{-1}}}),
      (Shape{2, 5}));
  EXPECT_EQ(inferred_shape("Pad", {f32_type({0})}, {{"pads", Integers{1, 1}}}), Shape{2});
  EXPECT_THAT(refusal("Pad", {f32_type({0})}, {{"pads", Integers{1, 1}}, {"mode", "edge"}}),
              HasSubstr("no element"));
  EXPECT_THAT(refusal("Pad", {f32_type({2})}, {{"pads", Integers{1}}}), HasSubstr("1 pads"));
  EXPECT_THAT(refusal("Pad", {f32_type({2})}, {{"pads", Integers{1, 1}}, {"mode", "symmetric"}}),
              HasSubstr("LG2002"));
}

TEST(Trilu, KeepsATriangle) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(computed("Trilu", {x}), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(computed("Trilu", {x}, {{"upper", std::int64_t{0}}}), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(computed("Trilu", {x}, {{"k", std::int64_t{1}}}), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(computed("Trilu", {x}, {{"k", std::numeric_limits<std::int64_t>::max()}}),
              ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(refusal("Trilu", {f32_type({3})}), HasSubstr("not a matrix"));
}

TEST(ReverseSequence, TurnsTheFirstStepsRound) {
  EXPECT_THAT(computed("ReverseSequence", {counting({2, 3}), i64({2}, {2, 3})},
                       {{"batch_axis", std::int64_t{0}}, {"time_axis", std::int64_t{1}}}),
              ElementsAre(1, 0, 2, 5, 4, 3));
  EXPECT_THAT(computed("ReverseSequence", {counting({3, 2}), i64({2}, {1, 3})}),
              ElementsAre(0, 5, 2, 3, 4, 1));
  EXPECT_THAT(refusal("ReverseSequence", {f32_type({2, 3}), {DataType::Int64, {2}}}),
              HasSubstr("lengths"));
}

TEST(Compress, KeepsWhereTheConditionHolds) {
  const Tensor x = counting({3, 2});
  EXPECT_THAT(
      computed("Compress", {x}, {{"condition", Integers{0, 1, 1}}, {"axis", std::int64_t{0}}}),
      ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(computed("Compress", {x}, {{"condition", Integers{0, 1, 0, 0, 1}}}),
              ElementsAre(1, 4));
  EXPECT_EQ(inferred_shape("Compress", {f32_type({3})}, {{"condition", Integers{0, 0}}}), Shape{0});
  EXPECT_THAT(refusal("Compress", {f32_type({2})}, {{"condition", Integers{0, 0, 1}}}),
              HasSubstr("element 2 of 2"));
}

}  // namespace
}  // namespace loopglass::ops

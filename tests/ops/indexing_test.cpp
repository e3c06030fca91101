// Reading and writing where data says, order along an axis, reductions.
#include "tests/ops/arrays.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorType i64_type(Shape shape) { return {DataType::Int64, std::move(shape)}; }

// --- Gather and its kin ------------------------------------------------------------------------

TEST(Gather, PicksSlices) {
  const Tensor y = run("Gather", {counting({3, 2}), i64({2, 1}, {2, -3})});
  EXPECT_EQ(y.shape(), (Shape{2, 1, 2}));
  EXPECT_THAT(elements(y), ElementsAre(4, 5, 0, 1));
  EXPECT_THAT(computed("Gather", {counting({2, 3}), i64({}, {1})}, axis(1)), ElementsAre(1, 4));
}

// Broken indices come with the data; they must not read outside the tensor.
TEST(Gather, StaysInsideWhateverTheIndicesAre) {
  EXPECT_THAT(computed("Gather", {counting({3}),
                                  i64({3}, {7, -9, std::numeric_limits<std::int64_t>::min()})}),
              ElementsAre(2, 0, 0));
}

TEST(Gather, RefusesOddIndicesAndEmptyData) {
  EXPECT_THAT(refusal("Gather", {f32_type({3}), f32_type({1})}), HasSubstr("int32 or int64"));
  EXPECT_THAT(refusal("Gather", {f32_type({0, 2}), i64_type({1})}), HasSubstr("no element"));
  EXPECT_EQ(inferred_shape("Gather", {f32_type({0, 2}), i64_type({0})}), (Shape{0, 2}));
  EXPECT_THAT(refusal("Gather", {f32_type({}), i64_type({1})}), HasSubstr("axis 0"));
}

TEST(GatherElements, PicksAlongOneAxis) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(computed("GatherElements", {x, i64({2, 2}, {0, 0, 1, 0})}, axis(1)),
              ElementsAre(1, 1, 4, 3));
  EXPECT_THAT(computed("GatherElements", {x, i64({1, 2}, {-1, 0})}), ElementsAre(3, 2));
  EXPECT_THAT(refusal("GatherElements", {f32_type({2, 2}), i64_type({2, 3})}),
              HasSubstr("do not fit"));
}

TEST(GatherND, PicksByTuples) {
  EXPECT_THAT(computed("GatherND", {counting({2, 2}), i64({2, 2}, {0, 0, 1, -1})}),
              ElementsAre(0, 3));
  EXPECT_THAT(computed("GatherND", {counting({2, 2}), i64({2, 1}, {1, 0})}),
              ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(computed("GatherND", {counting({2, 2, 2}), i64({2, 1}, {1, 0})},
                       {{"batch_dims", std::int64_t{1}}}),
              ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(refusal("GatherND", {f32_type({2}), i64_type({1, 2})}), HasSubstr("do not fit"));
}

TEST(OneHot, MarksTheIndex) {
  const Tensor values = f32({2}, {-1, 5});
  EXPECT_THAT(computed("OneHot", {i64({3}, {1, -1, 7}), values}, {{"depth", std::int64_t{2}}}),
              ElementsAre(-1, 5, -1, 5, -1, -1));
  const Tensor y = run("OneHot", {f32({2}, {0, 1}), values},
                       {{"depth", std::int64_t{3}}, {"axis", std::int64_t{0}}});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_THAT(elements(y), ElementsAre(5, -1, -1, 5, -1, -1));
}

TEST(OneHot, TakesItsDepthFromAnInputOfAnyNumberType) {
  const OnnxMapping& mapping = *find_onnx("", "OneHot", 11)->mapping;
  const Attributes onnx{{mapping.bound[0].attribute, f32({1}, {10})}};
  const auto ours = mapping.adapt(onnx, {{}, onnx, 1});
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->integer("depth"), 10);
  EXPECT_FALSE(ours->has(mapping.bound[0].attribute));
  EXPECT_EQ(mapping.restore(*ours).tensor(mapping.bound[0].attribute).integer_at(0), 10);
}

// --- Scatter -----------------------------------------------------------------------------------

TEST(ScatterElements, PutsUpdatesAlongOneAxis) {
  const Tensor x = f32({1, 5}, {1, 2, 3, 4, 5}), indices = i64({1, 2}, {1, -2}),
               updates = f32({1, 2}, {10, 20});
  EXPECT_THAT(computed("ScatterElements", {x, indices, updates}, axis(1)),
              ElementsAre(1, 10, 3, 20, 5));
  const Tensor zeros = f32({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(
      computed("ScatterElements", {zeros, i64({2, 2}, {1, 0, 2, 2}), f32({2, 2}, {1, 2, 3, 4})}),
      ElementsAre(0, 2, 0, 1, 0, 0, 3, 4, 0));
}

TEST(ScatterElements, CombinesUpdatesOfOneElement) {
  const Tensor x = f32({3}, {1, 2, 3}), indices = i64({3}, {1, 1, 9}),
               updates = f32({3}, {4, 5, 6});
  const auto with = [&](const std::string& reduction) {
    return computed("ScatterElements", {x, indices, updates}, {{"reduction", reduction}});
  };
  EXPECT_THAT(with("none"), ElementsAre(1, 5, 3));
  EXPECT_THAT(with("add"), ElementsAre(1, 11, 3));
  EXPECT_THAT(with("mul"), ElementsAre(1, 40, 3));
  EXPECT_THAT(with("max"), ElementsAre(1, 5, 3));
  EXPECT_THAT(with("min"), ElementsAre(1, 2, 3));
  EXPECT_THAT(refusal("ScatterElements", {f32_type({3}), i64_type({3}), f32_type({3})},
                      {{"reduction", "mean"}}),
              HasSubstr("LG2002"));
}

TEST(ScatterElements, WithoutUpdatesChangesNothing) {
  EXPECT_THAT(computed("ScatterElements", {f32({2}, {1, 2}), i64({0}, {}), f32({0}, {})}),
              ElementsAre(1, 2));
}

TEST(ScatterND, PutsSlicesAtTuples) {
  const Tensor x = counting({3, 2});
  EXPECT_THAT(computed("ScatterND", {x, i64({2, 1}, {2, 0}), f32({2, 2}, {10, 11, 12, 13})}),
              ElementsAre(12, 13, 2, 3, 10, 11));
  EXPECT_THAT(computed("ScatterND", {x, i64({2, 2}, {1, 1, 1, 1}), f32({2}, {7, 8})}),
              ElementsAre(0, 1, 2, 8, 4, 5));
  EXPECT_THAT(computed("ScatterND", {x, i64({2, 2}, {1, 1, 1, 1}), f32({2}, {7, 8})},
                       {{"reduction", "add"}}),
              ElementsAre(0, 1, 2, 18, 4, 5));
  EXPECT_THAT(refusal("ScatterND", {f32_type({3, 2}), i64_type({2, 1}), f32_type({2})}),
              HasSubstr("updates are"));
}

// --- Order along an axis -----------------------------------------------------------------------

TEST(TopK, SortsAndKeepsTheOrderOfEquals) {
  const Tensor x = f32({5}, {3, 1, 3, NAN, 2});
  const auto largest = run_all("TopK", {x}, {{"k", std::int64_t{3}}}, 2);
  EXPECT_THAT(elements(largest[0]), Near({not_a_number, 3, 3}));
  EXPECT_THAT(elements(largest[1]), ElementsAre(3, 0, 2));
  const auto smallest =
      run_all("TopK", {x}, {{"k", std::int64_t{4}}, {"largest", std::int64_t{0}}}, 2);
  EXPECT_THAT(elements(smallest[0]), ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(elements(smallest[1]), ElementsAre(1, 4, 0, 2));
}

TEST(TopK, WorksAlongAnyAxis) {
  const auto outputs = run_all("TopK", {i64({2, 2}, {1, 8, 5, 2})},
                               {{"k", std::int64_t{1}}, {"axis", std::int64_t{0}}}, 2);
  EXPECT_THAT(elements(outputs[0]), ElementsAre(5, 8));
  EXPECT_THAT(elements(outputs[1]), ElementsAre(1, 0));
  EXPECT_THAT(refusal("TopK", {f32_type({2})}, {{"k", std::int64_t{3}}}, 2),
              HasSubstr("first 3 of 2"));
}

// Few of many are found in blocks that are merged; here by sorting.
TEST(TopK, FindsFewOfManyAsSortingDoes) {
  std::mt19937 random(7);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  for (int trial = 0; trial < 40; ++trial) {
    const std::int64_t count = between(128, 700), k = between(1, count / 4), axis = between(0, 1);
    const bool is_largest = between(0, 1) == 1;
    SCOPED_TRACE(testing::Message() << count << " elements, " << k << " wanted, axis " << axis);
    const Shape shape = axis == 0 ? Shape{count, 2} : Shape{2, count};
    Tensor x({DataType::Float32, shape});
    for (float& each : x.as<float>())
      each = between(0, 40) == 0 ? NAN : static_cast<float>(between(-60, 60));
    const auto found =
        run_all("TopK", {x}, {{"k", k}, {"axis", axis}, {"largest", std::int64_t{is_largest}}}, 2);
    for (std::int64_t row = 0; row < 2; ++row) {
      const auto place = [&](std::int64_t i, std::int64_t length) {
        return static_cast<std::size_t>(axis == 0 ? i * 2 + row : row * length + i);
      };
      std::vector<std::int64_t> order(static_cast<std::size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
        const float left = x.as<float>()[place(a, count)], right = x.as<float>()[place(b, count)];
        const auto above = [](float u, float v) {
          return u > v || (std::isnan(u) && !std::isnan(v));
        };
        return is_largest ? above(left, right) : above(right, left);
      });
      for (std::int64_t i = 0; i < k; ++i) {
        const std::int64_t source = order[static_cast<std::size_t>(i)];
        ASSERT_EQ(found[1].integer_at(static_cast<std::int64_t>(place(i, k))), source) << i;
        const double value = found[0].double_at(static_cast<std::int64_t>(place(i, k))),
                     expected = x.double_at(static_cast<std::int64_t>(place(source, count)));
        ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << i;
      }
    }
  }
}

TEST(ArgMax, FindsTheFirstOrTheLastOfEquals) {
  const Tensor x = f32({2, 3}, {1, 5, 5, 7, 2, 7});
  EXPECT_THAT(computed("ArgMax", {x}, axis(1)), ElementsAre(1, 0));
  EXPECT_THAT(
      computed("ArgMax", {x}, {{"axis", std::int64_t{1}}, {"select_last_index", std::int64_t{1}}}),
      ElementsAre(2, 2));
  EXPECT_THAT(computed("ArgMin", {x}), ElementsAre(0, 1, 0));
  EXPECT_EQ(inferred_shape("ArgMax", {f32_type({2, 3})}, axis(-1)), (Shape{2, 1}));
  EXPECT_EQ(inferred_shape("ArgMax", {f32_type({2, 3})}, {{"keepdims", std::int64_t{0}}}),
            (Shape{3}));
  EXPECT_THAT(refusal("ArgMax", {f32_type({0, 3})}), HasSubstr("no element to pick"));
}

TEST(ArgMax, PicksNaNFirst) {
  EXPECT_THAT(computed("ArgMax", {f32({3}, {9, NAN, NAN})}), ElementsAre(1));
  EXPECT_THAT(computed("ArgMin", {f32({3}, {-INFINITY, 1, NAN})}), ElementsAre(2));
}

// Beyond 64 elements in blocks.
TEST(CumSum, OfLongAxesIsThatOfTheBlocksBeforeAndOfTheOwn) {
  for (const std::int64_t count : {64, 65, 100, 257, 1'024, 1'030})
    for (const std::int64_t axis : {0, 1})
      for (const std::int64_t exclusive : {0, 1})
        for (const std::int64_t reverse : {0, 1}) {
          const Shape shape = axis == 0 ? Shape{count, 2} : Shape{2, count};
          const Tensor x = counting(shape),
                       y = run("CumSum", {x},
                               {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}});
          SCOPED_TRACE(to_string(shape));
          for (std::int64_t row = 0; row < 2; ++row) {
            double sum = 0;
            for (std::int64_t t = 0; t < count; ++t) {
              const std::int64_t i = reverse != 0 ? count - 1 - t : t,
                                 place = axis == 0 ? i * 2 + row : row * count + i;
              const double after = sum + x.double_at(place);
              ASSERT_EQ(y.double_at(place), exclusive != 0 ? sum : after) << i;
              sum = after;
            }
          }
        }
}

TEST(CumSum, AddsUpFromEitherEnd) {
  const auto with = [](std::int64_t exclusive, std::int64_t reverse) {
    return computed("CumSum", {f32({3}, {1, 2, 4})},
                    {{"axis", std::int64_t{0}}, {"exclusive", exclusive}, {"reverse", reverse}});
  };
  EXPECT_THAT(with(0, 0), ElementsAre(1, 3, 7));
  EXPECT_THAT(with(1, 0), ElementsAre(0, 1, 3));
  EXPECT_THAT(with(0, 1), ElementsAre(7, 6, 4));
  EXPECT_THAT(with(1, 1), ElementsAre(6, 4, 0));
  EXPECT_THAT(computed("CumSum", {counting({2, 2})}, axis(-1)), ElementsAre(0, 1, 2, 5));
}

}  // namespace
}  // namespace loopglass::ops

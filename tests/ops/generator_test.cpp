// Tensors made from attributes and shapes alone.
#include "tests/ops/evaluation.h"

#include <numbers>

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Constant, IsItsValue) {
  const Tensor value = i64({2, 2}, {1, 1LL << 60, -3, 4});
  EXPECT_TRUE(run("Constant", {}, {{"value", value}}).same_content(value));
  EXPECT_EQ(inferred_shape("Constant", {}, {{"value", f32({0}, {})}}), Shape{0});
}

TEST(ConstantOfShape, Fills) {
  const Tensor zeros = run("ConstantOfShape", {}, {{"shape", Integers{2, 2}}});
  EXPECT_EQ(to_string(zeros.type()), "float32[2x2]");
  EXPECT_THAT(elements(zeros), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(computed("ConstantOfShape", {}, {{"shape", Integers{}}, {"value", i64({1}, {7})}}),
              ElementsAre(7));
  EXPECT_THAT(refusal("ConstantOfShape", {}, {{"shape", Integers{1}}, {"value", i64({2}, {7, 8})}}),
              HasSubstr("one element"));
}

TEST(NonZero, ListsWhereAConstantIsNotZero) {
  const Tensor y = run("NonZero", {}, {{"X", f32({2, 3}, {0, 5, 0, -1, 0, NAN})}});
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_THAT(elements(y), ElementsAre(0, 1, 1, 1, 0, 2));
  EXPECT_EQ(inferred_shape("NonZero", {}, {{"X", f32({2}, {0, 0})}}), (Shape{1, 0}));
  EXPECT_THAT(refusal("NonZero", {}, {{"X", f32({}, {1})}}), HasSubstr("scalar"));
}

TEST(Shape, GivesExtents) {
  const Tensor x = counting({2, 3, 4});
  const auto between = [&](std::int64_t start, std::int64_t end) {
    return computed("Shape", {x}, {{"start", start}, {"end", end}});
  };
  EXPECT_THAT(computed("Shape", {x}), ElementsAre(2, 3, 4));
  EXPECT_THAT(between(1, 2), ElementsAre(3));
  EXPECT_THAT(between(-1, 100), ElementsAre(4));
  EXPECT_THAT(between(0, -1), ElementsAre(2, 3));
  EXPECT_THAT(between(2, 1), ElementsAre());
  EXPECT_THAT(computed("Shape", {f32({}, {1})}), ElementsAre());
}

TEST(Size, CountsElements) {
  EXPECT_THAT(computed("Size", {counting({2, 3})}), ElementsAre(6));
  EXPECT_THAT(computed("Size", {f32({}, {1})}), ElementsAre(1));
}

TEST(EyeLike, HasOnesOnADiagonal) {
  const Tensor x = counting({2, 3});
  EXPECT_THAT(computed("EyeLike", {x}), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(computed("EyeLike", {x}, {{"k", std::int64_t{-1}}}), ElementsAre(0, 0, 0, 1, 0, 0));
  EXPECT_EQ(run("EyeLike", {x}, {{"dtype", "int8"}}).data_type(), DataType::Int8);
  EXPECT_THAT(refusal("EyeLike", {{DataType::Float32, {3}}}), HasSubstr("rank must be 2"));
}

Attributes range(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  return {{"start", start}, {"limit", limit}, {"delta", delta}};
}

TEST(Range, StepsUpToItsLimit) {
  EXPECT_THAT(computed("Range", {}, range(i64({}, {1}), i64({}, {6}), i64({}, {2}))),
              ElementsAre(1, 3, 5));
  EXPECT_THAT(computed("Range", {}, range(i64({}, {5}), i64({}, {0}), i64({}, {-2}))),
              ElementsAre(5, 3, 1));
  EXPECT_THAT(computed("Range", {}, range(i64({}, {5}), i64({}, {0}), i64({}, {1}))),
              ElementsAre());
  EXPECT_THAT(computed("Range", {}, range(f32({}, {0}), f32({}, {1}), f32({}, {0.25f}))),
              ElementsAre(0, 0.25, 0.5, 0.75));
}

TEST(Range, RefusesNoStepAndEndlessOnes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal("Range", {}, range(i64({}, {0}), i64({}, {1}), i64({}, {0}))),
              HasSubstr("step is 0"));
  EXPECT_THAT(refusal("Range", {}, range(i64({}, {-most}), i64({}, {most}), i64({}, {1}))),
              HasSubstr("LG1003"));
  EXPECT_THAT(refusal("Range", {}, range(f32({}, {0}), f32({}, {NAN}), f32({}, {1}))),
              HasSubstr("LG1003"));
  EXPECT_THAT(refusal("Range", {}, range(i64({}, {0}), f32({}, {1}), i64({}, {1}))),
              HasSubstr("same type"));
}

TEST(Windows, ArePeriodicUnlessAskedOtherwise) {
  EXPECT_THAT(computed("HannWindow", {}, {{"size", std::int64_t{4}}}), Near({0, 0.5, 1, 0.5}));
  EXPECT_THAT(
      computed("HannWindow", {}, {{"size", std::int64_t{5}}, {"periodic", std::int64_t{0}}}),
      Near({0, 0.5, 1, 0.5, 0}));
  EXPECT_THAT(computed("HammingWindow", {}, {{"size", std::int64_t{2}}}), Near({4 / 46.0, 1}));
  EXPECT_THAT(computed("BlackmanWindow", {}, {{"size", std::int64_t{2}}}), Near({0, 1}));
  EXPECT_EQ(run("HannWindow", {}, {{"size", std::int64_t{4}}, {"output_datatype", "float64"}})
                .data_type(),
            DataType::Float64);
}

}  // namespace
}  // namespace loopglass::ops

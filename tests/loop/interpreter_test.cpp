// What loop nests mean, by hand-made values.
#include "core/support/check.h"
#include "loop_text.h"

#include <cmath>
#include <limits>

namespace loopglass::loop {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

// The output of a Func whose last parameter it is.
template <class T = float>
std::vector<T> result(std::string_view text, const std::vector<Tensor>& arguments) {
  return values<T>(run(read(text), arguments).back());
}

std::string crash(std::string_view text, const std::vector<Tensor>& arguments) {
  try {
    run(read(text), arguments);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Interpreter, RunsLoopsInOrder) {
  EXPECT_EQ(result(R"(func f(Y: float32[4] output) {
    for i in 4 { Y[i] = float32(i) }
    for j in 3 { Y[j + 1] = Y[j + 1] + Y[j] * 10.0f }
  })",
                   {floats({4}, {0, 0, 0, 0})}),
            (Floats{0, 1, 12, 123}));
}

TEST(Interpreter, ReductionsStartWhereAllReductionVariablesAreZero) {
  constexpr std::string_view text = R"(func f(X: float32[2, 3] input, Y: float32[2] output) {
    for i in 2 { for k in 3 { block s(a = i, reduce r = k) by sum { init { Y[a] = 0.5f } Y[a] = Y[a] + X[a, r] } } }
  })";
  EXPECT_EQ(result(text, {floats({2, 3}, {1, 2, 3, 10, 20, 30}), floats({2}, {-99, -99})}),
            (Floats{6.5, 60.5}));
}

TEST(Interpreter, ReductionLoopsMayStandOutside) {
  constexpr std::string_view text = R"(func f(X: float32[2, 3] input, Y: float32[2] output) {
    for k in 3 { for i in 2 { block s(a = i, reduce r = k) by sum { init { Y[a] = 0.5f } Y[a] = Y[a] + X[a, r] } } }
  })";
  EXPECT_EQ(result(text, {floats({2, 3}, {1, 2, 3, 10, 20, 30}), floats({2}, {-99, -99})}),
            (Floats{6.5, 60.5}));
}

TEST(Interpreter, InstancesWhosePredicateFailsDoNotRun) {
  constexpr std::string_view text = R"(func f(X: float32[6] input, Y: float32[6] output) {
    for o in 2 { for i in 4 { block b(a = o * 4 + i in 6) { where a < 6 Y[a] = X[a] + 1.0f } } }
  })";
  EXPECT_EQ(result(text, {floats({6}, {0, 1, 2, 3, 4, 5}), floats({6}, {9, 9, 9, 9, 9, 9})}),
            (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(Interpreter, LoweredReductionsAreTheSame) {
  constexpr std::string_view text = R"(func f(X: float32[2, 3] input, Y: float32[2] output) {
    for i in 2 { for k in 3 {
      if k == 0 { Y[i] = 0.5f }
      Y[i] = Y[i] + X[i, k]
    } }
  })";
  EXPECT_EQ(result(text, {floats({2, 3}, {1, 2, 3, 10, 20, 30}), floats({2}, {-99, -99})}),
            (Floats{6.5, 60.5}));
}

TEST(Interpreter, SelectNeverLoadsWhatItDoesNotTake) {
  constexpr std::string_view text = R"(func f(X: float32[3] input, Y: float32[5] output) {
    for i in 5 { Y[i] = select(i >= 1 and i < 4, X[i - 1], -1.0f) }
  })";
  EXPECT_EQ(result(text, {floats({3}, {7, 8, 9}), floats({5}, {0, 0, 0, 0, 0})}),
            (Floats{-1, 7, 8, 9, -1}));
}

TEST(Interpreter, LoadedIndicesGather) {
  constexpr std::string_view text =
      R"(func f(X: float32[3] input, I: int64[4] input, Y: float32[4] output) {
    for i in 4 { Y[i] = X[select(I[i] < 0, I[i] + 3, I[i])] }
  })";
  const std::vector<Tensor> arguments{floats({3}, {7, 8, 9}),
                                      Tensor::of<std::int64_t>({4}, {2, 0, -1, 1}),
                                      floats({4}, {0, 0, 0, 0})};
  EXPECT_EQ(result(text, arguments), (Floats{9, 7, 9, 8}));
}

TEST(Interpreter, ScatteredUpdatesOfOneElementHappenInOrder) {
  constexpr std::string_view text = R"(func f(I: int64[4] input, Y: float32[2] output) {
    for i in 4 { Y[I[i]] = Y[I[i]] * 10.0f + float32(i) }
  })";
  EXPECT_EQ(result(text, {Tensor::of<std::int64_t>({4}, {0, 1, 0, 0}), floats({2}, {0, 0})}),
            (Floats{23, 1}));
  constexpr std::string_view add =
      R"(func f(I: int64[4] input, X: float32[4] input, Y: float32[2] output) {
    for i in 4 { Y[I[i]] = Y[I[i]] + X[i] }
  })";
  EXPECT_EQ(result(add, {Tensor::of<std::int64_t>({4}, {0, 1, 0, 0}), floats({4}, {1, 2, 4, 8}),
                         floats({2}, {0, 100})}),
            (Floats{13, 102}));
}

TEST(Interpreter, TheLastStoreToAnElementStays) {
  EXPECT_EQ(result("func f(Y: float32[] output) { for i in 1000 { Y[] = float32(i) } }",
                   {floats({}, {0})}),
            Floats{999});
}

TEST(Interpreter, AScanReadsWhatItWrote) {
  EXPECT_EQ(result(R"(func f(X: float32[4] input, Y: float32[4] output) {
    for i in 4 { Y[i] = X[i] + select(i > 0, Y[max(i - 1, 0)], 0.0f) }
  })",
                   {floats({4}, {1, 2, 3, 4}), floats({4}, {0, 0, 0, 0})}),
            (Floats{1, 3, 6, 10}));
}

TEST(Interpreter, AReversalInPlaceReadsWhatItWrote) {
  EXPECT_EQ(result("func f(Y: float32[4] output) { for i in 4 { Y[3 - i] = Y[i] } }",
                   {floats({4}, {1, 2, 3, 4})}),
            (Floats{1, 2, 2, 1}));
}

TEST(Interpreter, ConditionsMaySeeWhatTheLoopChanges) {
  EXPECT_EQ(result(R"(func f(Y: float32[4] output) {
    for i in 4 { if Y[0] < 2.0f { Y[0] = Y[0] + 1.0f } }
  })",
                   {floats({4}, {0, 0, 0, 0})}),
            (Floats{2, 0, 0, 0}));
}

TEST(Interpreter, LongLoopsAreTheSameAsShortOnes) {
  const auto func = read(
      "func f[n](X: float32[n] input, Y: float32[] output) { for i in n { Y[] = Y[] + X[i] } }");
  for (const std::int64_t n : {1, 511, 512, 513, 5000}) {
    Tensor x(TensorType{DataType::Float32, {n}});
    float expected = 0;
    for (std::int64_t k = 0; k < n; ++k)
      expected += x.as<float>()[static_cast<std::size_t>(k)] = 1.0f / static_cast<float>(k + 1);
    EXPECT_EQ(values<float>(run(func, {x, floats({}, {0})}, {{"n", n}}).back()), Floats{expected})
        << n;
  }
}

TEST(Interpreter, ExtentsMayDependOnOuterLoops) {
  EXPECT_EQ(
      result(
          "func f(Y: float32[3] output) { for i in 3 { for j in i + 1 { Y[i] = Y[i] + 1.0f } } }",
          {floats({3}, {0, 0, 0})}),
      (Floats{1, 2, 3}));
}

TEST(Interpreter, AllocationsStartAfreshAndShowIt) {
  EXPECT_EQ(result(R"(func f(Y: float32[3] output) {
    for i in 3 {
      alloc t: float32[1] stack
      if i == 0 { t[0] = 5.0f }
      Y[i] = select(is_nan(t[0]), -1.0f, t[0])
    }
  })",
                   {floats({3}, {0, 0, 0})}),
            (Floats{5, -1, -1}));
}

TEST(Interpreter, BlocksInsideBlocks) {
  EXPECT_EQ(result(R"(func f(Y: float32[2, 2] output) {
    for i in 2 { block outer(a = i) { for j in 2 { block inner(b = a in 2, c = j) { Y[b, c] = float32(b * 10 + c) } } } }
  })",
                   {floats({2, 2}, {0, 0, 0, 0})}),
            (Floats{0, 1, 10, 11}));
}

TEST(Arithmetic, Float32RoundsAtEachOperation) {
  // 2^24 + 1 + 1: in float32 both ones are lost, in wider arithmetic they would show.
  EXPECT_EQ(
      result("func f(X: float32[1] input, Y: float32[1] output) { Y[0] = X[0] + 1.0f + 1.0f }",
             {floats({1}, {16777216}), floats({1}, {0})}),
      Floats{16777216});
}

TEST(Arithmetic, Float16RoundsAtEachOperation) {
  const Func func =
      read("func f(X: float16[1] input, Y: float16[1] output) { Y[0] = X[0] + 1.0h + 1.0h }");
  const Tensor x = Tensor::of<Float16>({1}, {Float16(2048)});
  EXPECT_EQ(static_cast<float>(run(func, {x, x}).back().as<Float16>()[0]), 2048.0f);
}

TEST(Arithmetic, IntegersDivideByZeroAndShiftFarWithoutHarm) {
  const Tensor x = Tensor::of<std::int64_t>({2}, {7, std::numeric_limits<std::int64_t>::min()});
  const Tensor y = Tensor::of<std::int64_t>({2}, {0, -1});
  const auto of = [&](std::string_view expression) {
    return result<std::int64_t>(
        "func f(X: int64[2] input, Y: int64[2] input, Z: int64[2] output) { for i in 2 { Z[i] = " +
            std::string(expression) + " } }",
        {x, y, x});
  };
  EXPECT_EQ(of("X[i] / Y[i]"), (Integers{0, std::numeric_limits<std::int64_t>::min()}));
  EXPECT_EQ(of("X[i] % Y[i]"), (Integers{0, 0}));
  EXPECT_EQ(of("X[i] floordiv Y[i]"), (Integers{0, std::numeric_limits<std::int64_t>::min()}));
  EXPECT_EQ(of("X[i] floormod Y[i]"), (Integers{0, 0}));
  EXPECT_EQ(of("X[i] << 64"), (Integers{0, 0}));
  EXPECT_EQ(of("X[i] >> Y[i]"), (Integers{7, 0}));
}

TEST(Arithmetic, IndexArithmeticWraps) {
  EXPECT_EQ(result<std::int64_t>(
                "func f(Y: int64[4] output) { for i in 4 { Y[i] = i * 4611686018427387904 } }",
                {Tensor::of<std::int64_t>({4}, {0, 0, 0, 0})}),
            (Integers{0, 4611686018427387904, std::numeric_limits<std::int64_t>::min(),
                      -4611686018427387904}));
  EXPECT_EQ(result("func f(Y: float32[4] output) { for i in 4 { Y[i] = select(i * "
                   "4611686018427387904 < 0, 1.0f, 0.0f) } }",
                   {floats({4}, {9, 9, 9, 9})}),
            (Floats{0, 0, 1, 1}));
}

TEST(Arithmetic, NanSpreadsThroughMinAndMaxReductions) {
  constexpr std::string_view text = R"(func f(X: float32[3] input, Y: float32[] output) {
    for k in 3 { block m(reduce r = k) by max { init { Y[] = float32(-inf) } Y[] = max(Y[], X[r]) } }
  })";
  EXPECT_TRUE(std::isnan(result(text, {floats({3}, {1, nan, 2}), floats({}, {0})})[0]));
  EXPECT_EQ(result(text, {floats({3}, {1, -3, 2}), floats({}, {0})}), Floats{2});
}

TEST(Arithmetic, CastsSaturate) {
  constexpr std::string_view text =
      "func f(X: float32[4] input, Y: int8[4] output) { for i in 4 { Y[i] = int8(X[i]) } }";
  EXPECT_EQ(result<std::int8_t>(text, {floats({4}, {-1.9f, 1000, -1000, nan}),
                                       Tensor::of<std::int8_t>({4}, {9, 9, 9, 9})}),
            (std::vector<std::int8_t>{-1, 127, -128, 0}));
}

TEST(Bounds, ALoadOutsideIsAnErrorThatSaysWhere) {
  const std::string message = crash(
      "func f(X: float32[2, 3] input, Y: float32[4] output) { for i in 4 { block pad(a = i) { Y[a] "
      "= X[1, a] } } }",
      {floats({2, 3}, {0, 0, 0, 0, 0, 0}), floats({4}, {0, 0, 0, 0})});
  EXPECT_NE(message.find("a load of X[1, 3], outside its shape [2, 3], in 'pad'"),
            std::string::npos)
      << message;
}

TEST(Bounds, AStoreOutsideIsAnErrorThatSaysWhere) {
  const std::string message =
      crash("func f(Y: float32[4] output) { for i in 4 { Y[i - 1] = 1.0f } }",
            {floats({4}, {0, 0, 0, 0})});
  EXPECT_NE(message.find("a store to Y[-1], outside its shape [4], in 'Y'"), std::string::npos)
      << message;
}

TEST(Bounds, EachDimensionCountsNotOnlyTheOffset) {
  const std::string message =
      crash("func f(X: float32[2, 3] input, Y: float32[1] output) { Y[0] = X[0, 4] }",
            {floats({2, 3}, {0, 0, 0, 0, 0, 0}), floats({1}, {0})});
  EXPECT_NE(message.find("X[0, 4]"), std::string::npos) << message;
}

TEST(Arguments, MustFitTheSignature) {
  constexpr std::string_view text =
      "func f(X: float32[2] input, Y: float32[2] output) { for i in 2 { Y[i] = X[i] } }";
  EXPECT_NE(crash(text, {floats({3}, {0, 0, 0}), floats({2}, {0, 0})})
                .find("should be float32[2] and is float32[3]"),
            std::string::npos);
  EXPECT_NE(crash(text, {floats({2}, {0, 0})}).find("takes 2 buffers, not 1"), std::string::npos);
}

TEST(Cancellation, StopsTheLoops) {
  const Cancellation cancellation;
  cancellation.request();
  const Func func = read(
      "func f(Y: float32[4] output) { for i in 4000000000 { for j in 4000000000 { Y[0] = Y[1] } } "
      "}");
  std::vector<Tensor> arguments{floats({4}, {0, 0, 0, 0})};
  interpret(func, arguments, {}, cancellation);
}

TEST(Pack, RearrangesAndFillsWithZero) {
  const Func func = read(
      "func f(W: float32[2, 2, 2] constant packed [3, 2] by (d0 * 2 + d2, d1), Y: float32[] "
      "output) { Y[] = W[0, 0, 0] }");
  const Tensor packed = pack(func.parameters[0], floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(packed.shape(), (Shape{2, 2, 2}));
  // [block][column][row within the block of 2]; the fourth row does not exist.
  EXPECT_EQ(values<float>(packed), (Floats{1, 3, 2, 4, 5, 0, 6, 0}));
}

}  // namespace
}  // namespace loopglass::loop

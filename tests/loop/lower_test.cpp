// Tensor expressions become loop nests: one block a stage, one loop an axis.
#include "core/loop/lower.h"
#include "core/loop/regions.h"
#include "loop_text.h"

namespace loopglass::loop {
namespace {

using te::Builder;
using te::Reducer;
using Indices = Builder::Indices;

Expr zero() { return expr::constant(DataType::Float32, 0); }

std::string lowered(te::Program program, const std::vector<std::string>& constants = {}) {
  const Func func = lower(program, "f", constants);
  const auto sound = verify(func);
  EXPECT_TRUE(sound) << to_string(sound.error());
  return to_text(func);
}

TEST(Lower, ElementwiseStagesShareNothingButTheirBuffer) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {2, 3}});
  builder.set_origin({{4}});
  const te::Tensor t =
      builder.compute("t", x.shape, [&](const Indices& i) { return expr::max(x(i), zero()); });
  builder.set_origin({{5}});
  const te::Tensor y = builder.compute("Y", t.shape, [&](const Indices& i) { return t(i) + t(i); });
  EXPECT_EQ(lowered(std::move(builder).finish({y})),
            R"(func f(X: float32[2, 3] input, Y: float32[2, 3] output) {
  alloc t: float32[2, 3] workspace
  for i in 2 {
    for j in 3 {
      block t(i0 = i, i1 = j) from 4 {
        reads X[i0, i1]
        writes t[i0, i1]
        t[i0, i1] = max(X[i0, i1], 0.0f)
      }
    }
  }
  for i_1 in 2 {
    for j_1 in 3 {
      block Y(i0 = i_1, i1 = j_1) from 5 {
        reads t[i0, i1]
        writes Y[i0, i1]
        Y[i0, i1] = t[i0, i1] + t[i0, i1]
      }
    }
  }
}
)");
}

TEST(Lower, AReductionStartsFromItsIdentity) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {8}});
  const te::Tensor w = builder.placeholder("W", TensorType{DataType::Float32, {3}});
  const te::Tensor y =
      builder.reduce("Y", te::extents({6}), te::extents({3}), Reducer::Sum,
                     [&](const Indices& i, const Indices& r) { return x({i[0] + r[0]}) * w(r); });
  EXPECT_EQ(lowered(std::move(builder).finish({y}), {"W"}),
            R"(func f(X: float32[8] input, W: float32[3] constant, Y: float32[6] output) {
  for ow in 6 {
    for kw in 3 {
      block Y(i0 = ow, reduce r0 = kw) by sum {
        reads X[i0 + r0], W[r0]
        writes Y[i0]
        init { Y[i0] = 0.0f }
        Y[i0] = Y[i0] + X[i0 + r0] * W[r0]
      }
    }
  }
}
)");
}

TEST(Lower, AScalarNeedsNoLoop) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {}});
  const te::Tensor y = builder.compute("Y", {}, [&](const Indices&) { return x({}) * x({}); });
  EXPECT_EQ(lowered(std::move(builder).finish({y})),
            R"(func f(X: float32[] input, Y: float32[] output) {
  block Y() {
    reads X[]
    writes Y[]
    Y[] = X[] * X[]
  }
}
)");
}

TEST(Lower, AnInputThatIsAnOutputIsCopied) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Int8, {2}});
  EXPECT_EQ(lowered(std::move(builder).finish({x})),
            R"(func f(X: int8[2] input, X_copy: int8[2] output) {
  for i in 2 {
    block X_copy(i0 = i) {
      reads X[i0]
      writes X_copy[i0]
      X_copy[i0] = X[i0]
    }
  }
}
)");
}

TEST(Lower, AnOutputGivenTwiceIsCopiedOnce) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {2}});
  const te::Tensor y = builder.compute("Y", x.shape, [&](const Indices& i) { return -x(i); });
  const Func func = lower(std::move(builder).finish({y, y}), "f");
  ASSERT_EQ(func.parameters.size(), 3u);
  const auto after = run(func, {floats({2}, {1, 2}), floats({2}, {0, 0}), floats({2}, {0, 0})});
  EXPECT_EQ(values<float>(after[1]), (std::vector<float>{-1, -2}));
  EXPECT_EQ(values<float>(after[2]), (std::vector<float>{-1, -2}));
}

TEST(Lower, ASumOfNothingIsItsIdentity) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {2, 0}});
  const te::Tensor y = builder.reduce("Y", te::extents({2}), te::extents({0}), Reducer::Max,
                                      [&](const Indices& i, const Indices& r) {
                                        return x({i[0], r[0]});
                                      });
  const Func func = lower(std::move(builder).finish({y}), "f");
  EXPECT_EQ(to_text(func), R"(func f(X: float32[2, 0] input, Y: float32[2] output) {
  for i in 2 {
    block Y_init(i0 = i) {
      writes Y[i0]
      Y[i0] = float32(-inf)
    }
  }
}
)");
}

TEST(Lower, ASymbolicReductionIsInitialisedApart) {
  Builder builder;
  const Expr n = builder.symbol("n");
  const te::Tensor x = builder.placeholder("X", DataType::Float32, {n});
  const te::Tensor y = builder.reduce("Y", {}, {n}, Reducer::Sum,
                                      [&](const Indices&, const Indices& r) { return x(r); });
  const Func func = lower(std::move(builder).finish({y}), "f");
  EXPECT_TRUE(verify(func));
  EXPECT_EQ(values<float>(run(func, {floats({3}, {1, 2, 4}), floats({}, {9})}, {{"n", 3}})[1]),
            std::vector<float>{7});
  EXPECT_EQ(values<float>(run(func, {floats({0}, {}), floats({}, {9})}, {{"n", 0}})[1]),
            std::vector<float>{0});
}

TEST(Lower, NoElementsMeansNoIterations) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {0, 3}});
  const te::Tensor y = builder.compute("Y", x.shape, [&](const Indices& i) { return -x(i); });
  run(lower(std::move(builder).finish({y}), "f"), {floats({0, 3}, {}), floats({0, 3}, {})});
}

Block regions_of(std::string_view body) {
  const Func func = read(
      "func f(X: float32[16, 16] input, I: int64[4] input, Y: float32[16] output) {\n for v in 4 "
      "{\n block b(i = v) {\n" +
      std::string(body) + "\n}\n}\n}");
  Block block = *as<Block>(as<For>(func.body)->body);
  compute_regions(block, buffers_of(func));
  return block;
}
std::string reads_of(std::string_view body) {
  Block block = regions_of(body);
  block.iters.clear();
  const std::string text = to_text(Func{"f", {}, {}, make(std::move(block))});
  const std::size_t at = text.find("reads ");
  return at == std::string::npos ? "" : text.substr(at + 6, text.find('\n', at) - at - 6);
}

TEST(Regions, PointsAndRangesBetweenThem) {
  EXPECT_EQ(reads_of("Y[i] = X[i, 3]"), "X[i, 3]");
  EXPECT_EQ(reads_of("Y[i] = X[i, 3] + X[i, 5] + X[i + 1, 4]"), "X[i : 2, 3 : 3]");
  EXPECT_EQ(reads_of("Y[i] = X[i - 1, 0] + X[i + 1, 0]"), "X[i - 1 : 3, 0]");
}

TEST(Regions, WholeDimensionsWhereNothingCloserIsPlain) {
  EXPECT_EQ(reads_of("Y[i] = X[i, 0] + X[i * 2, 0]"), "X[0 : 16, 0]");
  EXPECT_EQ(reads_of("Y[i] = X[I[i], i]"), "I[i], X[0 : 16, i]");
}

// Of loops inside the block, and of blocks in it, what they run through.
TEST(Regions, OfWhatIsInside) {
  EXPECT_EQ(reads_of("for k in 3 { Y[i] = X[k, i] }"), "X[0 : 3, i]");
  EXPECT_EQ(reads_of("for k in 3 { block c(a = k, b = i in 16) { Y[b] = X[a * 2 + 1, b] } }"),
            "X[1 : 5, i]");
  EXPECT_EQ(reads_of("for k in 3 { for l in k + 1 { Y[i] = X[k + l, i] } }"), "X[0 : 16, i]");
}

TEST(Regions, AReductionDoesNotReadItsOwnOutput) {
  EXPECT_EQ(reads_of("Y[i] = Y[i] + X[i, i]"), "Y[i], X[i, i]");
  const Func func = read(
      "func f(X: float32[4] input, Y: float32[] output) { for v in 4 { block b(reduce r = v) by "
      "sum { Y[] = Y[] + X[r] } } }");
  Block block = *as<Block>(as<For>(func.body)->body);
  compute_regions(block, buffers_of(func));
  ASSERT_EQ(block.reads.size(), 1u);
  EXPECT_EQ(block.reads[0].buffer, "X");
}

}  // namespace
}  // namespace loopglass::loop

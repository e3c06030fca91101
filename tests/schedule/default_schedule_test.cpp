// The default schedule of typical kernels keeps their meaning at every step, through all loop
// passes, and has the form that fast code needs.
#include "core/default_schedule/default_schedule.h"

#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/pass/runner.h"
#include "passes/pipeline.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/random_program.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

TEST(DefaultSchedule, ConvolutionsOfManyShapesStayRight) {
  for (const Machine& machine : {avx512, avx2, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 3, 9, 9, 32, 3, 1, 1},
                                          {1, 8, 7, 7, 40, 1, 1, 0},
                                          {2, 4, 8, 8, 10, 3, 2, 1},
                                          {1, 16, 14, 14, 64, 1, 1, 0},
                                          {1, 5, 11, 13, 7, 3, 1, 0},
                                          {1, 2, 6, 6, 1, 1, 2, 0}})
      expect_every_step_right(convolution(shape), machine);
}

// A primitive that refuses leaves the plain nest: right, but a hundred times slower.
TEST(DefaultSchedule, ConvolutionsAreTiledForRegisters) {
  for (const ConvolutionShape& shape : {ConvolutionShape{1, 64, 56, 56, 64, 1, 1, 0},
                                        {1, 64, 56, 56, 64, 3, 1, 1},
                                        {1, 128, 14, 14, 256, 1, 2, 0},
                                        {1, 512, 7, 7, 512, 3, 1, 1},
                                        {1, 3, 224, 224, 64, 7, 2, 3}}) {
    const auto trace = default_schedule(convolution(shape), avx512);
    ASSERT_TRUE(trace) << to_string(trace.error());
    const std::string script = to_script(*trace);
    for (const char* part : {"transform_layout", "\"register\"", "vectorize", "unroll", "parallel"})
      EXPECT_NE(script.find(part), std::string::npos) << part << " is missing in\n" << script;
  }
}

// What one block has packed others read as it lies, in the same tiles, and have their own.
TEST(DefaultSchedule, ConstantsThatSeveralBlocksReadArePackedOnceForAll) {
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  for (const Machine& machine : {avx512, avx2}) {
    const loop::Func steps = recurrent_steps(1, 64, 3);
    const std::string script = to_script(*default_schedule(steps, machine));
    EXPECT_EQ(count(script, "transform_layout(\"R\""), 1u) << script;
    // Each product has lanes of its own: three times what one has.
    EXPECT_EQ(
        count(script, "vectorize("),
        count(to_script(*default_schedule(recurrent_steps(1, 64, 1), machine)), "vectorize(") * 3)
        << script;
    expect_every_step_right(steps, machine);
    expect_every_step_right(recurrent_steps(3, 20, 2), machine);
  }
}

// Tiles that hold a value of each repeat, their vectors one at a time, also at edges of rows, with
// borders and where a block sets what the sum goes on from; and what takes other tiles.
TEST(DefaultSchedule, FewRegistersHoldRepeatsOfShortSums) {
  const auto pieces = [](const loop::Func& func, const Machine& machine) {
    return to_script(*default_schedule(func, machine)).find("[-1, 4, 8]") != std::string::npos;
  };
  for (const std::int64_t rows : {3, 12, 13}) {
    const loop::Func func = matrix_product(rows, 64, 48);
    EXPECT_TRUE(pieces(func, avx2)) << rows;
    EXPECT_FALSE(pieces(func, avx512));
    expect_every_step_right(func, avx2);
  }
  for (const ConvolutionShape& shape : {ConvolutionShape{1, 32, 7, 7, 64, 1, 1, 0},
                                        {2, 8, 9, 13, 32, 3, 1, 1},
                                        {1, 12, 5, 7, 64, 3, 2, 1}}) {
    expect_every_step_right(convolution(shape), avx2);
  }
  EXPECT_FALSE(pieces(matrix_product(12, 80, 48), avx2)) << "vectors that are not whole";
  EXPECT_FALSE(pieces(matrix_product(12, 64, 48, DataType::Int32), avx2)) << "a register between";
}

// Four terms a turn, two of whole numbers, one where a window's terms overlap.
TEST(DefaultSchedule, InnermostLoopsTakeSeveralTermsATurn) {
  const auto copies = [](const loop::Func& func) {
    const std::string script = to_script(*default_schedule(func, avx2)),
                      key = "\"unroll_count\", \"";
    const auto at = script.find(key);
    return at == std::string::npos ? 0 : std::stoi(script.substr(at + key.size()));
  };
  EXPECT_EQ(copies(matrix_product(12, 96, 64)), 4);
  EXPECT_EQ(copies(matrix_product(12, 96, 66)), 2);
  EXPECT_EQ(copies(matrix_product(12, 96, 65)), 0) << "nor are they left over";
  EXPECT_EQ(copies(matrix_product(12, 96, 64, DataType::Int32)), 2);
  EXPECT_EQ(copies(convolution({1, 8, 13, 13, 96, 3, 1, 1})), 1);
}

// Columns of a window that are written out share elements, which AVX-512 multiplies by from memory
// and AVX2 keeps in registers: of its 16 a tile leaves none, nor do 13 pixels of AVX-512's 32.
TEST(DefaultSchedule, ColumnsAreWrittenOutWhereThereAreRegisters) {
  const auto writes_out = [&](std::int64_t pixels, const Machine& machine) {
    loop::Func func = convolution({1, 64, pixels, pixels, 96, 3, 1, 1});
    // Zeros of a border may be passed over where no weight is infinite.
    for (loop::Buffer& parameter : func.parameters)
      parameter.finite = parameter.role == loop::Role::Constant;
    return to_script(*default_schedule(func, machine)).find("unroll(kw)") != std::string::npos;
  };
  EXPECT_TRUE(writes_out(7, avx512));
  EXPECT_FALSE(writes_out(13, avx512));
  EXPECT_FALSE(writes_out(7, avx2));
}

// Of each four pixels one is read, by every filter; and even columns lie apart from odd ones.
TEST(DefaultSchedule, WhatAStrideLeavesApartIsBroughtTogether) {
  for (const ConvolutionShape& shape :
       {ConvolutionShape{1, 64, 14, 14, 96, 1, 2, 0}, {2, 40, 9, 7, 128, 1, 2, 0}})
    expect_every_step_right(convolution(shape), avx2);
  Machine small = avx512;
  small.l3.bytes = 64 << 10;
  expect_every_step_right(convolution({5, 128, 14, 10, 96, 1, 2, 0}), small);
  const auto script = [](const ConvolutionShape& shape) {
    return to_script(*default_schedule(convolution(shape), avx2));
  };
  EXPECT_NE(script({1, 1024, 14, 14, 512, 1, 2, 0}).find("reindex"), std::string::npos);
  EXPECT_EQ(script({1, 1024, 14, 14, 512, 1, 1, 0}).find("reindex"), std::string::npos);
  // From memory, it is copied row by row.
  EXPECT_THAT(
      to_script(*default_schedule(convolution({32, 1024, 14, 14, 512, 1, 2, 0}), avx512)),
      ::testing::AllOf(::testing::HasSubstr("reindex"),
                       ::testing::Not(::testing::HasSubstr("transform_layout(\"X_reindex\""))));
  EXPECT_NE(script({1, 3, 224, 224, 64, 7, 2, 3}).find("d3%2 d3/2"), std::string::npos);
  EXPECT_EQ(script({1, 3, 224, 224, 64, 7, 1, 3}).find("d3%2 d3/2"), std::string::npos);
}

loop::Func final_nest(const loop::Func& func, const Machine& machine) {
  const auto steps = replay(func, *default_schedule(func, machine));
  const auto last = std::make_shared<const loop::Func>(steps->back().func);
  return pass::run(last, passes::loop_passes())->last();
}

// Each element is read a few times only: a copy with a border would cost as much as all of them.
TEST(DefaultSchedule, DepthwiseConvolutionsReadAcrossTheBorderInPlace) {
  for (const Machine& machine : {avx512, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 32, 7, 7, 0, 3, 1, 1},
                                          {1, 16, 9, 30, 0, 3, 2, 1},
                                          {2, 20, 5, 6, 0, 5, 1, 2},
                                          {1, 8, 1, 1, 0, 3, 1, 1},
                                          {1, 3, 4, 1, 0, 3, 2, 1},
                                          {1, 16, 11, 8, 0, 5, 2, 2},
                                          {1, 1, 6, 6, 0, 3, 1, 1}})
      expect_every_step_right(depthwise_convolution(shape), machine);
  const std::string text =
      loop::to_text(final_nest(depthwise_convolution({1, 32, 14, 14, 0, 3, 1, 1}), avx512));
  EXPECT_EQ(text.find("border"), std::string::npos) << text;
}

// Each plane is read by one filter alone: its copy is made where that is computed, and stays near.
TEST(DefaultSchedule, PlanesGetTheirBordersWhereTheyAreRead) {
  for (const Machine& machine : {avx512, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 40, 7, 9, 0, 3, 1, 1},
                                          {1, 36, 11, 17, 0, 3, 2, 1},
                                          {2, 20, 5, 21, 0, 5, 1, 2},
                                          {1, 4, 8, 8, 0, 3, 1, 1}})
      expect_every_step_right(depthwise_convolution_of_planes(shape), machine);
  const auto script = [](const ConvolutionShape& shape) {
    return to_script(*default_schedule(depthwise_convolution_of_planes(shape), avx512));
  };
  EXPECT_NE(script({1, 112, 56, 56, 0, 3, 2, 1}).find("compute_at(border"), std::string::npos);
  EXPECT_EQ(script({1, 4, 56, 56, 0, 3, 2, 1}).find("compute_at(border"), std::string::npos)
      << "four parts are too few for threads";
  EXPECT_NE(script({1, 64, 1024, 1024, 0, 3, 1, 1}).find(" = compute_at(border, "),
            std::string::npos)
      << "a plane is larger than the cache: bands of it";
}

// A dense convolution reads each element once for every filter.
TEST(DefaultSchedule, DenseConvolutionsReadACopyWithABorder) {
  const std::string text =
      loop::to_text(final_nest(convolution({1, 8, 14, 14, 32, 3, 1, 1}), avx512));
  EXPECT_NE(text.find("alloc conv_pad"), std::string::npos) << text;
}

TEST(DefaultSchedule, WhatFollowsAReductionOfRowsIsVectorizedAlongTheRows) {
  for (const Machine& machine : {avx512, sse})
    for (const Shape& shape :
         {Shape{3, 6, 40}, {5, 33}, {1, 100}, {3, 16}, {7, 15}, {2, 1}, {1, 1}})
      expect_every_step_right(row_by_row(shape), machine);
  const auto trace = default_schedule(row_by_row({12, 128, 128}), avx512);
  ASSERT_TRUE(trace);
  const std::string script = to_script(*trace);
  EXPECT_NE(script.find("reverse_compute_at(distance"), std::string::npos) << script;
  // The sum of a row, and what follows it, while the row is at hand.
  EXPECT_EQ(script.find("parallel("), script.rfind("parallel(")) << script;
  EXPECT_NE(script.find(", [-1, 32])"), std::string::npos) << script;
}

TEST(DefaultSchedule, MatrixProductsOfManyShapesStayRight) {
  for (const DataType type : {DataType::Float32, DataType::Float64, DataType::Int32})
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{16, 64, 8}, {1, 100, 30}, {17, 33, 5}, {29, 3, 7}, {1, 1, 9}})
      for (const Machine& machine : {avx512, avx2})
        expect_every_step_right(matrix_product(m, n, k, type), machine);
}

// Blocks keep float32 from losing its terms; whole numbers lose none.
TEST(DefaultSchedule, OnlySumsThatRoundAreTakenInBlocks) {
  const auto has_blocks = [](DataType type) {
    const auto trace = default_schedule(matrix_product(12, 16, 5000, type), avx2);
    EXPECT_TRUE(trace);
    return trace && to_script(*trace).find("rfactor") != std::string::npos;
  };
  EXPECT_TRUE(has_blocks(DataType::Float32));
  EXPECT_FALSE(has_blocks(DataType::Int32));
}

// 28 pixels in tiles of six leave one of four, which computes nothing in vain.
TEST(DefaultSchedule, TheTileAtAnEdgeIsASmallerOne) {
  const std::string text =
      loop::to_text(final_nest(convolution({1, 64, 28, 28, 64, 3, 1, 1}), avx2));
  EXPECT_NE(text.find("in 6 unrolled"), std::string::npos) << text;
  EXPECT_NE(text.find("in 4 unrolled"), std::string::npos) << text;
}

TEST(DefaultSchedule, ReductionsOfAllLengthsStayRight) {
  for (const Machine& machine : {avx512, sse}) {
    for (const std::int64_t n : {15, 49, 128, 1000})
      for (const Shape& shape : {Shape{n}, Shape{n, 5}, {5, n}, {2, n, 3}})
        for (int axis = -1; axis < static_cast<int>(shape.size()); ++axis)
          ASSERT_NO_FATAL_FAILURE(expect_every_step_right(
              reduction(shape, axis, axis % 2 ? te::Reducer::Sum : te::Reducer::Max), machine))
              << to_string(shape) << " over " << axis;
    for (const Shape& shape : {Shape{16'385}, Shape{16'385, 2}, {2, 16'385}})
      ASSERT_NO_FATAL_FAILURE(expect_every_step_right(
          reduction(shape, shape.back() == 2 ? 0 : static_cast<int>(shape.size()) - 1), machine));
    expect_every_step_right(matrix_product(3, 20, 4099), machine);
    expect_every_step_right(matrix_product(1, 1, 20'001), machine);
  }
}

// Filters of one result are laid out along the channels, which lanes share.
TEST(DefaultSchedule, SumsOverChannelsPackTheirFilters) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {7, 6, 40}}),
                   w = builder.placeholder("W", TensorType{DataType::Float32, {40, 3, 2}});
  const te::Tensor y =
      builder.reduce("Y", {5, 5}, {3, 2, 40}, te::Reducer::Sum, [&](const auto& i, const auto& r) {
        return x({i[0] + r[0], i[1] + r[1], r[2]}) * w({r[2], r[0], r[1]});
      });
  const loop::Func nest = loop::lower(std::move(builder).finish({y}), "f", {"W"});
  const std::string script = default_script(nest, avx512);
  EXPECT_NE(script.find("rfactor"), std::string::npos) << script;
  EXPECT_NE(script.find("transform_layout(\"W\""), std::string::npos) << script;
  for (const Machine& machine : {avx512, avx2, sse}) expect_every_step_right(nest, machine);
}

TEST(DefaultSchedule, ElementwiseChainsBecomeOneVectorLoop) {
  for (const Shape& shape : {Shape{}, {1}, {7}, {3, 5, 7}, {40, 1000}, {0}, {4, 0, 3}, {20000}})
    expect_every_step_right(two_elementwise(shape), avx512);
}

// What lies side by side in one of both, and not in the other, goes through registers.
TEST(DefaultSchedule, TranspositionsAreMadeInRegisters) {
  struct Case {
    loop::Func nest;
    const Machine& machine;
    std::string intrinsic;  // empty: none
  };
  const loop::Func rows = copied("3, 32, 48", "3, 48, 32", "a, c, b"),
                   heads = copied("32, 96", "2, 48, 32", "c, a * 48 + b"),
                   pixels = copied("3, 5, 32", "5, 32, 3", "c, a, b");
  for (const Case& each :
       {Case{rows, avx512, "transpose_16x16"}, Case{rows, avx2, "transpose_8x8"},
        Case{rows, sse, ""}, Case{heads, avx512, "transpose_16x16"},
        Case{pixels, avx512, "interleave_3x16"}, Case{pixels, avx2, "interleave_3x8"},
        // Of an image that was reshaped.
        Case{copied("2, 768", "1, 48, 32", "(c * 48 + b) floordiv 768, (c * 48 + b) floormod 768"),
             avx512, "transpose_16x16"},
        // Of blocks of channels, and of planes, whose rows lie far apart.
        Case{copied("2, 4, 48, 16", "32, 4, 48", "a floordiv 16, b, c, a floormod 16"), avx512,
             "transpose_16x16"},
        Case{copied("2, 4, 48, 12", "24, 4, 48", "a floordiv 12, b, c, a floormod 12"), avx512, ""},
        Case{copied("32, 2, 640", "2, 640, 32", "c, a, b"), avx512, "split(j_o, [-1, 20])"},
        // What tiles leave over, of one side or of both.
        Case{copied("1, 49, 32", "1, 32, 49", "a, c, b"), avx512, "transpose_16x16"},
        Case{copied("1, 32, 49", "1, 49, 32", "a, c, b"), avx512, "transpose_16x16"},
        Case{copied("2, 37, 50", "2, 50, 37", "a, c, b"), avx512, "transpose_16x16"},
        Case{copied("3, 5, 30", "5, 30, 3", "c, a, b"), avx512, "interleave_3x16"},
        // Less than a tile, and what lies side by side in both: vectors take care of these.
        Case{copied("1, 49, 12", "1, 12, 49", "a, c, b"), avx512, ""},
        Case{copied("32, 3, 16", "3, 32, 16", "b, a, c"), avx512, ""}}) {
    ASSERT_NO_FATAL_FAILURE(expect_every_step_right(each.nest, each.machine));
    const std::string script = to_script(*default_schedule(each.nest, each.machine));
    const bool is_tensorized = script.find("tensorize") != std::string::npos;
    EXPECT_EQ(is_tensorized, !each.intrinsic.empty()) << script;
    EXPECT_NE(script.find(each.intrinsic), std::string::npos) << script;
  }
  // Threads share the loops around, or the tiles of a side where these are few.
  for (const auto& [x, y] : {std::pair{"40, 320, 320", "40, 320, 320"},
                             {"1, 1024, 1024", "1, 1024, 1024"},
                             {"1, 1000, 1001", "1, 1001, 1000"},
                             {"2, 1001, 1003", "2, 1003, 1001"}})
    EXPECT_THAT(to_script(*default_schedule(copied(x, y, "a, c, b"), avx512)),
                ::testing::HasSubstr("parallel("));
}

TEST(DefaultSchedule, TranspositionsOfAllElementsAreMadeInRegisters) {
  runtime::ThreadPool pool(2);
  for (const std::string type : {"float16", "int8", "uint8", "int32"})
    for (const auto& [x, y] : {std::pair{"3, 32, 48", "3, 48, 32"}, {"2, 37, 50", "2, 50, 37"}}) {
      std::string text = loop::to_text(copied(x, y, "a, c, b"));
      for (std::size_t at; (at = text.find("float32")) != std::string::npos;)
        text.replace(at, 7, type);
      const loop::Func nest = parsed(text);
      const std::string script = default_script(nest, avx512);
      EXPECT_NE(script.find("transpose_16x16_" + type), std::string::npos) << script;
      expect_every_step_right(nest, avx512);
      expect_compiled_right(nest, pool, script);
    }
}

constexpr std::string_view read_across = R"(
func f(X: float32[48, 3, 32] input, Z: float32[3, 32, 48] input, Y: float32[3, 32, 48] output) {
  for i in 3 {
    for j in 32 {
      for k in 48 {
        block Y(a = i, b = j, c = k) { Y[a, b, c] = max(X[c, a, b] + Z[a, b, c], X[c, a, b]) }
      }
    }
  }
})";

// What asks where it is goes along what it reads, and is turned then.
TEST(DefaultSchedule, BordersAreMadeBeforeTheyAreTurned) {
  const loop::Func nest = parsed(R"(
func f(X: float32[32, 48] input, Y: float32[50, 32] output) {
  alloc P: float32[32, 50] workspace
  for i in 32 { for j in 50 {
    block P(a = i, b = j) { P[a, b] = select(b >= 1 and b < 49, X[a, b - 1], 0.0f) } } }
  for k in 50 { for l in 32 { block Y(a = k, b = l) { Y[a, b] = P[b, a] } } }
})");
  const std::string script = default_script(nest, avx512);
  EXPECT_EQ(script.find("compute_inline"), std::string::npos) << script;
  EXPECT_NE(script.find("transpose_16x16"), std::string::npos) << script;
  expect_every_step_right(nest, avx512);
}

// A tile of it is turned where it is read; of tiles that are not whole, all of it beforehand.
TEST(DefaultSchedule, WhatIsReadAcrossIsTurnedInRegisters) {
  const auto parsed = [](std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at; !from.empty() && (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
    return loop::parse(text).value();
  };
  const std::string text(read_across);
  for (const Machine& machine : {avx512, avx2, sse}) {
    ASSERT_NO_FATAL_FAILURE(expect_every_step_right(parsed(text, "", ""), machine));
    ASSERT_NO_FATAL_FAILURE(expect_every_step_right(parsed(text, "48", "49"), machine));
    ASSERT_NO_FATAL_FAILURE(
        expect_every_step_right(parsed(text, "X[c, a, b])", "X[c, a, b + 0])"), machine));
    // Two operands, and one that is read in two ways.
    ASSERT_NO_FATAL_FAILURE(expect_every_step_right(
        loop::parse("func f(X: float32[32, 32] input, Z: float32[32, 32] input, Y: float32[32, 32] "
                    "output) { for i in 32 { for j in 32 { block Y(a = i, b = j) { "
                    "Y[a, b] = X[b, a] * Z[b, a] + X[a, b] } } } }")
            .value(),
        machine));
  }
  const std::string in_tiles = to_script(*default_schedule(parsed(text, "", ""), avx512)),
                    beforehand = to_script(*default_schedule(parsed(text, "48", "49"), avx512));
  for (const std::string& script : {in_tiles, beforehand})
    EXPECT_THAT(script, ::testing::HasSubstr("tensorize(")) << script;
  EXPECT_THAT(in_tiles, ::testing::HasSubstr("compute_at(X_reindex"));
  EXPECT_THAT(beforehand, ::testing::Not(::testing::HasSubstr("compute_at(")));
}

// Some microseconds of work are what it takes to gain by threads, and to risk waiting for one: as
// many operations of a matrix product as of a copy are much less.
TEST(DefaultSchedule, WhatIsTooSmallForThreadsDoesNotUseThem) {
  const auto uses_threads = [](const loop::Func& func) {
    return to_script(*default_schedule(func, avx512)).find("parallel") != std::string::npos;
  };
  EXPECT_FALSE(uses_threads(two_elementwise({32 << 10})));
  EXPECT_TRUE(uses_threads(two_elementwise({256 << 10})));
  // The two convolutions of LeNet-5, a microsecond or two each.
  EXPECT_FALSE(uses_threads(convolution({1, 1, 28, 28, 6, 5, 1, 2})));
  EXPECT_FALSE(uses_threads(convolution({1, 6, 14, 14, 16, 5, 1, 0})));
  EXPECT_TRUE(uses_threads(convolution({1, 64, 14, 14, 64, 3, 1, 1})));
  EXPECT_FALSE(uses_threads(matrix_product(1, 84, 120)));
  EXPECT_TRUE(uses_threads(matrix_product(128, 128, 128)));
}

// LOOPGLASS_SEEDS=first:last runs others.
TEST(DefaultSchedule, RandomProgramsStayRightAtEveryStep) {
  unsigned long first = 1, last = 150;
  if (const char* seeds = std::getenv("LOOPGLASS_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &last), 2);
  }
  for (unsigned long seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_every_step_right(random_nest(seed), std::array{sse, avx512, avx2}[seed % 3]);
    if (HasFailure()) return;
  }
}

}  // namespace

}  // namespace loopglass::schedule

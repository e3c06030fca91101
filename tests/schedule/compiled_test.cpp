// What the default schedule makes of a nest, compiled, against the interpreter on the nest itself.
#include "tests/schedule/compiled.h"
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/random_program.h"

#include <cstdlib>

namespace loopglass::schedule {

namespace {

TEST(Compiled, ConvolutionsOfManyShapes) {
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 3, 19, 19, 32, 7, 2, 3},
                                          {1, 8, 7, 7, 40, 1, 1, 0},
                                          {2, 4, 8, 8, 10, 3, 2, 1},
                                          {1, 16, 28, 28, 64, 1, 1, 0},
                                          {1, 5, 11, 13, 7, 3, 1, 0},
                                          {1, 2, 6, 6, 1, 1, 2, 0}})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(convolution(shape), pool));
  }
}

// Tiles inside a row, at its ends, over all of it; rows above and below the image.
TEST(Compiled, DepthwiseConvolutionsAcrossBorders) {
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 32, 14, 14, 0, 3, 1, 1},
                                          {1, 32, 56, 56, 0, 3, 1, 1},
                                          {2, 16, 13, 57, 0, 3, 2, 1},
                                          {1, 48, 28, 28, 0, 5, 1, 2},
                                          {1, 20, 31, 33, 0, 5, 2, 2},
                                          {1, 64, 7, 7, 0, 5, 1, 2},
                                          {1, 5, 3, 2, 0, 3, 1, 1},
                                          {1, 16, 1, 1, 0, 5, 1, 2},
                                          {1, 1, 19, 23, 0, 3, 2, 1},
                                          {3, 7, 1, 40, 0, 3, 1, 1}})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(depthwise_convolution(shape), pool));
  }
}

TEST(Compiled, RowsAfterTheirReductions) {
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    for (const Shape& shape : {Shape{12, 16, 128}, {50, 33}, {1, 1000}, {3, 16}, {70, 15}, {2, 1}})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(row_by_row(shape), pool));
  }
}

// Lanes, blocks, blocks of blocks; ends that no lane, block or vector divides.
TEST(Compiled, ReductionsOfAllLengths) {
  using enum te::Reducer;
  runtime::ThreadPool pool(2);
  for (const std::int64_t n : {15, 49, 128, 1000, 16'385, 70'001})
    for (const Shape& shape : {Shape{n}, Shape{n, 5}, {5, n}, {2, n, 3}})
      for (int axis = -1; axis < static_cast<int>(shape.size()); ++axis)
        ASSERT_NO_FATAL_FAILURE(
            expect_compiled_right(reduction(shape, axis, axis % 2 ? Sum : Max), pool));
  for (const std::int64_t n : {100, 20'000}) {
    for (const te::Reducer reducer : {Sum, Max, Min})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(reduction({3, n}, 1, reducer), pool));
    for (const DataType type :
         {DataType::Int32, DataType::Int64, DataType::UInt8, DataType::Float64})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(reduction({3, n}, 1, Sum, type), pool));
  }
}

// Tiles in registers, and what they leave over.
TEST(Compiled, Transpositions) {
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    for (const auto& [x, y, indices] :
         {std::tuple{"3, 32, 48", "3, 48, 32", "a, c, b"},
          {"32, 96", "2, 48, 32", "c, a * 48 + b"},
          {"3, 50, 80", "50, 80, 3", "c, a, b"},
          {"3, 50, 83", "50, 83, 3", "c, a, b"},
          {"2, 37, 50", "2, 50, 37", "a, c, b"},
          {"16, 7, 7, 32", "16, 32, 49", "a, c floordiv 7, c floormod 7, b"},
          {"2, 768", "1, 48, 32", "(c * 48 + b) floordiv 768, (c * 48 + b) floormod 768"},
          {"1, 1000, 1001", "1, 1001, 1000", "a, c, b"},
          {"2, 301, 403", "2, 403, 301", "a, c, b"}})
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(copied(x, y, indices), pool));
  }
}

// In tiles, beforehand where these are not whole, and as it lies where that is not understood.
TEST(Compiled, ElementsThatAreReadAcross) {
  runtime::ThreadPool pool(2);
  for (const auto& [type, value] : {std::pair{"float32", "X[b, a] + Z[a, b]"},
                                    {"float32", "X[b, a] * Z[b, a] + X[a, b]"},
                                    {"float32", "max(Z[b, a], X[a, b])"},
                                    {"float64", "X[b, a] + Z[a, b]"},
                                    {"int32", "X[b, a] + Z[a, b]"}})
    for (const int extent : {16, 48, 49, 256, 301}) {
      const std::string tensor = fmt::format("{}[{}, {}]", type, extent, extent);
      ASSERT_NO_FATAL_FAILURE(expect_compiled_right(
          loop::parse(
              fmt::format("func f(X: {0} input, Z: {0} input, Y: {0} output) {{ for i in {1} {{ "
                          "for j in {1} {{ block Y(a = i, b = j) {{ Y[a, b] = {2} }} }} }} }}",
                          tensor, extent, value))
              .value(),
          pool))
          << value;
    }
}

TEST(Compiled, MatrixProductsWithManyTerms) {
  runtime::ThreadPool pool(2);
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 5000},
                                {3, 40, 4099},
                                {1, 1, 20'001},
                                {17, 33, 5000},
                                {70, 130, 4608}})
    ASSERT_NO_FATAL_FAILURE(expect_compiled_right(matrix_product(m, n, k), pool));
}

// LOOPGLASS_SEEDS=first:last runs others.
// Threads that join in every iteration of a loop around theirs.
TEST(Compiled, LoopsThatAreParallelInside) {
  runtime::ThreadPool pool(2);
  const loop::Func product = matrix_product(9, 40, 17);
  for (const char* script :
       {"parallel(j)", "reorder([k, i, j])\nparallel(i)\nvectorize(j)",
        "j_o, j_i = split(j, [-1, 16])\nparallel(j_o)\nreorder([k, j_i])\nvectorize(j_i)",
        "i_o, i_i = split(i, [-1, 4])\nunroll(i_o)\nparallel(i_i)"})
    expect_compiled_right(product, pool, script);
  expect_compiled_right(rows_summed(7, 33), pool, "Y = block(\"Y\")\ni, r = loops(Y)\nparallel(r)");
  expect_compiled_right(convolution({1, 3, 9, 8, 6, 3, 1, 1}), pool,
                        "C = block(\"conv\")\nn, f, y, x, c, r, s = loops(C)\nparallel(y)");
}

TEST(Compiled, RandomPrograms) {
  unsigned long first = 1, last = 60;
  if (const char* seeds = std::getenv("LOOPGLASS_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &last), 2);
  }
  runtime::ThreadPool pool(2);
  for (unsigned long seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(expect_compiled_right(random_nest(seed), pool));
  }
}

}  // namespace

}  // namespace loopglass::schedule

// Partial sums: rfactor makes them, reverse_compute_at adds them up where they are computed.
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/script/trace.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using te::Builder;
using ::testing::HasSubstr;
using Indices = Builder::Indices;

// T = reducer over all of X: a sum without a spatial loop.
loop::Func total(std::int64_t count, te::Reducer reducer = te::Reducer::Sum) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {count}});
  const te::Tensor t = builder.reduce("T", {}, {count}, reducer,
                                      [&](const Indices&, const Indices& r) { return x(r); });
  return loop::lower(std::move(builder).finish({t}), "total");
}
const std::string total_loops = "T = block(\"T\")\nk = loops(T)\n";

TEST(Rfactor, LetsEachIterationSumForItself) {
  const std::string split = total_loops + "o, n = split(k, [-1, 8])\n";
  const loop::Func lanes = scheduled(total(64), split + "parts = rfactor(T, n, 0)");
  EXPECT_THAT(body_of(lanes), HasSubstr("T_parts: float32[8]"));
  EXPECT_THAT(body_of(scheduled(total(64), split + "parts = rfactor(T, o, 0)\nparallel(o)")),
              HasSubstr("in 8 parallel"));
  scheduled(total(64),
            split + "parts = rfactor(T, n, 0)\ninit = decompose_reduction(parts, o)\nvectorize(n)");
}

TEST(Rfactor, PutsTheNewDimensionWhereItIsWanted) {
  const loop::Func func = matrix_product(5, 6, 12);
  const std::string split = product_loops + "o, n = split(k, [-1, 4])\n";
  for (const auto& [axis, shape] :
       {std::pair{"0", "[4, 5, 6]"}, {"1", "[5, 4, 6]"}, {"2", "[5, 6, 4]"}})
    EXPECT_THAT(body_of(scheduled(func, split + "parts = rfactor(C, n, " + axis + ")")),
                HasSubstr(shape));
  EXPECT_THAT(refusal(func, split + "parts = rfactor(C, n, 3)"),
              HasSubstr("between which 3 is no place"));
}

// Terms beyond the end are nothing to the sum: 0 in a sum, 1 in a product, minus infinity in a
// maximum.
TEST(Rfactor, ReplacesTermsThatAPredicateLeavesOut) {
  for (const te::Reducer reducer :
       {te::Reducer::Sum, te::Reducer::Product, te::Reducer::Min, te::Reducer::Max})
    for (const char* loop : {"o", "n"})
      for (const std::int64_t count : {21, 3})
        EXPECT_THAT(body_of(scheduled(total(count, reducer),
                                      total_loops + "o, n = split(k, [3, 8])\nparts = rfactor(T, " +
                                          loop + ", 0)")),
                    HasSubstr("select"));
}

TEST(Rfactor, FactorsPartialSumsAgain) {
  scheduled(total(210), total_loops +
                            "a, b, c, d = split(k, [3, 4, 5, 4])\np = rfactor(T, d, 0)\nq = "
                            "rfactor(p, a, 0)\nr = rfactor(q, b, 1)");
  scheduled(convolution({1, 6, 6, 6, 4, 3, 1, 1}),
            "conv = block(\"conv\")\nn, k, y, x, c, r, s = loops(conv)\nf = fuse([c, r])\na, b = "
            "split(f, [-1, 4])\n"
            "p = rfactor(conv, a, 0)\nq = rfactor(p, s, 5)");
}

TEST(Rfactor, SaysThatTermsAreReassociated) {
  const auto remark = [](te::Reducer reducer) {
    const auto steps =
        replay(total(64, reducer),
               *parse_script(total_loops + "o, n = split(k, [-1, 8])\nparts = rfactor(T, n, 0)"));
    return steps->back().remark;
  };
  EXPECT_THAT(remark(te::Reducer::Sum), HasSubstr("in another order"));
  EXPECT_EQ(remark(te::Reducer::Max), "");
}

TEST(Rfactor, RefusesWhatIsNotAnOpenReduction) {
  const loop::Func func = matrix_product(5, 6, 12);
  const std::string split = product_loops + "o, n = split(k, [-1, 4])\n";
  EXPECT_THAT(refusal(func, product_loops + "p = rfactor(C, k, 0)"),
              HasSubstr("has a single term"));
  EXPECT_THAT(refusal(func, split + "p = rfactor(C, j, 0)"), HasSubstr("does not sum over"));
  EXPECT_THAT(refusal(func, split + "init = decompose_reduction(C, o)\np = rfactor(C, n, 0)"),
              HasSubstr("is set by another block"));
  EXPECT_THAT(refusal(func, split + "unroll(n)\np = rfactor(C, n, 0)"),
              HasSubstr("unrolled already"));
  EXPECT_THAT(refusal(func, split + "a, b = split(i, [-1, 4])\np = rfactor(C, n, 0)"),
              HasSubstr("is not of the reduction loops alone"));
  EXPECT_THAT(refusal(two_elementwise({4}), "Y = block(\"Y\")\ni = loops(Y)\np = rfactor(Y, i, 0)"),
              HasSubstr("is not a reduction"));
  EXPECT_THAT(
      refusal(convolution({1, 3, 6, 6, 4, 3, 1, 1}),
              "conv = block(\"conv\")\nn, k, y, x, c, r, s = loops(conv)\nb = block(\"biased\")\n"
              "l = reverse_compute_at(b, y)\np = rfactor(conv, c, 0)"),
      HasSubstr("is also read in the loops that sum it"));
}

// Partial sums are added to the sum while they are at hand: of blocks, of lanes, of tiles.
TEST(ReverseComputeAt, AddsUpPartialSumsWhereTheyAreComputed) {
  const loop::Func func = matrix_product(10, 9, 24);
  const std::string blocks = product_loops + "o, n = split(k, [-1, 6])\nparts = rfactor(C, o, 0)\n";
  scheduled(func, blocks + "l = reverse_compute_at(C, j)");
  scheduled(func, blocks + "reorder([o, i, j, n])\nl1, l2 = reverse_compute_at(C, o)");
  scheduled(func,
            blocks +
                "io, jo, ii, ji = tile(i, j, 4, 3)\nreorder([io, jo, o, n, ii, ji])\nl1, l2 = "
                "reverse_compute_at(C, o)\n"
                "first = decompose_reduction(C, o)\nblock_first = decompose_reduction(parts, n)");
  scheduled(rows_summed(7, 40),
            "S = block(\"S\")\ni, k = loops(S)\no, n = split(k, [-1, 16])\nlanes = rfactor(S, n, "
            "1)\nl = reverse_compute_at(S, i)\nparallel(i)");
}

TEST(ReverseComputeAt, TakesEachTermOfASumOnce) {
  const std::string parts = total_loops + "o, n = split(k, [-1, 8])\nparts = rfactor(T, o, 0)\n";
  EXPECT_THAT(refusal(total(64), parts + "parallel(o)\nreverse_compute_at(T, o)"),
              HasSubstr("which is parallel"));
  // The partial sums of overlapping windows are computed twice, and would be added twice.
  const auto func = loop::parse(R"(func windows(X: float32[8] input, T: float32[] output) {
  alloc A: float32[8] workspace {
    for y in 2 {
      for x in 6 {
        block A(i0 = y * 2 + x in 8) {
          reads X[i0]
          writes A[i0]
          A[i0] = X[i0]
        }
      }
    }
    for k in 8 {
      block T(reduce r0 = k) by sum {
        reads A[r0]
        writes T[]
        init { T[] = 0.0f }
        T[] = T[] + A[r0]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reverse_compute_at(\"T\", \"y\")"),
              HasSubstr("would sum the same terms again"));
}

}  // namespace

}  // namespace loopglass::schedule

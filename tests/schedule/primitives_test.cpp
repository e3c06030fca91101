// Each primitive by script: the nest before and after is interpreted on the same input and must
// agree, and what a primitive refuses it explains.
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/script/trace.h"
#include "passes/loop/compact_buffers.h"
#include "passes/loop/place_allocations.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

using te::Builder;
using Indices = Builder::Indices;

// A[i] = X[i] * 2 and B[i] = A[i] + A[i + 1].
loop::Func neighbours(std::int64_t count) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {count + 1}});
  const te::Tensor a = builder.compute(
      "A", {count + 1}, [&](const Indices& i) { return x(i) * expr::constant(x.type, 2); });
  const te::Tensor b =
      builder.compute("B", {count}, [&](const Indices& i) { return a(i) + a({i[0] + 1}); });
  return loop::lower(std::move(builder).finish({b}), "neighbours");
}

TEST(Split, DividesEvenlyOrWithAPredicate) {
  const loop::Func func = matrix_product(10, 6, 5);
  EXPECT_THAT(body_of(scheduled(func, product_loops + "o, n = split(i, [-1, 5])")),
              ::testing::Not(HasSubstr("where")));
  EXPECT_THAT(body_of(scheduled(func, product_loops + "o, n = split(i, [-1, 4])")),
              HasSubstr("where"));
  scheduled(func, product_loops + "a, b, c = split(j, [2, -1, 2])\nd, e = split(k, [3, 2])");
}

TEST(Split, SaysWhichFactorsWillNotDo) {
  const loop::Func func = matrix_product(10, 6, 5);
  EXPECT_THAT(refusal(func, product_loops + "a, b = split(i, [2, 4])"),
              HasSubstr("multiply to 8, which does not cover the extent 10"));
  EXPECT_THAT(refusal(func, product_loops + "a, b = split(i, [-1, -1])"),
              HasSubstr("at most one factor may be -1"));
  EXPECT_THAT(refusal(func, product_loops + "a, b = split(i, [-1, 0])"),
              HasSubstr("0 is not a usable factor"));
  EXPECT_THAT(refusal(func, product_loops + "a = split(i, [10])"),
              HasSubstr("at least two factors"));
  EXPECT_THAT(refusal(func, product_loops + "a, b = split(i, [9223372036854775807, -1])"),
              HasSubstr("at most 1048576 are walked"));
  EXPECT_THAT(refusal(func, product_loops + "a, b, c, d = tile(i, j, 4, 1000000000000)"),
              HasSubstr("at most 1048576 are walked"));
  EXPECT_THAT(refusal(func, product_loops + "unroll(i)\na, b = split(i, [-1, 2])"),
              HasSubstr("unrolled already"));
}

TEST(Split, PeelsTheTailSoThatTilesNeedNoPredicate) {
  const loop::Func func = matrix_product(10, 6, 5);
  const std::string rows =
      body_of(scheduled(func, product_loops + "o, n = split(i, [-1, 4], peel)"));
  EXPECT_THAT(rows, ::testing::Not(HasSubstr("where")));
  EXPECT_THAT(rows, HasSubstr("for i_o in 2 {"));
  EXPECT_THAT(rows, HasSubstr("for i_tail in 2 {"));
  // A sum starts in the first of its parts, and goes on in the tail.
  const std::string sums = body_of(
      scheduled(func, product_loops + "reorder([k, i, j])\no, n = split(k, [-1, 2], peel)"));
  EXPECT_EQ(sums.find("init"), sums.rfind("init"));
  EXPECT_THAT(sums, HasSubstr("block C_1"));
  // Where the factors divide there is no tail.
  EXPECT_THAT(body_of(scheduled(func, product_loops + "o, n = split(j, [-1, 3], peel)")),
              ::testing::Not(HasSubstr("tail")));
  EXPECT_THAT(refusal(func, product_loops + "o, n = split(k, [-1, 8], peel)"),
              HasSubstr("a tile of 8 is more than all 5 iterations"));
  EXPECT_THAT(refusal(func, product_loops + "o, n = split(k, [2, 3], peel)"),
              HasSubstr("one factor must be -1"));
  EXPECT_THAT(refusal(func, product_loops + "o, n = split(k, [-1, 2], mask)"),
              HasSubstr("there is no tail 'mask'"));
}

TEST(AddUnitLoop, IsAPlaceAroundABlock) {
  const loop::Func func = matrix_product(4, 4, 6);
  EXPECT_THAT(body_of(scheduled(func, product_loops + "u = add_unit_loop(C)\nunroll(u)")),
              HasSubstr("for u in 1 unrolled"));
}

TEST(Fuse, MakesOneLoopOfNestedOnes) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(body_of(scheduled(func, product_loops + "f = fuse([i, j])")), HasSubstr("in 30"));
  scheduled(func, product_loops + "f = fuse([i, j, k])\na, b = split(f, [-1, 7])");
}

TEST(Fuse, WantsLoopsDirectlyNested) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(refusal(func, product_loops + "f = fuse([i, k])"),
              HasSubstr("is not the only statement in loop"));
  EXPECT_THAT(refusal(func, product_loops + "f = fuse([j, i])"),
              HasSubstr("is not the only statement in loop"));
}

TEST(Vectorize, WantsLoopsInsideToBeAlikeInAllLanes) {
  const auto func = loop::parse(R"(func f(X: float32[4, 4] input, Y: float32[4, 4] output) {
  for i in 4 {
    for j in i + 1 {
      block b(i0 = i, i1 = j) {
        Y[i0, i1] = X[i0, i1]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "vectorize(\"i\")"), HasSubstr("is another one in each lane"));
}

TEST(Tile, IsTwoSplitsAndAReorder) {
  const loop::Func func =
      scheduled(matrix_product(10, 9, 4), product_loops + "io, jo, ii, ji = tile(i, j, 4, 3)");
  EXPECT_THAT(body_of(func), HasSubstr("in 3"));
  EXPECT_THAT(refusal(matrix_product(5, 6, 4), product_loops + "a, b, c, d = tile(i, j, 0, 3)"),
              HasSubstr("not a usable factor"));
}

TEST(Parallel, TakesAnIndependentLoop) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(body_of(scheduled(func, product_loops + "parallel(i)")), HasSubstr("parallel"));
  scheduled(func, product_loops + "f = fuse([i, j])\nparallel(f)");
  scheduled(func, product_loops + "a, b = split(i, [-1, 2])\nparallel(a)");
  EXPECT_THAT(body_of(scheduled(func, product_loops + "parallel(j)")),
              HasSubstr("for j in 6 parallel"));
  EXPECT_THAT(refusal(func, product_loops + "parallel(i)\nparallel(j)"),
              HasSubstr("the loop runs inside 'i', which is parallel"));
  EXPECT_THAT(refusal(func, product_loops + "parallel(j)\nparallel(i)"),
              HasSubstr("a loop inside it is parallel already"));
  EXPECT_THAT(refusal(func, product_loops + "reorder([k, i, j])\nparallel(k)"),
              HasSubstr("sums over"));
}

TEST(PadAxis, RefusesAbsurdGrowth) {
  EXPECT_THAT(refusal(rows_summed(40000, 3), "pad_axis(\"Y\", 1, 1048576)"),
              HasSubstr("more than 64 times as large"));
}

// Nothing of a size that is not known could be compiled.
// Whole, they would be of a size that nobody knows; of a tile one does.
TEST(CacheRead, TakesSymbolicExtents) {
  const auto func = loop::parse(R"(func f[n](X: float32[n] input, Y: float32[n] output) {
  for i in n {
    block Y(i0 = i) {
      reads X[i0]
      writes Y[i0]
      Y[i0] = X[i0] * 2.0f
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  const auto trace = parse_script(
      "X_read = cache_read(\"Y\", \"X\", \"stack\")\n"
      "copy = cache_write(\"Y\", \"register\")\n"
      "o, i = split(\"i\", [-1, 8])\ncompute_at(X_read, o)\nreverse_compute_at(copy, o)");
  ASSERT_TRUE(trace);
  const auto steps = replay(*func, *trace);
  ASSERT_TRUE(steps) << to_string(steps.error());
  pass::Report report;
  const auto placed = passes::place_allocations(steps->back().func, report);
  const std::string text = loop::to_text(*passes::compact_buffers(*placed, report));
  EXPECT_THAT(text, HasSubstr("alloc X_stack: float32[8] stack"));
  EXPECT_THAT(text, HasSubstr("alloc Y_register: float32[8] register"));
}

TEST(Vectorize, RefusesLanesThatWouldMeet) {
  const loop::Func func = matrix_product(5, 6, 4);
  scheduled(func, product_loops + "reorder([i, k, j])\nvectorize(j)");
  EXPECT_THAT(refusal(func, product_loops + "vectorize(k)"),
              HasSubstr("all update the same element of 'C'"));
  EXPECT_THAT(refusal(func, product_loops + "reorder([i, k, j])\nvectorize(j)\nvectorize(i)"),
              HasSubstr("inside it is vectorized already"));
  EXPECT_THAT(refusal(matrix_product(3, 3000, 2), product_loops + "vectorize(j)"),
              HasSubstr("3000 iterations are more than"));
}

TEST(Vectorize, SeesThroughSplitsAndFusions) {
  const loop::Func func = two_elementwise({6, 10});
  const std::string z = "Z = block(\"Z\")\ni, j = loops(Z)\n";
  scheduled(func, z + "f = fuse([i, j])\na, b = split(f, [-1, 8])\nvectorize(b)\nparallel(a)");
  scheduled(func,
            z + "f = fuse([i, j])\na, b, c = split(f, [-1, 4, 5])\nparallel(a)\nvectorize(c)");
}

// The structural rule, not trust: a hand-written recurrence stays serial.
TEST(Vectorize, RefusesARecurrence) {
  const auto func = loop::parse(R"(func scan(Y: float32[8] output) {
  for i in 7 {
    block scan(i0 = i) {
      reads Y[i0]
      writes Y[i0 + 1]
      Y[i0 + 1] = Y[i0] + 1.0f
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "vectorize(\"i\")"),
              HasSubstr("may read elements of 'Y' that another iteration writes"));
  EXPECT_THAT(refusal(*func, "parallel(\"i\")"),
              HasSubstr("may read elements of 'Y' that another iteration writes"));
}

TEST(Vectorize, RefusesTwoIterationsStoringToOneElement) {
  const auto func = loop::parse(R"(func halves(X: float32[8] input, Y: float32[4] output) {
  for i in 8 {
    block halves(i0 = i) {
      reads X[i0]
      writes Y[i0 floordiv 2]
      Y[i0 floordiv 2] = X[i0]
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "vectorize(\"i\")"),
              HasSubstr("it cannot be shown that block 'halves' stores Y[i floordiv 2]"));
}

TEST(Unroll, IsAlwaysLegalWithinReason) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(body_of(scheduled(func, product_loops + "unroll(k)\nunroll(j)")),
              HasSubstr("unrolled"));
  EXPECT_THAT(refusal(matrix_product(3, 3000, 2), product_loops + "unroll(j)"),
              HasSubstr("more than 128"));
}

TEST(ComputeAt, ComputesWhatOneIterationReads) {
  const loop::Func func = neighbours(12);
  const std::string script =
      "A = block(\"A\")\nB = block(\"B\")\ni = loops(B)\no, n = split(i, [-1, 5])\n";
  scheduled(func, script + "a = compute_at(A, o)");
  scheduled(func, script + "a = compute_at(A, n)");
  scheduled(rows_summed(4, 6),
            "Y = block(\"Y\")\nS = block(\"S\")\ni, r = loops(S)\na, b = compute_at(Y, i)");
  scheduled(rows_summed(4, 6),
            "Y = block(\"Y\")\nS = block(\"S\")\ni, r = loops(S)\na, b = compute_at(Y, r)");
}

TEST(ComputeAt, MovesAReductionWhole) {
  const loop::Func func = convolution({1, 3, 6, 6, 4, 3, 1, 1});
  scheduled(func,
            "conv = block(\"conv\")\nb = block(\"biased\")\nn, k, y, x = loops(b)\nl1, l2, l3, l4, "
            "r1, r2, r3 = compute_at(conv, y)");
  scheduled(func,
            "pad = block(\"conv_pad\")\nconv = block(\"conv\")\nn, k, y, x, c, r, s = "
            "loops(conv)\na, b, c1, d = compute_at(pad, y)");
}

TEST(ComputeAt, RefusesOutputsAndConsumersElsewhere) {
  const loop::Func func = neighbours(12);
  EXPECT_THAT(
      refusal(func, "A = block(\"A\")\nB = block(\"B\")\ni = loops(A)\na = compute_at(B, i)"),
      HasSubstr("an output of the kernel"));
  EXPECT_THAT(refusal(func, "A = block(\"A\")\ni = loops(A)\na = compute_at(A, i)"),
              HasSubstr("inside that loop already"));
  EXPECT_THAT(refusal(convolution({1, 3, 6, 6, 4, 3, 1, 1}),
                      "pad = block(\"conv_pad\")\nb = block(\"biased\")\nn, k, y, x = loops(b)\nq "
                      "= compute_at(pad, n)"),
              HasSubstr("no block under"));
}

// A block's own variables may be called as loops that it never stood in.
TEST(ComputeAt, GivesVariablesThatLoopsHaveOtherNames) {
  const auto func = loop::parse(R"(func f(A: float32[4] input, Y: float32[4] output) {
  alloc T: float32[4] workspace
  for a in 4 {
    block T(i0 = a) { T[i0] = A[i0] * 2.0f }
  }
  for i0 in 4 {
    block Y(v = i0) { Y[v] = T[v] + 1.0f }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  scheduled(*func, "compute_at(\"T\", \"i0\")");
}

TEST(ReverseComputeAt, FollowsItsProducersLoopsExactly) {
  const loop::Func func = two_elementwise({6, 10});
  const std::string y = "Y = block(\"Y\")\ni, j = loops(Y)\nZ = block(\"Z\")\n";
  scheduled(func, y + "z = reverse_compute_at(Z, i)");
  scheduled(func, y + "reverse_compute_at(Z, j)");
  scheduled(func, y + "a, b = split(j, [-1, 4])\nz = reverse_compute_at(Z, a)");
  scheduled(func, y + "f = fuse([i, j])\na, b = split(f, [-1, 7])\nz = reverse_compute_at(Z, a)");
  scheduled(func, y + "ti, tj, ii, ij = tile(i, j, 4, 3)\nz1, z2 = reverse_compute_at(Z, tj)");
}

TEST(ReverseComputeAt, WaitsForTheSum) {
  const loop::Func func = convolution({1, 3, 6, 6, 4, 3, 1, 1});
  const std::string script =
      "conv = block(\"conv\")\nn, k, y, x, c, r, s = loops(conv)\nb = block(\"biased\")\n";
  scheduled(func, script + "l = reverse_compute_at(b, y)");
  EXPECT_THAT(refusal(func, script + "l = reverse_compute_at(b, c)"),
              HasSubstr("still being summed over"));
}

TEST(ReverseComputeAt, RefusesConsumersThatReadOtherElements) {
  const loop::Func func = neighbours(12);
  EXPECT_THAT(
      refusal(func,
              "A = block(\"A\")\ni = loops(A)\nB = block(\"B\")\nb = reverse_compute_at(B, i)"),
      HasSubstr("not at the element just computed"));
  EXPECT_THAT(
      refusal(func,
              "B = block(\"B\")\ni = loops(B)\nA = block(\"A\")\nb = reverse_compute_at(A, i)"),
      HasSubstr("computes what 'A' reads"));
}

// A consumer larger than its producer (a padding) would miss elements in the producer's loops.
TEST(ReverseComputeAt, RefusesAConsumerThatIsLarger) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {8}});
  const te::Tensor a = builder.compute("A", {8}, [&](const Indices& i) { return x(i); });
  const te::Tensor b = builder.compute("B", {10}, [&](const Indices& i) {
    return expr::select(i[0] < 8, a(i), expr::constant(x.type, 0));
  });
  const loop::Func func = loop::lower(std::move(builder).finish({b}), "padded");
  EXPECT_THAT(
      refusal(func,
              "A = block(\"A\")\ni = loops(A)\nB = block(\"B\")\nb = reverse_compute_at(B, i)"),
      HasSubstr("is not covered by"));
}

TEST(ReverseComputeAt, GivesVariablesThatLoopsHaveOtherNames) {
  const auto func = loop::parse(R"(func f(A: float32[4] input, Y: float32[4] output) {
  alloc T: float32[4] workspace
  for i0 in 4 {
    block T(v = i0) { T[v] = A[v] * 2.0f }
  }
  for a in 4 {
    block Y(i0 = a) { Y[i0] = T[i0] + 1.0f }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  scheduled(*func, "reverse_compute_at(\"Y\", \"i0\")");
}

// The last of several iterations to store to an element would be another.
TEST(ReverseComputeAt, KeepsWhichIterationStoresLast) {
  const auto last = loop::parse(R"(func f(A: float32[4] input, Y: float32[1] output) {
  alloc T: float32[4] workspace
  for i in 4 {
    block T(v = i) { T[v] = A[v] * 2.0f }
  }
  for j in 4 {
    block Y(w = 3 - j in 4) { Y[0] = T[w] + 1.0f }
  }
})");
  ASSERT_TRUE(last) << to_string(last.error());
  EXPECT_THAT(refusal(*last, "reverse_compute_at(\"Y\", \"i\")"),
              HasSubstr("the last to store would be another"));
}

// What compute_at moved in goes out again, and so does a sum, in the loops of its consumer or not.
TEST(ComputeRoot, TakesAProducerOutOfItsConsumersLoops) {
  const std::string inside =
      "A = block(\"A\")\nB = block(\"B\")\ni = loops(B)\no, n = split(i, [-1, 4])\n";
  const loop::Func out = scheduled(two_elementwise({8, 6}),
                                   "Y = block(\"Y\")\nZ = block(\"Z\")\ni, j = loops(Z)\n"
                                   "compute_at(Y, j)\nb, c = compute_root(Y)\nvectorize(c)");
  EXPECT_THAT(body_of(out), HasSubstr(" vectorized"));
  scheduled(rows_summed(4, 6),
            "Y = block(\"Y\")\nS = block(\"S\")\ni, r = loops(S)\na, b = compute_at(Y, i)\nd, e = "
            "compute_root(Y)");
  scheduled(convolution({1, 3, 6, 6, 4, 3, 1, 1}),
            "conv = block(\"conv\")\nb = block(\"biased\")\nn, k, y, x = loops(b)\n"
            "compute_at(conv, y)\ncompute_root(conv)");
  EXPECT_THAT(refusal(neighbours(12), inside + "a = compute_at(A, o)\nb = compute_root(A)"),
              HasSubstr("need not compute every element"));
}

TEST(ComputeRoot, RefusesWhatIsAloneAndWhatIsStillSummed) {
  EXPECT_THAT(refusal(neighbours(12), "compute_root(\"A\")"),
              HasSubstr("has a nest of its own already"));
  const auto running = loop::parse(R"(func f(X: float32[4] input, Y: float32[4] output) {
  alloc S: float32[1] workspace
  for i in 4 {
    block S(a = 0 in 1, reduce r = i in 4) by sum {
      init { S[a] = 0.0f }
      S[a] = S[a] + X[r]
    }
    block Y(v = i) { Y[v] = S[0] }
  }
})");
  ASSERT_TRUE(running) << to_string(running.error());
  EXPECT_THAT(refusal(*running, "compute_root(\"S\")"),
              HasSubstr("while it is still being summed over 'i'"));
  const auto fed = loop::parse(R"(func f(X: float32[4] input, Y: float32[4] output) {
  alloc P: float32[4] workspace
  alloc A: float32[4] workspace
  for i in 4 {
    block P(p = i) { P[p] = X[p] * 2.0f }
    block A(a = i) { A[a] = P[a] + 1.0f }
    block Y(v = i) { Y[v] = A[v] }
  }
})");
  ASSERT_TRUE(fed) << to_string(fed.error());
  EXPECT_THAT(refusal(*fed, "compute_root(\"A\")"), HasSubstr("only in the loops"));
  scheduled(*fed, "compute_root(\"P\")\ncompute_root(\"A\")");
}

TEST(ComputeInline, PutsTheValueInPlaceOfItsReads) {
  const loop::Func func = scheduled(neighbours(12), "A = block(\"A\")\ncompute_inline(A)");
  EXPECT_THAT(body_of(func), ::testing::Not(HasSubstr("alloc")));
  scheduled(rows_summed(4, 6), "compute_inline(\"Y\")");
  scheduled(convolution({1, 3, 6, 6, 4, 3, 1, 1}),
            "compute_inline(\"conv_pad\")\ncompute_inline(\"biased\")");
}

TEST(ComputeInline, RefusesSumsAndOutputs) {
  EXPECT_THAT(refusal(neighbours(12), "compute_inline(\"B\")"),
              HasSubstr("an output of the kernel"));
  EXPECT_THAT(refusal(convolution({1, 3, 6, 6, 4, 3, 1, 1}), "compute_inline(\"conv\")"),
              HasSubstr("is a reduction"));
  EXPECT_THAT(
      refusal(neighbours(12),
              "A = block(\"A\")\ni = loops(A)\na, b = split(i, [-1, 4])\ncompute_inline(A)"),
      HasSubstr("does not run for every element"));
}

TEST(ReverseComputeInline, LetsTheProducerComputeTheConsumersValue) {
  const loop::Func func = scheduled(two_elementwise({4, 5}), "reverse_compute_inline(\"Z\")");
  EXPECT_THAT(body_of(func), ::testing::Not(HasSubstr("block Z")));
  scheduled(
      two_elementwise({4, 5}),
      "Y = block(\"Y\")\ni, j = loops(Y)\na, b = split(j, [-1, 2])\nreverse_compute_inline(\"Z\")");
  EXPECT_THAT(refusal(neighbours(12), "reverse_compute_inline(\"B\")"),
              HasSubstr("not element by element"));
  EXPECT_THAT(refusal(convolution({1, 3, 6, 6, 4, 3, 1, 0}), "reverse_compute_inline(\"biased\")"),
              HasSubstr("is a reduction"));
}

TEST(CacheRead, CopiesAnOperandBefore) {
  const loop::Func func = matrix_product(5, 6, 4);
  scheduled(func, product_loops + "copy = cache_read(C, \"A\", \"workspace\")");
  scheduled(func,
            product_loops + "copy = cache_read(C, \"B\", \"stack\")\na, b = compute_at(copy, j)");
  EXPECT_THAT(refusal(func, product_loops + "copy = cache_read(C, \"A\", \"attic\")"),
              HasSubstr("there is no scope 'attic'"));
  EXPECT_THAT(refusal(two_elementwise({4}), "cache_read(\"Z\", \"X\", \"stack\")"),
              HasSubstr("does not read 'X'"));
  EXPECT_THAT(refusal(func, "cache_read(\"C\", \"Q\", \"stack\")", Code::ScheduleHandleUnknown),
              HasSubstr("no buffer named 'Q'"));
}

TEST(ReverseComputeAt, RefusesExtentsThatGoByLoopsLeftBehind) {
  const auto func = loop::parse(
      "func f(X: float32[4] input, Y: float32[4] output) {\n  alloc A: float32[4] workspace\n"
      "  for i in 4 { block A(i0 = i) { A[i0] = X[i0] } }\n"
      "  for a in 1 { for b in a + 1 { for c in 1 { block Y(reduce r = c, v = b, u = a) by min {\n"
      "    init { Y[v] = X[v] } Y[v] = min(Y[v], A[r]) } } } }\n}");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reverse_compute_at(\"Y\", i)"),
              HasSubstr("block 'Y' need not run everywhere"));
}

// What it starts from is not in the cache.
TEST(CacheWrite, DoesNotStartFromWhatItStoresTo) {
  const auto func = loop::parse(
      "func f(X: float32[4, 3] input, Y: float32[4] output) {"
      "  for i in 4 { for k in 3 { block Y(i0 = i, reduce r0 = k) by sum {"
      "    init { Y[i0] = Y[3 - i0] } Y[i0] = Y[i0] + X[i0, r0] } } } }");
  ASSERT_TRUE(func);
  EXPECT_THAT(refusal(*func, "cache_write(\"Y\", \"workspace\")"),
              HasSubstr("goes on from what 'Y' held before"));
}

TEST(CacheWrite, CopiesAResultOut) {
  const loop::Func func = matrix_product(5, 6, 4);
  scheduled(func, product_loops + "copy = cache_write(C, \"register\")");
  scheduled(func, product_loops +
                      "copy = cache_write(C, \"register\")\na = reverse_compute_at(copy, i)\ninit "
                      "= decompose_reduction(C, k)");
  scheduled(func, product_loops +
                      "init = decompose_reduction(C, k)\ncopy = cache_write(C, \"register\")");
}

TEST(SetScope, IsForTheKernelsOwnBuffers) {
  EXPECT_THAT(body_of(scheduled(two_elementwise({4}), "set_scope(\"Y\", \"stack\")")),
              HasSubstr("stack"));
  EXPECT_THAT(refusal(two_elementwise({4}), "set_scope(\"X\", \"stack\")"),
              HasSubstr("is a parameter"));
}

TEST(TransformLayout, PacksAConstantWithPadding) {
  const loop::Func func =
      scheduled(matrix_product(5, 6, 4), "transform_layout(\"B\", \"k n -> n/4 k n%4\")");
  EXPECT_THAT(body_of(func), HasSubstr("packed [4, 6]"));
  scheduled(matrix_product(5, 6, 4), "transform_layout(\"B\", \"k n -> n k\")");
  scheduled(convolution({1, 3, 6, 6, 10, 3, 1, 0}),
            "transform_layout(\"W\", \"k c r s -> k/16 c r s k%16\")\n"
            "transform_layout(\"conv\", \"n k y x -> n k (y x)\")");
}

TEST(TransformLayout, RefusesInputsAndBadMaps) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(refusal(func, "transform_layout(\"A\", \"m k -> k m\")"),
              HasSubstr("its order is the caller's"));
  EXPECT_THAT(refusal(func, "transform_layout(\"B\", \"k n -> k\")"),
              HasSubstr("'n' must appear once"));
  EXPECT_THAT(refusal(func, "transform_layout(\"B\", \"k n -> n/4 k n%2\")"),
              HasSubstr("with the same f"));
  EXPECT_THAT(refusal(func, "transform_layout(\"B\", \"k -> k\")"),
              HasSubstr("names 1 dimensions"));
  EXPECT_THAT(
      refusal(func,
              "transform_layout(\"B\", \"k n -> n k\")\ntransform_layout(\"B\", \"k n -> n k\")"),
      HasSubstr("rearranged already"));
}

// The last of the iterations that store to one element wins: there is none after it.
TEST(PadAxis, WantsTheAxisToChooseTheElement) {
  const auto func = loop::parse(R"(func f(X: float32[2, 3] input, Y: float32[2] output) {
  alloc T: float32[2] workspace
  for i in 3 {
    for j in 2 {
      block last(i0 = i, i1 = j) {
        T[i1] = X[i1, i0]
      }
    }
  }
  for k in 2 {
    block copy(i0 = k) {
      Y[i0] = T[i0]
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "pad_axis(\"last\", 0, 4)"),
              HasSubstr("does not store each iteration to an element of its own"));
  scheduled(*func, "pad_axis(\"last\", 1, 4)");
}

TEST(PadAxis, ComputesToAMultipleWithoutAPredicate) {
  const std::string own = "copy = cache_write(C, \"register\")\n";
  scheduled(matrix_product(5, 6, 4), product_loops + own + "pad_axis(C, 0, 4)\npad_axis(C, 1, 16)");
  const loop::Func packed = scheduled(
      matrix_product(5, 6, 4),
      product_loops + own +
          "transform_layout(\"B\", \"k n -> n/16 k n%16\")\n"
          "pad_axis(C, 1, 16)\na, b = split(j, [-1, 16])\nreorder([i, a, k, b])\nvectorize(b)");
  EXPECT_THAT(body_of(packed), ::testing::Not(HasSubstr("select")));
  EXPECT_THAT(refusal(matrix_product(5, 6, 4), product_loops + "pad_axis(C, 0, 4)"),
              HasSubstr("cannot be made larger"));
  scheduled(matrix_product(5, 6, 4), product_loops + "pad_axis(C, 2, 3)");
  EXPECT_THAT(refusal(matrix_product(5, 6, 4),
                      product_loops + "decompose_reduction(C, k)\npad_axis(C, 2, 3)"),
              HasSubstr("is no sum that starts from zero"));
}

TEST(Primitives, CanBeAskedWithoutBeingApplied) {
  const loop::Func func = matrix_product(5, 6, 4);
  const std::string before = loop::to_text(func);
  const Primitive& vectorize = *find_primitive("vectorize");
  const auto call = [](const std::string& loop) { return std::vector<Argument>{loop}; };
  EXPECT_TRUE(vectorize.check(func, call("j")));
  const auto refused = vectorize.check(func, call("k"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::ScheduleIllegal);
  EXPECT_EQ(refused.error().what, vectorize.apply(func, call("k")).error().what);
  EXPECT_EQ(loop::to_text(func), before);
}

TEST(Primitives, EachHasItsRow) {
  for (const Primitive& primitive : all_primitives()) {
    SCOPED_TRACE(primitive.name);
    EXPECT_FALSE(primitive.doc.empty());
    EXPECT_FALSE(primitive.before.empty());
    EXPECT_FALSE(primitive.after.empty());
    EXPECT_FALSE(primitive.parameters.empty());
    // Too few arguments are refused, not read.
    EXPECT_FALSE(primitive.apply(matrix_product(2, 2, 2), {}));
    EXPECT_FALSE(primitive.check(matrix_product(2, 2, 2), {}));
  }
  EXPECT_EQ(find_primitive("bewitch"), nullptr);
}

}  // namespace

}  // namespace loopglass::schedule

// Nests that are left to an intrinsic: found, kept through other primitives, run by it, or run as
// the loops that they are.
#include "core/codegen/kernel.h"
#include "core/codegen/kernel_listings.h"
#include "core/loop/annotations.h"
#include "core/loop/intrinsics.h"
#include "core/loop/text.h"
#include "core/pass/runner.h"
#include "core/script/judge.h"
#include "core/script/replayer.h"
#include "passes/pipeline.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the loop passes leave, and say.
struct Lowered {
  loop::Func func;
  std::string text, remarks, llvm, optimised;
};
Lowered by_passes(const loop::Func& func) {
  const auto passes = passes::loop_passes();
  const auto history = pass::run(std::make_shared<const loop::Func>(func), passes).value();
  Lowered result{history.last(), loop::to_text(history.last()), {}, {}, {}};
  for (const auto& step : history.steps)
    for (const auto& remark : step.remarks) result.remarks += remark.text + "\n";
  const auto listings = codegen::list(result.func).value();
  for (const auto& line : *listings->llvm(0).value()) result.llvm += line.text + "\n";
  const std::size_t last = listings->llvm_steps().size() - 1;
  for (const auto& line : *listings->llvm(last).value()) result.optimised += line.text + "\n";
  return result;
}

void run(const loop::Func& nest, const std::string& script) {
  runtime::ThreadPool pool(1);
  expect_compiled_right(nest, pool, script);
}

// A product in tiles, whose innermost loops are those of `script`'s last line.
const std::string tiles_of_8 = product_loops +
                               "io, ii = split(i, [-1, 8])\njo, ji = split(j, [-1, 8])\n"
                               "ko, ki = split(k, [-1, 8])\nreorder([io, jo, ko, ii, ji, ki])\n"
                               "decompose_reduction(C, ko)\n";

TEST(Tensorize, IsNotedOnTheLoopAndRunByTheIntrinsic) {
  const loop::Func nest = matrix_product(16, 24, 32);
  const std::string script = tiles_of_8 + "tensorize(ii, matmul_8x8x8)";
  const loop::Func noted = scheduled(nest, script);
  EXPECT_THAT(loop::to_text(noted), HasSubstr("@intrinsic=\"matmul_8x8x8\" for "));
  const Lowered lowered = by_passes(noted);
  EXPECT_THAT(lowered.text, HasSubstr("@intrinsic=\"matmul_8x8x8\" for "));
  EXPECT_THAT(lowered.remarks, HasSubstr("is run by 'matmul_8x8x8'"));
  EXPECT_THAT(lowered.llvm, HasSubstr("<8 x float>"));
  run(nest, script);
}

// Whatever the order of the tile's loops, and of the factors.
TEST(Tensorize, TakesLoopsInAnyOrder) {
  const loop::Func nest = matrix_product(8, 16, 16);
  for (const char* order : {"ii, ji, ki", "ki, ii, ji", "ji, ki, ii", "ki, ji, ii"}) {
    const std::string script = product_loops +
                               "io, ii = split(i, [-1, 8])\njo, ji = split(j, [-1, 8])\n"
                               "ko, ki = split(k, [-1, 8])\nreorder([io, jo, ko, " +
                               order + "])\ndecompose_reduction(C, ko)\ntensorize(" +
                               std::string(order, 2) + ", matmul_8x8x8)";
    EXPECT_THAT(by_passes(scheduled(nest, script)).llvm, HasSubstr("<8 x float>")) << order;
    run(nest, script);
  }
}

TEST(Tensorize, FmaTilesAddOuterProducts) {
  struct Tile {
    std::string name, rows, columns;
  };
  const loop::Func nest = matrix_product(48, 96, 7);
  for (const Tile& tile : {Tile{"fma_6x16", "6", "16"}, Tile{"fma_8x48", "8", "48"}}) {
    const std::string script = product_loops + "io, ii = split(i, [-1, " + tile.rows +
                               "])\njo, ji = split(j, [-1, " + tile.columns +
                               "])\nreorder([io, jo, k, ii, ji])\ndecompose_reduction(C, k)\n" +
                               "tensorize(ii, " + tile.name + ")";
    EXPECT_THAT(by_passes(scheduled(nest, script)).llvm, HasSubstr("<16 x float>"));
    run(nest, script);
  }
}

constexpr std::string_view bytes = R"(
func bytes(A: uint8[3, 8] input, B: int8[2, 2, 16, 4] constant, C: int32[3, 32] output) {
  for m in 3 {
    for jo in 2 {
      for ji in 16 {
        for ko in 2 {
          for ki in 4 {
            block C(i0 = m, i1 = jo, i2 = ji, reduce r0 = ko, reduce r1 = ki) by sum {
              init { C[i0, i1 * 16 + i2] = 0i32 }
              C[i0, i1 * 16 + i2] = C[i0, i1 * 16 + i2] + int32(A[i0, r0 * 4 + r1]) * int32(B[i1, r0, i2, r1])
            }
          }
        }
      }
    }
  }
})";

TEST(Tensorize, BytesAreMultipliedByTheInstructionForThem) {
  const std::string script =
      "reorder([ko, ji])\ndecompose_reduction(C, ko)\ntensorize(ji, vnni_dot_16x4)";
  EXPECT_THAT(by_passes(scheduled(parsed(bytes), script)).llvm, HasSubstr("<16 x i32>"));
  run(parsed(bytes), script);
}

loop::Func transposition(int rows, int columns) {
  return parsed(fmt::format(
      "func f(X: float32[{0}, {1}] input, Y: float32[{1}, {0}] output) {{\n"
      "  for c in {1} {{ for d in {0} {{ block Y(j = c, i = d) {{ Y[j, i] = X[i, j] }} }} }}\n}}",
      rows, columns));
}

TEST(Tensorize, TilesAreTransposedInRegisters) {
  for (const int columns : {8, 16})
    for (int rows = 2; rows <= columns; ++rows) {
      const std::string script = fmt::format(
          "co, ci = split(c, [-1, {1}])\ndo, di = split(d, [-1, {0}])\n"
          "reorder([co, do, ci, di])\ntensorize(ci, transpose_{0}x{1})",
          rows, columns);
      const loop::Func nest = transposition(3 * rows, 2 * columns);
      EXPECT_THAT(by_passes(scheduled(nest, script)).llvm, HasSubstr("shufflevector"));
      run(nest, script);
    }
}

TEST(Tensorize, ThreeRowsAreDealtOutOneByOne) {
  for (const int size : {8, 16}) {
    const std::string script =
        fmt::format("co, ci = split(c, [-1, {0}])\ntensorize(ci, interleave_3x{0})", size);
    EXPECT_THAT(by_passes(scheduled(transposition(3, 2 * size), script)).llvm,
                HasSubstr("shufflevector"));
    run(transposition(3, 2 * size), script);
    // Of six rows three do not follow one another.
    const auto four = replay(transposition(6, size),
                             parse_script("do, di = split(d, [-1, 3])\nreorder([do, c, di])\n" +
                                          fmt::format("tensorize(c, interleave_3x{})", size))
                                 .value());
    ASSERT_FALSE(four);
    EXPECT_THAT(four.error().what, HasSubstr("moves on by 6 elements, and should by 3"));
  }
}

// What comes after may change the nest; then it runs as loops.
TEST(Tensorize, AChangedNestRunsAsLoops) {
  const loop::Func nest = matrix_product(16, 24, 32);
  const std::string noted = tiles_of_8 + "tensorize(ii, matmul_8x8x8)\n";
  const std::string script = noted + "split(ki, [-1, 4])";
  const loop::Func changed = scheduled(nest, script);
  EXPECT_THAT(loop::to_text(changed), HasSubstr("@intrinsic"));
  const Lowered lowered = by_passes(changed);
  EXPECT_THAT(lowered.text, Not(HasSubstr("@intrinsic")));
  EXPECT_THAT(lowered.remarks, HasSubstr("runs as loops, not as 'matmul_8x8x8': it has 4 loops"));
  run(nest, script);
  // An order of the same loops is the same nest.
  EXPECT_THAT(by_passes(scheduled(nest, noted + "reorder([ki, ji])")).text,
              HasSubstr("@intrinsic"));
}

// Whoever is about to do that is told.
TEST(Tensorize, ThatALineGivesUpAnIntrinsicIsSaidBefore) {
  const Replayer replayer =
      replayed(matrix_product(16, 24, 32), tiles_of_8 + "tensorize(ii, matmul_8x8x8)\n", 1000)
          .value();
  const auto remark = [&](const char* call) {
    const Verdict verdict =
        judge(replayer, parse_script(call).value().instructions.front(), Clash::Ignore);
    EXPECT_FALSE(verdict.refusal) << call;
    return verdict.remark;
  };
  EXPECT_THAT(remark("split(ki, [-1, 4])"), HasSubstr("'matmul_8x8x8' is not used then: it has 4"));
  EXPECT_THAT(remark("reorder([ki, ji])"), Not(HasSubstr("not used")));
}

// A condition is in the way, and what leaves none is named.
TEST(Tensorize, NamesWhatLeavesNoCondition) {
  const loop::Func nest = matrix_product(20, 24, 32);
  const auto refused =
      replay(nest, parse_script(tiles_of_8 + "tensorize(ii, matmul_8x8x8)").value());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("runs only where"));
  EXPECT_THAT(refused.error().hint, HasSubstr("peel"));
}

TEST(Tensorize, SaysWhatIsNotTheSame) {
  const loop::Func nest = matrix_product(16, 24, 32);
  EXPECT_THAT(refusal(nest, product_loops + "tensorize(i, matmul_8x8x8)"),
              HasSubstr("block 'C' sets an initial value in it"));
  EXPECT_THAT(refusal(nest, product_loops + "tensorize(i, matmul_9)"),
              HasSubstr("there is no intrinsic 'matmul_9'"));
  EXPECT_THAT(refusal(nest, product_loops + "decompose_reduction(C, k)\ntensorize(k, fma_6x16)"),
              HasSubstr("it has 1 loops around the store, not 2"));
  EXPECT_THAT(refusal(nest, product_loops + "decompose_reduction(C, i)\n"
                                            "tensorize(i, matmul_8x8x8)"),
              HasSubstr("its loops have 16, 24, 32 iterations, not 8, 8, 8"));
  EXPECT_THAT(refusal(matrix_product(8, 8, 8, DataType::Float64),
                      product_loops + "decompose_reduction(C, i)\ntensorize(i, matmul_8x8x8)"),
              HasSubstr("'C' is float64, not float32"));
  EXPECT_THAT(refusal(matrix_product(8, 8, 8),
                      product_loops +
                          "decompose_reduction(C, i)\nvectorize(j)\ntensorize(i, matmul_8x8x8)"),
              HasSubstr("is vectorized"));
}

// A tile that does not divide, rows that overlap, columns that are apart, two that are one.
TEST(Tensorize, DoesNotTakeWhatOnlyLooksTheSame) {
  EXPECT_THAT(refusal(matrix_product(12, 8, 8),
                      product_loops + "io, ii = split(i, [-1, 8])\nreorder([io, ii, j, k])\n"
                                      "decompose_reduction(C, ii)\ntensorize(ii, matmul_8x8x8)"),
              HasSubstr("runs only where"));
  const auto objection = [](const std::string& store, const std::string& shape) {
    const loop::Func func =
        parsed("func f(A: float32[8, 8] input, B: float32[8, 8] input, C: float32[" + shape +
               "] output) {\n  for i in 8 { for j in 8 { for k in 8 { " + store + " } } }\n}");
    const auto tiles = loop::match_intrinsic(*loop::find_intrinsic("matmul_8x8x8"), func.body,
                                             loop::buffers_of(func));
    return tiles ? std::string() : tiles.error();
  };
  EXPECT_EQ(objection("C[i, j] = A[i, k] * B[k, j] + C[i, j]", "8, 8"), "");
  EXPECT_EQ(objection("C[i, j] = C[i, j] + B[k, j] * A[i, k]", "8, 8"), "");
  EXPECT_EQ(objection("C[i, j] = C[i, j] + A[k, i] * B[k, j]", "8, 8"), "");  // any stride will do
  EXPECT_THAT(objection("C[i + j] = C[i + j] + A[i, k] * B[k, j]", "16"),
              HasSubstr("stored to more than once"));
  EXPECT_THAT(objection("C[j, i] = C[j, i] + A[i, k] * B[j, k]", "8, 8"),
              HasSubstr("moves on by 8 elements, and should by 1"));
  EXPECT_THAT(objection("C[i, j] = C[i, j] + A[i, k] * C[k, j]", "8, 8"),
              HasSubstr("'C' is both read and stored to"));
  EXPECT_THAT(objection("C[i, j] = C[i, j] - A[i, k] * B[k, j]", "8, 8"),
              HasSubstr("has not the form of"));
  EXPECT_THAT(objection("C[i, j] = C[j, i] + A[i, k] * B[k, j]", "8, 8"),
              HasSubstr("has not the form of"));
  EXPECT_THAT(objection("C[i, j] = C[i, j] + A[i, i] * B[k, j]", "8, 8"), Not(HasSubstr("form")));
}

// By hand, and with the pass that would have looked left out.
TEST(Tensorize, MachineCodeRefusesANoteThatIsWrong) {
  const std::string text =
      "func f(A: float32[8] input, C: float32[8] output) {\n"
      "  @intrinsic=\"matmul_8x8x8\" for i in 8 { C[i] = A[i] }\n}";
  const auto kernel = codegen::compile(parsed(text));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::CodegenUnsupported);
  EXPECT_THAT(kernel.error().what, HasSubstr("is not what the intrinsic"));
  EXPECT_THAT(kernel.error().hint, HasSubstr("match-intrinsics"));
  EXPECT_THAT(by_passes(parsed(text)).remarks, HasSubstr("'i' runs as loops"));
}

TEST(Annotate, IsReadByLlvm) {
  const loop::Func nest = matrix_product(16, 24, 64);
  const std::string four = product_loops + "annotate(k, unroll_count, \"4\")";
  const loop::Func noted = scheduled(nest, four);
  EXPECT_THAT(loop::to_text(noted), HasSubstr("@unroll_count=\"4\" for "));
  run(nest, four);
  // Of each copy of the loop's body there is a product in the optimised code.
  const auto products = [&](const std::string& count) {
    const std::string code =
        by_passes(scheduled(nest, product_loops + "annotate(k, unroll_count, \"" + count + "\")"))
            .optimised;
    std::size_t found = 0;
    for (std::size_t at = 0; (at = code.find("fmul", at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_LT(products("1"), products("2"));
  EXPECT_LT(products("2"), products("16"));
}

TEST(Annotate, StaysWithTheLoop) {
  EXPECT_THAT(loop::to_text(scheduled(matrix_product(16, 24, 64),
                                      product_loops + "annotate(j, mine, \"a text\")\n"
                                                      "split(i, [-1, 4])\nparallel(i_o)\n"
                                                      "vectorize(j)\ndecompose_reduction(C, k)")),
              HasSubstr("@mine=\"a text\" for j in 24 vectorized"));
}

TEST(Annotate, LeavesOthersTheirNotes) {
  const loop::Func nest = matrix_product(8, 8, 8);
  for (const char* key : {"intrinsic", "function", "contract"})
    refusal(nest, product_loops + "annotate(k, " + key + ", \"x\")");
  EXPECT_THAT(refusal(nest, product_loops + "annotate(k, unroll_count, \"many\")"),
              HasSubstr("is no count of copies from 1 to 64"));
  EXPECT_THAT(refusal(nest, product_loops + "annotate(k, \"a b\", \"x\")"),
              HasSubstr("is no name"));
  EXPECT_THAT(refusal(nest, product_loops + "vectorize(j)\nannotate(j, unroll_count, \"2\")"),
              HasSubstr("the loop is vectorized"));
}

}  // namespace

}  // namespace loopglass::schedule

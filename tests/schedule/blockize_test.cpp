// Nests that are one block: outside of them everything may be done, inside nothing.
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

const std::string tiles =
    product_loops +
    "io, ii = split(i, [-1, 8])\njo, ji = split(j, [-1, 8])\nko, ki = split(k, [-1, 8])\n"
    "reorder([io, jo, ko, ii, ji, ki])\ndecompose_reduction(C, ko)\n"
    "tensorize(ii, matmul_8x8x8)\nT = blockize(ii)\n";

TEST(Blockize, HasTheRegionsOfTheTile) {
  const std::string text = loop::to_text(scheduled(matrix_product(16, 24, 32), tiles));
  EXPECT_THAT(text, HasSubstr("block C_o(b0 = i_o, b1 = j_o, reduce b2 = k_o) {"));
  EXPECT_THAT(text, HasSubstr("writes C[b0 * 8 : 8, b1 * 8 : 8]"));
  EXPECT_THAT(text, HasSubstr("A[b0 * 8 : 8, b2 * 8 : 8]"));
  EXPECT_THAT(text, HasSubstr("@intrinsic=\"matmul_8x8x8\" for i_i in 8"));
}

TEST(Blockize, LeavesTheLoopsOutsideToBeScheduled) {
  runtime::ThreadPool pool(2);
  for (const char* more :
       {"reorder([jo, io])\nparallel(jo)", "f = fuse([io, jo])\nparallel(f)",
        "a, b = split(io, [-1, 3])", "unroll(jo)", "loop_partition(ko, [1, -1])"}) {
    const std::string script = tiles + more;
    EXPECT_THAT(loop::to_text(*lowered(matrix_product(16, 24, 32), script)),
                HasSubstr("@intrinsic"))
        << more;
    expect_compiled_right(matrix_product(16, 24, 32), pool, script);
  }
}

TEST(Blockize, LeavesWhatIsInsideAlone) {
  const loop::Func nest = matrix_product(16, 24, 32);
  for (const char* more : {"split(ii, [-1, 4])", "vectorize(ji)", "reorder([ki, ji])",
                           "cache_read(C, A, workspace)", "blockize(ji)"})
    EXPECT_THAT(refusal(nest, tiles + more), HasSubstr("is inside block 'C_o'")) << more;
  EXPECT_THAT(refusal(nest, tiles + "cache_write(T, register)"),
              HasSubstr("is more than a single store"));
}

// What a tile reads is another buffer then, for the blocks inside it too.
TEST(Blockize, TilesFollowTheirOperands) {
  const loop::Func nest = parsed(R"(func f(A: float32[8, 19] input, C: float32[19] output) {
  alloc T: float32[19, 8] workspace
  for j in 19 {
    for i in 8 {
      block T(i0 = j, i1 = i) {
        reads A[i1, i0]
        writes T[i0, i1]
        T[i0, i1] = A[i1, i0] + 1.0f
      }
    }
  }
  for j_1 in 19 {
    for i_1 in 8 {
      block C(i0 = j_1, reduce r0 = i_1) by sum {
        reads T[i0, r0]
        writes C[i0]
        init { C[i0] = 0.0f }
        C[i0] = C[i0] + T[i0, r0]
      }
    }
  }
})");
  runtime::ThreadPool pool(2);
  for (const char* more : {"reverse_compute_at(\"T_workspace\", \"i\")", "compute_inline(\"T\")"}) {
    const std::string script = "tile = blockize(\"i_1\")\ncache_read(tile, \"T\", \"workspace\")\n";
    EXPECT_THAT(loop::to_text(scheduled(nest, script)), HasSubstr("reads T_workspace[i0, r0]"));
    expect_compiled_right(nest, pool, script + more);
  }
}

TEST(Blockize, IsOfOneBlock) {
  EXPECT_THAT(refusal(two_elementwise({4, 8}),
                      "z = block(\"Z\")\ni, j = loops(z)\ncompute_at(\"Y\", i)\nblockize(i)"),
              HasSubstr("there are several blocks in loop"));
}

}  // namespace

}  // namespace loopglass::schedule

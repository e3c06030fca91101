// What becomes of loops and buffers that no machine code has as they stand: the kinds of loops, the
// lanes of vectors, what lanes and threads have for themselves.
#include "core/loop/text.h"
#include "passes/loop/cut_vectors.h"
#include "passes/loop/demote_loops.h"
#include "passes/loop/expand_lane_buffers.h"
#include "passes/loop/pad_lanes.h"
#include "passes/loop/place_workspace.h"
#include "passes/loop/serialize_lanes.h"
#include "tests/schedule/after_pass.h"
#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Settled {
  std::string body;  // without the signature
  std::vector<std::string> remarks;
};

// Valid, the same results, and nothing left to do a second time.
Settled settled(LoopPass run, const std::string& text) {
  const auto func = loop::parse(text);
  if (!func) return {"does not parse: " + to_string(func.error()), {}};
  pass::Report report, again;
  const loop::Func result = run(*func, report).value();
  const auto valid = loop::verify(result);
  EXPECT_TRUE(valid) << (valid ? "" : to_string(valid.error())) << "\n" << loop::to_text(result);
  EXPECT_TRUE(same_results(*func, result));
  EXPECT_EQ(run(result, again)->body, result.body) << loop::to_text(result);
  EXPECT_THAT(again.remarks, IsEmpty());
  Settled settled{loop::to_text(result), {}};
  settled.body.erase(0, settled.body.find("{\n") + 2);
  for (const pass::Remark& remark : report.remarks)
    settled.remarks.push_back(remark.code + " " + remark.text);
  return settled;
}

TEST(DemoteLoops, ThreadsAreSharedOutOnceAndLanesInside) {
  const Settled nest = settled(
      passes::demote_loops, R"(func f(X: float32[2, 3, 4, 8] input, Y: float32[2, 3, 4, 8] output) {
  for i in 2 parallel {
    for j in 3 parallel {
      for k in 4 vectorized {
        for l in 8 vectorized {
          Y[i, j, k, l] = X[i, j, k, l]
        }
      }
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  for i in 2 parallel {
    for j in 3 {
      for k in 4 {
        for l in 8 vectorized {
          Y[i, j, k, l] = X[i, j, k, l]
        }
      }
    }
  }
}
)");
  EXPECT_THAT(nest.remarks,
              ElementsAre("PARALLEL_IN_PARALLEL 'j' runs serially: the iterations of 'i' around it "
                          "are shared among the threads",
                          "VECTOR_AROUND_VECTOR 'k' runs serially: the lanes are those of 'l' "
                          "inside it"));
}

TEST(DemoteLoops, LanesHaveNoThreadsAndOneLaneIsNoVector) {
  const Settled nest =
      settled(passes::demote_loops, R"(func f(X: float32[8, 4] input, Y: float32[8, 4] output) {
  for i in 8 vectorized {
    for j in 4 parallel {
      for k in 1 vectorized {
        Y[i, j] = X[i, j + k]
      }
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  for i in 8 vectorized {
    for j in 4 {
      for k in 1 {
        Y[i, j] = X[i, j + k]
      }
    }
  }
}
)");
  EXPECT_THAT(nest.remarks, ElementsAre(HasSubstr("PARALLEL_IN_LANES 'j' runs serially: 'i'")));
}

// Two loops that are parallel one after another, and vectors in each.
TEST(DemoteLoops, LeavesLoopsAloneThatAreNotNested) {
  const Settled nest =
      settled(passes::demote_loops, R"(func f(X: float32[4, 8] input, Y: float32[4, 8] output) {
  for i in 4 parallel {
    for j in 8 vectorized {
      Y[i, j] = X[i, j]
    }
  }
  for k in 4 parallel {
    for l in 8 vectorized {
      Y[k, l] = Y[k, l] + 1.0f
    }
  }
})");
  EXPECT_THAT(nest.body, HasSubstr("for k in 4 parallel {\n    for l in 8 vectorized"));
  EXPECT_THAT(nest.remarks, IsEmpty());
}

// One lane at most gets past the condition.
TEST(SerializeLanes, WhereTheyMeetInOneElement) {
  const Settled nest =
      settled(passes::serialize_lanes, R"(func f(X: float32[8] input, S: float32[2] output) {
  for n in 2 {
    for x in 4 vectorized {
      if n + x < 1 {
        S[n] = max(S[n], X[x])
      }
    }
    for y in 4 vectorized {
      S[n] = 0.0f
    }
  }
})");
  EXPECT_THAT(nest.body, HasSubstr("for x in 4 {"));
  EXPECT_THAT(nest.body, HasSubstr("for y in 4 vectorized {"));
  EXPECT_THAT(nest.remarks,
              ElementsAre(HasSubstr("LANES_MEET 'x' runs serially: its lanes store into")));
}

// What a GPU's launch would be here: the outermost axis of blocks has the threads.
TEST(DemoteLoops, BlocksOfALaunchAreSharedAmongThreads) {
  const Settled nest = settled(passes::demote_loops,
                               R"(func f(X: float32[4, 2, 8] input, Y: float32[4, 2, 8] output) {
  for i in 4 blockIdx.y {
    for j in 2 blockIdx.x {
      for k in 8 threadIdx.x {
        Y[i, j, k] = X[i, j, k]
      }
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  for i in 4 parallel {
    for j in 2 {
      for k in 8 {
        Y[i, j, k] = X[i, j, k]
      }
    }
  }
}
)");
  EXPECT_THAT(nest.remarks,
              ElementsAre(HasSubstr("BLOCKS_ON_THREADS 'i' is blockIdx.y"),
                          HasSubstr("LAUNCH_AXIS 'j' runs serially: it is blockIdx.x"),
                          HasSubstr("LAUNCH_AXIS 'k' runs serially: it is threadIdx.x")));
}

TEST(ExpandLaneBuffers, EveryLaneHasItsPlaceBesideTheOthers) {
  const Settled nest = settled(passes::expand_lane_buffers,
                               R"(func f(X: float32[2, 16] input, Y: float32[2, 16] output) {
  for i in 2 {
    for l in 16 vectorized {
      alloc t: float32[2] stack
      t[0] = X[i, l]
      t[1] = t[0] * 2.0f
      Y[i, l] = t[1]
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  for i in 2 {
    alloc t: float32[2, 16] stack
    for l in 16 vectorized {
      t[0, l] = X[i, l]
      t[1, l] = t[0, l] * 2.0f
      Y[i, l] = t[1, l]
    }
  }
}
)");
  EXPECT_THAT(nest.remarks,
              ElementsAre("BUFFER_PER_LANE 't' has a place for each of the 16 lanes of 'l'"));
}

const std::string sums_of_28_lanes =
    R"(func f(A: float32[9, 28] input, W: float32[18] input, Y: float32[28] output, Z: float32[28] output) {
  alloc S: float32[56] register
  for r in 2 unrolled {
    for x in 28 vectorized { S[r * 28 + x] = 0.0f }
  }
  for k in 9 {
    for r1 in 2 unrolled {
      for x1 in 28 vectorized { S[r1 * 28 + x1] = S[r1 * 28 + x1] + A[k, x1] * W[k * 2 + r1] }
    }
  }
  for x2 in 28 vectorized { Y[x2] = S[x2] }
  for x3 in 28 vectorized { Z[x3] = S[x3 + 28] + A[0, x3] }
})";

TEST(PadLanes, RowsOfSumsAreWholeVectors) {
  const Settled nest = settled(passes::pad_lanes, sums_of_28_lanes);
  EXPECT_EQ(nest.body, R"(  alloc S: float32[64] register
  for r in 2 unrolled {
    for x in 32 vectorized {
      S[r * 32 + x] = 0.0f
    }
  }
  for k in 9 {
    for r1 in 2 unrolled {
      for x1 in 32 vectorized {
        S[r1 * 32 + x1] = S[r1 * 32 + x1] + select(x1 < 28, A[k, x1], 0.0f) * W[k * 2 + r1]
      }
    }
  }
  for x2 in 32 vectorized {
    if x2 < 28 {
      Y[x2] = S[x2]
    }
  }
  for x3 in 32 vectorized {
    if x3 < 28 {
      Z[x3] = S[x3 + 32] + A[0, x3]
    }
  }
}
)");
  EXPECT_THAT(nest.remarks,
              ElementsAre("LANES_PADDED rows of 'S' are 28 lanes with room for 32: whole vectors, "
                          "which stay in registers"));
}

// Of a tile of 32 lanes, the 28 of the one at an edge.
TEST(PadLanes, RowsThatHaveTheRoomStayWhereTheyAre) {
  std::string text = sums_of_28_lanes;
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace_all("S: float32[56]", "S: float32[64]");
  replace_all("r * 28", "r * 32");
  replace_all("r1 * 28", "r1 * 32");
  replace_all("S[x3 + 28]", "S[x3 + 32]");
  const Settled nest = settled(passes::pad_lanes, text);
  EXPECT_EQ(nest.body, settled(passes::pad_lanes, sums_of_28_lanes).body) << "they end alike";
  EXPECT_EQ(nest.remarks.size(), 1u);
  // Rows that begin elsewhere, too, would be written over by what idle lanes compute.
  std::string between = text;
  between.replace(between.find("S[x3 + 32]"), 10, "S[x3 + 24]");
  EXPECT_THAT(settled(passes::pad_lanes, between).remarks, IsEmpty());
  // Nor is there room behind the end.
  std::string shorter = text;
  shorter.replace(shorter.find("S: float32[64]"), 14, "S: float32[60]");
  EXPECT_THAT(settled(passes::pad_lanes, shorter).remarks, IsEmpty());
}

TEST(PadLanes, LeavesWhatIsNotWalkedRowByRow) {
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const auto& [from, to] :
       {std::pair{"Y[x2] = S[x2]", "Y[x2] = S[x2 + 1]"},              // across rows
        {"Y[x2] = S[x2]", "Y[x2] = S[27 - x2]"},                      // backwards
        {"Y[x2] = S[x2]", "Y[x2] = S[0]"},                            // one for all
        {"for x2 in 28 vectorized { Y[x2]", "for x2 in 28 { Y[x2]"},  // one by one
        {"Y[x2] = S[x2]", "if S[x2] > 0.0f { Y[x2] = 1.0f }"},        // in a condition
        {"S: float32[56] register", "S: float32[56] stack"}})
    EXPECT_THAT(settled(passes::pad_lanes, with(sums_of_28_lanes, from, to)).remarks, IsEmpty())
        << to;
  // 20 are 16 and 4, none of which idles.
  std::string even = sums_of_28_lanes;
  for (std::size_t at; (at = even.find("28")) != std::string::npos;) even.replace(at, 2, "20");
  EXPECT_THAT(settled(passes::pad_lanes, even).remarks, IsEmpty());
}

// A reduction inside stays around all vectors, so that they run side by side.
TEST(CutVectors, WholeVectorsAndALastOneSomeOfWhoseLanesIdle) {
  const Settled nest =
      settled(passes::cut_vectors, R"(func f(A: float32[9, 37] input, Y: float32[37] output) {
  for x in 37 vectorized {
    Y[x] = 0.0f
    for k in 9 {
      Y[x] = Y[x] + A[k, x]
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  for x_o in 2 unrolled {
    for x in 16 vectorized {
      Y[x_o * 16 + x] = 0.0f
    }
  }
  for x_1 in 8 vectorized {
    if x_1 < 5 {
      Y[x_1 + 32] = 0.0f
    }
  }
  for k in 9 {
    for x_o_1 in 2 unrolled {
      for x_2 in 16 vectorized {
        Y[x_o_1 * 16 + x_2] = Y[x_o_1 * 16 + x_2] + A[k, x_o_1 * 16 + x_2]
      }
    }
    for x_3 in 8 vectorized {
      if x_3 < 5 {
        Y[x_3 + 32] = Y[x_3 + 32] + A[k, x_3 + 32]
      }
    }
  }
}
)");
  EXPECT_THAT(nest.remarks, ElementsAre("VECTOR_CUT the 37 lanes of 'x' become vectors: 2 of 16 "
                                        "and one of 8, 3 of them idle"));
}

TEST(CutVectors, SaysWhatOddNumbersBecomeAndLeavesPowersOfTwo) {
  const auto remark = [](int lanes) {
    const std::string n = std::to_string(lanes);
    const Settled nest =
        settled(passes::cut_vectors, "func f(X: float32[" + n + "] input, Y: float32[" + n +
                                         "] output) { for x in " + n + " vectorized { Y[x] = X[" +
                                         std::to_string(lanes - 1) + " - x] } }");
    return nest.remarks.empty() ? "" : nest.remarks.front();
  };
  EXPECT_THAT(remark(10), HasSubstr("vectors: one of 16, 6 of them idle"));
  EXPECT_THAT(remark(20), HasSubstr("vectors: 1 of 16 and one of 4"));
  EXPECT_THAT(remark(48), HasSubstr("vectors: 3 of 16"));
  for (const int lanes : {2, 8, 16, 64, 512, 600}) EXPECT_EQ(remark(lanes), "") << lanes;
}

// What differs between lanes is asked in every vector, with all that stands under it.
TEST(CutVectors, ConditionsOfLanesGoWithTheirStatements) {
  const Settled nest =
      settled(passes::cut_vectors, R"(func f(X: float32[24, 3] input, Y: float32[24] output) {
  for x in 24 vectorized {
    if X[x, 0] > 0.0f {
      Y[x] = 0.0f
      for k in 3 {
        Y[x] = Y[x] + X[x, k]
      }
    } else {
      Y[x] = 1.0f
    }
  }
})");
  EXPECT_THAT(nest.body, HasSubstr("for x in 16 vectorized {\n    if X[x, 0] > 0.0f {"));
  EXPECT_THAT(nest.body, HasSubstr("for x_1 in 8 vectorized {\n    if X[x_1 + 16, 0] > 0.0f {"));
  EXPECT_THAT(nest.body, HasSubstr("for k_1 in 3 {"));
}

TEST(PlaceWorkspace, WhatIsSmallLiesOnTheStackOfItsThread) {
  const Settled nest = settled(passes::place_workspace,
                               R"(func f(X: float32[24] input, Y: float32[24] output) {
  for i in 3 parallel {
    alloc t: float32[8] workspace
    for j in 8 {
      t[j] = X[i * 8 + j]
    }
    for k in 8 {
      Y[i * 8 + k] = t[7 - k]
    }
  }
})");
  EXPECT_THAT(nest.body, HasSubstr("for i in 3 parallel {\n    alloc t: float32[8] stack\n"));
  ASSERT_THAT(nest.remarks, ElementsAre(HasSubstr("ON_THREAD_STACK 't' is needed within one "
                                                  "iteration of 'i'")));
}

// 200,001 elements are 800,004 bytes: the next copy begins 800,064 bytes on, at a cache line.
TEST(PlaceWorkspace, WhatIsLargeIsCutOutOfTheWorkspaceOnceForEveryIteration) {
  const Settled nest = settled(passes::place_workspace,
                               R"(func f(X: float32[24] input, Y: float32[24] output) {
  for i in 3 parallel {
    alloc t: float32[200001] workspace
    for j in 8 {
      t[j] = X[i * 8 + j]
    }
    for k in 8 {
      Y[i * 8 + k] = t[7 - k]
    }
  }
})");
  EXPECT_EQ(nest.body, R"(  alloc t: float32[600048] workspace
  for i in 3 parallel {
    for j in 8 {
      t[i * 200016 + j] = X[i * 8 + j]
    }
    for k in 8 {
      Y[i * 8 + k] = t[i * 200016 - k + 7]
    }
  }
}
)");
  EXPECT_THAT(nest.remarks, ElementsAre(HasSubstr("COPY_PER_ITERATION 't'")));
}

// Registers of the kernel lie there first, wherever they stand: 900 KB leave no room for 200.
TEST(PlaceWorkspace, StacksHoldWhatFitsBesideWhatLiesThereInAnyCase) {
  const auto remarks_beside = [](const std::string& elements) {
    return settled(passes::place_workspace, R"(func f(X: float32[24] input, Y: float32[24] output) {
  for i in 3 parallel {
    alloc t: float32[50000] workspace
    for j in 8 {
      t[j] = X[i * 8 + j]
    }
    alloc s: float32[)" + elements + R"(] stack
    for k in 8 {
      s[k] = t[7 - k]
    }
    for k_1 in 8 {
      Y[i * 8 + k_1] = s[k_1]
    }
  }
})")
        .remarks;
  };
  EXPECT_THAT(remarks_beside("8"), ElementsAre(HasSubstr("ON_THREAD_STACK 't'")));
  EXPECT_THAT(remarks_beside("225000"), ElementsAre(HasSubstr("COPY_PER_ITERATION 't'")));
}

TEST(PlaceWorkspace, SharedMemoryIsOfTheIterationItStandsIn) {
  const Settled nest = settled(passes::place_workspace,
                               R"(func f(X: float32[24] input, Y: float32[24] output) {
  for i in 3 parallel {
    alloc t: float32[8] shared
    for j in 8 {
      t[j] = X[i * 8 + j]
    }
    for k in 8 {
      Y[i * 8 + k] = t[7 - k]
    }
  }
  alloc u: float32[2] shared
  u[0] = 1.0f
  Y[0] = u[0]
})");
  EXPECT_THAT(nest.body, HasSubstr("for i in 3 parallel {\n    alloc t: float32[8] stack\n"));
  EXPECT_THAT(nest.body, HasSubstr("alloc u: float32[2] workspace"));
  EXPECT_THAT(nest.remarks,
              ElementsAre(HasSubstr("NO_SHARED_MEMORY 't'"), HasSubstr("ON_THREAD_STACK 't'"),
                          HasSubstr("NO_SHARED_MEMORY 'u'")));
}

TEST(PlaceWorkspace, WhatAllIterationsShareStays) {
  const Settled nest = settled(passes::place_workspace,
                               R"(func f(X: float32[24] input, Y: float32[24] output) {
  alloc t: float32[24] workspace
  for i in 24 parallel {
    t[i] = X[i]
  }
  for k in 24 parallel {
    Y[k] = t[23 - k]
  }
})");
  EXPECT_THAT(nest.body, HasSubstr("alloc t: float32[24] workspace"));
  EXPECT_THAT(nest.remarks, IsEmpty());
}

}  // namespace

}  // namespace loopglass::schedule

// Vectorised loops: every way in which an access can move with the lane, conditions that differ
// between lanes, allocations private to a lane, and register tiles.
#include "tests/codegen/run_both.h"

#include "core/loop/text.h"

namespace loopglass {
namespace {

TEST(Vectorized, AccessesOfUnitStrideAreVectors) {
  for (int lanes : {2, 3, 7, 16, 17, 29, 32, 49, 64, 112})
    expect_same(
        "func f(X: float32[4, 112] input, Y: float32[4, 112] output) {"
        "  for i in 4 { for l in " +
        std::to_string(lanes) + " vectorized { Y[i, l] = X[i, l] * 2.0f + 1.0f } } }");
}

TEST(Vectorized, EveryElementTypeFormsVectors) {
  for (std::string type : {"float16", "float32", "float64", "int8", "int16", "int32", "int64",
                           "uint8", "uint16", "uint32", "uint64"})
    expect_same(
        "func f(X: " + type + "[3, 16] input, Z: " + type + "[3] input, Y: " + type +
        "[3, 16] output) {"
        "  for i in 3 { for l in 16 vectorized { Y[i, l] = X[i, l] * Z[i] + X[i, 15 - l] } } }");
}

TEST(Vectorized, ElementsTheSameInEveryLaneAreLoadedOnce) {
  expect_same(
      "func f(X: float32[8] input, W: float32[8, 16] input, Y: float32[16] output) {"
      "  for l in 16 vectorized { Y[l] = 0.0f }"
      "  for k in 8 { for m in 16 vectorized { Y[m] = Y[m] + X[k] * W[k, m] } } }",
      1e-6);
}

TEST(Vectorized, StridesOfEverySizeAndSign) {
  for (int stride : {-5, -2, -1, 2, 3, 4, 5, 17}) {
    std::string offset = stride < 0 ? std::to_string(-stride * 15) : "0";
    std::string index = offset + " + l * " + std::to_string(stride);
    expect_same(
        "func f(X: float32[256] input, Y: float32[16] output) { for l in 16 vectorized { Y[l] = "
        "X[" +
        index + "] } }");
    expect_same(
        "func f(X: float32[16] input, Y: float32[256] output) {"
        "  for i in 256 { Y[i] = 0.0f } for l in 16 vectorized { Y[" +
        index + "] = X[l] } }");
    expect_same(
        "func f(X: uint8[256] input, Y: uint8[16] output) { for l in 16 vectorized { Y[l] = X[" +
        index + "] + 1u8 } }");
  }
}

// Wide loads for a strided access must not reach beyond its last element: here it is the buffer's.
TEST(Vectorized, StridedLoadsEndWithTheLastElement) {
  for (int stride : {2, 3, 4})
    for (int lanes : {2, 5, 8}) {
      int size = stride * (lanes - 1) + 1;
      expect_same(
          "func f(X: int32[" + std::to_string(size) + "] input, Y: int32[" + std::to_string(lanes) +
          "] output) {"
          "  for l in " +
          std::to_string(lanes) + " vectorized { Y[l] = X[l * " + std::to_string(stride) + "] } }");
    }
}

TEST(Vectorized, StridedLoadsUnderAMaskTouchOnlyWhatIsWanted) {
  for (int stride : {2, 3, 4})
    for (std::string type : {"float32", "int8"}) {
      std::string s = std::to_string(stride), size = std::to_string(stride * 20 + 1);
      expect_same("func f(X: " + type + "[" + size + "] input, Y: " + type +
                  "[3, 16] output) {"
                  "  for i in 3 { for l in 16 vectorized {"
                  "    if i * 16 + l <= 20 { Y[i, l] = X[(i * 16 + l) * " +
                  s +
                  "] } else { Y[i, l] = X[l] }"
                  "    if i < 2 { Y[i, l] = select(i == 0, X[l * " +
                  s +
                  "], X[1]) }"
                  "  } } }");
    }
}

TEST(Vectorized, IndicesFromMemoryAreGathered) {
  for (std::string type : {"float32", "float64", "int8", "bool"})
    expect_same("func f(T: " + type + "[8] input, I: int64[16] input, Y: " + type +
                "[16] output) {"
                "  for l in 16 vectorized { Y[l] = T[I[l]] } }");
}

TEST(Vectorized, DivisionsOfTheLaneAreGathered) {
  expect_same(
      "func f(X: float32[6, 4] input, Y: float32[24] output) {"
      "  for l in 24 vectorized { Y[l] = X[l floormod 6, l floordiv 6] } }");
}

// In 32 bits where the dividend fits them, which here it does for the first turns or for none.
TEST(Vectorized, IndicesAreDividedInLanes) {
  for (const std::string scale : {"1", "65537", "143165576", "2147483647", "4294967296"})
    for (const std::string offset : {"0", "7", "2147483648"})
      for (const std::string divisor : {"1", "3", "170", "65537", "2147483647", "4294967297"}) {
        const std::string dividend = "(l * 11 + i * " + scale + " - " + offset + ")";
        expect_same(
            "func f(Y: int64[4, 16] output, Z: int64[4, 16] output) {"
            "  for i in 4 { for l in 16 vectorized { Y[i, l] = " +
            dividend + " floordiv " + divisor + " Z[i, l] = " + dividend + " floormod " + divisor +
            " } } }");
      }
}

// Of elements that several lanes read, the last is the buffer's.
TEST(Vectorized, ElementsThatLieNearAreLoadedAsARun) {
  for (const int lanes : {2, 5, 16, 24, 32})
    for (const int divisor : {2, 3, 4})
      for (const int offset : {0, 1})
        for (const std::string type : {"float32", "float64", "uint8", "bool"}) {
          const std::string n = std::to_string(lanes), d = std::to_string(divisor),
                            o = std::to_string(offset),
                            size = std::to_string((lanes - 1 + offset) / divisor + 1);
          const auto of = [&](const std::string& index) {
            expect_same("func f(X: " + type + "[3, " + size + "] input, Y: " + type + "[3, " + n +
                        "] output) { for i in 3 { for l in " + n + " vectorized { Y[i, l] = X[i, " +
                        index + "] } } }");
          };
          of("(l + " + o + ") floordiv " + d);
          of("(" + std::to_string(lanes - 1) + " - l + " + o + ") floordiv " + d);
          of("l floormod " + size);
        }
}

TEST(Vectorized, ElementsThatLieNearAreTouchedUnderAMaskIfTheyAreWanted) {
  for (const std::string divisor : {"2", "3", "4"})
    for (const std::string type : {"float32", "int8"})
      expect_same("func f(X: " + type + "[11] input, I: int32[16] input, Y: " + type +
                  "[3, 16] output) {"
                  "  for i in 3 { for l in 16 vectorized {"
                  "    if i * 16 + l <= 20 { Y[i, l] = X[(i * 16 + l + 1) floordiv " +
                  divisor +
                  "] } else { Y[i, l] = X[l floordiv 4] }"
                  "    if I[l] > 1i32 { Y[i, l] = select(i == 0, X[(l + 1) floordiv " +
                  divisor +
                  "], X[(15 - l) floordiv 2]) }"
                  "  } } }");
}

// Channels that are put beside one another: lane by lane from one after the other, some of them
// backwards, the first or the last of them cut off by a mask.
TEST(Vectorized, ElementsOfSeveralRunsAreLoadedRunByRun) {
  for (const int lanes : {4, 8, 12, 16, 32})
    for (const int channels : {2, 3, 4})
      for (const std::string type : {"float32", "float64", "int8", "bool"}) {
        const std::string n = std::to_string(lanes), c = std::to_string(channels),
                          length = std::to_string((lanes - 1) / channels + 1);
        const auto of = [&](const std::string& channel, const std::string& place) {
          const std::string element = "X[" + channel + ", " + place + "]";
          expect_same("func f(X: " + type + "[" + c + ", " + length + ", 3] input, I: int32[" + n +
                      "] input, Y: " + type + "[4, " + n + "] output) {  for i in 3 { for l in " +
                      n + " vectorized { Y[i, l] = X[" + channel + ", " + place +
                      ", i] if I[l] > 2i32 and i < 2 { Y[3, l] = X[" + channel + ", " + place +
                      ", 1] } } } }");
          expect_same("func f(X: " + type + "[" + c + ", 40] input, I: int32[" + n +
                      "] input, Y: " + type + "[4, " + n + "] output) {  for i in 3 { for l in " +
                      n + " vectorized { Y[i, l] = " + element + " if I[l] > 2i32 and l + i < " +
                      std::to_string(lanes - 1) + " { Y[3, l] = " + element + " } } } }");
        };
        of("l floormod " + c, "l floordiv " + c);
        of(std::to_string(channels - 1) + " - l floormod " + c,
           "(" + std::to_string(lanes - 1) + " - l) floordiv " + c);
      }
}

TEST(Vectorized, ScatteredStores) {
  expect_same(
      "func f(X: float32[24] input, Y: float32[6, 4] output) {"
      "  for l in 24 vectorized { Y[l floormod 6, l floordiv 6] = X[l] } }");
}

TEST(Vectorized, TailsAreMasked) {
  for (std::string type : {"float32", "uint8", "bool", "float64"})
    expect_same("func f(X: " + type + "[37] input, Y: " + type +
                "[37] output) {"
                "  for i in 3 { for l in 16 vectorized { if i * 16 + l < 37 { Y[i * 16 + l] = X[i "
                "* 16 + l] } } } }");
}

TEST(Vectorized, ElseRunsInTheOtherLanes) {
  expect_same(R"(
    func f(X: float32[16] input, Y: float32[16] output, Z: int32[16] output) {
      for l in 16 vectorized {
        if X[l] > 0.0f {
          Y[l] = X[l]
          if l floormod 2 == 0 { Z[l] = 1i32 } else { Z[l] = 2i32 }
        } else {
          Y[l] = 0.0f - X[l]
          Z[l] = 3i32
        }
      }
    })");
}

TEST(Vectorized, EveryComparisonWithTheLane) {
  for (std::string op : {"<", "<=", ">", ">=", "==", "!="})
    for (std::string sides :
         {"l OP n - 7", "n - 7 OP l", "n - l OP 9", "3 OP n - l", "2 * l OP n", "n OP 5"}) {
      std::string condition = sides;
      condition.replace(condition.find("OP"), 2, op);
      expect_same(
          "func f(Y: int32[32, 16] output) { for n in 32 { for l in 16 vectorized {"
          "  Y[n, l] = select(" +
          condition + ", 1i32, 2i32) } } }");
    }
}

// 37 lanes are vectors of 16, 16 and 8 lanes, three of them idle: all that may differ between
// lanes, at the very end of its buffer.
TEST(Vectorized, OddNumbersOfLanesTouchNothingBeyondTheLast) {
  expect_same(R"(
    func f(X: float32[37] input, T: float64[73] input, B: bool[37] input, Y: float32[37] output, Z: float64[37] output) {
      for l in 37 vectorized {
        alloc own: float32[] register
        own[] = X[36 - l] + X[l]
        if B[l] { Y[l] = own[] * 2.0f } else { Y[l] = float32(T[2 * l]) }
        Z[l] = select(l < 20, T[l], T[l + 36])
      }
    })");
}

// Only the last lanes run: what all lanes share is loaded for them nevertheless.
TEST(Vectorized, LoadsAllLanesShareHappenIfAnyLaneRuns) {
  expect_same(R"(
    func f(S: float32[4] input, N: int64[2] input, Y: float32[37] output, Z: float32[] output) {
      for i in 4 {
        for l in 37 vectorized {
          if l + i > 33 {
            Y[l] = S[i] + 1.0f
            for k in N[0] { Y[l] = Y[l] + S[i] }
            if S[i] > -100.0f { Z[] = S[i] }
          }
        }
      }
    })");
}

// Padding: whatever lies outside is not loaded, whether lanes differ in it or not.
TEST(Vectorized, SelectMasksLoadsPerLane) {
  expect_same(
      "func f(X: float32[10] input, Y: float32[16] output) {"
      "  for l in 16 vectorized { Y[l] = select(l >= 3 and l < 13, X[l - 3], 0.0f) } }");
  expect_same(
      "func f(X: float32[10] input, Y: float32[16] output) {"
      "  for l in 16 vectorized { Y[l] = select(l < 2, X[l * 7], select(l > 8, X[(l - 9) * 1], "
      "-1.0f)) } }");
}

TEST(Vectorized, SelectGuardsLoadsAllLanesShare) {
  expect_same(R"(
    func f(X: float32[5, 16] input, S: float32[5] input, Y: float32[9, 16] output) {
      for i in 9 {
        for l in 16 vectorized {
          Y[i, l] = select(i >= 2 and i < 7, X[i - 2, l] + S[i - 2] + X[i - 2, 15 - l] + X[i - 2, l floordiv 2], 0.5f)
        }
      }
    })");
  expect_same(R"(
    func f(S: float32[5] input, Y: float32[16] output) {
      for l in 16 vectorized { if l > 100 { Y[l] = S[100000000000] } else { Y[l] = S[2] } }
    })");
}

TEST(Vectorized, ConditionsTheSameInEveryLaneAreJumps) {
  expect_same(R"(
    func f(X: float32[5, 16] input, Y: float32[5, 16] output) {
      for i in 5 {
        for l in 16 vectorized { if i < 3 { Y[i, l] = X[i, l] } else { Y[i, l] = exp(X[i, l]) } }
      }
    })",
              1e-6);
}

TEST(Vectorized, LoopsInsideRunForAllLanesTogether) {
  expect_same(R"(
    func f(X: float32[16, 9] input, Y: float32[16] output) {
      for l in 16 vectorized {
        Y[l] = 0.0f
        for k in 9 { Y[l] = Y[l] + X[l, k] }
        for u in 3 unrolled { Y[l] = Y[l] * X[l, u] }
      }
    })",
              1e-6);
}

TEST(Vectorized, AllocationsInsideArePrivateToEachLane) {
  for (std::string scope : {"workspace", "stack", "register"})
    expect_same(
        "func f(X: float32[32, 9] input, Y: float32[32] output) {"
        "  for i in 2 { for l in 16 vectorized {"
        "    alloc sum: float32[2] " +
            scope +
            "    sum[0] = 0.0f sum[1] = 1.0f"
            "    for k in 9 { sum[0] = sum[0] + X[i * 16 + l, k] }"
            "    Y[i * 16 + l] = sum[0] * sum[1]"
            "  } } }",
        1e-6);
}

TEST(Vectorized, IndicesFromLanePrivateMemoryAreGathered) {
  expect_same(R"(
    func f(T: float32[8] input, I: int64[16] input, Y: float32[16] output) {
      for l in 16 vectorized {
        alloc place: int64[] register
        place[] = I[l]
        Y[l] = T[place[]]
      }
    })");
}

TEST(Vectorized, ReductionsKeepOneAccumulatorPerLane) {
  expect_same(R"(
    func f(X: float32[8, 16] input, Y: float32[] output) {
      alloc partial: float32[16] register
      for l in 16 vectorized { partial[l] = float32(-inf) }
      for k in 8 { for m in 16 vectorized { partial[m] = max(partial[m], X[k, m]) } }
      Y[] = float32(-inf)
      for n in 16 unrolled { Y[] = max(Y[], partial[n]) }
    })");
}

TEST(Vectorized, RowsOfARegisterTileStayApart) {
  expect_same(R"(
    func f(A: float32[4, 9] input, B: float32[9, 32] constant, C: float32[4, 32] output) {
      alloc acc: float32[4, 32] register
      for i in 4 unrolled { for l in 32 vectorized { acc[i, l] = 0.0f } }
      for k in 9 {
        for r in 4 unrolled { for m in 32 vectorized { acc[r, m] = acc[r, m] + A[r, k] * B[k, m] } }
      }
      for s in 4 unrolled { for n in 32 vectorized { C[s, n] = max(acc[s, n], 0.0f) } }
    })",
              1e-6);
}

TEST(Vectorized, ALoopAroundAnotherVectorisedOneRunsSerially) {
  expect_same(
      "func f(X: float32[4, 8] input, Y: float32[4, 8] output) {"
      "  for i in 4 vectorized { for l in 8 vectorized { Y[i, l] = X[i, l] } } }");
}

}  // namespace
}  // namespace loopglass

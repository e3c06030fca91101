// Every invariant of a loop nest, broken once.
#include "core/loop/text.h"

#include <gtest/gtest.h>

namespace loopglass::loop {
namespace {

// The verdict on a Func with this body: "" where it is sound.
std::string verdict(
    std::string_view body,
    std::string_view head = "func f[n](X: float32[4] input, Y: float32[4] output)") {
  const auto func = parse(std::string(head) + " {\n" + std::string(body) + "\n}");
  if (!func) return "does not parse: " + to_string(func.error());
  const auto sound = verify(*func);
  return sound ? "" : sound.error().what + " (" + sound.error().where + ")";
}

TEST(Verify, AcceptsWhatIsSound) {
  EXPECT_EQ(verdict("for i in n { block b(a = i) { where a < 4 Y[a] = X[a] } }"), "");
  EXPECT_EQ(verdict("for i in 4 { block b(a = i) { where i < 3 Y[a] = X[a] } }"), "");
}

TEST(Verify, NamesAreUnique) {
  EXPECT_EQ(verdict("for i in 4 { Y[i] = X[i] }\nfor i in 4 { Y[i] = X[i] }"),
            "two loops or symbols are named 'i' (func f)");
  EXPECT_EQ(verdict("for n in 4 { Y[n] = X[n] }"), "two loops or symbols are named 'n' (func f)");
  EXPECT_EQ(verdict("alloc X: float32[1] stack"), "two buffers are named 'X' (func f)");
  EXPECT_EQ(verdict("for i in 4 { block b(i = i) { Y[i] = X[i] } }"),
            "'i' already names something here (block b)");
  EXPECT_EQ(verdict("for i in 1 { block b(a = i) { Y[a] = X[a] } }\nfor j in 1 { block b(a = j) { "
                    "Y[a] = X[a] } }"),
            "two blocks are named 'b' (block b)");
}

TEST(Verify, VariablesAreInScope) {
  EXPECT_EQ(verdict("for i in 4 { Y[i] = X[i] }\nY[i] = 0.0f"),
            "'i' is used outside its scope: i (func f)");
  // Inside a block only its own variables appear.
  EXPECT_EQ(verdict("for i in 4 { block b(a = i) { Y[a] = X[i] } }"),
            "'i' is used outside its scope: X[i] (block b)");
  EXPECT_EQ(verdict("for i in 4 { block b(a = i, c = a in 4) { Y[a] = X[a] } }"),
            "'a' is used outside its scope: a (block b)");
}

// What an instance stores must not move the instance.
TEST(Verify, BlocksAreBoundToLoopsAndNotToWhatIsLoaded) {
  EXPECT_EQ(verdict("block b(a = int64(Y[0]) in 4) { Y[a] = 1.0f }"),
            "'a' is bound to what is loaded: int64(Y[0]) (block b)");
}

TEST(Verify, BuffersAreDeclared) {
  EXPECT_EQ(verdict("alloc t: float32[1] stack { t[0] = 1.0f }\nY[0] = t[0]"),
            "load of 't', which is no buffer here (func f)");
  EXPECT_EQ(verdict("alloc t: float32[1] stack { t[0] = 1.0f }\nt[0] = 2.0f"),
            "store to 't', which is no buffer here (func f)");
  EXPECT_EQ(verdict("for i in 4 { alloc t: float32[i] stack\nt[0] = 1.0f }"),
            "the shape of 't' depends on 'i', which is no symbol (loop i)");
}

TEST(Verify, RanksAndTypesMatch) {
  EXPECT_EQ(verdict("Y[0, 0] = 1.0f"), "2 indices into 'Y', which has rank 1 (func f)");
  EXPECT_EQ(verdict("Y[0] = X[]"), "0 indices into 'X', which has rank 1 (func f)");
  EXPECT_EQ(verdict("Y[0] = int64(X[0])"),
            "the value stored to 'Y' is int64, not float32: int64(X[0]) (func f)");
  EXPECT_EQ(verdict("if X[0] { Y[0] = 1.0f }"),
            "the condition is float32, not bool: X[0] (func f)");
  EXPECT_EQ(verdict("for i in 2.0f { Y[0] = 1.0f }"),
            "the extent is float32, not int64: 2.0f (loop i)");
  EXPECT_EQ(verdict("block b() { reads X[0, 0] Y[0] = 1.0f }"),
            "2 indices into 'X', which has rank 1 (block b)");
}

TEST(Verify, OnlyOutputsAndAllocationsAreWritten) {
  EXPECT_EQ(verdict("X[0] = 1.0f"), "store to 'X', whose role is input (func f)");
}

TEST(Verify, VectorizedAndUnrolledLoopsHaveConstantExtents) {
  EXPECT_EQ(verdict("for i in n vectorized { Y[i] = X[i] }"),
            "vectorized loops need a constant extent, not n (loop i)");
  EXPECT_EQ(verdict("for i in n unrolled { Y[i] = X[i] }"),
            "unrolled loops need a constant extent, not n (loop i)");
  EXPECT_EQ(verdict("for i in n parallel { Y[i] = X[i] }"), "");
}

TEST(Verify, PackingsGiveEveryOriginalIndex) {
  constexpr std::string_view body = "Y[] = W[0, 0]";
  EXPECT_EQ(
      verdict(
          body,
          "func f(W: float32[2, 8] constant packed [16] by (d0 * 8 + d1), Y: float32[] output)"),
      "");
  EXPECT_EQ(
      verdict(
          body,
          "func f(W: float32[2, 8] constant packed [16, 2] by (d0 * 8 + d1), Y: float32[] output)"),
      "the packing of 'W' gives 1 of 2 original indices (func f)");
  EXPECT_EQ(
      verdict(
          body,
          "func f(W: float32[2, 8] constant packed [16] by (d0 * 8 + d2), Y: float32[] output)"),
      "the packing of 'W' uses 'd2' (func f)");
  EXPECT_EQ(
      verdict(body,
              "func f(W: float32[2, 8] input packed [16] by (d0 * 8 + d1), Y: float32[] output)"),
      "'W' is packed but not a constant (func f)");
}

TEST(Verify, HintsAreOfParametersAndLoadNothing) {
  constexpr std::string_view head = "func f(X: int64[8] input, Y: int64[8] output)";
  EXPECT_EQ(verdict("for i in 8 { prefetch X[i * 2 - 9] Y[i] = X[i] }", head), "");
  EXPECT_EQ(verdict("for i in 8 { prefetch X[i, 0] }", head),
            "2 indices into 'X', which has rank 1 (loop i)");
  EXPECT_EQ(verdict("for i in 8 { prefetch X[X[i]] }", head),
            "where to prefetch is itself loaded: X[i] (loop i)");
  EXPECT_EQ(verdict("alloc T: int64[8] stack { prefetch T[0] }", head),
            "prefetch of 'T', which is no parameter (func f)");
}

TEST(Verify, StatementsAreThere) {
  Func func{"f", {}, {}, make(For{"i", 4, ForKind::Serial, nullptr})};
  EXPECT_EQ(verify(func).error().what, "a statement is missing");
}

}  // namespace
}  // namespace loopglass::loop

// What stands in the way of a primitive, as two iterations show it. That they are always found, and
// never where nothing is in the way, is judged in oracle_test.cpp.
#include "core/dependence/witness.h"

#include "core/dependence/independence.h"
#include "core/loop/text.h"
#include "core/schedule/primitive.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Search asked(const loop::Func& func, const std::string& primitive,
             const std::vector<Argument>& arguments) {
  return find_primitive(primitive)->witness(func, arguments);
}

Search clash(const loop::Func& func, const std::string& loop, Private buffers) {
  return clash_of_iterations(func, loop::find_loop(func, loop).value(), buffers);
}

TEST(Witness, OfASumOverLanes) {
  const Search search = asked(matrix_product(3, 4, 5), "vectorize", {std::string("k")});
  ASSERT_EQ(search.searched, Searched::Derived);
  const Witness& witness = *search.witness;
  EXPECT_EQ(visit_words(witness.first, witness), "block 'C' at i = 0, j = 0, k = 0 stores C[0, 0]");
  EXPECT_EQ(visit_words(witness.second, witness),
            "block 'C' at i = 0, j = 0, k = 1 stores C[0, 0]");
}

// A clash would be no answer where the loop around it is parallel to begin with.
TEST(Witness, IsNotLookedForWhereSomethingElseIsInTheWay) {
  const loop::Func func = parsed(R"(func f(Y: float32[9, 9] output) {
  for i in 8 parallel {
    for j in 8 {
      Y[i, 0] = Y[i, j] + 1.0f
    }
  }
})");
  EXPECT_EQ(asked(func, "parallel", {std::string("j")}).searched, Searched::Nothing);
}

TEST(Witness, OfAnOrderThatTurnsADependenceRound) {
  const loop::Func func = parsed(R"(func f(Y: float32[9, 9] output) {
  for i in 8 {
    for j in 8 {
      block b(i0 = i, i1 = j) {
        Y[i0 + 1, i1] = Y[i0, i1 + 1] + 1.0f
      }
    }
  }
})");
  const Search search = asked(func, "reorder", {std::vector<std::string>{"j", "i"}});
  ASSERT_EQ(search.searched, Searched::Derived);
  EXPECT_THAT(search.witness->first.loops, ElementsAre(Pair("i", 0), Pair("j", 1)));
  EXPECT_THAT(search.witness->second.loops, ElementsAre(Pair("i", 1), Pair("j", 0)));
  EXPECT_EQ(search.witness->buffer, "Y");
  EXPECT_THAT(search.witness->element, ElementsAre(1, 1));
  EXPECT_TRUE(search.witness->first.stores);
  EXPECT_FALSE(search.witness->second.stores);
}

// The tiles' loops are new, and so the clash is told of them.
TEST(Witness, OfTiles) {
  const loop::Func func = parsed(R"(func f(Y: float32[9, 9] output) {
  for i in 8 {
    for j in 8 {
      block b(i0 = i, i1 = j) {
        Y[i0 + 1, i1] = Y[i0, i1 + 1] + 1.0f
      }
    }
  }
})");
  const std::vector<Argument> tiles{std::string("i"), std::string("j"), std::int64_t{2},
                                    std::int64_t{2}};
  ASSERT_FALSE(find_primitive("tile")->check(func, tiles));
  const Search search = asked(func, "tile", tiles);
  ASSERT_TRUE(search.witness);
  EXPECT_THAT(search_words(search), ::testing::HasSubstr("j_i"));
}

TEST(Witness, TermsOfASumMayChangePlaces) {
  const Search search =
      asked(matrix_product(3, 4, 5), "reorder", {std::vector<std::string>{"k", "j"}});
  EXPECT_EQ(search.searched, Searched::Everything);
  EXPECT_EQ(search.accesses, 3 * 4 * (1 + 5 * 4));
}

// Threads have a row each; lanes would share it.
TEST(Witness, WhatAnIterationKeepsToItselfIsNoClashOfThreads) {
  const loop::Func func = parsed(R"(func f(X: float32[4, 4] input, Y: float32[4, 4] output) {
  alloc T: float32[4] workspace
  for i in 4 {
    for j in 4 {
      T[j] = X[i, j]
    }
    for k in 4 {
      Y[i, k] = T[3 - k]
    }
  }
})");
  EXPECT_EQ(clash(func, "i", Private::PerIteration).searched, Searched::Everything);
  const Search lanes = clash(func, "i", Private::No);
  ASSERT_EQ(lanes.searched, Searched::Found);
  EXPECT_EQ(lanes.witness->buffer, "T");
}

TEST(Witness, SaysForWhichSymbols) {
  const loop::Func func = parsed(R"(func f[n](X: float32[n] input, Y: float32[n + 3] output) {
  for i in n {
    Y[i + 3] = Y[i] + X[i]
  }
})");
  const Search search = clash(func, "i", Private::PerIteration);
  ASSERT_EQ(search.searched, Searched::Derived);
  EXPECT_EQ(visit_words(search.witness->first, *search.witness),
            "where n = 4, a statement at i = 0 stores Y[3]");
  EXPECT_EQ(visit_words(search.witness->second, *search.witness),
            "where n = 4, a statement at i = 3 reads Y[3]");
}

// The nearest of all pairs, and of these the first: not the first that a run comes by.
TEST(Witness, IsTheNearestPair) {
  const loop::Func func = parsed(R"(func f(X: float32[64] input, Y: float32[64] output) {
  for i in 64 {
    if i < 60 { Y[i] = X[i] }
    if i >= 10 { Y[i - 10] = Y[i - 7] }
  }
})");
  const Search search = clash(func, "i", Private::No);
  ASSERT_EQ(search.searched, Searched::Derived);
  EXPECT_THAT(search.witness->first.loops, ElementsAre(Pair("i", 10)));
  EXPECT_THAT(search.witness->second.loops, ElementsAre(Pair("i", 13)));
}

// Where it is data that decides, a run shows it.
TEST(Witness, OfWhatIsLoadedIsFoundByRunning) {
  const loop::Func func = parsed(R"(func f(X: int64[8] input, Y: float32[8] output) {
  for i in 8 {
    Y[X[i]] = 1.0f
  }
})");
  EXPECT_EQ(clash(func, "i", Private::No).searched, Searched::Found);
}

TEST(Witness, SaysHowMuchWasRun) {
  const Search large = asked(matrix_product(512, 512, 512), "parallel", {std::string("i")});
  EXPECT_EQ(large.searched, Searched::Part);
  EXPECT_EQ(large.accesses, 2'000'000);
}

// A run of it would not end.
TEST(Witness, IsDerivedWhateverTheExtents) {
  const loop::Func endless = parsed(R"(func f(Y: float32[1099511627776] output) {
  for i in 1099511627776 {
    Y[0] = 1.0f
  }
})");
  EXPECT_EQ(clash(endless, "i", Private::No).searched, Searched::Derived);
}

TEST(Witness, IsNotLookedForWhereTheCallSaysNothing) {
  for (const std::vector<std::string>& loops :
       {std::vector<std::string>{}, {"j"}, {"j", "j"}, {"j", "no"}})
    EXPECT_EQ(asked(matrix_product(3, 4, 5), "reorder", {loops}).searched, Searched::Nothing);
}

}  // namespace

}  // namespace loopglass::schedule

// How lines of a loop nest relate to graph nodes and to lines of machine code.
#include "views/document/relations.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

// Nodes 1 (a convolution) and 2 (its activation) share an outer loop:
//   1 func {
//   2   for n {
//   3     for k {
//   4       conv[...]    from 1
//   5     }
//   6     relu[...]      from 2
//   7   }
//   8 }
loop::Listing two_nodes() {
  const Origin none, conv{{1}}, relu{{2}};
  return {{{"func", 0, "", none, 1, 8},
           {"for n", 1, "n", none, 2, 7},
           {"for k", 2, "k", none, 3, 5},
           {"conv", 3, "conv", conv, 4, 4},
           {"    }", 2, "", none, 3, 5},
           {"relu", 2, "relu", relu, 6, 6},
           {"  }", 1, "", none, 2, 7},
           {"}", 0, "", none, 1, 8}}};
}

TEST(Relations, ANodesLinesAreItsStatementsAndTheLoopsThatAreItsAlone) {
  EXPECT_EQ(lines_of_origin(two_nodes(), {graph::NodeId{1}}), (std::set<int>{3, 4, 5}));
  EXPECT_EQ(lines_of_origin(two_nodes(), {graph::NodeId{2}}), (std::set<int>{6}))
      << "the braces of shared loops belong to nobody";
}

// An epilogue that serves both nodes does not make the loop around it the second one's own.
TEST(Relations, ASharedStatementDoesNotClaimTheLoopsAroundIt) {
  loop::Listing listing = two_nodes();
  listing.lines[5].origin = {{1, 2}};
  EXPECT_EQ(lines_of_origin(listing, {graph::NodeId{2}}), (std::set<int>{6}));
  EXPECT_EQ(lines_of_origin(listing, {graph::NodeId{1}}), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Relations, ANodeThatIsNotThereHasNoLines) {
  EXPECT_TRUE(lines_of_origin(two_nodes(), {graph::NodeId{7}}).empty());
  EXPECT_TRUE(lines_of_origin(two_nodes(), {}).empty());
}

TEST(Relations, ALoopCoversTheLinesDownToItsBrace) {
  EXPECT_EQ(lines_of_statement(two_nodes(), 3), (std::set<int>{3, 4, 5}));
  EXPECT_EQ(lines_of_statement(two_nodes(), 6), (std::set<int>{6}));
  EXPECT_TRUE(lines_of_statement(two_nodes(), 0).empty());
  EXPECT_TRUE(lines_of_statement(two_nodes(), 9).empty());
}

TEST(Relations, EntitiesAreFoundByName) {
  EXPECT_EQ(line_of_entity(two_nodes(), "k"), 3);
  EXPECT_EQ(line_of_entity(two_nodes(), "z"), 0);
  EXPECT_EQ(line_of_entity(two_nodes(), ""), 0) << "closing braces introduce nothing";
}

TEST(Relations, InstructionsWithoutASourceLineBelongToNothing) {
  const std::vector<codegen::SourceLine> assembly = {
      {"push rbp", 0}, {"vfmadd231ps", 4}, {"add", 3}, {"vfmadd231ps", 4}};
  EXPECT_EQ(lines_from(assembly, {4}), (std::vector<int>{2, 4}));
  EXPECT_EQ(lines_from(assembly, {0}), (std::vector<int>{}));
}

}  // namespace
}  // namespace loopglass::views

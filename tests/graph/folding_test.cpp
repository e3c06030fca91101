// Folding: whatever is closed, no cycle comes of it; blocks that repeat are found, and are alike.
#include "core/graph/folding.h"

#include "core/graph/acyclic_pieces.h"
#include "core/graph/folded.h"
#include "tests/random/random_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace loopglass::graph {
namespace {

// What each box reads of others, carried results left out; `reads` of items.
std::vector<std::set<std::uint32_t>> reads_between(const FoldedGraph& folded, const Graph& graph,
                                                   const Folding& folding) {
  std::unordered_map<NodeId, std::uint32_t> item_of;
  for (std::uint32_t item = 0; item < folding.items.size(); ++item)
    for (const NodeId node : folding.items[item].nodes) item_of[node] = item;
  std::vector<std::set<std::uint32_t>> reads(folded.boxes().size());
  for (const NodePtr& node : graph.nodes())
    for (const ValueId input : node->inputs) {
      const Value* value = graph.find(input);
      if (!value || !value->producer.valid()) continue;
      const std::uint32_t from = item_of.at(value->producer), to = item_of.at(node->id);
      if (folded.is_carried(from, to) || folded.box_of(from) == folded.box_of(to)) continue;
      reads[folded.box_of(to)].insert(folded.box_of(from));
    }
  return reads;
}

bool has_cycle(const std::vector<std::set<std::uint32_t>>& reads) {
  std::vector<std::size_t> waits(reads.size(), 0), ready;
  std::vector<std::vector<std::size_t>> readers(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    waits[i] = reads[i].size();
    for (const std::uint32_t read : reads[i]) readers[read].push_back(i);
    if (waits[i] == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::size_t reader : readers[ready[done]])
      if (--waits[reader] == 0) ready.push_back(reader);
  return done < reads.size();
}

// Names that have nothing to do with the structure: the hardest case.
Graph with_random_names(const Graph& graph, std::mt19937& random) {
  GraphBuilder builder(graph);
  for (const NodePtr& node : graph.nodes()) {
    std::string name;
    for (int depth = static_cast<int>(random() % 4); depth > 0; --depth)
      name += fmt::format("{}{}", static_cast<char>('a' + random() % 3), random() % 2 ? '/' : '.');
    builder.rename(node->id, name + node->name);
  }
  return *std::move(builder).finish();
}

OpenFolds random_folds(const Folding& folding, std::mt19937& random) {
  OpenFolds open;
  for (const Fold& fold : folding.folds) {
    if (random() % 3 == 0) open.open.insert(fold.key);
    if (fold.repeats > 1 && random() % 2) open.shown_once.insert(fold.key);
  }
  return open;
}

TEST(Folding, NoStateOfFoldsMakesACycle) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Graph graph =
        with_random_names(test::random_graph(seed, 5 + static_cast<int>(seed % 60)), random);
    const int groups = 1 + static_cast<int>(random() % 8);
    std::unordered_map<NodeId, int> part;
    for (const NodePtr& node : graph.nodes())
      part[node->id] = static_cast<int>(random() % (groups + 1)) - 1;
    const Parts parts{[&](const Node& node) { return part.at(node.id); },
                      [](int number) { return fmt::format("part/{}", number); }};
    for (const FoldBy by : {FoldBy::Names, FoldBy::Blocks})
      for (const Parts* of : {static_cast<const Parts*>(nullptr), &parts}) {
        const Folding folding = fold(graph, by, of);
        for (int state = 0; state < 5; ++state) {
          const OpenFolds open = state == 0 ? OpenFolds{} : random_folds(folding, random);
          const FoldedGraph folded(folding, open);
          ASSERT_FALSE(has_cycle(reads_between(folded, graph, folding))) << "seed " << seed;
        }
        const FoldedGraph whole(folding, all_open(folding));
        EXPECT_EQ(whole.boxes().size(), folding.items.size());
        std::size_t nodes = 0;
        for (const FoldItem& item : folding.items) nodes += item.nodes.size();
        EXPECT_EQ(nodes, graph.nodes().size());
      }
  }
}

TEST(Folding, FoldsLieInOneAnother) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const Graph graph = with_random_names(test::random_graph(seed, 40), random);
    for (const FoldBy by : {FoldBy::Names, FoldBy::Blocks}) {
      const Folding folding = fold(graph, by);
      for (const Fold& fold : folding.folds) {
        ASSERT_GE(fold.items.size(), 2u);
        std::set<std::uint32_t> mine(fold.items.begin(), fold.items.end()), of_children;
        for (const int child : fold.children) {
          const Fold& inner = folding.folds[static_cast<std::size_t>(child)];
          EXPECT_LT(inner.items.size(), fold.items.size());
          for (const std::uint32_t item : inner.items) {
            EXPECT_TRUE(mine.contains(item));
            EXPECT_TRUE(of_children.insert(item).second);
          }
        }
        if (fold.repeats == 1) continue;
        const std::size_t size = fold.items.size() / static_cast<std::size_t>(fold.repeats);
        for (std::size_t i = size; i < fold.items.size(); ++i)
          EXPECT_EQ(folding.items[fold.items[i]].likeness,
                    folding.items[fold.items[i - size]].likeness);
      }
    }
  }
}

TEST(Folding, PiecesOfAPartThatIsLeftAndEnteredAgain) {
  // 0 and 2 are one part, and 1 lies between them; 3 and 4 are one part that stays whole.
  const std::vector<int> piece = acyclic_pieces({{}, {0}, {1}, {}, {3}}, {7, -1, 7, 9, 9});
  EXPECT_NE(piece[0], piece[2]);
  EXPECT_EQ(piece[3], piece[4]);
}

// With an ONNX node for each operator, if `imported`.
Graph residual_network(int blocks, const char* name = "layer.{}", bool imported = false) {
  GraphBuilder builder("residual");
  const TensorType type{DataType::Float32, {1, 8}};
  ValueId at = builder.add_input("x", type);
  std::uint32_t source = 0;
  const auto add = [&](const std::string& node, const char* op, std::vector<ValueId> inputs) {
    const Origin origin = imported ? Origin{{source++}} : Origin{};
    return builder.output(
        *builder.add_node(node, *ops::find_operator(op), std::move(inputs), {}, 1, origin));
  };
  at = add("stem", "Sigmoid", {at});
  for (int block = 0; block < blocks; ++block) {
    const std::string prefix = fmt::format(fmt::runtime(name), block);
    const ValueId a = add(prefix + ".a", "Relu", {at});
    const ValueId b = add(prefix + ".b", "Neg", {a});
    at = add(prefix + ".c", "Add", {b, at});
  }
  builder.set_outputs({add("head", "Abs", {at})});
  return *std::move(builder).finish();
}

TEST(Folding, LayersAreOneBoxTimesTheirNumber) {
  const Graph graph = residual_network(12);
  const Folding folding = fold(graph, FoldBy::Blocks);
  ASSERT_EQ(folding.folds.size(), 13u);  // the run, and its blocks
  EXPECT_EQ(folding.folds[0].repeats, 12);
  EXPECT_EQ(folding.folds[0].title, "layer");
  EXPECT_EQ(folding.folds[1].title, "layer.0");
  EXPECT_EQ(folding.folds[12].title, "layer.11");
  EXPECT_EQ(folding.folds[1].key, folding.folds[12].key);  // one opened opens all
  OpenFolds open;
  EXPECT_EQ(FoldedGraph(folding, open).boxes().size(), 3u);
  open.open.insert(folding.folds[0].key);
  EXPECT_EQ(FoldedGraph(folding, open).boxes().size(), 2u + 12u);
  open.open.insert(folding.folds[1].key);
  EXPECT_EQ(FoldedGraph(folding, open).boxes().size(), 2u + 36u);
  // One layer for all of them: what goes from layer to layer is no edge.
  open.open.erase(folding.folds[0].key);
  open.shown_once.insert(folding.folds[0].key);
  const FoldedGraph once(folding, open);
  ASSERT_EQ(once.boxes().size(), 2u + 3u);
  EXPECT_EQ(once.boxes()[1].stands_for, 12);
  EXPECT_TRUE(once.is_carried(3, 4));
  EXPECT_FALSE(once.is_carried(4, 5));
  const auto reads = reads_between(once, graph, folding);
  EXPECT_EQ(reads[1], (std::set<std::uint32_t>{0}));
  EXPECT_EQ(reads[4], (std::set<std::uint32_t>{3}));
}

// What is open stays open: passes give operators other names, and take the first of a block away.
TEST(Folding, KeysOutliveTheNamesOfOperators) {
  const Graph graph = residual_network(5, "layer.{}", true);
  const Folding folding = fold(graph, FoldBy::Blocks);
  GraphBuilder builder(graph);
  for (const NodePtr& node : graph.nodes()) builder.rename(node->id, "new_" + node->name);
  const Folding renamed = fold(*std::move(builder).finish(), FoldBy::Blocks);
  ASSERT_EQ(renamed.folds.size(), folding.folds.size());
  for (std::size_t f = 0; f < folding.folds.size(); ++f)
    EXPECT_EQ(renamed.folds[f].key, folding.folds[f].key);
  // Of one ONNX node there may be several runs.
  GraphBuilder twice("twice");
  ValueId at = twice.add_input("x", {DataType::Float32, {1, 8}});
  for (const char* op : {"Relu", "Neg"})
    for (int i = 0; i < 5; ++i)
      at = twice.output(*twice.add_node(fmt::format("{}.{}", op, i), *ops::find_operator(op), {at},
                                        {}, 1, Origin{{7}}));
  twice.set_outputs({at});
  const Folding both = fold(*std::move(twice).finish(), FoldBy::Blocks);
  ASSERT_EQ(both.folds.size(), 2u);
  EXPECT_NE(both.folds[0].key, both.folds[1].key);
}

TEST(Folding, WhatReadsItsOperandsInAnotherOrderIsNotAlike) {
  GraphBuilder builder("swapped");
  ValueId at = builder.add_input("x", {DataType::Float32, {4, 4}});
  const auto add = [&](const std::string& node, const char* op, std::vector<ValueId> inputs) {
    return builder.output(*builder.add_node(node, *ops::find_operator(op), std::move(inputs), {}));
  };
  for (int block = 0; block < 6; ++block) {
    const ValueId a = add(fmt::format("a{}", block), "Relu", {at}),
                  b = add(fmt::format("b{}", block), "Tanh", {a});
    at = block % 2 ? add(fmt::format("c{}", block), "Sub", {a, b})
                   : add(fmt::format("c{}", block), "Sub", {b, a});
  }
  builder.set_outputs({at});
  for (const Fold& fold : fold(*std::move(builder).finish(), FoldBy::Blocks).folds)
    EXPECT_LT(fold.repeats, 6);
}

TEST(Folding, LongNamesTakeNoLonger) {
  std::string prefix;
  for (int part = 0; part < 30; ++part) prefix += std::string(40, 'p') + "/";
  const Folding folding = fold(residual_network(4000, (prefix + "{}").c_str()), FoldBy::Blocks);
  EXPECT_EQ(folding.folds.front().repeats, 4000);
  EXPECT_EQ(folding.folds.front().title + "/", prefix);
}

TEST(Folding, BlocksNeedNoNames) {
  const Folding folding = fold(residual_network(5, "op{}"), FoldBy::Blocks);
  ASSERT_FALSE(folding.folds.empty());
  EXPECT_EQ(folding.folds[0].repeats, 5);
}

TEST(Folding, NamesAreFoldedPartByPart) {
  const Folding folding = fold(residual_network(3), FoldBy::Names);
  ASSERT_EQ(folding.folds.size(), 4u);
  EXPECT_EQ(folding.folds[0].title, "layer");
  EXPECT_EQ(folding.folds[0].children, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(folding.folds[2].title, "layer.1");
  EXPECT_EQ(folding.folds[2].items, (std::vector<std::uint32_t>{4, 5, 6}));
}

// Exporters put one word before all names; passes add a few operators without it.
TEST(Folding, WhatAllNamesBeginWithIsNoPart) {
  const Folding names = fold(residual_network(12, "exported.net.{}"), FoldBy::Names);
  ASSERT_EQ(names.folds.size(), 12u);
  for (int block = 0; block < 12; ++block) {
    const Fold& fold = names.folds[static_cast<std::size_t>(block)];
    EXPECT_EQ(fold.title, fmt::format("exported.net.{}", block));
    EXPECT_EQ(fold.parent, -1);
    EXPECT_EQ(fold.items.size(), 3u);
  }
  // Where many are outside, it tells something.
  EXPECT_EQ(fold(residual_network(2, "exported.net.{}"), FoldBy::Names).folds[0].title,
            "exported.net");
}

TEST(Folding, WhatAllNamesBeginWithIsNoTitleOfARun) {
  GraphBuilder builder("runs");
  ValueId at = builder.add_input("x", {DataType::Float32, {1, 8}});
  int number = 0;
  for (const auto& [first, second] : {std::pair{"Relu", "Neg"}, {"Tanh", "Abs"}})
    for (int block = 0; block < 4; ++block)
      for (const char* op : {first, second})
        at = builder.output(*builder.add_node(fmt::format("exported.{}", number++),
                                              *ops::find_operator(op), {at}, {}));
  builder.set_outputs({at});
  std::set<std::string> titles;
  for (const Fold& fold : fold(*std::move(builder).finish(), FoldBy::Blocks).folds)
    if (fold.repeats > 1) titles.insert(fold.title);
  EXPECT_EQ(titles, (std::set<std::string>{"Neg, Relu", "Abs, Tanh"}));
}

TEST(Folding, HostileNames) {
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "a/";
  EXPECT_LE(fold(residual_network(3, (deep + "{}").c_str()), FoldBy::Names).folds.size(), 40u);
  for (const char* name : {"/", "...{}", "//{}//", ".{}/."})
    EXPECT_EQ(fold(residual_network(2, name), FoldBy::Names).items.size(), 8u);
  EXPECT_TRUE(fold(Graph(), FoldBy::Names).items.empty());
  EXPECT_TRUE(fold(Graph(), FoldBy::Blocks).folds.empty());
}

}  // namespace
}  // namespace loopglass::graph

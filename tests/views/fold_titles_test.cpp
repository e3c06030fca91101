// What folds are called on their boxes tells those in one part from each other.
#include "views/graph/fold_titles.h"

#include "views/canvas/item_style.h"
#include "views/graph/graph_boxes.h"

#include <gtest/gtest.h>

#include <set>

namespace loopglass::views {
namespace {

graph::Fold fold(const char* title, int parent) { return {title, 0, {}, parent, {}, 1}; }

TEST(FoldTitles, WhatFitsIsWhole) {
  graph::Folding folding;
  folding.folds = {fold("layer1", -1), fold("layer1.0", 0), fold("model/block/attention", 0)};
  EXPECT_EQ(fold_titles(folding),
            (std::vector<QString>{"layer1", "layer1.0", "model/block/attention"}));
}

TEST(FoldTitles, WhatThePartAroundItHasGoesFirst) {
  graph::Folding folding;
  folding.folds = {fold("network.encoder.transformer", -1),
                   fold("network.encoder.transformer.layer.0.attention", 0),
                   fold("network.encoder.transformer.layer.0.output", 0)};
  const std::vector<QString> titles = fold_titles(folding);
  EXPECT_EQ(titles[1], "…layer.0.attention");
  EXPECT_EQ(titles[2], "…layer.0.output");
}

// Where they differ in the middle, which is what would be left out.
TEST(FoldTitles, TellSiblingsApart) {
  graph::Folding folding;
  for (const char* which : {"one", "two", "six", "ten"})
    folding.folds.push_back(
        fold(("inception_tower_of_the_left_" + std::string(which) + "_and_what_follows_all_of_it")
                 .c_str(),
             -1));
  std::set<QString> different;
  for (const QString& title : fold_titles(folding)) different.insert(title);
  EXPECT_EQ(different.size(), 4u);
}

// As they are drawn: with how many they stand for, in the widest box.
TEST(FoldTitles, AreNotCutAgainOnTheirBoxes) {
  graph::Folding folding;
  for (const char* title : {"12 LayoutConv, 3 Relu, 2 Add, Concat, Resize",
                            "12 LayoutConv, 3 Relu, 4 Add, Concat, Resize",
                            "12 LayoutConv, 3 LeakyRelu, 2 Add, Concat, Resize",
                            "15 LayoutConv, 3 LeakyRelu, 2 Add, Concat, Split",
                            "15 LayoutConv, 3 LeakyRelu, 2 Add, Concat, Resize"}) {
    folding.folds.push_back(fold(title, -1));
    folding.folds.back().repeats = 16;
  }
  std::set<QString> different;
  for (const QString& title : fold_titles(folding)) {
    const QString whole = title + times_words(16);
    EXPECT_TRUE(title.contains(u'…')) << whole.toStdString();
    EXPECT_EQ(elided_title(whole, QFontMetricsF(title_font()), greatest_width - 2 * padding),
              whole);
    different.insert(title);
  }
  EXPECT_EQ(different.size(), 5u);
}

TEST(FoldTitles, OfAPathTheLastPartsThatFit) {
  EXPECT_EQ(short_name("/layer1/conv1/Conv"), "layer1/conv1/Conv");
  EXPECT_EQ(short_name("/model/layers/layer1.0/conv1/Conv"), "…/layer1.0/conv1/Conv");
  EXPECT_EQ(short_name("/model/a_layer_of_many_letters_00/x"), "…/x");
  EXPECT_EQ(short_name("block/"), "block");
  EXPECT_LE(short_name(std::string(200, 'a')).size(), longest_name);
}

}  // namespace
}  // namespace loopglass::views

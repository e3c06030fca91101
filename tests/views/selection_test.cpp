// Linked selection: whatever is selected on one level lights up on all others, both ways.
#include "tests/views/opened.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

TEST(Selection, ANodeLightsUpItsGroupItsLoopsAndItsInstructions) {
  Opened opened("lenet");
  const auto conv = opened.node("Conv");
  ASSERT_TRUE(conv);
  opened.document.selection().select_node(conv->id);
  ASSERT_TRUE(settled(opened.document));
  const Selection& selection = opened.document.selection();
  EXPECT_EQ(selection.highlighted_nodes(), (std::set{conv->id}));
  EXPECT_EQ(selection.highlighted_groups(),
            (std::set{opened.document.fusion().group_of(conv->id)}));
  EXPECT_FALSE(selection.highlighted_lines(TextPane::Loops).empty());
  EXPECT_FALSE(selection.highlighted_lines(TextPane::Llvm).empty());
  EXPECT_FALSE(selection.highlighted_lines(TextPane::Assembly).empty());
}

// A decision is on an edge of the last graph; the step shown may not have its tensor.
TEST(Selection, ATensorOfTheLastGraphLightsUpWhatMakesItAtEveryStep) {
  Opened opened("resnet50");
  Document& document = opened.document;
  const auto last = document.history().last_graph();
  document.history().set_step(0);
  ASSERT_TRUE(settled(document));
  const auto first = document.history().graph();
  const graph::Value* made = nullptr;
  for (const graph::NodePtr& node : last->nodes())
    for (const graph::ValueId output : node->outputs)
      if (!first->find(output)) made = last->find(output);
  ASSERT_TRUE(made) << "the passes make no tensor";
  document.selection().select_value(made->id);
  ASSERT_TRUE(settled(document));
  EXPECT_FALSE(document.selection().highlighted_nodes().empty());
  EXPECT_FALSE(document.selection().highlighted_groups().empty());
  EXPECT_FALSE(document.selection().highlighted_lines(TextPane::Assembly).empty());
}

TEST(Selection, AnInstructionLightsUpItsLoopAndItsOperator) {
  Opened opened("lenet");
  const auto& assembly = *opened.document.kernels().assembly_lines();
  const auto line = std::find_if(assembly.begin(), assembly.end(),
                                 [](const auto& l) { return l.loop_line != 0; });
  ASSERT_NE(line, assembly.end()) << "no instruction maps to the loop nest";
  opened.document.selection().select_line(TextPane::Assembly,
                                          static_cast<int>(line - assembly.begin()) + 1);
  const Selection& selection = opened.document.selection();
  EXPECT_EQ(selection.highlighted_lines(TextPane::Loops), (std::vector{line->loop_line}));
  EXPECT_FALSE(selection.highlighted_nodes().empty());
  EXPECT_EQ(selection.highlighted_groups(), (std::set{opened.document.kernels().group()}));
}

TEST(Selection, AnInstructionWithoutASourceIsHonestlyAlone) {
  Opened opened("lenet");
  const auto& assembly = *opened.document.kernels().assembly_lines();
  const auto line = std::find_if(assembly.begin(), assembly.end(),
                                 [](const auto& l) { return l.loop_line == 0; });
  ASSERT_NE(line, assembly.end()) << "labels come from no line of the loop nest";
  const int number = static_cast<int>(line - assembly.begin()) + 1;
  opened.document.selection().select_line(TextPane::Assembly, number);
  EXPECT_EQ(opened.document.selection().highlighted_lines(TextPane::Assembly),
            (std::vector{number}));
  EXPECT_TRUE(opened.document.selection().highlighted_lines(TextPane::Loops).empty());
  EXPECT_TRUE(opened.document.selection().highlighted_nodes().empty());
}

TEST(Selection, ALoopCoversTheInstructionsOfItsBody) {
  Opened opened("mlp");
  opened.document.selection().select_line(TextPane::Loops, 1);  // the whole function
  const auto& lines = opened.document.selection().highlighted_lines(TextPane::Loops);
  EXPECT_EQ(lines.size(), opened.document.kernels().loop_listing()->lines.size());
  std::size_t mapped = 0;
  for (const auto& line : *opened.document.kernels().assembly_lines())
    mapped += line.loop_line != 0;
  EXPECT_EQ(opened.document.selection().highlighted_lines(TextPane::Assembly).size(), mapped);
}

TEST(Selection, ANodeOfAnotherGroupBringsItsKernel) {
  Opened opened("lenet");
  const fusion::GroupId before = opened.document.kernels().group();
  const auto& groups = opened.document.fusion().plan()->groups;
  const auto other =
      std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.id != before; });
  ASSERT_NE(other, groups.end());
  opened.document.selection().select_node(other->anchor);
  ASSERT_TRUE(settled(opened.document));
  EXPECT_EQ(opened.document.kernels().group(), other->id);
  ASSERT_TRUE(opened.document.kernels().kernel());
  EXPECT_EQ(opened.document.kernels().kernel()->stages->group, other->id);
  EXPECT_FALSE(opened.document.selection().highlighted_lines(TextPane::Loops).empty());
}

TEST(Selection, IsCarriedThroughStepsByIdOrOrigin) {
  Opened opened("resnet50", folding_pipeline);
  opened.document.history().set_step(0);
  ASSERT_TRUE(settled(opened.document));
  const auto norm = opened.node("BatchNormalization");
  ASSERT_TRUE(norm);
  opened.document.selection().select_node(norm->id);
  EXPECT_EQ(opened.document.selection().highlighted_nodes(), (std::set{norm->id}));
  opened.document.history().set_step(opened.document.history().recorded()->steps.size() - 1);
  // Folded into a convolution, which stands in for it.
  const auto stand_in = opened.document.selection().primary_node();
  ASSERT_TRUE(stand_in);
  EXPECT_EQ(stand_in->op->name, "Conv");
  EXPECT_TRUE(stand_in->origin.contains(norm->origin.sources.front()));
}

TEST(Selection, ALineIsCarriedThroughLoopStepsByTheLoopItOpens) {
  Opened opened("mlp");
  const auto& lines = opened.document.kernels().loop_listing()->lines;
  const std::size_t last = opened.document.kernels().loop_step();
  ASSERT_GT(last, 0u);
  const auto line = std::find_if(lines.begin(), lines.end(),
                                 [](const loop::Line& l) { return !l.entity.empty(); });
  ASSERT_NE(line, lines.end());
  const std::string entity = line->entity;
  opened.document.selection().select_line(TextPane::Loops,
                                          static_cast<int>(line - lines.begin()) + 1);
  opened.document.kernels().set_loop_step(last - 1);
  const auto& before = opened.document.kernels().loop_listing()->lines;
  const bool is_there = std::any_of(before.begin(), before.end(),
                                    [&](const loop::Line& l) { return l.entity == entity; });
  const auto* selected = std::get_if<SelectedLine>(&opened.document.selection().current());
  ASSERT_EQ(selected != nullptr, is_there);
  if (!selected) return;
  EXPECT_EQ(before[static_cast<std::size_t>(selected->line - 1)].entity, entity);
}

TEST(Selection, AConstantLightsUpItsUsers) {
  Opened opened("mlp");
  for (const auto& value : opened.document.history().graph()->values()) {
    if (!value->is_constant()) continue;
    opened.document.selection().select_value(value->id);
    EXPECT_EQ(opened.document.selection().highlighted_values(), (std::set{value->id}));
    std::set<graph::NodeId> users;
    for (const auto& use : opened.document.history().graph()->uses(value->id))
      users.insert(use.node);
    EXPECT_EQ(opened.document.selection().highlighted_nodes(), users);
  }
}

TEST(Selection, UnknownIdsSelectNothing) {
  Opened opened("mlp");
  Selection& selection = opened.document.selection();
  selection.select_node(opened.document.history().graph()->nodes().front()->id);
  EXPECT_FALSE(selection.empty());
  selection.select_node(graph::NodeId{4'000'000});
  EXPECT_TRUE(selection.empty());
  selection.select_group(fusion::GroupId{4'000'000});
  EXPECT_TRUE(selection.empty());
  selection.select_line(TextPane::Assembly, 4'000'000);
  EXPECT_TRUE(selection.highlighted_nodes().empty());
}

TEST(Selection, AGroupThatNoLongerExistsIsForgotten) {
  Opened opened("lenet");
  opened.document.selection().select_group(opened.document.kernels().group());
  opened.document.set_strategy("none");
  ASSERT_TRUE(settled(opened.document));
  EXPECT_TRUE(opened.document.selection().empty());
}

}  // namespace
}  // namespace loopglass::views

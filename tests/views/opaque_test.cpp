// A model with operators that are not known, in the window: it opens, shows them as what they are,
// says why they have no loops, and opens the graphs inside them.
#include "tests/views/opaque_model.h"
#include "tests/views/opened.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/graph_view.h"
#include "views/inspector/describe.h"
#include "views/loops/loop_view.h"

#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OpaqueViewTest : public testing::Test {
 protected:
  OpaqueViewTest() : document_(passes::toolchain()), view_(&document_) {
    const auto path = std::filesystem::temp_directory_path() / "loopglass_opaque_view.onnx";
    write_opaque_model(path);
    QObject::connect(&document_, &Document::failed,
                     [this](const Diagnostic& d) { problems_.push_back(d); });
    view_.resize(900, 700);
    view_.show();
    document_.open(path);
    EXPECT_TRUE(settled(document_));
  }

  const graph::Node& choose() const { return *document_.history().graph()->find_node("n_b"); }
  std::uint32_t box() const { return view_.content().box_of_node.at(choose().id); }

  Document document_;
  GraphView view_;
  std::vector<Diagnostic> problems_;
};

TEST_F(OpaqueViewTest, OpensWithoutAComplaint) {
  EXPECT_EQ(document_.state(Stage::Model), StageState::Ready);
  EXPECT_EQ(document_.state(Stage::Plan), StageState::Ready);
  EXPECT_EQ(document_.state(Stage::Kernel), StageState::Ready)
      << "the first kernel shown is one there is";
  EXPECT_TRUE(problems_.empty());
}

TEST_F(OpaqueViewTest, HatchesItsBox) {
  const CanvasNode& node = view_.canvas()->content().nodes[box()];
  EXPECT_TRUE(node.hatched);
  EXPECT_EQ(node.title, "If");
  for (const CanvasNode& other : view_.canvas()->content().nodes)
    EXPECT_EQ(other.hatched, other.key == node.key) << other.title.toStdString();
}

TEST_F(OpaqueViewTest, SaysWhyThereIsNoKernel) {
  document_.kernels().select(document_.fusion().plan()->group_of(choose().id));
  ASSERT_TRUE(settled(document_));
  for (const Stage stage : {Stage::Kernel, Stage::MachineCode}) {
    ASSERT_NE(document_.problem(stage), nullptr);
    EXPECT_THAT(document_.problem(stage)->what, HasSubstr("'which'"));
  }
  EXPECT_TRUE(problems_.empty()) << "it is said where the loops would be, not in a banner";
}

TEST_F(OpaqueViewTest, IsDescribedByTheInspector) {
  document_.selection().select_node(choose().id);
  const std::string page = describe_selection(document_).toStdString();
  EXPECT_THAT(page, HasSubstr("ai.onnx"));
  EXPECT_THAT(page, HasSubstr("LG2001"));
  EXPECT_THAT(page, HasSubstr("then_branch = graph"));
}

// An operator that is known, but not as it is used here, has the operands that ONNX names.
TEST(OpaqueOperands, HaveTheirNames) {
  QTemporaryDir folder;
  const std::filesystem::path path = folder.filePath("slice.onnx").toStdString();
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  declare(*graph.add_input(), "x");
  for (const char* name : {"from", "to"}) {
    declare(*graph.add_input(), name);
    graph.mutable_input()->rbegin()->mutable_type()->mutable_tensor_type()->set_elem_type(
        ::onnx::TensorProto::INT64);
  }
  add(graph, "Relu", "x", "a");
  ::onnx::NodeProto& slice = add(graph, "Slice", "a", "y");
  slice.add_input("from");
  slice.add_input("to");
  declare(*graph.add_output(), "y");
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  Document document(passes::toolchain());
  document.open(path);
  ASSERT_TRUE(settled(document));
  ASSERT_TRUE(document.history().graph());
  const graph::Node* node = document.history().graph()->find_node("n_y");
  ASSERT_TRUE(node && is_opaque(*node));
  document.selection().select_node(node->id);
  const std::string page = describe_selection(document).toStdString();
  for (const char* name : {">data<", ">starts<", ">ends<", ">output<"})
    EXPECT_THAT(page, HasSubstr(name));
}

// What a command line is told by a switch is a link here.
TEST_F(OpaqueViewTest, WhereTheLoopsWouldBeALinkOpensTheGraphsInside) {
  LoopView loops(&document_);
  loops.resize(400, 400);
  loops.show();
  document_.kernels().select(document_.fusion().plan()->group_of(choose().id));
  ASSERT_TRUE(settled(document_));
  QLabel* said = nullptr;
  for (QLabel* label : loops.findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains("else_branch")) said = label;
  ASSERT_NE(said, nullptr);
  EXPECT_FALSE(said->text().contains("--subgraph")) << said->text().toStdString();
  EXPECT_TRUE(said->textInteractionFlags() & Qt::LinksAccessibleByKeyboard);
  document_.selection().select_node(choose().id);
  const std::string page = describe_selection(document_).toStdString();
  EXPECT_THAT(page, HasSubstr("subgraph:n_b.else_branch"));
  EXPECT_THAT(page, Not(HasSubstr("--subgraph")));
  emit said->linkActivated("subgraph:n_b.else_branch");
  ASSERT_TRUE(eventually([&] { return !document_.source().subgraphs.empty(); }));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.source().subgraphs, (std::vector<std::string>{"n_b.else_branch"}));
}

TEST_F(OpaqueViewTest, OpensTheGraphsInsideAndGoesBack) {
  emit view_.canvas()->nodeActivated(box());
  QMenu* menu = nullptr;
  ASSERT_TRUE(
      eventually([&] { return (menu = view_.findChild<QMenu*>("subgraphMenu")) != nullptr; }));
  ASSERT_EQ(menu->actions().size(), 2);
  menu->actions()[1]->trigger();
  ASSERT_TRUE(eventually([&] { return !document_.source().subgraphs.empty(); }));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.source().subgraphs, (std::vector<std::string>{"n_b.else_branch"}));
  ASSERT_TRUE(document_.history().graph());
  ASSERT_EQ(document_.history().graph()->nodes().size(), 1u);
  EXPECT_EQ(document_.history().graph()->nodes()[0]->op->name, "Neg");

  auto* bar = view_.findChild<QWidget*>("subgraphBar");
  ASSERT_NE(bar, nullptr);
  EXPECT_TRUE(bar->isVisible());
  bar->findChildren<QToolButton*>().front()->click();
  ASSERT_TRUE(eventually([&] { return document_.source().subgraphs.empty(); }));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.history().graph()->nodes().size(), 3u);
  EXPECT_FALSE(bar->isVisible());
}

TEST_F(OpaqueViewTest, EscapeSelectsNothingAndThenLeavesTheGraphInside) {
  document_.open_subgraph("n_b.else_branch");
  ASSERT_TRUE(settled(document_));
  ASSERT_EQ(document_.source().subgraphs.size(), 1u);
  document_.selection().select_node(document_.history().graph()->nodes().front()->id);
  QTest::keyClick(view_.canvas(), Qt::Key_Escape);
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(document_.selection().empty());
  EXPECT_EQ(document_.source().subgraphs.size(), 1u) << "there was something to let go of";
  for (int press = 0; press < 2; ++press) {
    QTest::keyClick(view_.canvas(), Qt::Key_Escape);
    ASSERT_TRUE(settled(document_));
    EXPECT_TRUE(document_.source().subgraphs.empty()) << "and there is nothing farther out";
    EXPECT_EQ(document_.history().graph()->nodes().size(), 3u);
  }
}

}  // namespace
}  // namespace loopglass::views

// A model with operators that are not known, in the window: it opens, shows them as what they are,
// says why they have no loops, and opens the graphs inside them.
#include "tests/views/opened.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/graph_view.h"
#include "views/inspector/describe.h"

#include <QMenu>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <fstream>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

::onnx::NodeProto& add(::onnx::GraphProto& graph, const std::string& op, const std::string& input,
                       const std::string& output) {
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.set_name("n_" + output);
  node.add_input(input);
  node.add_output(output);
  return node;
}

void declare(::onnx::ValueInfoProto& value, const std::string& name, bool scalar = false) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(scalar ? ::onnx::TensorProto::BOOL : ::onnx::TensorProto::FLOAT);
  tensor->mutable_shape();
  if (!scalar) tensor->mutable_shape()->add_dim()->set_dim_value(64);
}

// Relu, then If with an unknown condition, then Tanh.
std::string model_bytes() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  declare(*graph.add_input(), "x");
  declare(*graph.add_input(), "which", true);
  declare(*graph.add_output(), "y");
  add(graph, "Relu", "x", "a");
  ::onnx::NodeProto& choose = add(graph, "If", "which", "b");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *choose.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name(name);
    add(*attribute.mutable_g(), "Neg", "a", "negated");
    attribute.mutable_g()->add_output()->set_name("negated");
  }
  add(graph, "Tanh", "b", "y");
  return model.SerializeAsString();
}

class OpaqueViewTest : public testing::Test {
 protected:
  OpaqueViewTest() : document_(passes::toolchain()), view_(&document_) {
    const auto path = std::filesystem::temp_directory_path() / "loopglass_opaque_view.onnx";
    std::ofstream(path, std::ios::binary) << model_bytes();
    QObject::connect(&document_, &Document::failed,
                     [this](const Diagnostic& d) { problems_.push_back(d); });
    view_.resize(900, 700);
    view_.show();
    document_.open(path);
    EXPECT_TRUE(settled(document_));
  }

  const graph::Node& choose() const { return *document_.graph()->find_node("n_b"); }
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
  document_.set_kernel(document_.plan()->group_of(choose().id));
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
  ASSERT_TRUE(document_.graph());
  ASSERT_EQ(document_.graph()->nodes().size(), 1u);
  EXPECT_EQ(document_.graph()->nodes()[0]->op->name, "Neg");

  auto* bar = view_.findChild<QWidget*>("subgraphBar");
  ASSERT_NE(bar, nullptr);
  EXPECT_TRUE(bar->isVisible());
  bar->findChildren<QToolButton*>().front()->click();
  ASSERT_TRUE(eventually([&] { return document_.source().subgraphs.empty(); }));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.graph()->nodes().size(), 3u);
  EXPECT_FALSE(bar->isVisible());
}

}  // namespace
}  // namespace loopglass::views

// What is selected in one pane of the window lights up in the others, and can be left again.
#include "app/window/elided_label.h"
#include "core/fusion/layer_words.h"
#include "tests/views/opaque_model.h"
#include "tests/views/window_fixture.h"
#include "views/assembly/assembly_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/code/code_pane.h"
#include "views/graph/graph_view.h"
#include "views/llvm/llvm_view.h"
#include "views/loops/loop_view.h"

#include <Qsci/qsciscintilla.h>
#include <QComboBox>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

#include <set>

namespace loopglass::app {
namespace {

using views::TextPane;

class WindowSelection : public WindowTest {
 protected:
  template <class View>
  views::CodePane& code_pane() {
    return *window_.findChild<View*>()->code();
  }

  // A mouse click into the text of a line (1-based), as a person would make it.
  static void click_line(views::CodePane& pane, int line) {
    auto* editor = pane.findChild<QsciScintilla*>();
    editor->ensureLineVisible(line - 1);
    const long position = editor->positionFromLineIndex(line - 1, 0);
    const auto x = static_cast<int>(
        editor->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0ul, position));
    const auto y = static_cast<int>(
        editor->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0ul, position));
    QTest::mouseClick(editor->viewport(), Qt::LeftButton, {}, QPoint(x + 4, y + 4));
  }
};

TEST_F(WindowSelection, AClickOnARewriteGoesThereAndSelectsWhatItMade) {
  open("resnet50");
  auto* tree = window_.findChild<QTreeView*>("timelineTree");
  const auto& steps = document_.history().recorded()->steps;
  std::size_t fold = 0;
  while (steps[fold].pass.name != "fold-batch-norm" || steps[fold].rewrites.empty()) ++fold;
  const QModelIndex step = tree->model()->index(static_cast<int>(fold), 0);
  tree->expand(step);
  const QModelIndex second = tree->model()->index(1, 0, step);
  tree->scrollTo(second);
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(second).center());
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().position(), (pass::Position{fold, 2}));
  const auto* selected = std::get_if<views::SelectedNode>(&selection().current());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->node->id.value, steps[fold].rewrites[1].made.front());
  EXPECT_EQ(tree->currentIndex(), second);
}

TEST_F(WindowSelection, AClickInTheTimelineGoesToThatStep) {
  open("lenet");
  auto* tree = window_.findChild<QTreeView*>("timelineTree");
  ASSERT_TRUE(tree);
  const QModelIndex first = tree->model()->index(0, 0);
  tree->scrollTo(first);
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(first).center());
  EXPECT_EQ(document_.history().step(), 0u);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().graph(), document_.history().recorded()->steps.front().result);
}

// The row that keys have reached is the step that is shown; only a menu is asked for without going.
TEST_F(WindowSelection, KeysGoThroughTheTimeline) {
  open("lenet");
  auto* tree = window_.findChild<QTreeView*>("timelineTree");
  tree->setFocus();
  const std::size_t last = document_.history().step();
  QTest::keyClick(tree, Qt::Key_Up);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().step(), last - 1);
  QTest::keyClick(tree, Qt::Key_Home);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().step(), 0u);
  QTest::mousePress(tree->viewport(), Qt::RightButton, {},
                    tree->visualRect(tree->model()->index(1, 0)).center());
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().step(), 0u);
}

TEST_F(WindowSelection, AClickOnAnOperatorLightsUpEveryPane) {
  open("lenet");
  auto* canvas = window_.panes().graph()->canvas();
  const auto& nodes = document_.history().graph()->nodes();
  const auto conv = std::find_if(nodes.rbegin(), nodes.rend(),
                                 [](const auto& n) { return n->op->name == "Conv"; });
  ASSERT_NE(conv, nodes.rend());
  const auto& boxes = canvas->content().nodes;
  const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const auto& b) {
    return (b.title + b.subtitle + b.search).contains(QString::fromStdString((*conv)->name));
  });
  ASSERT_NE(box, boxes.end());
  const auto index = static_cast<std::uint32_t>(box - boxes.begin());
  canvas->centre_on(index);
  const layout::Point centre = canvas->current_layout()->centres[index];
  QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {},
                    canvas->mapFromScene(centre.x, centre.y));
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(selection().highlighted_nodes(), (std::set{(*conv)->id}));
  EXPECT_EQ(document_.kernels().group(), document_.fusion().group_of((*conv)->id));
  EXPECT_FALSE(code_pane<views::LoopView>().highlighted().empty());
  EXPECT_FALSE(code_pane<views::LlvmView>().highlighted().empty());
  EXPECT_FALSE(code_pane<views::AssemblyView>().highlighted().empty());
  EXPECT_TRUE(window_.findChild<QTextBrowser*>("inspectorText")
                  ->toPlainText()
                  .contains(QString::fromStdString((*conv)->name)));
}

TEST_F(WindowSelection, AClickOnAnAssemblyLineLightsUpItsLoopAndOperator) {
  open("lenet");
  const auto& assembly = *document_.kernels().assembly_lines();
  const auto line = std::find_if(assembly.begin(), assembly.end(),
                                 [](const auto& l) { return l.loop_line != 0; });
  ASSERT_NE(line, assembly.end());
  const int number = static_cast<int>(line - assembly.begin()) + 1;
  window_.panes().focus(PaneId::Assembly);
  click_line(code_pane<views::AssemblyView>(), number);
  const auto* selected = std::get_if<views::SelectedLine>(&selection().current());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->pane, TextPane::Assembly);
  EXPECT_EQ(selected->line, number);
  EXPECT_EQ(code_pane<views::LoopView>().highlighted(), std::vector{line->loop_line});
  EXPECT_FALSE(selection().highlighted_nodes().empty());
}

TEST_F(WindowSelection, AClickOnALoopLightsUpItsInstructions) {
  open("mlp");
  window_.panes().focus(PaneId::Loops);
  click_line(code_pane<views::LoopView>(), 1);
  const auto* selected = std::get_if<views::SelectedLine>(&selection().current());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->pane, TextPane::Loops);
  EXPECT_FALSE(code_pane<views::LlvmView>().highlighted().empty());
  EXPECT_FALSE(code_pane<views::AssemblyView>().highlighted().empty());
}

TEST_F(WindowSelection, TheKernelBoxChoosesWhatTheTextPanesShow) {
  open("lenet");
  auto* box = window_.findChild<QComboBox*>("kernelBox");
  ASSERT_EQ(box->count(), static_cast<int>(document_.fusion().plan()->groups.size()));
  EXPECT_TRUE(selection().empty());
  EXPECT_EQ(box->currentIndex(), static_cast<int>(document_.kernels().group().value));
  const QString before = code_pane<views::LoopView>().text();
  const int other = box->currentIndex() == 0 ? 1 : 0;
  box->setFocus();
  QTest::keyClick(box, other ? Qt::Key_Down : Qt::Key_Home);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.kernels().group().value, static_cast<std::uint32_t>(box->currentIndex()));
  EXPECT_NE(code_pane<views::LoopView>().text(), before);
}

TEST_F(WindowSelection, EscapeClearsTheSelectionAndAltLeftBringsItBack) {
  open("lenet");
  const graph::NodeId node = document_.history().graph()->nodes().front()->id;
  selection().select_node(node);
  QTest::keyClick(&window_, Qt::Key_Escape);
  EXPECT_TRUE(selection().empty());
  auto* box = window_.findChild<QComboBox*>("kernelBox");
  // The panes still show its kernel, and so do the tool bar and the line at the foot.
  ASSERT_TRUE(document_.kernels().kernel());
  const int shown = static_cast<int>(document_.kernels().group().value);
  EXPECT_EQ(box->currentIndex(), shown);
  const auto foot = [&] { return window_.findChild<ElidedLabel*>("summary")->full_text(); };
  const QString layer = QString::fromStdString(
      fusion::layer_words(document_.fusion().plan()->group(document_.kernels().group()),
                          *document_.history().last_graph()));
  EXPECT_TRUE(foot().contains(layer)) << foot().toStdString();
  QTest::keyClick(&window_, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(box->currentIndex(), shown);
  EXPECT_EQ(selection().highlighted_nodes(), (std::set{node}));
}

// Not to what pans: of the canvas these keys are its own only without Alt.
TEST_F(WindowSelection, AltLeftLeadsOutOfTheGraphThatAnOperatorRuns) {
  const std::filesystem::path path = folder_.filePath("opaque.onnx").toStdString();
  views::write_opaque_model(path);
  window_.open(QString::fromStdString(path.string()));
  ASSERT_TRUE(views::settled(document_));
  document_.open_subgraph("n_b.else_branch");
  ASSERT_TRUE(views::settled(document_));
  ASSERT_EQ(document_.source().subgraphs.size(), 1u);
  selection().select_node(document_.history().graph()->nodes().front()->id);
  const auto go_back = [&] {
    QTest::keyClick(window_.panes().graph()->canvas(), Qt::Key_Left, Qt::AltModifier);
    EXPECT_TRUE(views::settled(document_));
  };
  go_back();
  EXPECT_TRUE(selection().empty());
  EXPECT_EQ(document_.source().subgraphs.size(), 1u) << "what was selected comes first";
  go_back();
  EXPECT_TRUE(document_.source().subgraphs.empty());
  // There it goes no farther, and the graph stays where it is.
  views::GraphCanvas& canvas = *window_.panes().graph()->canvas();
  canvas.zoom(8);
  ASSERT_GT(canvas.horizontalScrollBar()->maximum(), canvas.horizontalScrollBar()->minimum());
  canvas.horizontalScrollBar()->setValue(canvas.horizontalScrollBar()->maximum());
  const int place = canvas.horizontalScrollBar()->value();
  go_back();
  EXPECT_EQ(canvas.horizontalScrollBar()->value(), place);
}

// Its origin is that of the layout transform before the convolution, too.
TEST_F(WindowSelection, AnOperatorOfAnEarlierStepLeadsToTheKernelThatComputesIt) {
  open("resnet50");
  document_.history().set_step(0);
  selection().select_node(document_.history().graph()->find_node("conv1")->id);
  ASSERT_TRUE(views::settled(document_));
  const fusion::Group& group = document_.fusion().plan()->group(document_.kernels().group());
  EXPECT_EQ(document_.history().last_graph()->node(group.anchor).op->family,
            ops::Family::Convolution)
      << group.name;
}

}  // namespace
}  // namespace loopglass::app

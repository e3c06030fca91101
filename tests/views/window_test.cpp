// Clicks and keys through the whole window, on the offscreen platform: open, step, select in each
// pane and see the others follow.
#include "app/window/main_window.h"

#include "app/window/elided_label.h"
#include "app/window/locator.h"
#include "core/fusion/layer_words.h"
#include "tests/views/opaque_model.h"
#include "tests/views/opened.h"
#include "views/assembly/assembly_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/code/code_pane.h"
#include "views/document/debugger.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/llvm/llvm_view.h"
#include "views/loops/loop_view.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"

#include <Qsci/qsciscintilla.h>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollBar>
#include <QSettings>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace loopglass::app {
namespace {

using views::TextPane;

class WindowTest : public testing::Test {
 protected:
  WindowTest()
      : settings_(folder_.filePath("settings.ini"), QSettings::IniFormat),
        document_(passes::toolchain()),
        window_(&document_, &settings_) {
    window_.resize(1600, 1000);
    window_.show();
    window_.workspaces().use("overview");
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window_));
  }

  void open(const QString& sample) {
    window_.open(sample);
    ASSERT_TRUE(views::settled(document_));
    ASSERT_TRUE(document_.kernels().machine_code()) << "the sample does not compile";
  }

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

  views::Selection& selection() { return document_.selection(); }

  QTemporaryDir folder_;
  QSettings settings_;
  views::Document document_;
  MainWindow window_;
};

// Panes would be pushed about, and creep from start to start.
TEST_F(WindowTest, TheFootIsAsHighFromTheFirstMomentOn) {
  const int at_first = window_.statusBar()->height();
  std::set<int> seen{at_first};
  class Heights : public QObject {
   public:
    explicit Heights(std::set<int>* seen) : seen_(seen) {}
    bool eventFilter(QObject*, QEvent* event) override {
      if (event->type() == QEvent::Resize)
        seen_->insert(static_cast<QResizeEvent*>(event)->size().height());
      return false;
    }

   private:
    std::set<int>* seen_;
  } heights(&seen);
  window_.statusBar()->installEventFilter(&heights);
  open("lenet");
  document_.benchmark().start(1, 2);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(seen, std::set<int>{at_first}) << ::testing::PrintToString(seen);
}

TEST_F(WindowTest, ASampleOnTheStartPageOpensByAClick) {
  for (auto* card : window_.findChildren<QPushButton*>("sampleCard"))
    if (card->accessibleName().startsWith("MLP", Qt::CaseInsensitive) ||
        card->accessibleName().contains("perceptron", Qt::CaseInsensitive))
      QTest::mouseClick(card, Qt::LeftButton);
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(document_.history().graph());
  EXPECT_TRUE(window_.panes().graph()->isVisible());
  EXPECT_TRUE(window_.windowTitle().contains(document_.title()));
}

TEST_F(WindowTest, F8OpensASecondCanvasAndCloses) {
  open("lenet");
  const views::BesideCanvas& beside = *window_.panes().graph()->beside();
  QTest::keyClick(&window_, Qt::Key_F8);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_TRUE(beside.isVisible());
  EXPECT_FALSE(beside.canvas()->content().nodes.empty());
  QTest::keyClick(&window_, Qt::Key_F8);
  EXPECT_FALSE(beside.isVisible());
}

// What was compared with can stand beside the graph.
TEST_F(WindowTest, TheSecondPipelineOfAComparisonCanStandBesideTheGraph) {
  open("lenet");
  views::GraphView* graph = window_.panes().graph();
  const auto entry = [graph](QMenu& menu) {
    graph->fill_beside_menu(menu);
    for (QAction* action : menu.actions())
      if (action->text().remove('&') == "The Second Pipeline") return action;
    return static_cast<QAction*>(nullptr);
  };
  QMenu before, after;
  EXPECT_FALSE(entry(before)->isEnabled());
  window_.findChild<QComboBox*>("compareHow")->setCurrentIndex(1);
  window_.findChild<QComboBox*>("comparePipeline")->setCurrentText("none");
  window_.findChild<QPushButton*>("compareRun")->click();
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(entry(after)->isEnabled());
  entry(after)->trigger();
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(graph->beside()->shown(), (SavedBeside{SavedBeside::Kind::Passes, "none"}));
  EXPECT_EQ(graph->beside()->place()->history->steps.size(), 1u);
}

TEST_F(WindowTest, F10StepsForwardAndShiftF10Back) {
  open("lenet");
  const std::size_t last = document_.history().step();
  QTest::keyClick(&window_, Qt::Key_F10, Qt::ShiftModifier);
  EXPECT_EQ(document_.history().step(), last - 1);
  QTest::keyClick(&window_, Qt::Key_F10);
  EXPECT_EQ(document_.history().step(), last);
  QTest::keyClick(&window_, Qt::Key_F10);
  EXPECT_EQ(document_.history().step(), last) << "there is nothing after the last step";
}

TEST_F(WindowTest, TextGrowsAndShrinksByKeysAndStaysSo) {
  open("lenet");
  const double before = views::theme().text_font().pointSizeF();
  QTest::keyClick(&window_, Qt::Key_Plus, Qt::ControlModifier);
  EXPECT_GT(views::theme().text_font().pointSizeF(), before);
  EXPECT_GT(settings_.value("textScale").toDouble(), 1);
  QTest::keyClick(&window_, Qt::Key_Minus, Qt::ControlModifier);
  EXPECT_NEAR(views::theme().text_font().pointSizeF(), before, 1e-6);
  QTest::keyClick(&window_, Qt::Key_Minus, Qt::ControlModifier);
  QTest::keyClick(&window_, Qt::Key_0, Qt::ControlModifier);
  EXPECT_NEAR(views::theme().text_font().pointSizeF(), before, 1e-6);
}

// Of the menus and of the panes, whose tables the panes act by.
TEST_F(WindowTest, F1ListsEveryKey) {
  QString words;
  QTimer::singleShot(200, &window_, [&] {
    if (const auto* page = window_.findChild<QTextBrowser*>("keys")) words = page->toPlainText();
    if (QWidget* dialog = QApplication::activeModalWidget()) dialog->close();
  });
  QTest::keyClick(&window_, Qt::Key_F1);
  EXPECT_TRUE(words.contains("Larger Text")) << words.toStdString();
  for (const views::PaneKeys& pane : views::all_pane_keys()) {
    EXPECT_TRUE(words.contains(pane.title));
    for (const views::PaneKey& key : pane.keys)
      EXPECT_TRUE(words.contains(key.words)) << key.words.toStdString();
  }
}

// Into a pass with F11, from stop to stop with F9, back the same ways.
TEST_F(WindowTest, F11StepsIntoRewritesAndF9RunsToStops) {
  open("resnet50");
  const auto& steps = document_.history().recorded()->steps;
  std::size_t fold = 0;
  while (steps[fold].pass.name != "fold-batch-norm" || steps[fold].rewrites.empty()) ++fold;
  document_.history().set_step(fold - 1);
  QTest::keyClick(&window_, Qt::Key_F11);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().position(), (pass::Position{fold, 1}));
  QTest::keyClick(&window_, Qt::Key_F11, Qt::ShiftModifier);
  EXPECT_EQ(document_.history().position(), pass::Position{fold - 1});

  const graph::NodePtr watched =
      document_.history().graph()->share(graph::NodeId{steps[fold].rewrites[4].consumed.front()});
  selection().select_node(watched->id);
  QTest::keyClick(&window_, Qt::Key_F9, Qt::ControlModifier);
  ASSERT_EQ(document_.debugger().breakpoints().size(), 1u);
  ASSERT_TRUE(views::settled(document_));
  QTest::keyClick(&window_, Qt::Key_F9);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(document_.history().position(), (pass::Position{fold, 5}));
  QTest::keyClick(&window_, Qt::Key_Home, Qt::ControlModifier);
  EXPECT_EQ(document_.history().step(), 0u);
  EXPECT_TRUE(window_.findChild<QLabel*>("commandLine")->toolTip().contains("loopglassc"));
}

TEST_F(WindowTest, AClickOnARewriteGoesThereAndSelectsWhatItMade) {
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

TEST_F(WindowTest, AClickInTheTimelineGoesToThatStep) {
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

TEST_F(WindowTest, AClickOnAnOperatorLightsUpEveryPane) {
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

TEST_F(WindowTest, AClickOnAnAssemblyLineLightsUpItsLoopAndOperator) {
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

TEST_F(WindowTest, AClickOnALoopLightsUpItsInstructions) {
  open("mlp");
  window_.panes().focus(PaneId::Loops);
  click_line(code_pane<views::LoopView>(), 1);
  const auto* selected = std::get_if<views::SelectedLine>(&selection().current());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->pane, TextPane::Loops);
  EXPECT_FALSE(code_pane<views::LlvmView>().highlighted().empty());
  EXPECT_FALSE(code_pane<views::AssemblyView>().highlighted().empty());
}

TEST_F(WindowTest, TheKernelBoxChoosesWhatTheTextPanesShow) {
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

// A large screen has a large window, and none is larger than its screen.
TEST(FirstStart, TheWindowSuitsTheScreen) {
  EXPECT_EQ(size_on({3840, 2160}), QSize(3072, 1728));
  EXPECT_EQ(size_on({1920, 1080}), QSize(1600, 1000));
}

TEST_F(WindowTest, SteppingMovesNothingOnTheToolBar) {
  window_.resize(1600, 900);
  open("mobilenet_v1");
  auto* bar = window_.findChild<QToolBar*>("toolBar");
  const auto places = [&] {
    std::vector<QRect> places;
    for (QAction* action : bar->actions())
      places.push_back(bar->widgetForAction(action)->geometry());
    return places;
  };
  document_.history().set_step(0);
  ASSERT_TRUE(views::settled(document_));
  const std::vector<QRect> before = places();
  auto* label = bar->findChild<ElidedLabel*>("position");
  std::set<QString> texts;
  const auto& steps = document_.history().recorded()->steps;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const std::size_t rewrites : {steps[step].rewrites.size() / 2, pass::Report::all}) {
      document_.history().set_position({step, rewrites});
      ASSERT_TRUE(views::settled(document_));
      QCoreApplication::processEvents();
      EXPECT_EQ(places(), before) << label->full_text().toStdString();
      texts.insert(label->full_text());
    }
  }
  EXPECT_GT(texts.size(), steps.size());
}

// Words go with their boxes; what has no room comes by the button at the end, by keys too.
TEST_F(WindowTest, ANarrowToolBarHasTheRestBehindAButton) {
  open("lenet");
  auto* strategy = window_.findChild<QComboBox*>("strategyBox");
  auto* bar = window_.findChild<QToolBar*>("toolBar");
  EXPECT_TRUE(strategy->isVisible());
  window_.resize(window_.minimumSizeHint().width(), 600);
  ASSERT_TRUE(views::eventually([&] { return !strategy->isVisible(); })) << window_.width();
  auto* more = bar->findChild<QToolButton*>("qt_toolbar_ext_button");
  ASSERT_TRUE(more && more->isVisible());
  EXPECT_EQ(more->text(), "»");
  for (const char* name : {"kernelBox", "strategyBox"}) {
    auto* box = bar->findChild<QComboBox*>(name);
    for (const QLabel* word : box->parentWidget()->findChildren<QLabel*>())
      EXPECT_EQ(word->isVisible(), box->isVisible()) << name;
  }
  ASSERT_TRUE(more->focusPolicy() & Qt::TabFocus);
  more->setFocus();
  QTest::keyClick(more, Qt::Key_Space);
  EXPECT_TRUE(views::eventually([&] { return strategy->isVisible(); }));
}

TEST_F(WindowTest, EscapeClearsTheSelectionAndAltLeftBringsItBack) {
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
TEST_F(WindowTest, AltLeftLeadsOutOfTheGraphThatAnOperatorRuns) {
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

// Whatever has the keyboard, and whichever pane it was asked in.
TEST_F(WindowTest, CtrlZTakesBackWhatWasLastAskedOfThePlan) {
  open("lenet");
  const fusion::Decision& decision = document_.fusion().plan()->decisions.front();
  document_.set_constraints({{}, {{decision.producer, decision.consumer}}});
  ASSERT_TRUE(views::settled(document_));
  window_.panes().focus(PaneId::Timeline);
  QTest::keyClick(&window_, Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_TRUE(document_.constraints().empty());
  QTest::keyClick(&window_, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_FALSE(document_.constraints().empty());
}

TEST_F(WindowTest, TheLocatorGoesToANodeByItsName) {
  open("lenet");
  const auto& target = document_.history().graph()->nodes().back();
  window_.open_locator();
  auto* field = window_.findChild<Locator*>()->findChild<QLineEdit*>();
  ASSERT_TRUE(field);
  QTest::keyClicks(field, QString::fromStdString(target->name));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_FALSE(selection().empty());
  EXPECT_TRUE(selection().highlighted_nodes().contains(target->id));
}

// The command at the foot prints what both canvases show, and Ctrl+Shift+C has it.
TEST_F(WindowTest, TheCommandIsThatOfBothCanvases) {
  open("lenet");
  const auto command = [&](SavedBeside beside) {
    window_.panes().graph()->beside()->show_place(std::move(beside));
    EXPECT_TRUE(views::settled(document_));
    const QString told = window_.findChild<QLabel*>("commandLine")->toolTip();
    EXPECT_TRUE(told.endsWith("\n" + window_.command())) << told.toStdString();
    return window_.command().toStdString();
  };
  using Kind = SavedBeside::Kind;
  const std::string last = std::to_string(document_.history().step());
  EXPECT_EQ(command({Kind::Step, "input"}), "loopglassc diff lenet 0 " + last);
  EXPECT_EQ(command({Kind::Strategy, "mapping"}),
            "loopglassc fuse lenet --compare dominator,mapping");
  EXPECT_EQ(command({Kind::Passes, "fold-constants, simplify"}),
            "loopglassc compare lenet --against 'fold-constants, simplify'");
  document_.set_strategy("dp");
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(command({Kind::Strategy, "mapping"}),
            "loopglassc fuse lenet --strategy dp --compare dp,mapping");
  EXPECT_EQ(command({}), "loopglassc emit graph lenet") << "one canvas shows no difference";
}

// By the words of its name and of what it is, in any order.
TEST_F(WindowTest, TheLocatorFindsPanesAndWorkspacesByTheirWords) {
  window_.workspaces().use("explore");
  for (const char* words : {"workspace fusion", "fusion work", "FUSION  workspace "}) {
    window_.workspaces().use("explore");
    window_.open_locator();
    auto* field = window_.findChild<Locator*>()->findChild<QLineEdit*>();
    QTest::keyClicks(field, words);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window_.workspaces().current(), "fusion") << words;
  }
  window_.open_locator();
  auto* locator = window_.findChild<Locator*>();
  QTest::keyClicks(locator->findChild<QLineEdit*>(), "pane nest");
  const auto first = [&] { return locator->findChild<QListWidget*>()->item(0)->text(); };
  EXPECT_TRUE(first().startsWith("Loop nest"));
  auto* field = locator->findChild<QLineEdit*>();
  field->clear();
  QTest::keyClicks(field, "script");
  EXPECT_TRUE(first().startsWith("Loop nest")) << "by what is in it";
  for (const auto& [words, entry] : {std::pair("quit menu", "Quit"),
                                     {"open", "Open"},
                                     {"preset canon", "@canonical"},
                                     {"fusion strategy dominator", "dominator"}}) {
    field->clear();
    QTest::keyClicks(field, words);
    EXPECT_TRUE(first().startsWith(entry)) << words;
  }
  field->clear();
  QTest::keyClicks(field, "input shapes");
  EXPECT_TRUE(first().contains("not now")) << "nothing is open";
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(locator->isVisible()) << "so it cannot be chosen";
  locator->reject();
}

// By Return, while completions are offered below the line.
TEST_F(WindowTest, ABreakpointIsTypedAndAddedByReturn) {
  open("lenet");
  window_.panes().focus(PaneId::Breakpoints);
  auto* line = window_.findChild<QLineEdit*>("breakpointLine");
  ASSERT_TRUE(line);
  EXPECT_EQ(QApplication::focusWidget(), line);
  QTest::keyClicks(line, "remove op=Conv");
  for (QWidget* popup = QApplication::activePopupWidget(); popup;) {
    QTest::keyClick(popup, Qt::Key_Return);
    popup = QApplication::activePopupWidget();
  }
  if (document_.debugger().breakpoints().empty()) QTest::keyClick(line, Qt::Key_Return);
  ASSERT_EQ(document_.debugger().breakpoints().size(), 1u);
  EXPECT_EQ(line->text(), "");
  EXPECT_FALSE(window_.findChild<QFrame*>("errorBanner")->isVisible());
}

// Its origin is that of the layout transform before the convolution, too.
TEST_F(WindowTest, AnOperatorOfAnEarlierStepLeadsToTheKernelThatComputesIt) {
  open("resnet50");
  document_.history().set_step(0);
  selection().select_node(document_.history().graph()->find_node("conv1")->id);
  ASSERT_TRUE(views::settled(document_));
  const fusion::Group& group = document_.fusion().plan()->group(document_.kernels().group());
  EXPECT_EQ(document_.history().last_graph()->node(group.anchor).op->family,
            ops::Family::Convolution)
      << group.name;
}

TEST_F(WindowTest, AModelDroppedAnywhereIsOpened) {
  const auto path = samples::sample_path(*samples::find_sample("mlp"));
  ASSERT_TRUE(path);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path->string()))});
  QWidget* pane = window_.panes().dock(PaneId::Assembly)->widget();
  QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(pane, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(pane, &drop);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_TRUE(document_.history().graph());
  EXPECT_EQ(window_.recent_models().all().size(), 1u);
}

TEST_F(WindowTest, AnUnknownSampleIsToldInTheWindowNotInABox) {
  window_.open("no_such_network");
  ASSERT_TRUE(views::settled(document_));
  auto* banner = window_.findChild<QFrame*>("errorBanner");
  ASSERT_TRUE(banner);
  EXPECT_TRUE(banner->isVisible());
  EXPECT_FALSE(QApplication::activeModalWidget());
  EXPECT_FALSE(window_.panes().graph()->isVisible()) << "the start page offers another try";
}

// A small centre has less room than the words take: they go over its upper edge.
TEST_F(WindowTest, WhatWentWrongIsToldOverThePanesAndMovesNone) {
  open("lenet");
  auto* banner = window_.findChild<QFrame*>("errorBanner");
  const auto* told = window_.findChild<QTextBrowser*>("errorText");
  auto* canvas = window_.panes().graph()->canvas();
  for (const QSize size : {QSize(1600, 1000), QSize(1280, 720)}) {
    window_.resize(size);
    window_.workspaces().use("fusion");
    ASSERT_TRUE(views::settled(document_));
    const QRect before(canvas->mapTo(&window_, QPoint()), canvas->size());
    window_.show_diagnostic({Code::UsageInvalid, std::string(240, 'w'), "somewhere", "a hint"});
    ASSERT_TRUE(views::settled(document_));
    ASSERT_TRUE(banner->isVisible());
    EXPECT_EQ(QRect(canvas->mapTo(&window_, QPoint()), canvas->size()), before);
    EXPECT_GE(told->viewport()->height(), told->document()->size().height());
    EXPECT_TRUE(window_.rect().contains(banner->geometry()));
    QWidget* over = window_.childAt(banner->geometry().center());
    EXPECT_TRUE(over && banner->isAncestorOf(over)) << "it is on top";
    banner->hide();
  }
}

// Shortcuts of both would be ambiguous, and neither would act.
TEST_F(WindowTest, NoKeyOfTheScriptIsTheWindows) {
  std::set<QKeySequence> of_window;
  for (const QAction* action : window_.findChildren<QAction*>())
    for (const QKeySequence& key : action->shortcuts()) of_window.insert(key);
  EXPECT_GT(of_window.size(), 20u);
  for (const views::PaneKey& row : views::script_keys())
    for (const QKeyCombination& key : row.keys)
      EXPECT_FALSE(of_window.contains(QKeySequence(key)))
          << QKeySequence(key).toString().toStdString();
}

// Paths and words without end are broken or cut, and nothing is pushed out of the window.
TEST_F(WindowTest, LongWordsMakeNoWindowWide) {
  open("lenet");
  const int least = window_.minimumSizeHint().width();
  const QString path = "/" + QString("a_folder_of_which_the_name_is_long").repeated(6) + "/x.onnx";
  window_.announce(path);
  window_.show_diagnostic({Code::UsageInvalid, "there is no " + path.toStdString(),
                           path.toStdString(), path.toStdString()});
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(window_.minimumSizeHint().width(), least);
  const auto* foot = window_.findChild<ElidedLabel*>("summary");
  const QString longer = path.repeated(20);
  window_.announce(longer);
  EXPECT_EQ(window_.minimumSizeHint().width(), least);
  EXPECT_TRUE(foot->is_cut());
  EXPECT_TRUE(foot->text().startsWith("/a_folder") && foot->text().endsWith("x.onnx"));
  const auto* told = window_.findChild<QTextBrowser*>("errorText");
  EXPECT_EQ(told->toPlainText().count(path), 3) << "it can be copied as it is";
  EXPECT_GE(told->viewport()->height(), told->document()->size().height()) << "all of it is shown";
  EXPECT_LE(told->document()->idealWidth(), told->viewport()->width());
  EXPECT_LE(told->mapTo(&window_, QPoint(told->width(), 0)).x(), window_.width());
}

TEST_F(WindowTest, EveryWorkspaceShowsItsPanesAndRemembersChanges) {
  open("mlp");
  window_.workspaces().use("lowering");
  EXPECT_TRUE(window_.panes().dock(PaneId::Assembly)->isVisible());
  EXPECT_FALSE(window_.panes().dock(PaneId::Timeline)->isVisible());
  window_.panes().dock(PaneId::Assembly)->hide();
  window_.workspaces().use("benchmark");
  EXPECT_TRUE(window_.panes().dock(PaneId::Benchmark)->isVisible());
  window_.workspaces().use("lowering");
  EXPECT_FALSE(window_.panes().dock(PaneId::Assembly)->isVisible())
      << "what a person hid stays hidden";
  window_.workspaces().restore_default();
  EXPECT_TRUE(window_.panes().dock(PaneId::Assembly)->isVisible());
}

// The strategies follow the tree of post-dominators, so the fusion workspace begins with it.
TEST_F(WindowTest, EveryWorkspaceHasItsTree) {
  const auto* tree = window_.panes().dominators();
  window_.workspaces().use("fusion");
  EXPECT_EQ(tree->direction(), graph::Direction::PostDominators);
  window_.workspaces().use("explore");
  EXPECT_EQ(tree->direction(), graph::Direction::Dominators);
  window_.panes().dominators()->set_direction(graph::Direction::PostDominators);
  window_.workspaces().use("fusion");
  window_.workspaces().use("explore");
  EXPECT_EQ(tree->direction(), graph::Direction::PostDominators) << "as a person left it";
  window_.workspaces().restore_default();
  EXPECT_EQ(tree->direction(), graph::Direction::Dominators);
}

TEST_F(WindowTest, TheThemeChangesAtOnceAndIsRemembered) {
  open("mlp");
  window_.use_theme(views::Tone::Light);
  EXPECT_EQ(window_.palette().color(QPalette::Base), views::theme().surface);
  EXPECT_EQ(settings_.value("theme").toString(), "light");
  window_.use_theme(views::Tone::Dark);
}

}  // namespace
}  // namespace loopglass::app

// Clicks and keys through the whole window, on the offscreen platform: open, step, select in each
// pane and see the others follow.
#include "app/window/elided_label.h"
#include "tests/views/window_fixture.h"
#include "views/canvas/graph_canvas.h"
#include "views/code/code_pane.h"
#include "views/document/debugger.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/loops/loop_view.h"
#include "views/loops/script_editor.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"

#include <Qsci/qsciscintilla.h>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QResizeEvent>
#include <QStatusBar>
#include <QTextBrowser>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

#include <gtest/gtest.h>

#include <set>

namespace loopglass::app {
namespace {

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

// The command at the foot goes on from what the pane with the keyboard has chosen.
TEST_F(WindowTest, TheCommandIsThatOfThePane) {
  open("lenet");
  const auto told = [&] { return window_.findChild<QLabel*>("commandLine")->toolTip(); };
  window_.panes().focus(PaneId::Benchmark);
  window_.findChild<QSpinBox*>("benchmarkRounds")->setValue(7);
  EXPECT_TRUE(told().contains(" --rounds 7")) << told().toStdString();
  window_.panes().focus(PaneId::Dominators);
  document_.history().set_step(2);
  ASSERT_TRUE(views::settled(document_));
  window_.panes().dominators()->set_direction(graph::Direction::PostDominators);
  EXPECT_TRUE(told().endsWith("loopglassc emit domtree lenet --step 2 --post"))
      << told().toStdString();
  // A script that is written and not in use is a file first.
  window_.panes().focus(PaneId::Loops);
  window_.panes().loops()->open_script();
  views::ScriptEditor& script = *window_.panes().loops()->script();
  script.code()->editor()->setText("// nothing yet\n");
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.panes().loops()->shows_draft(); }));
  EXPECT_TRUE(told().contains(".schedule  # the script up to the caret")) << told().toStdString();
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

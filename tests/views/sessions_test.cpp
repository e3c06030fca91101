// Sessions of the window: what a person did is there again, after a kill as after a quit, and a
// window does not spoil what another one keeps.
#include "app/window/session_keeper.h"

#include "app/common/kept_sessions.h"
#include "app/window/main_window.h"
#include "tests/views/opaque_model.h"
#include "tests/views/opened.h"
#include "tests/views/session_window.h"
#include "views/canvas/graph_canvas.h"
#include "views/document/debugger.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/iterations/iterations_view.h"

#include <QComboBox>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolButton>

#include <gtest/gtest.h>

#include <filesystem>

namespace loopglass::app {
namespace {

using SessionsTest = WithSessions;

// Each entry of a menu is reached by its letter alone.
TEST_F(SessionsTest, NoLetterStandsForTwoEntriesOfAMenu) {
  auto used = window();
  std::size_t letters = 0;
  for (QMenu* menu : used->window.menuBar()->findChildren<QMenu*>()) {
    emit menu->aboutToShow();
    constexpr qsizetype letters_there_are = 26;
    if (menu->actions().size() > letters_there_are) continue;
    for (const QAction* action : menu->actions())
      EXPECT_TRUE(action->isSeparator() || action->text().contains('&'))
          << menu->title().toStdString() << ": " << action->text().toStdString();
  }
  for (const QMenu* menu : used->window.findChildren<QMenu*>()) {
    std::map<QChar, QString> taken;
    for (const QAction* action : menu->actions()) {
      QString text = action->text();
      text.remove("&&");
      const qsizetype at = text.indexOf('&');
      if (at < 0 || at + 1 >= text.size()) continue;
      ++letters;
      const auto [known, is_new] = taken.emplace(text[at + 1].toLower(), text);
      EXPECT_TRUE(is_new) << menu->title().toStdString() << ": " << known->second.toStdString()
                          << ", " << text.toStdString();
    }
  }
  EXPECT_GT(letters, 40u);
}

// What is done again, or undone, may change a pane that is not seen: it is said, and stays for a
// while.
TEST_F(SessionsTest, WhatWasUndoneIsSaidAlsoWhereThePlanIsMadeAnew) {
  auto used = window();
  work(*used);
  used->document.set_strategy("dominator");
  ASSERT_TRUE(used->settled());
  for (QAction* action : used->window.findChildren<QAction*>())
    if (action->shortcut() == QKeySequence("Ctrl+Z")) action->trigger();
  ASSERT_TRUE(used->settled());
  const auto* line = used->window.findChild<QLabel*>("summary");
  EXPECT_TRUE(line->text().startsWith("Undone: ")) << line->text().toStdString();
}

// A window that is killed does nothing more; what it kept by itself is all there is.
TEST_F(SessionsTest, WhatWasKeptComesUpAgain) {
  SavedSession left;
  {
    auto first = window();
    work(*first);
    ASSERT_TRUE(views::eventually([] { return !kept_sessions().empty(); }));
    QTest::qWait(1500);
    left = first->sessions().session().value();
    EXPECT_TRUE(kept_sessions().front().in_use);
    const auto kept = read_session(kept_sessions().front().file);
    ASSERT_TRUE(kept) << to_string(kept.error());
    EXPECT_EQ(to_text(*kept), to_text(left)) << "it is kept without anybody asking";
  }
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  ASSERT_TRUE(second->settled());
  EXPECT_TRUE(second->told.empty());
  const SavedSession now = second->sessions().session().value();
  EXPECT_EQ(now.asked, left.asked);
  EXPECT_EQ(now.guesses, (SavedGuesses{{"conv1:relu1"}, 1, 1}));
  EXPECT_EQ(now.undo, left.undo);
  EXPECT_EQ(now.place.at, left.place.at);
  EXPECT_EQ(now.place.selected, left.place.selected);
  EXPECT_EQ(now.kernel, left.kernel);
  EXPECT_EQ(now.loop_step, left.loop_step);
  EXPECT_EQ(now.llvm_step, left.llvm_step);
  ASSERT_TRUE(now.place.camera && left.place.camera);
  EXPECT_EQ(now.place.camera->box, left.place.camera->box);
  EXPECT_NEAR(now.place.camera->zoom, left.place.camera->zoom, 1e-6);
  EXPECT_NEAR(now.place.camera->right, left.place.camera->right, 2);
  EXPECT_NEAR(now.place.camera->down, left.place.camera->down, 2);
  EXPECT_TRUE(second->document.history().walks_changes_only());
  EXPECT_FALSE(second->follow().isChecked());
  ASSERT_EQ(second->document.constraints().forced.size(), 1u);

  // And what was done can be undone.
  EXPECT_EQ(second->document.undo_words(), "breakpoint remove op=Relu");
  second->document.undo();
  EXPECT_TRUE(second->document.debugger().breakpoints().empty());
  second->document.undo();
  ASSERT_TRUE(second->settled());
  EXPECT_TRUE(second->document.constraints().empty());
  second->document.undo();
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->document.strategy(),
            QString::fromStdString(passes::toolchain().strategies.front().name));
}

// Also where what is selected is out of its view, which by itself moves nothing.
TEST_F(SessionsTest, TheDominatorTreeComesUpAgain) {
  SavedDominators left;
  {
    auto first = window();
    work(*first);
    first->window.panes().focus(PaneId::Dominators);
    views::DominatorView& tree = *first->window.panes().dominators();
    tree.set_direction(graph::Direction::PostDominators);
    ASSERT_TRUE(first->settled());
    first->sessions().flush();
    tree.canvas()->look_at(tree.canvas()->place_of_node(1) + QPointF(7, 5), 2.5);
    const auto is_kept = [] {
      const auto kept = read_session(kept_sessions().front().file);
      return kept && kept->dominators.camera && kept->dominators.camera->zoom == 2.5;
    };
    ASSERT_TRUE(views::eventually(is_kept)) << "to look elsewhere is a change to be kept";
    left = first->sessions().session()->dominators;
  }
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  second->window.panes().focus(PaneId::Dominators);
  ASSERT_TRUE(second->settled());
  const SavedDominators now = second->sessions().session()->dominators;
  EXPECT_TRUE(now.post);
  ASSERT_TRUE(now.camera && left.camera);
  EXPECT_EQ(now.camera->box, left.camera->box);
  EXPECT_NEAR(now.camera->zoom, left.camera->zoom, 1e-6);
  EXPECT_NEAR(now.camera->right, left.camera->right, 2);
  EXPECT_NEAR(now.camera->down, left.camera->down, 2);
}

TEST_F(SessionsTest, IterationsComeUpAgain) {
  SavedIterations left;
  {
    auto first = window();
    first->window.open("lenet");
    ASSERT_TRUE(first->settled());
    first->window.panes().focus(PaneId::Iterations);
    first->document.kernels().set_loop_step(1);
    ASSERT_TRUE(first->settled());
    views::IterationsView& view = *first->window.panes().iterations();
    auto& down = *view.findChild<QComboBox*>("iterationDown");
    down.setCurrentIndex((down.currentIndex() + 1) % down.count());
    view.findChild<QToolButton*>("compareIterations")->click();
    ASSERT_TRUE(first->settled());
    first->sessions().flush();
    view.show_step(41);
    const auto is_kept = [] {
      return read_session(kept_sessions().front().file)->iterations.step == 41;
    };
    ASSERT_TRUE(views::eventually(is_kept));
    left = first->sessions().session()->iterations;
    EXPECT_TRUE(left.before);
  }
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->sessions().session()->iterations, left) << "while nobody sees the pane";
  second->window.panes().focus(PaneId::Iterations);
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->sessions().session()->iterations, left);
  const views::IterationsView& view = *second->window.panes().iterations();
  EXPECT_EQ(view.step(), 41);
  EXPECT_EQ(view.findChild<QComboBox*>("iterationDown")->currentText().toStdString(), left.down);
}

TEST_F(SessionsTest, TheSecondCanvasComesUpAgain) {
  const SavedBeside wanted{SavedBeside::Kind::Strategy, "mapping", false};
  SavedBeside left;
  {
    auto first = window();
    work(*first);
    views::BesideCanvas& beside = *first->window.panes().graph()->beside();
    beside.show_place(wanted);
    ASSERT_TRUE(first->settled());
    first->sessions().flush();
    // Unlinked it looks where the first canvas does not, and that alone is a change to be kept.
    beside.canvas()->look_at(beside.canvas()->place_of_node(3) + QPointF(20, -10), 1.75);
    const auto looks_there = [] {
      const auto kept = read_session(kept_sessions().front().file);
      return kept && kept->beside.camera && kept->beside.camera->zoom == 1.75;
    };
    ASSERT_TRUE(views::eventually(looks_there));
    left = first->sessions().session()->beside;
  }
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  ASSERT_TRUE(second->settled());
  const views::BesideCanvas& beside = *second->window.panes().graph()->beside();
  EXPECT_EQ(beside.shown(), wanted);
  const SavedBeside now = second->sessions().session()->beside;
  ASSERT_TRUE(now.camera && left.camera);
  EXPECT_EQ(now.camera->box, left.camera->box);
  EXPECT_NEAR(now.camera->zoom, 1.75, 1e-6);
  EXPECT_NEAR(now.camera->right, left.camera->right, 2);
  EXPECT_NEAR(now.camera->down, left.camera->down, 2);
  ASSERT_TRUE(beside.place());
  EXPECT_EQ(beside.place()->plan->strategy, "mapping");
  EXPECT_FALSE(beside.canvas()->content().nodes.empty());
  second->window.open("mlp");
  ASSERT_TRUE(second->settled());
  EXPECT_FALSE(beside.is_open());
}

TEST_F(SessionsTest, ASelectedFoldComesUpAgain) {
  std::optional<views::SelectedPart> left;
  std::size_t operators = 0;
  const auto folded = [](SessionWindow& used) {
    views::GraphView::Switches switches = used.window.panes().graph()->switches();
    switches.folds.by = "blocks";
    switches.folds.asked = true;
    used.window.panes().graph()->set_switches(switches);
  };
  {
    auto first = window();
    first->window.open("mobilenet_v1");
    ASSERT_TRUE(first->settled());
    folded(*first);
    ASSERT_TRUE(first->settled());
    views::GraphView& graph = *first->window.panes().graph();
    for (std::uint32_t box = 0; box < graph.content().entities.size() && !left; ++box)
      if (graph.canvas()->content().nodes[box].stack) {
        emit graph.canvas()->nodeClicked(box);
        left = first->document.selection().part();
      }
    ASSERT_TRUE(left);
    EXPECT_GT(left->blocks, 1);
    operators = first->document.selection().several().size();
    first->sessions().flush();
  }
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->document.selection().part(), left);
  EXPECT_EQ(second->document.selection().several().size(), operators);
  const views::GraphView& graph = *second->window.panes().graph();
  ASSERT_TRUE(graph.canvas()->highlight().primary);
  EXPECT_TRUE(graph.canvas()->content().nodes[*graph.canvas()->highlight().primary].stack);
}

// What was selected and looked at before somebody looked into an operator is there again after.
TEST_F(SessionsTest, AGraphThatOneComesBackToIsAsItWasLeft) {
  const std::filesystem::path path = folder_.filePath("opaque.onnx").toStdString();
  views::write_opaque_model(path);
  auto used = window();
  used->window.open(QString::fromStdString(path.string()));
  ASSERT_TRUE(used->settled());
  used->document.history().set_step(1);
  ASSERT_TRUE(used->settled());
  used->document.selection().select_node(used->document.history().graph()->find_node("n_b")->id);
  used->window.panes().graph()->canvas()->look_at({10, 30}, 1.25);
  const Place left = used->sessions().session()->place;
  used->document.open_subgraph("n_b.else_branch");
  ASSERT_TRUE(views::eventually([&] { return !used->document.source().subgraphs.empty(); }));
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.selection().empty());
  used->document.selection().select_node(used->document.history().graph()->nodes().front()->id);
  const SavedSelection inside = used->sessions().session()->place.selected;
  used->document.leave_subgraphs(0);
  ASSERT_TRUE(views::eventually([&] { return used->document.source().subgraphs.empty(); }));
  ASSERT_TRUE(used->settled());
  const Place back = used->sessions().session()->place;
  EXPECT_EQ(back.at, left.at);
  EXPECT_EQ(back.selected, left.selected);
  ASSERT_TRUE(back.camera && left.camera);
  EXPECT_EQ(back.camera->box, left.camera->box);
  EXPECT_NEAR(back.camera->zoom, 1.25, 1e-6);
  // And so is the graph inside; another model has nothing of it.
  used->document.open_subgraph("n_b.else_branch");
  ASSERT_TRUE(views::eventually([&] { return !used->document.source().subgraphs.empty(); }));
  ASSERT_TRUE(used->settled());
  EXPECT_EQ(used->sessions().session()->place.selected, inside);
  used->window.open("mlp");
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.selection().empty());
}

// From the moment that its model is there: whoever is killed then comes back to it.
TEST_F(SessionsTest, WhatIsOpenedIsKeptBeforeAnyPassHasRun) {
  auto used = window();
  work(*used);
  std::vector<std::string> kept;
  QObject::connect(&used->document, &views::Document::modelChanged, &used->window, [&] {
    const auto session = used->sessions().session();
    if (session && !used->document.history().recorded())
      kept.push_back(session->asked.request.model);
  });
  used->window.open("mlp");
  ASSERT_TRUE(used->settled());
  EXPECT_EQ(kept, (std::vector<std::string>{"mlp"}));
}

TEST_F(SessionsTest, TwoWindowsKeepAFileEach) {
  auto first = window();
  work(*first);
  first->sessions().flush();
  auto second = window();
  EXPECT_FALSE(second->sessions().restore()) << "the first one lives";
  second->window.open("mlp");
  ASSERT_TRUE(second->settled());
  second->sessions().flush();
  first->document.history().set_step(1);
  ASSERT_TRUE(first->settled());
  first->sessions().flush();
  std::set<std::string> models;
  for (const KeptSession& kept : kept_sessions()) {
    EXPECT_TRUE(kept.in_use);
    models.insert(read_session(kept.file).value().asked.request.model);
  }
  EXPECT_EQ(models, (std::set<std::string>{"lenet", "mlp"}));
}

// What was damaged is told of once, and is there still.
TEST_F(SessionsTest, ADamagedOneIsPutAside) {
  {
    auto first = window();
    work(*first);
    first->sessions().flush();
  }
  const std::filesystem::path file = kept_sessions().front().file;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  auto second = window();
  EXPECT_FALSE(second->sessions().restore());
  ASSERT_EQ(second->told.size(), 1u);
  EXPECT_EQ(second->told[0].code, Code::SessionCorrupt);
  EXPECT_TRUE(kept_sessions().empty());
  EXPECT_TRUE(std::filesystem::exists(file.string() + ".aside"));
  auto third = window();
  EXPECT_FALSE(third->sessions().restore());
  EXPECT_TRUE(third->told.empty());
}

TEST_F(SessionsTest, AClosedModelDoesNotComeUpAgain) {
  {
    auto first = window();
    work(*first);
    first->sessions().flush();
    first->document.close();
    ASSERT_TRUE(first->settled());
  }
  ASSERT_EQ(kept_sessions().size(), 1u);
  auto second = window();
  EXPECT_FALSE(second->sessions().restore());
  // But it can be taken up from the start page.
  second->sessions().open(QString::fromStdString(kept_sessions().front().file.string()));
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->document.constraints().forced.size(), 1u);
}

// Whoever opens another model leaves what was asked of edges behind, and is told where it is.
TEST_F(SessionsTest, WhatIsLeftBehindIsTakenUpAgainFromTheMenu) {
  auto used = window();
  const auto message = [&] { return used->window.statusBar()->currentMessage().toStdString(); };
  work(*used);
  used->sessions().flush();
  used->window.open("mlp");
  ASSERT_TRUE(used->settled());
  EXPECT_NE(message().find("lenet keeps its 1 edge by hand"), std::string::npos) << message();
  used->window.open("lenet");
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.constraints().empty());
  EXPECT_NE(message().find("was left with 1 edge by hand"), std::string::npos) << message();

  QMenu* earlier = nullptr;
  for (QMenu* menu : used->window.menuBar()->findChildren<QMenu*>())
    if (menu->title() == "&Earlier Sessions") earlier = menu;
  ASSERT_TRUE(earlier);
  emit earlier->aboutToShow();
  QAction* entry = nullptr;
  for (QAction* action : earlier->actions())
    if (QString(action->text()).remove('&').startsWith("lenet")) entry = action;
  ASSERT_TRUE(entry);
  entry->trigger();
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(used->document.constraints().empty());
  EXPECT_EQ(used->document.strategy(), "none");
}

}  // namespace
}  // namespace loopglass::app

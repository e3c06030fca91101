// Where panes lie: from every workspace, by every road, on screens of every size, and after the
// window was closed and opened again.
#include "app/window/locator.h"
#include "app/window/main_window.h"
#include "tests/views/opened.h"

#include <QLineEdit>
#include <QMenuBar>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolBar>

#include <gtest/gtest.h>

namespace loopglass::app {
namespace {

// A start of the window, from settings that outlive it.
struct Start {
  explicit Start(QSettings& settings, QSize size = {1600, 1000})
      : document(passes::toolchain()), window(&document, &settings) {
    if (!window.restoreGeometry(settings.value("geometry").toByteArray())) window.resize(size);
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
    window.workspaces().use(window.workspaces().last_used());
    settle();
  }
  ~Start() {
    window.close();
    EXPECT_TRUE(views::settled(document));
  }
  static void settle() {
    for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
  }

  views::Document document;
  MainWindow window;
};

// In its place and not behind another tab: of those, Qt moves the docks out of the window.
bool is_on_top(const MainWindow& window, const QDockWidget& dock) {
  return dock.isVisible() && window.rect().contains(dock.geometry());
}

std::string named(const QWidget& widget) { return widget.objectName().toStdString(); }

// What is wrong with how the panes lie; empty: nothing.
std::string fault(MainWindow& window) {
  std::vector<QWidget*> shown{window.menuBar(), window.findChild<QToolBar*>("toolBar"),
                              window.centralWidget()};
  for (const Pane& pane : window.panes().all()) {
    if (window.dockWidgetArea(pane.dock) == Qt::NoDockWidgetArea)
      return named(*pane.dock) + " has no place";
    if (pane.dock->isFloating()) return named(*pane.dock) + " floats";
    if (is_on_top(window, *pane.dock)) shown.push_back(pane.dock);
  }
  for (std::size_t i = 0; i < shown.size(); ++i)
    for (std::size_t j = i + 1; j < shown.size(); ++j)
      if (shown[i]->geometry().intersects(shown[j]->geometry()))
        return named(*shown[j]) + " lies over " + named(*shown[i]);
  return {};
}

// Each pane's name with its rectangle, of those that are on top.
std::map<std::string, QRect> places(MainWindow& window) {
  std::map<std::string, QRect> places;
  for (const Pane& pane : window.panes().all())
    if (is_on_top(window, *pane.dock)) places[named(*pane.dock)] = pane.dock->geometry();
  return places;
}

class PanesTest : public testing::Test {
 protected:
  PanesTest() : settings(folder.filePath("settings.ini"), QSettings::IniFormat) {}
  QTemporaryDir folder;
  QSettings settings;
};

TEST_F(PanesTest, ThePlacesAreTheSameAfterQuittingAndStartingAgain) {
  std::map<std::string, std::map<std::string, QRect>> before;
  {
    Start first(settings);
    for (const Workspace& workspace : all_workspaces()) {
      first.window.workspaces().use(workspace.name);
      Start::settle();
      ASSERT_EQ(fault(first.window), "") << workspace.name.toStdString();
      before[workspace.name.toStdString()] = places(first.window);
    }
    first.window.workspaces().use("passes");
  }
  for (int start = 2; start <= 3; ++start) {
    Start again(settings);
    EXPECT_EQ(again.window.size(), QSize(1600, 1000));
    EXPECT_EQ(again.window.workspaces().current(), "passes");
    EXPECT_EQ(fault(again.window), "") << "start " << start;
    for (const Workspace& workspace : all_workspaces()) {
      again.window.workspaces().use(workspace.name);
      Start::settle();
      EXPECT_EQ(fault(again.window), "") << workspace.name.toStdString() << ", start " << start;
      EXPECT_EQ(places(again.window), before[workspace.name.toStdString()])
          << workspace.name.toStdString() << ", start " << start;
    }
    again.window.workspaces().use("passes");
  }
}

// What is on the disk a moment later is all that is left of a window that is killed.
TEST_F(PanesTest, ThePlacesAreKeptWithoutQuitting) {
  const QString file = folder.filePath("settings.ini"), copy = folder.filePath("killed.ini");
  std::map<std::string, QRect> before;
  Start first(settings);
  first.window.resize(1500, 900);
  Start::settle();
  // As one who drags the line beside it.
  first.window.resizeDocks({first.window.panes().dock(PaneId::Timeline)}, {300}, Qt::Horizontal);
  QTest::mouseRelease(&first.window, Qt::LeftButton);
  first.window.panes().focus(PaneId::Pipeline);  // a tab comes to the front
  Start::settle();
  before = places(first.window);
  ASSERT_FALSE(before.contains("Timeline")) << "it is behind";
  const auto is_kept = [&] {
    QFile::remove(copy);
    QFile::copy(file, copy);
    const QSettings kept(copy, QSettings::IniFormat);
    return kept.contains("geometry") && kept.contains("workspaces/explore");
  };
  ASSERT_FALSE(is_kept());
  ASSERT_TRUE(views::eventually(is_kept));
  QSettings killed(copy, QSettings::IniFormat);
  Start again(killed);
  EXPECT_EQ(again.window.size(), QSize(1500, 900));
  EXPECT_EQ(places(again.window), before);
}

TEST_F(PanesTest, AWindowMadeSmallAndLargeAgainGivesPanesTheirRoomBack) {
  const auto heights = [](MainWindow& window) {
    std::vector<int> heights;
    for (const PaneId id : {PaneId::Fusion, PaneId::Dominators})
      heights.push_back(window.panes().dock(id)->height());
    return heights;
  };
  std::vector<int> before;
  {
    Start start(settings);
    start.window.workspaces().use("fusion");
    Start::settle();
    before = heights(start.window);
    start.window.resize(700, 480);
    Start::settle();
    EXPECT_LT(heights(start.window)[0], before[0] / 2);
    start.window.resize(1600, 1000);
    Start::settle();
    EXPECT_EQ(heights(start.window), before);
    start.window.resize(700, 480);
    Start::settle();
  }
  // Also where it was left small.
  Start again(settings);
  again.window.resize(1600, 1000);
  Start::settle();
  EXPECT_EQ(heights(again.window), before);
}

TEST_F(PanesTest, EveryPaneOpensInItsPlaceFromEveryWorkspace) {
  Start start(settings);
  for (const Workspace& workspace : all_workspaces()) {
    for (const Pane& pane : start.window.panes().all()) {
      start.window.workspaces().use(workspace.name);
      start.window.workspaces().restore_default();
      Start::settle();
      start.window.panes().focus(pane.id);
      Start::settle();
      const std::string where = named(*pane.dock) + " in " + workspace.name.toStdString();
      EXPECT_EQ(fault(start.window), "") << where;
      EXPECT_TRUE(is_on_top(start.window, *pane.dock)) << where;
      EXPECT_EQ(start.window.size(), QSize(1600, 1000)) << where;
      pane.dock->toggleViewAction()->trigger();
      Start::settle();
      EXPECT_EQ(fault(start.window), "") << where << ", closed";
      pane.dock->toggleViewAction()->trigger();
      Start::settle();
      EXPECT_EQ(fault(start.window), "") << where << ", opened from the menu";
    }
  }
}

// The keys that open a pane, and the locator.
TEST_F(PanesTest, PanesOpenByKeys) {
  Start start(settings);
  const std::vector<std::tuple<QKeyCombination, PaneId>> keys = {
      {Qt::Key_F5, PaneId::Benchmark},
      {Qt::CTRL | Qt::Key_D, PaneId::Difference},
      {Qt::CTRL | Qt::Key_6, PaneId::Llvm},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_P, PaneId::Pipeline},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_B, PaneId::Breakpoints}};
  for (const Workspace& workspace : all_workspaces())
    for (const auto& [key, pane] : keys) {
      start.window.workspaces().use(workspace.name);
      start.window.workspaces().restore_default();
      QTest::keyClick(&start.window, key.key(), key.keyboardModifiers());
      Start::settle();
      const std::string where =
          named(*start.window.panes().dock(pane)) + " in " + workspace.name.toStdString();
      EXPECT_TRUE(is_on_top(start.window, *start.window.panes().dock(pane))) << where;
      EXPECT_EQ(fault(start.window), "") << where;
    }
  start.window.open_locator();
  auto* field = start.window.findChild<Locator*>()->findChild<QLineEdit*>();
  QTest::keyClicks(field, "assembly");
  QTest::keyClick(field, Qt::Key_Return);
  Start::settle();
  EXPECT_TRUE(is_on_top(start.window, *start.window.panes().dock(PaneId::Assembly)));
}

// What one pane hides in a workspace, or opens there, is as it was left.
TEST_F(PanesTest, APaneThatWasOpenedIsThereAfterTheNextStart) {
  {
    Start first(settings);
    first.window.workspaces().use("explore");
    first.window.panes().focus(PaneId::Benchmark);
    first.window.panes().dock(PaneId::Inspector)->hide();
    Start::settle();
  }
  Start again(settings);
  EXPECT_TRUE(is_on_top(again.window, *again.window.panes().dock(PaneId::Benchmark)));
  EXPECT_FALSE(again.window.panes().dock(PaneId::Inspector)->isVisible());
  EXPECT_EQ(fault(again.window), "");
}

class ScreenTest : public PanesTest, public testing::WithParamInterface<QSize> {};

TEST_P(ScreenTest, TheWindowKeepsItsSizeInEveryWorkspaceWithEveryPane) {
  Start start(settings, GetParam());
  start.window.open("mlp");
  ASSERT_TRUE(views::settled(start.document));
  for (const Workspace& workspace : all_workspaces()) {
    start.window.workspaces().use(workspace.name);
    Start::settle();
    EXPECT_EQ(start.window.size(), GetParam()) << workspace.name.toStdString();
    EXPECT_EQ(fault(start.window), "") << workspace.name.toStdString();
    for (const Pane& pane : start.window.panes().all()) {
      start.window.panes().focus(pane.id);
      Start::settle();
      const std::string where = named(*pane.dock) + " in " + workspace.name.toStdString();
      EXPECT_EQ(start.window.size(), GetParam()) << where;
      EXPECT_EQ(fault(start.window), "") << where;
      EXPECT_TRUE(is_on_top(start.window, *pane.dock)) << where;
    }
    start.window.workspaces().restore_default();
  }
}
INSTANTIATE_TEST_SUITE_P(Screens, ScreenTest,
                         testing::Values(QSize(1280, 720), QSize(1600, 1000), QSize(3840, 2160)));

}  // namespace
}  // namespace loopglass::app

// File > Export in the window: what is shown becomes files, in the background.
#include "app/window/exports.h"
#include "app/window/main_window.h"
#include "tests/views/opened.h"
#include "views/graph/graph_view.h"

#include <QFile>
#include <QImage>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

namespace loopglass::app {
namespace {

class WindowExports : public testing::Test {
 protected:
  WindowExports()
      : settings_(folder_.filePath("settings.ini"), QSettings::IniFormat),
        document_(passes::toolchain()),
        window_(&document_, &settings_) {
    window_.resize(1280, 800);
    window_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window_));
  }

  void open() {
    window_.open("lenet");
    ASSERT_TRUE(views::settled(document_));
    ASSERT_TRUE(document_.fusion().plan());
  }
  // What is in the file once it has been written.
  QByteArray written(const QString& name, void (Exports::*act)(const QString&)) {
    const QString path = folder_.filePath(name);
    const QSignalSpy spy(&window_.exports(), &Exports::written);
    (window_.exports().*act)(path);
    EXPECT_TRUE(views::eventually([&] { return spy.count() == 1; })) << name.toStdString();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QTemporaryDir folder_;
  QSettings settings_;
  views::Document document_;
  MainWindow window_;
};

TEST_F(WindowExports, EverythingBecomesAFile) {
  open();
  const QByteArray graph = written("graph.svg", &Exports::export_graph);
  for (const graph::NodePtr& node : document_.history().graph()->nodes())
    EXPECT_TRUE(graph.contains(node->name.c_str())) << node->name;
  EXPECT_TRUE(written("graph.pdf", &Exports::export_graph).startsWith("%PDF"));
  EXPECT_TRUE(written("tree.svg", &Exports::export_dominators).contains("all inputs"));
  EXPECT_TRUE(written("memory.svg", &Exports::export_memory).contains("lower bound"));
  EXPECT_TRUE(written("page.html", &Exports::export_page).contains("LeNet"));
  document_.benchmark().start(1, 3);
  ASSERT_TRUE(views::settled(document_));
  EXPECT_TRUE(written("rounds.svg", &Exports::export_rounds).contains("median so far"));
}

// The graph as it is shown: another step, without the verdicts that belong to the last.
TEST_F(WindowExports, TheGraphIsThatOfTheWindow) {
  open();
  const QByteArray last = written("last.svg", &Exports::export_graph);
  EXPECT_TRUE(last.contains("SECOND_ANCHOR"));
  document_.history().set_step(0);
  ASSERT_TRUE(views::settled(document_));
  const QByteArray first = written("first.svg", &Exports::export_graph);
  EXPECT_FALSE(first.contains("SECOND_ANCHOR"));
  EXPECT_TRUE(first.contains("step 0"));
  // Light, while the window is dark.
  EXPECT_TRUE(first.contains("#ffffff"));
  EXPECT_FALSE(first.contains(views::theme().surface.name().toLatin1()));
}

// Colours say nothing without their scale.
TEST_F(WindowExports, ColoursComeWithTheirScale) {
  open();
  views::GraphView& graph = *window_.panes().graph();
  const QByteArray title = views::measure_name(views::Measure::Bytes).toUtf8();
  EXPECT_FALSE(written("plain.svg", &Exports::export_graph).contains(title));
  auto switches = graph.switches();
  switches.colors = views::measure_key(views::Measure::Bytes);
  graph.set_switches(switches);
  ASSERT_TRUE(views::settled(document_));
  const QByteArray coloured = written("coloured.svg", &Exports::export_graph);
  EXPECT_TRUE(coloured.contains(title));
  EXPECT_TRUE(coloured.contains(
      views::scale_text(views::Measure::Bytes, graph.greatest_heat(), 1).toUtf8()));
}

TEST_F(WindowExports, WhatCannotBeWrittenIsToldInTheWindow) {
  open();
  std::vector<Code> told;
  QObject::connect(&window_, &MainWindow::told, &window_,
                   [&](const Diagnostic& problem) { told.push_back(problem.code); });
  window_.exports().export_graph(folder_.filePath("no/such/folder/graph.svg"));
  ASSERT_TRUE(views::settled(document_));
  window_.exports().export_graph(folder_.filePath("graph.txt"));
  window_.exports().export_page(folder_.filePath("page.svg"));
  EXPECT_EQ(told, (std::vector{Code::ExportUnwritable, Code::ExportFormUnknown,
                               Code::ExportFormUnknown}));
}

// A file of two plans would say what never was.
TEST_F(WindowExports, WhatIsChangedMeanwhileIsNotWritten) {
  open();
  std::vector<Code> told;
  QObject::connect(&window_, &MainWindow::told, &window_,
                   [&](const Diagnostic& problem) { told.push_back(problem.code); });
  const QString path = folder_.filePath("page.html");
  window_.exports().export_page(path);
  document_.set_strategy("none");
  ASSERT_TRUE(views::settled(document_));
  EXPECT_EQ(told, std::vector{Code::Cancelled});
  EXPECT_FALSE(QFile::exists(path));
}

TEST_F(WindowExports, ViewsBecomePictures) {
  open();
  const QString path = folder_.filePath("graph.png");
  window_.exports().export_view(window_.panes().graph(), path);
  EXPECT_EQ(QImage(path).size(), window_.panes().graph()->size() * window_.devicePixelRatio());
  QMenu* menu = window_.exports().make_menu();
  EXPECT_GE(menu->actions().size(), 8);
  delete menu;
}

}  // namespace
}  // namespace loopglass::app

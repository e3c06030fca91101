// A window that keeps sessions in a folder of its own.
#pragma once

#include "app/common/kept_sessions.h"
#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "tests/views/opened.h"
#include "views/canvas/graph_canvas.h"
#include "views/document/debugger.h"
#include "views/graph/graph_view.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

#include <filesystem>

namespace loopglass::app {

struct SessionWindow {
  explicit SessionWindow(const QString& folder, SessionOptions options = {})
      : settings(folder + "/settings.ini", QSettings::IniFormat),
        document(passes::toolchain(), std::move(options)),
        window(&document, &settings) {
    window.resize(1280, 800);
    window.show();
    window.workspaces().use("explore");
    QObject::connect(&window, &MainWindow::told, &window,
                     [this](const Diagnostic& problem) { told.push_back(problem); });
    window.sessions().keep();
  }
  SessionKeeper& sessions() { return window.sessions(); }
  bool settled() { return views::settled(document); }
  QToolButton& follow() { return *window.findChild<QToolButton*>("followButton"); }

  QSettings settings;
  views::Document document;
  MainWindow window;
  std::vector<Diagnostic> told;
};

class WithSessions : public testing::Test {
 protected:
  WithSessions() { qputenv("LOOPGLASS_STATE", state().toUtf8()); }
  ~WithSessions() override {
    std::filesystem::permissions(state().toStdString(), std::filesystem::perms::owner_all,
                                 std::filesystem::perm_options::add, error_);
    qunsetenv("LOOPGLASS_STATE");
  }
  QString state() const { return folder_.filePath("state"); }
  std::unique_ptr<SessionWindow> window(SessionOptions options = {}) {
    return std::make_unique<SessionWindow>(folder_.path(), std::move(options));
  }
  // Of LeNet: an edge, a breakpoint, a place inside a pass, something selected, a camera.
  static void work(SessionWindow& used) {
    used.window.open("lenet");
    ASSERT_TRUE(used.settled());
    const auto edge = fusion::find_edge(*used.document.history().last_graph(), "conv1:relu1");
    ASSERT_TRUE(edge);
    used.document.set_strategy("none");
    ASSERT_TRUE(used.settled());
    used.document.set_constraints({{*edge}, {}});
    ASSERT_TRUE(used.settled());
    ASSERT_TRUE(used.document.debugger().add(pass::parse_breakpoint("remove op=Relu").value()));
    used.document.history().set_walks_changes_only(true);
    used.follow().setChecked(false);
    used.document.fusion().set_guessing(true);
    used.document.fusion().reveal(*edge);
    used.document.fusion().count_guess(true);
    used.document.history().set_step(0);
    ASSERT_TRUE(used.settled());
    used.document.selection().select_node(used.document.history().graph()->find_node("conv2")->id);
    used.window.panes().graph()->canvas()->look_at({40, 200}, 1.5);
    ASSERT_TRUE(used.settled());
  }

  std::error_code error_;
  QTemporaryDir folder_;
};

}  // namespace loopglass::app

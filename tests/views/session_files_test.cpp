// Sessions in files: saved by hand, written by other windows, of models that have changed since;
// and what is kept of shapes, bookmarks and plans that were refused.
#include "app/window/session_keeper.h"

#include "app/common/kept_sessions.h"
#include "app/window/main_window.h"
#include "tests/views/opened.h"
#include "tests/views/session_window.h"
#include "views/document/debugger.h"
#include "views/graph/graph_view.h"

#include <QMessageBox>
#include <QTimer>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace loopglass::app {
namespace {

namespace fs = std::filesystem;

using SessionFilesTest = WithSessions;

TEST_F(SessionFilesTest, AFileSavedByHandOpensAndStaysItsOwn) {
  const QString file = folder_.filePath("work.loopglass");
  auto first = window();
  work(*first);
  ASSERT_TRUE(write_session(file.toStdString(), first->sessions().session().value()));
  first.reset();
  auto second = window();
  second->window.open_and_ask(file);
  ASSERT_TRUE(second->settled());
  EXPECT_EQ(second->sessions().file(), file);
  EXPECT_EQ(second->document.strategy(), "none");
  EXPECT_TRUE(second->window.windowTitle().contains("work.loopglass"));
  EXPECT_EQ(second->window.recent_models().all().front().model, file);
  const auto before = read_session(file.toStdString()).value();
  second->document.history().set_step(1);
  second->sessions().flush();
  EXPECT_EQ(read_session(file.toStdString()).value(), before) << "it is written by hand only";
  second->sessions().save();
  EXPECT_NE(read_session(file.toStdString()).value().place.at, before.place.at);
}

TEST_F(SessionFilesTest, WhatAnotherWindowWroteIsNotOverwrittenUnasked) {
  const QString file = folder_.filePath("shared.loopglass");
  std::ofstream(file.toStdString()) << R"({"loopglass_session": 4, "model": "lenet"})";
  auto used = window();
  used->window.open(file);
  ASSERT_TRUE(used->settled());
  used->sessions().save();
  const auto ours = read_session(file.toStdString()).value();
  SavedSession theirs = ours;
  theirs.asked.request.strategy = "dp";
  ASSERT_TRUE(write_session(file.toStdString(), theirs));
  fs::last_write_time(file.toStdString(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  const auto answer = [&](QMessageBox::StandardButton button) {
    QTimer::singleShot(0, [button] {
      auto* asks = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_TRUE(asks);
      asks->button(button)->click();
    });
    used->sessions().save();
    return read_session(file.toStdString()).value().asked.request.strategy;
  };
  EXPECT_EQ(answer(QMessageBox::Cancel), "dp");
  EXPECT_EQ(answer(QMessageBox::Save), ours.asked.request.strategy);
  used->sessions().save();  // asks nobody
}

TEST_F(SessionFilesTest, WhatDoesNotOpenLeavesWhatIsOpen) {
  auto used = window();
  work(*used);
  const auto model = used->document.model();
  const std::string folder = folder_.path().toStdString();
  std::ofstream(folder + "/cut.loopglass") << R"({"loopglass_session": 1,)";
  std::ofstream(folder + "/gone.loopglass")
      << R"({"loopglass_session": 1, "model": "/gone/model.onnx"})";
  std::ofstream(folder + "/newer.loopglass") << R"({"loopglass_session": 9})";
  std::size_t told = 0;
  for (const char* name :
       {"/cut.loopglass", "/gone.loopglass", "/newer.loopglass", "/none.loopglass"}) {
    used->window.open(folder_.path() + name);
    ASSERT_TRUE(used->settled());
    EXPECT_EQ(used->document.model(), model) << name;
    ASSERT_EQ(used->told.size(), ++told) << name;
    EXPECT_FALSE(used->told.back().where.empty()) << name;
  }
  EXPECT_EQ(used->document.constraints().forced.size(), 1u);
}

// A model that has changed: the edits that still fit are made, each of the others is named, and so
// is a shape that is none of the model's.
TEST_F(SessionFilesTest, OfEditsAndShapesWhatDoesNotFitIsNamed) {
  const QString file = folder_.filePath("odd.loopglass");
  std::ofstream(file.toStdString())
      << R"({"loopglass_session": 4, "model": "lenet", "strategy": "manual",
    "shapes": [{"input": "gone", "shape": [1, 2]}],
    "edits": {"base": "none", "edits": ["merge conv1, relu1", "split relu9"]},
    "view": {"marks": ["op=("], "colors": "heat"}})";
  auto used = window();
  used->window.open(file);
  ASSERT_TRUE(used->settled());
  ASSERT_TRUE(used->document.fusion().plan());
  EXPECT_EQ(used->document.strategy(), "manual");
  EXPECT_EQ(used->document.edits().edits.size(), 1u);
  ASSERT_EQ(used->told.size(), 1u);
  const std::string what = used->told.front().what;
  EXPECT_TRUE(what.starts_with("4 of what the session asks for are left out")) << what;
  for (const char* named : {"gone", "split relu9", "heat"})
    EXPECT_NE(what.find(named), std::string::npos) << named << ": " << what;
}

// What of a session does not fit is told, and the rest is there.
TEST_F(SessionFilesTest, WhatDoesNotFitTheModelIsLeftOut) {
  const QString file = folder_.filePath("odd.loopglass");
  std::ofstream(file.toStdString())
      << R"({"loopglass_session": 1, "model": "lenet", "strategy": "magic",
    "force": ["conv1:relu1", "conv9:relu9"], "place": {"at": "nothing:3", "selected": {"what": "operators", "names": ["who"]}},
    "breakpoints": [{"break": "remove op=Relu"}], "bookmarks": [{"name": "b", "at": "gone"}], "kernel": {"name": "none"}})";
  auto used = window();
  used->window.open(file);
  ASSERT_TRUE(used->settled());
  ASSERT_EQ(used->told.size(), 1u);
  EXPECT_TRUE(used->told.front().what.starts_with("3 of what the session asks for are left out"));
  EXPECT_TRUE(used->document.fusion().plan());
  EXPECT_EQ(used->document.constraints().forced.size(), 1u);
  EXPECT_EQ(used->document.debugger().breakpoints().size(), 1u);
  used->sessions().go_to(used->document.asked().bookmarks.front());
  EXPECT_EQ(used->told.size(), 2u) << "there is no such place";
}

TEST_F(SessionFilesTest, AFolderThatCannotBeWrittenIsToldOfOnce) {
  std::ofstream(state().toStdString()) << "a file where the folder should be";
  auto used = window();
  work(*used);
  used->sessions().flush();
  used->document.history().set_step(1);
  used->sessions().flush();
  ASSERT_EQ(used->told.size(), 1u);
  EXPECT_EQ(used->told.front().code, Code::SessionUnwritable);
  fs::remove(state().toStdString());
  used->document.history().set_step(0);
  used->sessions().flush();
  EXPECT_EQ(kept_sessions().size(), 1u) << "it goes on when it can";
}

// File > Input Shapes: the same model, for other extents.
TEST_F(SessionFilesTest, OtherShapesKeepWhatWasAsked) {
  auto used = window();
  work(*used);
  used->sessions().add_bookmark();
  const auto constraints = used->document.constraints();
  ASSERT_FALSE(constraints.forced.empty());
  const void* model = used->document.model().get();
  used->sessions().open_bound(used->document.source().inputs);
  ASSERT_TRUE(QTest::qWaitFor([&] { return used->document.model().get() != model; }));
  ASSERT_TRUE(used->settled());
  EXPECT_EQ(used->document.constraints(), constraints);
  EXPECT_EQ(used->document.asked().bookmarks.size(), 1u);
  EXPECT_FALSE(used->document.undo_words() == decltype(used->document.undo_words()){});
}

TEST_F(SessionFilesTest, BookmarksLeadBackAndAreUndone) {
  auto used = window();
  work(*used);
  used->sessions().add_bookmark();
  ASSERT_EQ(used->document.asked().bookmarks.size(), 1u);
  const Bookmark bookmark = used->document.asked().bookmarks.front();
  EXPECT_EQ(bookmark.name, "input, conv2");
  EXPECT_EQ(used->document.undo_words(), "bookmark input, conv2");
  used->sessions().add_bookmark();
  EXPECT_EQ(used->document.asked().bookmarks.back().name, "input, conv2 (2)");

  used->document.history().walk(views::Walk::End);
  used->document.selection().clear();
  used->window.panes().graph()->fit();
  ASSERT_TRUE(used->settled());
  used->sessions().go_to(bookmark);
  ASSERT_TRUE(used->settled());
  EXPECT_EQ(used->document.history().step(), 0u);
  const Place here = used->sessions().session()->place;
  EXPECT_EQ(here.selected, bookmark.place.selected);
  EXPECT_NEAR(here.camera->zoom, bookmark.place.camera->zoom, 1e-6);
  EXPECT_EQ(here.camera->box, bookmark.place.camera->box);

  used->document.undo();
  used->document.undo();
  EXPECT_TRUE(used->document.asked().bookmarks.empty());
  used->document.redo();
  EXPECT_EQ(used->document.asked().bookmarks.size(), 1u);
}

// A plan that is refused takes back what was asked of it, and not what was done meanwhile.
TEST_F(SessionFilesTest, ARefusedPlanLeavesBreakpoints) {
  auto used = window();
  work(*used);
  const auto edge = *used->document.constraints().forced.begin();
  used->document.set_constraints({{edge}, {edge}});
  ASSERT_TRUE(used->document.debugger().add(pass::parse_breakpoint("create op=Conv").value()));
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.plan_refusal());
  EXPECT_EQ(used->document.constraints(), (fusion::Constraints{{edge}, {}}));
  EXPECT_EQ(used->document.debugger().breakpoints().size(), 2u);
}

}  // namespace
}  // namespace loopglass::app

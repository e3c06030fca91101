// Sessions of a window: kept by itself, a moment after whatever a person does, so that a window
// that is killed comes up again as it was; and saved by hand, to a file NAME.loopglass.
//
// What is kept by itself lies in a file of the window's own (app/common/kept_sessions.h), one for
// each model that is opened in it. A file that cannot be written is told of once, and written with
// the next change.
#pragma once

#include "app/common/kept_sessions.h"
#include "app/window/places.h"

#include <QDateTime>
#include <QThreadPool>
#include <QTimer>

namespace loopglass::app {

class MainWindow;

class SessionKeeper : public QObject {
  Q_OBJECT

 public:
  SessionKeeper(MainWindow* window, Places* places);
  ~SessionKeeper() override;  // writes what is not written yet

  // What somebody says beside the name of a session.
  struct Instead {
    onnx::InputBindings inputs;
    std::string strategy;
  };
  // Opens a file, one that was kept or one that was saved by hand. One that is kept and in use by
  // another window is opened beside it, under a name of its own.
  void open(const QString& file, const Instead& instead = {});
  // Keeps what is done from now on.
  void keep();
  // Opens the session that was open when the last window went, unless another window lives; whether
  // there is one. Called before anything else is open.
  bool restore();
  // The model that is open, with its inputs bound so: what was asked of it goes on.
  void open_bound(onnx::InputBindings inputs);
  // A model is opened otherwise.
  void forget_opening();

  bool can_save() const;
  // To the file it was saved to or opened from; where there is none, asks.
  void save();
  void save_as();
  QString file() const { return file_; }  // saved by hand; empty: none
  // Writes what is not written yet, and waits for it.
  void flush();

  // Bookmarks of the model that is open.
  void add_bookmark();
  void go_to(const Bookmark& bookmark);

  // What there is to be kept now; nullopt: nothing is open.
  std::optional<SavedSession> session() const;

 signals:
  void fileChanged();

 private:
  // A session on its way into the window.
  struct Opening {
    std::shared_ptr<const SavedSession> session;
    QString file;                     // saved by hand
    std::optional<HeldSession> held;  // kept by itself
    bool goes_on = false;             // the one that is open goes on, in another of its graphs
  };

  void begin_opening(Opening opening);
  void follow_model();
  void notice_leaving();
  // A graph of the model that was open before, as it was left.
  std::shared_ptr<const SavedSession> recall(const views::ModelSource& source);
  void keep_what_is_left(bool is_resumed);
  void return_to_place();
  SavedSession with_others(SavedSession session) const;
  void end_held();
  void changed();
  void write_kept();
  void told_written(const std::optional<Diagnostic>& problem);

  // As it was left (session_keeper_resume.cpp).
  void resume(const SavedSession& session, const std::vector<Diagnostic>& problems);
  void tell_of(const SavedSession& session, const std::vector<Diagnostic>& problems);
  void tell_of_earlier(const SavedSession* left);

  // By hand (session_keeper_save.cpp).
  bool write_to(const QString& file);
  bool may_overwrite();

  static constexpr int note_shown_ms = 8000;  // below the window

  MainWindow* window_;
  views::Document* document_;
  Places* places_;
  QTimer timer_;
  QThreadPool writer_;  // of one thread: what is newer is written later
  bool keeps_ = false;
  std::optional<Opening> opening_;
  bool resuming_ = false;  // what is open is not yet as it was left
  const void* model_ = nullptr;
  // Of the model's graphs, by their paths: as they were left for another of them.
  std::map<std::string, SavedGraph> left_;
  std::optional<SavedSession> leaving_;
  std::optional<SavedGraph> returning_;
  bool opens_ = false;  // something is being opened
  std::optional<HeldSession> held_;
  std::optional<SavedSession> kept_;  // as it was written last
  QString file_;
  QDateTime file_written_;  // as it was when we read or wrote it
  bool unwritten_ = false;
  std::string problem_;  // that was told
};

}  // namespace loopglass::app

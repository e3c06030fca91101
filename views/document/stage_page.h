// A pane's content while its stage is ready; otherwise a sentence that says why there is nothing to
// see: no model yet, still working, or what went wrong and what to do about it.
#pragma once

#include "views/document/document.h"

#include <QLabel>
#include <QPointer>
#include <QStackedWidget>

class QScrollArea;

namespace loopglass::views {

class StagePage : public QStackedWidget {
  Q_OBJECT

 public:
  // `empty` is shown when the stage has not been asked for.
  StagePage(Document* document, Stage stage, QWidget* content, QString empty,
            QWidget* parent = nullptr);
  // The content tells what is fused: somebody who guesses at that does not see it.
  void hide_while_guessing();

 private:
  // What is wrong with a file the window says where one opens files: panes just have no model.
  StageState state() const;
  void show_state();
  void give_keyboard_back();

  Document* document_;
  Stage stage_;
  QString empty_;
  bool tells_what_is_fused_ = false;
  bool is_working_ = false;
  QLabel* message_;
  QScrollArea* scroll_;             // around the message
  QPointer<QWidget> had_keyboard_;  // when the content went
};

}  // namespace loopglass::views

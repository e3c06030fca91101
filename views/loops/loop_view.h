// The loop nest of the selected kernel, from the tensor expressions through every schedule
// primitive and lowering pass to what LLVM is given, with the schedule script beside it to be
// written. A click with the right button on a loop, block or buffer asks for what can be done to
// it; dragging a loop or block onto a loop does it.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopglass::views {

class CodePane;
class LoopDrag;
class ScriptEditor;
class StepChooser;

class LoopView : public QWidget {
  Q_OBJECT

 public:
  explicit LoopView(Document* document, QWidget* parent = nullptr);

  void find();
  CodePane* code() const { return code_; }
  ScriptEditor* script() const { return script_; }
  void open_script();
  // Whether what is shown is of a script that is not in use.
  bool shows_draft() const { return preview_.has_value(); }

 signals:
  void draftShown();  // or not any more

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_tools();
  void show_kernel();
  void show_step();
  void mark_changes();
  void show_bands_and_notes();
  void show_selection();
  void show_preview();  // of a script that is not in use yet
  // In the place of the step that is shown, and what is new in it to what is shown before it.
  void preview(const loop::Func& nest, const loop::Listing& before, const QString& words);
  // The loop, block or buffer that a line (from 1) introduces; empty: none.
  std::string entity_of(int line) const;
  // The line of the script that what is offered follows: the last that leads to what is shown.
  int line_shown() const;
  void insert(const QString& line, int behind);
  void open_menu(int line, const QPoint& place);

  Document* document_;
  StepChooser* steps_;
  CodePane* code_;
  ScriptEditor* script_;
  QLabel* detail_;
  QToolButton* show_script_;
  fusion::GroupId shown_group_;
  std::optional<loop::Listing> preview_;  // what stands in the place of the step
  bool clicking_ = false;
  bool chose_script_ = false;  // somebody said whether the script is to be seen
};

}  // namespace loopglass::views

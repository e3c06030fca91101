// The loop nest of the selected kernel, from the tensor expressions through every schedule
// primitive and lowering pass to what LLVM is given, with the schedule script beside it.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopglass::views {

class CodePane;
class StepChooser;

class LoopView : public QWidget {
  Q_OBJECT

 public:
  explicit LoopView(Document* document, QWidget* parent = nullptr);

  void find();
  CodePane* code() const { return code_; }
  CodePane* script() const { return script_; }

 private:
  QWidget* make_tools();
  void show_kernel();
  void show_step();
  void mark_changes();
  void show_bands();
  void show_selection();
  void show_script_line();

  Document* document_;
  StepChooser* steps_;
  CodePane *code_, *script_;
  QLabel* detail_;
  QToolButton* show_script_;
  fusion::GroupId shown_group_;
  std::vector<std::size_t> step_of_script_line_;  // the loop step a line leads to
  bool clicking_ = false;
};

}  // namespace loopglass::views

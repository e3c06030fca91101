// The LLVM IR of the selected kernel, and in the end its machine instructions, after each recorded
// LLVM pass. Lines that came from one line of the loop nest share its colour.
#pragma once

#include "views/code/hot_line.h"
#include "views/document/document.h"

#include <QWidget>

class QLabel;

namespace loopglass::views {

class CodePane;
class StepChooser;

class LlvmView : public QWidget {
  Q_OBJECT

 public:
  explicit LlvmView(Document* document, QWidget* parent = nullptr);

  void find();
  CodePane* code() const { return code_; }

 private:
  void show_steps();
  void show_step();
  void mark_changes();
  void show_selection();

  Document* document_;
  StepChooser* steps_;
  CodePane* code_;
  QLabel* summary_;
  fusion::GroupId shown_group_;
  Opening opening_;
  bool clicking_ = false;
  // What was selected when its lines were brought into view last.
  std::optional<Selected> followed_;
};

}  // namespace loopglass::views

// The machine code of the selected kernel. Lines that came from one line of the loop nest share its
// colour.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;

namespace loopglass::views {

class CodePane;

class AssemblyView : public QWidget {
  Q_OBJECT

 public:
  explicit AssemblyView(Document* document, QWidget* parent = nullptr);

  void find();
  CodePane* code() const { return code_; }

 private:
  void show_code();
  void show_selection();

  Document* document_;
  CodePane* code_;
  QLabel* summary_;
  bool clicking_ = false;
  // What was selected when its lines were brought into view last.
  std::optional<Selected> followed_;
};

// Instructions of a listing: not labels, directives or comments.
struct InstructionCount {
  int all = 0, vector = 0;  // vector: those that name a vector register
};
InstructionCount count_instructions(const std::vector<codegen::SourceLine>& lines);

}  // namespace loopglass::views

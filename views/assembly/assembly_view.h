// The machine code of the selected kernel. Lines that came from one line of the loop nest share its
// colour; where the kernel has been measured, each has its part of the time beside it.
#pragma once

#include "views/code/hot_line.h"
#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace loopglass::views {

class CodePane;
class CodeTimes;

class AssemblyView : public QWidget {
  Q_OBJECT

 public:
  explicit AssemblyView(Document* document, QWidget* parent = nullptr);

  void find();
  CodePane* code() const { return code_; }
  CodeTimes* times() const { return times_; }

 private:
  void show_code();
  void show_times();
  void show_selection();

  Document* document_;
  CodePane* code_;
  CodeTimes* times_;
  QLabel* summary_;
  QLabel* time_words_;
  QPushButton* measure_;
  Opening opening_;
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

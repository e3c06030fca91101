// The schedule script of the kernel that is shown, to type in. What is typed is checked line by
// line while one types, and comes into use, for all kernels that compute the same, when one says
// so.
#pragma once

#include "core/measure/script_times.h"
#include "core/schedule/script_check.h"
#include "views/document/document.h"

#include <QTimer>
#include <QWidget>

#include <map>
#include <optional>
#include <vector>

class QLabel;
class QToolButton;

namespace loopglass::views {

class CodePane;
class ScriptWords;

class ScriptEditor : public QWidget {
  Q_OBJECT

 public:
  explicit ScriptEditor(Document* document, QWidget* parent = nullptr);

  CodePane* code() const { return code_; }
  // The script of the step shown is marked.
  void show_step();
  // The last of the lines that lead to the loop step; 0: none does.
  int last_line_of(std::size_t step) const;
  // Adds a line behind that one (0: before all), and takes the script into use if it is legal.
  void insert_line(const QString& line, int behind);
  void apply();
  void measure_lines();  // what stands here, each line after the other
  void use_default();
  void switch_line();              // off, or on again
  void load(const QString& path);  // to be typed on
  void save(const QString& path);

  // Whether what stands here is not in use.
  bool is_draft() const { return draft_; }
  // Of a draft, at the line that the caret is in: what its lines up to there make of the nest;
  // null: nothing yet.
  const schedule::ScheduleStep* preview() const;
  int caret_line() const;  // from 1

 signals:
  void previewChanged();

 private:
  QWidget* make_bar();
  void take_keys();
  void show_kernel();
  void edited();
  void check();
  void accept(schedule::CheckedScript checked);
  void show_times();
  void follow_caret(int line);
  void show_problem();
  void show_state();
  QString script_in_use() const;
  std::size_t step_of(int line) const;
  std::vector<int> lines_of(std::size_t step) const;

  Document* document_;
  CodePane* code_;
  ScriptWords* words_;
  QLabel* state_;
  QToolButton *apply_, *default_, *measure_;
  QTimer pause_;  // of who types
  bool filling_ = false, draft_ = false, apply_when_checked_ = false;
  std::string workload_;                            // of the kernel that is shown; empty: none
  std::map<std::string, QString> drafts_;           // of other kernels, by their workloads
  std::optional<schedule::CheckedScript> checked_;  // of what stands here
  std::optional<std::size_t> wanted_step_;          // once what was applied is in use
  struct Times {
    QString script;  // that they are of
    std::vector<measure::LineTime> lines;
  };
  std::map<std::string, Times> times_;  // what was measured last, by workloads
};

}  // namespace loopglass::views

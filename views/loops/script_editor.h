// The schedule script of the kernel that is shown, to type in. What is typed is checked line by
// line while one types, and comes into use, for all kernels that compute the same, when one says
// so.
#pragma once

#include "core/default_schedule/inner_loop.h"
#include "core/script/script_check.h"
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
class LineTimes;
class NumberDrag;
class ScriptWords;
class WitnessPicture;

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
  void complete();       // offers words
  void measure_lines();  // what stands here, each line after the other
  void use_default();
  void switch_line();  // off, or on again
  void enlarge();      // the number at the caret
  void diminish();
  void load(const QString& path);  // to be typed on
  void save(const QString& path);

  // Whether what stands here is not in use.
  bool is_draft() const { return draft_; }
  // Of a draft, at the line that the caret is in: what its lines up to there make of the nest, and
  // the last of them that changes it. No nest: it is not a draft, or not read yet.
  struct Preview {
    const loop::Func* nest = nullptr;
    const loop::Func* before = nullptr;  // that line
    QString line;
  };
  Preview preview() const;
  int caret_line() const;  // from 1

 signals:
  void draftCame();  // another view has written one for the kernel that is shown
  void previewChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_bar();
  void take_keys();
  QString suggested_file() const;  // to save the script in
  void show_kernel();
  void take_draft();
  void edited();
  void check();
  struct Checked {
    schedule::CheckedScript script;
    // What keeps the nest from the machine's peak: before all lines, and after each step.
    std::vector<std::vector<schedule::LimitRemark>> limits;
  };
  void apply_once_checked();  // if it is legal
  void accept(Checked checked);
  void show_limits();
  void follow_caret(int line);
  void show_problem();
  int room_for_letters() const;
  void show_state();
  QString script_in_use() const;
  std::size_t step_of(int line) const;
  std::vector<int> lines_of(std::size_t step) const;

  Document* document_;
  CodePane* code_;
  ScriptWords* words_;
  NumberDrag* number_;
  LineTimes* times_;
  QLabel *state_, *limits_;
  WitnessPicture* witness_;  // of a line that is refused
  QToolButton *apply_, *default_, *measure_;
  QTimer pause_;         // of who types
  int placed_line_ = 0;  // where the caret was put with a text, until somebody moves it
  bool filling_ = false, draft_ = false, apply_when_checked_ = false;
  bool wrote_line_ = false;                       // for somebody whose hand was at the nest
  std::string workload_;                          // of the kernel that is shown; empty: none
  std::map<std::string, QString> drafts_;         // of other kernels, by their workloads
  std::optional<Checked> checked_;                // of what stands here
  std::size_t shown_step_ = 0, shown_steps_ = 0;  // of so many of its schedule
  std::optional<std::size_t> wanted_step_;        // once what was applied is in use
};

}  // namespace loopglass::views

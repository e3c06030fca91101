#include "views/loops/script_editor.h"

#include "core/script/replayer.h"
#include "core/support/whole_file.h"
#include "views/code/code_pane.h"
#include "views/counted.h"
#include "views/document/lanes.h"
#include "views/document/word_help.h"
#include "views/loops/line_times.h"
#include "views/loops/number_drag.h"
#include "views/loops/script_margins.h"
#include "views/loops/script_words.h"
#include "views/loops/witness_picture.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/tool_row.h"
#include "views/widgets/work_page.h"

#include <Qsci/qscicommandset.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>

#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QShortcut>
#include <QStringDecoder>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int pause_ms = 250;
constexpr int letters_before_words_are_offered = 2;

// In lines of so many letters, broken between words where there are some.
QString wrapped(const QString& text, int letters) {
  QStringList lines;
  for (QString line : text.split('\n')) {
    while (line.size() > letters) {
      qsizetype at = line.lastIndexOf(' ', letters);
      if (at <= letters / 2) at = letters;
      lines << line.left(at);
      line = "    " + line.mid(at).trimmed();
    }
    lines << line;
  }
  return lines.join('\n');
}

// Lines that are written below a line that is in view.
void bring_into_view(QsciScintilla& editor, int line, int below) {
  const auto ask = [&](unsigned message, unsigned long value = 0) {
    return static_cast<int>(editor.SendScintilla(message, value));
  };
  const int first = ask(QsciScintilla::SCI_GETFIRSTVISIBLELINE),
            shown = ask(QsciScintilla::SCI_LINESONSCREEN),
            at = ask(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
  const int beyond = at + below + 1 - (first + shown);
  if (at < first || at >= first + shown || beyond <= 0) return;
  editor.SendScintilla(QsciScintilla::SCI_SETFIRSTVISIBLELINE,
                       static_cast<unsigned long>(std::min(at, first + beyond)));
}

}  // namespace

ScriptEditor::ScriptEditor(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      code_(new CodePane(Language::Script)),
      words_(new ScriptWords(code_->lexer())),
      number_(new NumberDrag(document, code_, [this] { apply_once_checked(); })),
      times_(new LineTimes(document, code_, this)),
      state_(new QLabel),
      limits_(new QLabel),
      witness_(new WitnessPicture),
      apply_(new QToolButton),
      default_(new QToolButton),
      measure_(new QToolButton) {
  limits_->setObjectName("scriptLimits");
  limits_->setTextFormat(Qt::PlainText);
  limits_->setWordWrap(true);
  limits_->setMinimumWidth(1);
  limits_->setContentsMargins(6, 3, 6, 3);
  limits_->setForegroundRole(QPalette::PlaceholderText);
  limits_->hide();
  limits_->setToolTip(
      tr("What will keep the innermost loop from the machine's peak, counted from the nest "
         "that is shown, and where lines were measured read from their machine code"));
  code_->set_editable();
  code_->setObjectName("scheduleScript");
  code_->set_helper([document](const QString& word) { return word_help(*document, word); });
  QsciScintilla* editor = code_->editor();
  editor->setAutoCompletionSource(QsciScintilla::AcsAPIs);
  editor->setAutoCompletionThreshold(letters_before_words_are_offered);
  editor->setAutoCompletionCaseSensitivity(true);
  editor->setAutoCompletionReplaceWord(true);
  editor->installEventFilter(this);
  connect(editor, &QsciScintilla::userListActivated, this, [editor](int, const QString& word) {
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    editor->insert(word);
    editor->setCursorPosition(line, column + static_cast<int>(word.size()));
  });
  editor->setAnnotationDisplay(QsciScintilla::AnnotationStandard);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_bar());
  column->addWidget(code_, 1);
  column->addWidget(witness_);
  column->addWidget(limits_);  // below: what comes and goes is not to move the text
  setFocusProxy(code_);
  pause_.setSingleShot(true);
  pause_.setInterval(pause_ms);

  connect(&pause_, &QTimer::timeout, this, &ScriptEditor::check);
  connect(editor, &QsciScintilla::textChanged, this, &ScriptEditor::edited);
  connect(document, &Document::draftsChanged, this, &ScriptEditor::take_draft);
  // Later: the editor says so while it paints, and what follows may change its size.
  connect(
      editor, &QsciScintilla::cursorPositionChanged, this,
      [this] {
        if (caret_line() == placed_line_) return;  // by us, not by a person
        placed_line_ = 0;
        if (code_->editor()->hasFocus()) follow_caret(caret_line());
      },
      Qt::QueuedConnection);
  connect(code_, &CodePane::lineClicked, this, &ScriptEditor::follow_caret);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &ScriptEditor::show_kernel);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    show_problem();
    times_->show(workload_);
    show_state();
  });
  connect(times_, &LineTimes::changed, this, [this] {
    times_->show(workload_);
    show_problem();  // its room is what the times leave
    show_state();
  });
  take_keys();
  pass_on_undo(editor);
  show_kernel();
}

// As it was written, where it was written for this kernel; else with this kernel's names.
QString ScriptEditor::script_in_use() const {
  const auto kernel = document_->kernels().kernel();
  const SavedSchedule* own = document_->own_schedule();
  const auto plan = document_->fusion().plan();
  if (own && plan && own->kernel == plan->group(document_->kernels().group()).name)
    return text(own->script);
  return text(schedule::to_script(kernel->stages->trace));
}

void ScriptEditor::show_kernel() {
  const auto kernel = document_->kernels().kernel();
  setEnabled(kernel != nullptr);
  if (!kernel) return;
  const std::string workload = kernel::workload_of(loop::nameless_form(kernel->stages->initial));
  const bool same = std::exchange(workload_, workload) == workload;
  const QString in_use = script_in_use();
  const auto draft = document_->drafts().find(workload);
  const QString shown = draft == document_->drafts().end() ? in_use : text(draft->second.script);
  draft_ = shown != in_use;
  if (!draft_) document_->drop_draft(workload);
  const bool is_other = shown != code_->text();
  if (is_other) {
    filling_ = true;
    code_->set_text(draft_ ? in_use : shown, !same);
    if (draft_) {  // which undo takes back
      code_->editor()->selectAll();
      code_->editor()->replaceSelectedText(shown);
    }
    filling_ = false;
  }
  words_->offer_names_of({&kernel->stages->initial, &kernel->stages->scheduled()});
  times_->show(workload_);
  check();
  const std::size_t steps = kernel->stages->schedule.size();
  // Whoever stood at a schedule's end stands at the other's.
  if (same && !wanted_step_ && shown_step_ <= shown_steps_)
    wanted_step_ = shown_step_ == shown_steps_ ? steps : std::min(shown_step_, steps);
  if (const auto step = std::exchange(wanted_step_, {})) {
    document_->kernels().set_loop_step(*step);
    // In another text the caret, which the step follows, stands at what is shown of it.
    if (is_other) code_->editor()->setCursorPosition(std::max(0, last_line_of(*step) - 1), 0);
  }
  if (is_other) placed_line_ = caret_line();
  show_step();
}

// What one types is there already.
void ScriptEditor::take_draft() {
  const auto draft = document_->drafts().find(workload_);
  if (filling_ || draft == document_->drafts().end() || text(draft->second.script) == code_->text())
    return;
  show_kernel();
  emit draftCame();
}

void ScriptEditor::edited() {
  if (filling_ || workload_.empty() || !document_->kernels().kernel()) return;
  const QString now = code_->text();
  draft_ = now != script_in_use();
  if (draft_)
    document_->set_draft({document_->fusion().plan()->group(document_->kernels().group()).name,
                          workload_, now.toStdString()});
  else document_->drop_draft(workload_);
  checked_.reset();
  show_step();
  show_state();
  times_->show(workload_);
  pause_.start();
}

void ScriptEditor::check() {
  pause_.stop();
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return;
  document_->jobs().run<Checked>(
      lanes::script, tr("Checking the schedule"),
      [nest = kernel->stages->initial, script = code_->text().toStdString(),
       machine = document_->toolchain().machine](const JobContext& context) -> Result<Checked> {
        Checked checked{TRY(schedule::check_script(nest, script, context.cancellation)),
                        {schedule::limits(nest, machine)}};
        for (const schedule::CheckedScript::Step& step : checked.script.steps)
          checked.limits.push_back(schedule::limits(step.made.func, machine));
        return checked;
      },
      [this, script = code_->text()](Checked checked) {
        if (script == code_->text()) accept(std::move(checked));
      },
      [](const Diagnostic&) {}, this);
}

void ScriptEditor::accept(Checked checked) {
  checked_ = std::move(checked);
  const bool has_problem = checked_->script.problem.has_value();
  const bool applies = std::exchange(apply_when_checked_, false) && !has_problem;
  show_problem();
  show_state();
  // A line that a gesture wrote and that is not in use is taken back where it stands.
  if (std::exchange(wrote_line_, false) && has_problem) code_->editor()->setFocus();
  if (applies) return apply();
  emit previewChanged();
}

// What counting finds in the way of the nest that is shown: of a draft, at the caret's line.
void ScriptEditor::show_limits() {
  if (!checked_) return;  // soon it is known
  const auto& steps = checked_->script.steps;
  const std::size_t step = draft_ ? checked_->script.steps_up_to(caret_line())
                                  : std::min(document_->kernels().loop_step(), steps.size());
  // What was measured knows more than what is counted: where machine code spills.
  const auto* measured =
      times_->limits(workload_, step == 0 ? 0 : checked_->script.steps[step - 1].line);
  QStringList words;
  for (const schedule::LimitRemark& limit : measured ? *measured : checked_->limits[step])
    words << text(limit.text);
  limits_->setVisible(!words.isEmpty());
  QString limits = words.isEmpty() ? QString() : "▲ " + words.join("\n▲ ");
  if (step < steps.size() && !words.isEmpty())
    limits.prepend(step == 0 ? tr("Before all lines:\n")
                             : tr("After line %1:\n").arg(steps[step - 1].line));
  limits_->setText(limits);
}

// What is wrong stands below its line.
void ScriptEditor::show_problem() {
  QsciScintilla* editor = code_->editor();
  editor->clearAnnotations();
  witness_->show_witness(checked_ ? checked_->script.search.witness : std::nullopt);
  if (!checked_ || !checked_->script.problem) return;
  const Diagnostic& problem = *checked_->script.problem;
  QString words = "✕ " + text(code_name(problem.code)) + "  " + text(problem.what);
  if (!problem.hint.empty()) words += "\n  " + text(problem.hint);
  // Two that clash are drawn, and told, below.
  const schedule::Search& search = checked_->script.search;
  if (const std::string found = schedule::search_words(search); !search.witness && !found.empty())
    words += "\n  " + text(found).trimmed();
  const QsciStyle style(problem_style, "problem", theme().error, theme().surface,
                        code_->lexer()->defaultFont());
  words = wrapped(words, room_for_letters());
  const int line =
      std::clamp(checked_->script.problem_line - 1, 0, std::max(0, editor->lines() - 1));
  editor->annotate(line, words, style);
  bring_into_view(*editor, line, static_cast<int>(words.count('\n')) + 1);
}

int ScriptEditor::room_for_letters() const {
  const QsciScintilla* editor = code_->editor();
  int margins = 0;
  for (int margin = 0; margin < editor->margins(); ++margin) margins += editor->marginWidth(margin);
  const int letter = QFontMetrics(code_->lexer()->defaultFont()).horizontalAdvance('m');
  constexpr int least = 12;
  return std::max(least, (editor->viewport()->width() - margins) / std::max(1, letter) - 1);
}

void ScriptEditor::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_problem();
}

void ScriptEditor::apply() {
  if (!document_->kernels().kernel()) return;
  if (!checked_) return apply_once_checked();
  if (checked_->script.problem || !draft_) return;
  wanted_step_ = step_of(caret_line());
  document_->drop_draft(workload_);
  draft_ = false;
  // What is taken back next is that it is in use.
  code_->editor()->SendScintilla(QsciScintilla::SCI_EMPTYUNDOBUFFER);
  document_->set_schedule(code_->text().toStdString());
  show_state();
}

void ScriptEditor::switch_line() {
  QsciScintilla* editor = code_->editor();
  const int line = caret_line() - 1;
  const QString now = editor->text(line);
  const auto is_blank = [](QChar c) { return c.isSpace(); };
  const auto begin = std::find_if_not(now.begin(), now.end(), is_blank) - now.begin();
  const QString off = "// ";
  const bool is_off = now.mid(begin).startsWith("//");
  const qsizetype length = now.mid(begin).startsWith(off) ? off.size() : 2;
  editor->setSelection(line, static_cast<int>(begin), line,
                       static_cast<int>(begin + (is_off ? length : 0)));
  editor->replaceSelectedText(is_off ? QString() : off);
}

void ScriptEditor::measure_lines() { times_->measure(workload_); }

// First what is not in use goes, then what is.
void ScriptEditor::use_default() {
  if (!draft_) return document_->set_schedule({});
  code_->editor()->selectAll();
  code_->editor()->replaceSelectedText(script_in_use());  // can be undone
}

int ScriptEditor::last_line_of(std::size_t step) const {
  int last = 0;
  std::size_t done = 0;
  for (const auto& instruction :
       schedule::begin_script(code_->text().toStdString()).trace.instructions) {
    if (done >= step) break;
    last = instruction.line;
    done += schedule::is_look_up(instruction.primitive) ? 0 : 1;
  }
  return last;
}

void ScriptEditor::insert_line(const QString& line, int behind) {
  QsciScintilla* editor = code_->editor();
  if (behind > 0 && editor->text(behind - 1).trimmed().isEmpty()) --behind;  // in its place
  const bool is_open = behind > 0 && behind >= editor->lines();  // its last line does not end
  editor->insertAt((is_open ? "\n" : "") + line + "\n", behind, 0);
  editor->setCursorPosition(behind, 0);
  wrote_line_ = true;
  apply_once_checked();
}

void ScriptEditor::apply_once_checked() {
  apply_when_checked_ = true;
  check();
}

void ScriptEditor::enlarge() { number_->step(1); }
void ScriptEditor::diminish() { number_->step(-1); }

int ScriptEditor::caret_line() const {
  int line = 0, column = 0;
  code_->editor()->getCursorPosition(&line, &column);
  return line + 1;
}

ScriptEditor::Preview ScriptEditor::preview() const {
  if (!draft_ || !checked_ || !document_->kernels().kernel()) return {};
  const auto& steps = checked_->script.steps;
  const std::size_t made = checked_->script.steps_up_to(caret_line());
  const auto nest_after = [&](std::size_t count) {
    return count == 0 ? &document_->kernels().kernel()->stages->initial
                      : &steps[count - 1].made.func;
  };
  if (made == 0) return {nest_after(0), nest_after(0), {}};
  return {nest_after(made), nest_after(made - 1),
          text(to_script(steps[made - 1].made.instruction))};
}

// What the lines up to this one have made of the nest.
std::size_t ScriptEditor::step_of(int line) const {
  std::size_t step = 0;
  const auto begun = schedule::begin_script(code_->text().toStdString());
  for (const schedule::Instruction& instruction : begun.trace.instructions)
    if (instruction.line <= line && !schedule::is_look_up(instruction.primitive)) ++step;
  return step;
}

std::vector<int> ScriptEditor::lines_of(std::size_t step) const {
  std::vector<int> lines;
  std::size_t done = 0;
  for (const auto& instruction :
       schedule::begin_script(code_->text().toStdString()).trace.instructions) {
    if (done + 1 == step) lines.push_back(instruction.line);
    done += schedule::is_look_up(instruction.primitive) ? 0 : 1;
  }
  return lines;
}

void ScriptEditor::follow_caret(int line) {
  if (filling_ || !document_->kernels().kernel()) return;
  show_limits();
  if (draft_) return emit previewChanged();
  document_->kernels().set_loop_step(
      std::min(step_of(line), document_->kernels().kernel()->stages->schedule.size()));
}

void ScriptEditor::show_step() {
  if (const auto kernel = document_->kernels().kernel(); kernel && !filling_) {
    shown_step_ = document_->kernels().loop_step();
    shown_steps_ = kernel->stages->schedule.size();
  }
  const std::vector<int> lines = document_->kernels().kernel() && !draft_
                                     ? lines_of(document_->kernels().loop_step())
                                     : std::vector<int>();
  code_->set_highlight(lines, lines.empty() ? std::nullopt : std::optional(lines.back()),
                       !code_->editor()->hasFocus());
  show_limits();
}

}  // namespace loopglass::views

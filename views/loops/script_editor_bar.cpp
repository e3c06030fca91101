// What stands above a script: its buttons, with the keys that do the same, what state it is in, and
// files that it comes from and goes to.
#include "core/support/whole_file.h"
#include "views/code/code_pane.h"
#include "views/document/fusion_stage.h"
#include "views/document/kernel_stage.h"
#include "views/loops/line_times.h"
#include "views/loops/script_editor.h"
#include "views/loops/script_words.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/tool_row.h"

#include <Qsci/qscicommandset.h>
#include <Qsci/qsciscintilla.h>

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QShortcut>
#include <QStringDecoder>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopglass::views {

QWidget* ScriptEditor::make_bar() {
  state_->setObjectName("scriptState");
  state_->setTextFormat(Qt::RichText);
  state_->setWordWrap(true);
  state_->setMinimumWidth(1);
  state_->setContentsMargins(6, 0, 6, 3);
  auto* row = new ToolRow;
  const auto add = [&](QToolButton* button, const char* name, const QString& words,
                       const QString& tip, int worth, const auto& act) {
    button->setObjectName(name);
    button->setText(words);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, act);
    row->add(button, worth);
  };
  const QString filter = tr("Schedules (*.schedule *.txt);;All files (*)");
  add(apply_, "applyScript", tr("Apply"),
      tr("Schedule this kernel so, and all that compute the same (Ctrl+Return). It is undone like "
         "anything else, and kept with the session."),
      ToolRow::always, &ScriptEditor::apply);
  add(measure_, "measureLines", tr("Measure Lines"),
      tr("Time the kernel by itself after each line, in turns (bench --per-line); what is not in "
         "use yet, too"),
      3, &ScriptEditor::measure_lines);
  add(default_, "defaultScript", tr("Default"), {}, 2, &ScriptEditor::use_default);
  add(new QToolButton, "loadScript", tr("Load…"),
      tr("Read a script from a file, as --schedule does"), 1, [this, filter] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Load Schedule"), {}, filter);
        if (!path.isEmpty()) load(path);
      });
  add(new QToolButton, "saveScript", tr("Save…"), tr("Write the script to a file, for --schedule"),
      1, [this, filter] {
        QString path =
            QFileDialog::getSaveFileName(this, tr("Save Schedule"), suggested_file(), filter);
        if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty()) path += ".schedule";
        if (!path.isEmpty()) save(path);
      });
  row->add_stretch();
  auto* bar = new QWidget;
  auto* rows = new QVBoxLayout(bar);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(row);
  rows->addWidget(state_);
  return bar;
}

void ScriptEditor::take_keys() {
  QsciCommandSet* commands = code_->editor()->standardCommands();
  for (const PaneKey& row : script_keys())
    for (const QKeyCombination& key : row.keys) {
      const auto bind = [&](QsciCommand::Command moves) {
        if (QsciCommand* command = commands->find(moves)) command->setKey(key.toCombined());
      };
      const auto act = [&](void (ScriptEditor::*method)()) {
        // The editor's own use of the key would come first.
        for (QsciCommand* command : commands->commands()) {
          if (command->key() == key.toCombined()) command->setKey(0);
          if (command->alternateKey() == key.toCombined()) command->setAlternateKey(0);
        }
        auto* shortcut = new QShortcut(QKeySequence(key), this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, method);
      };
      switch (static_cast<ScriptAction>(row.action)) {
        case ScriptAction::Apply: act(&ScriptEditor::apply); break;
        case ScriptAction::Complete: act(&ScriptEditor::complete); break;
        case ScriptAction::Switch: act(&ScriptEditor::switch_line); break;
        case ScriptAction::Up: bind(QsciCommand::MoveSelectedLinesUp); break;
        case ScriptAction::Down: bind(QsciCommand::MoveSelectedLinesDown); break;
        case ScriptAction::Larger: act(&ScriptEditor::enlarge); break;
        case ScriptAction::Smaller: act(&ScriptEditor::diminish); break;
      }
    }
}

void ScriptEditor::show_state() {
  const Theme& t = theme();
  const auto colored = [](const QColor& color, const QString& words) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), words.toHtmlEscaped());
  };
  const bool is_wrong = checked_ && checked_->script.problem;
  const bool is_own = document_->own_schedule() != nullptr;
  show_limits();
  QString words;
  if (is_wrong)
    words = colored(t.error, tr("✕ line %1; %2")
                                 .arg(checked_->script.problem_line)
                                 .arg(draft_ ? tr("not in use") : tr("the default is in use")));
  else if (draft_)
    words = checked_ ? colored(t.warning, tr("● legal, not in use yet (Ctrl+Return)"))
                     : colored(t.muted, tr("● checking…"));
  else words = colored(t.muted, is_own ? tr("Your schedule, in use") : tr("The default schedule"));
  words += colored(t.muted, times_->words(workload_));
  state_->setText(words);
  apply_->setEnabled(draft_ && checked_ && !is_wrong);
  measure_->setEnabled(checked_ && !is_wrong && document_->workers());
  default_->setEnabled(is_own || draft_);
  default_->setText(draft_ ? tr("Discard") : tr("Default"));
  default_->setToolTip(draft_ ? tr("Back to the schedule that is in use; undo brings this again")
                              : tr("Schedule it as Loopglass would by itself"));
}

void ScriptEditor::load(const QString& path) {
  constexpr qint64 largest_file = 1 << 20;
  QFile file(path);
  const auto refuse = [&](const QString& why) {
    emit document_->failed(
        {Code::UsageInvalid, "the schedule cannot be read", path.toStdString(), why.toStdString()});
  };
  if (!file.open(QIODevice::ReadOnly)) return refuse(file.errorString());
  if (file.size() > largest_file) return refuse(tr("it is too large to be a script"));
  QStringDecoder decoder(QStringDecoder::Utf8);
  const QString script = decoder(file.readAll());
  if (decoder.hasError() || script.contains(QChar::Null)) return refuse(tr("it is no text"));
  code_->editor()->selectAll();
  code_->editor()->replaceSelectedText(script);  // can be undone
}

QString ScriptEditor::suggested_file() const {
  const auto plan = document_->fusion().plan();
  const fusion::GroupId kernel = document_->kernels().group();
  return plan && kernel.valid() ? file_stem(text(plan->group(kernel).name)) + ".schedule"
                                : QString();
}

// All words, where none is begun.
void ScriptEditor::complete() {
  if (words_->is_in_comment()) return;
  QsciScintilla* editor = code_->editor();
  int line = 0, column = 0;
  editor->getCursorPosition(&line, &column);
  const QString before = editor->text(line).left(column);
  const bool is_begun =
      !before.isEmpty() && (before.back().isLetterOrNumber() || before.back() == '_');
  if (is_begun) return editor->autoCompleteFromAPIs();
  constexpr int list = 1;
  editor->showUserList(list, words_->all());
}

// Return ends a line whose last name stands there whole: what is longer is not meant.
bool ScriptEditor::eventFilter(QObject* watched, QEvent* event) {
  QsciScintilla* editor = code_->editor();
  if (watched == editor && event->type() == QEvent::KeyPress && editor->isListActive()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) &&
        words_->knows(editor->wordAtLineIndex(line, column)))
      editor->cancelList();
  }
  return QWidget::eventFilter(watched, event);
}

void ScriptEditor::save(const QString& path) {
  const auto written = write_file(path.toStdString(), code_->text().toStdString(),
                                  {Code::FileUnwritable, "the schedule"});
  if (!written) emit document_->failed(written.error());
}

}  // namespace loopglass::views

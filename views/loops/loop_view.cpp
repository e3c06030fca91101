#include "views/loops/loop_view.h"

#include "views/code/bands.h"
#include "views/code/changed_lines.h"
#include "views/code/code_pane.h"
#include "views/code/step_chooser.h"
#include "views/document/kernel_title.h"
#include "views/document/stage_page.h"
#include "views/document/text.h"
#include "views/document/view_note.h"
#include "views/document/word_help.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

QString title_of(const LoopStep& step) {
  switch (step.kind) {
    case LoopStep::Kind::Initial: return text(step.title);
    case LoopStep::Kind::Schedule: return QObject::tr("schedule: %1").arg(text(step.title));
    case LoopStep::Kind::Lowering:
      return (step.changed ? QObject::tr("lowering: %1") : QObject::tr("lowering: %1 (no change)"))
          .arg(text(step.title));
  }
  __builtin_unreachable();
}

// What the step did, and what its primitive or pass does.
QString step_tip(const Document& document, const LoopStep& step) {
  const QString title = text(step.title),
                help = word_help(document, title.section('(', 0, 0).trimmed());
  if (help.isEmpty()) return text(step.detail);
  return step.detail.empty() ? help : text(step.detail).toHtmlEscaped() + "<br>" + help;
}

}  // namespace

LoopView::LoopView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      steps_(new StepChooser),
      code_(new CodePane(Language::LoopNest)),
      script_(new CodePane(Language::Script)),
      detail_(new QLabel),
      show_script_(new QToolButton) {
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(code_);
  split->addWidget(script_);
  split->setStretchFactor(0, 4);
  split->setStretchFactor(1, 1);
  split->setChildrenCollapsible(false);
  script_->hide();

  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(new KernelTitle(document));
  inner->addWidget(new ViewNote(document));
  inner->addWidget(make_tools());
  inner->addWidget(detail_);
  inner->addWidget(split, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Kernel, content,
                                  tr("Select an operator to see its kernel's loop nest.")));
  setFocusProxy(code_);

  connect(document, &Document::kernelChanged, this, &LoopView::show_kernel);
  connect(document, &Document::loopStepChanged, this, &LoopView::show_step);
  connect(document, &Document::machineCodeChanged, this, &LoopView::show_bands);
  connect(&document->selection(), &Selection::selectionChanged, this, &LoopView::show_selection);
  connect(steps_, &StepChooser::chosen, this,
          [this](int index) { document_->set_loop_step(static_cast<std::size_t>(index)); });
  connect(code_, &CodePane::lineClicked, this, [this](int line) {
    clicking_ = true;
    document_->selection().select_line(TextPane::Loops, line);
    clicking_ = false;
  });
  connect(script_, &CodePane::lineClicked, this, [this](int line) {
    const auto index = static_cast<std::size_t>(line - 1);
    if (index < step_of_script_line_.size()) document_->set_loop_step(step_of_script_line_[index]);
  });
  connect(show_script_, &QToolButton::toggled, script_, &QWidget::setVisible);
  for (CodePane* pane : {code_, script_})
    pane->set_helper([document](const QString& word) { return word_help(*document, word); });
  show_kernel();
  show_step();
}

QWidget* LoopView::make_tools() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(6);
  show_script_->setText(tr("Script"));
  show_script_->setToolTip(tr("Show the schedule script; a click on a line goes to its step"));
  show_script_->setCheckable(true);
  show_script_->setAutoRaise(true);
  row->addWidget(steps_, 1);
  row->addWidget(show_script_);
  detail_->setWordWrap(true);
  detail_->setMargin(4);
  detail_->setTextFormat(Qt::PlainText);
  detail_->setForegroundRole(QPalette::PlaceholderText);
  return bar;
}

void LoopView::find() { code_->find(); }

void LoopView::show_kernel() {
  const auto kernel = document_->kernel();
  std::vector<StepChooser::Item> items;
  step_of_script_line_.clear();
  if (!kernel) {
    steps_->set_items(items);
    script_->set_text({}, true);
    return;
  }
  for (std::size_t i = 0; i < kernel->loops.size(); ++i) {
    const LoopStep& step = kernel->loops[i];
    items.push_back(
        {QString("%1  %2").arg(i).arg(title_of(step)), step_tip(*document_, step), step.changed});
  }
  steps_->set_items(items);

  // A line that only looks something up leads to the step it prepares.
  QStringList script;
  std::size_t done = 0;
  const auto& schedule = kernel->stages->schedule;
  for (const schedule::Instruction& instruction : kernel->stages->trace.instructions) {
    const std::string line = schedule::to_script(instruction);
    script << text(line);
    step_of_script_line_.push_back(std::min(done + 1, schedule.size()));
    if (done < schedule.size() && schedule::to_script(schedule[done].instruction) == line) ++done;
  }
  script_->set_text(script.isEmpty() ? tr("# the kernel keeps the order of its tensor expressions")
                                     : script.join('\n'),
                    true);
}

void LoopView::show_step() {
  const loop::Listing* listing = document_->loop_listing();
  if (!listing) {
    code_->set_text({}, true);
    detail_->hide();
    shown_group_ = {};
    return;
  }
  const auto kernel = document_->kernel();
  const bool fresh = document_->kernel_group() != shown_group_;
  shown_group_ = document_->kernel_group();
  steps_->set_current(static_cast<int>(document_->loop_step()));
  detail_->setText(text(kernel->loops[document_->loop_step()].detail));
  detail_->setVisible(!detail_->text().isEmpty());
  code_->set_text(text(listing->text()), fresh);
  mark_changes();
  show_script_line();
  show_bands();
  show_selection();
}

void LoopView::mark_changes() {
  const std::size_t step = document_->loop_step();
  if (step == 0) return code_->set_changed({});
  const auto lines_of = [](const loop::Listing& shown) {
    std::vector<std::string_view> lines;
    for (const loop::Line& line : shown.lines) lines.push_back(line.text);
    return lines;
  };
  const auto before = document_->kernel()->listing(step - 1);
  code_->set_changed(changed_lines(lines_of(*before), lines_of(*document_->loop_listing())));
}

// The lines of the step: look-ups, then the primitive itself.
void LoopView::show_script_line() {
  std::vector<int> lines;
  for (std::size_t i = 0; i < step_of_script_line_.size(); ++i)
    if (step_of_script_line_[i] == document_->loop_step()) lines.push_back(static_cast<int>(i) + 1);
  script_->set_highlight(lines, lines.empty() ? std::nullopt : std::optional(lines.back()));
}

void LoopView::show_bands() { code_->set_bands(loop_bands(*document_)); }

void LoopView::show_selection() {
  const Selection& selection = document_->selection();
  const auto* line = std::get_if<SelectedLine>(&selection.current());
  const bool here = line && line->pane == TextPane::Loops;
  code_->set_highlight(selection.highlighted_lines(TextPane::Loops),
                       here ? std::optional(line->line) : std::nullopt, !clicking_);
}

}  // namespace loopglass::views

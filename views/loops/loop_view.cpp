#include "views/loops/loop_view.h"

#include "views/code/bands.h"
#include "views/code/changed_lines.h"
#include "views/code/code_pane.h"
#include "views/code/step_chooser.h"
#include "views/document/kernel_title.h"
#include "views/document/stage_page.h"
#include "views/document/view_note.h"
#include "views/document/word_help.h"
#include "views/loops/loop_drag.h"
#include "views/loops/nest_menu.h"
#include "views/loops/script_editor.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/hand_splits.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

constexpr int both_side_by_side = 740;  // wide enough for a nest and its script

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

std::vector<std::string_view> lines_of(const loop::Listing& shown) {
  std::vector<std::string_view> lines;
  for (const loop::Line& line : shown.lines) lines.push_back(line.text);
  return lines;
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
      script_(new ScriptEditor(document)),
      detail_(new QLabel),
      show_script_(new QToolButton) {
  auto* split = new FlowSplitter(both_side_by_side);
  auto* nest = new QWidget;
  auto* column = new QVBoxLayout(nest);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(detail_);
  column->addWidget(code_, 1);
  split->addWidget(nest);
  split->addWidget(script_);
  constexpr int for_nest = 3, for_script = 2;
  split->setStretchFactor(0, for_nest);
  split->setStretchFactor(1, for_script);
  script_->hide();
  // The nest had all the room, whatever that was: without this, how the two lie would depend on how
  // wide the pane had been when the script came.
  const auto share_room = [split] {
    if (is_by_hand(*split)) return;
    // In a low pane one of both can be read: the script, which was asked for.
    constexpr int lowest = 300;
    const bool is_low = split->orientation() == Qt::Vertical && split->height() < lowest;
    split->setSizes(is_low ? QList{100, 400} : QList{100 * for_nest, 100 * for_script});
  };
  split->turned = share_room;
  connect(show_script_, &QToolButton::toggled, split, [this, share_room](bool shown) {
    script_->setVisible(shown);
    if (shown) share_room();
  });

  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(new KernelTitle(document));
  inner->addWidget(new ViewNote(document));
  inner->addWidget(make_tools());
  inner->addWidget(split, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page = new StagePage(document, Stage::Kernel, content,
                             tr("Select an operator to see its kernel's loop nest."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(code_);

  connect(&document->kernels(), &KernelStage::kernelChanged, this, &LoopView::show_kernel);
  connect(&document->kernels(), &KernelStage::loopStepChanged, this, &LoopView::show_step);
  connect(&document->kernels(), &KernelStage::machineCodeChanged, this,
          &LoopView::show_bands_and_notes);
  connect(&document->selection(), &Selection::selectionChanged, this, &LoopView::show_selection);
  connect(steps_, &StepChooser::chosen, this, [this](int index) {
    document_->kernels().set_loop_step(static_cast<std::size_t>(index));
  });
  connect(code_, &CodePane::lineClicked, this, [this](int line) {
    if (preview_) return;
    clicking_ = true;
    document_->selection().select_line(TextPane::Loops, line);
    clicking_ = false;
  });
  connect(script_, &ScriptEditor::previewChanged, this, &LoopView::show_preview);
  code_->offer_menus(true);
  new LoopDrag(
      document, code_,
      {[this](int line) { return entity_of(line); },
       [this] { return script_->code()->text().toStdString(); }, [this] { return line_shown(); },
       [this](const QString& line) { insert(line, line_shown()); }});
  connect(code_, &CodePane::menuWanted, this, &LoopView::open_menu);
  connect(script_, &ScriptEditor::draftCame, this, [this] { open_script(); });
  connect(show_script_, &QToolButton::clicked, this, [this] { chose_script_ = true; });
  code_->set_helper([document](const QString& word) { return word_help(*document, word); });
  show_kernel();
  show_step();
}

QWidget* LoopView::make_tools() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(6);
  show_script_->setText(tr("Script"));
  show_script_->setToolTip(tr(
      "The schedule script, to read and to write: the nest shows what it is at the caret's line"));
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

// Where there is room for both, both are there, unless somebody said otherwise.
void LoopView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!chose_script_) show_script_->setChecked(width() >= both_side_by_side);
}

void LoopView::open_script() {
  chose_script_ = true;
  show_script_->setChecked(true);
}

void LoopView::find() { code_->find(); }

void LoopView::show_kernel() {
  const auto kernel = document_->kernels().kernel();
  std::vector<StepChooser::Item> items;
  for (std::size_t i = 0; kernel && i < kernel->loops.size(); ++i) {
    const LoopStep& step = kernel->loops[i];
    items.push_back(
        {QString("%1  %2").arg(i).arg(title_of(step)), step_tip(*document_, step), step.changed});
  }
  steps_->set_items(items);
}

void LoopView::show_step() {
  const loop::Listing* listing = document_->kernels().loop_listing();
  preview_.reset();
  if (!listing) {
    code_->set_text({}, true);
    detail_->hide();
    shown_group_ = {};
    return;
  }
  const auto kernel = document_->kernels().kernel();
  const bool fresh = document_->kernels().group() != shown_group_;
  shown_group_ = document_->kernels().group();
  steps_->set_current(static_cast<int>(document_->kernels().loop_step()));
  detail_->setText(text(kernel->loops[document_->kernels().loop_step()].detail));
  detail_->setVisible(!detail_->text().isEmpty());
  code_->set_text(text(listing->text()), fresh);
  mark_changes();
  script_->show_step();
  show_bands_and_notes();
  show_selection();
}

void LoopView::mark_changes() {
  const std::size_t step = document_->kernels().loop_step();
  if (step == 0) return code_->set_changed({});
  const auto before = document_->kernels().kernel()->listing(step - 1);
  code_->set_changed(
      changed_or_moved_lines(lines_of(*before), lines_of(*document_->kernels().loop_listing())));
}

void LoopView::show_preview() {
  const ScriptEditor::Preview shown = script_->preview();
  const bool was_draft = shows_draft();
  if (shown.nest) preview(*shown.nest, loop::print(*shown.before), shown.line);
  else if (preview_) show_step();
  if (shows_draft() != was_draft) emit draftShown();
}

void LoopView::preview(const loop::Func& nest, const loop::Listing& before, const QString& words) {
  preview_ = loop::print(nest);
  code_->set_text(text(preview_->text()), false);
  code_->set_changed(changed_or_moved_lines(lines_of(before), lines_of(*preview_)));
  code_->set_highlight({}, {});
  steps_->set_aside(tr("The script, not in use yet"));
  detail_->setText(words.isEmpty() ? tr("Before all lines of the script")
                                   : tr("After %1, as it would be").arg(words));
  detail_->show();
}

std::string LoopView::entity_of(int line) const {
  const loop::Listing* listing = preview_ ? &*preview_ : document_->kernels().loop_listing();
  if (!listing || line < 1 || line > static_cast<int>(listing->lines.size())) return {};
  return listing->lines[static_cast<std::size_t>(line - 1)].entity;
}

int LoopView::line_shown() const {
  return script_->is_draft() ? script_->caret_line()
                             : script_->last_line_of(document_->kernels().loop_step());
}

void LoopView::insert(const QString& line, int behind) {
  show_script_->setChecked(true);
  script_->insert_line(line, behind);
}

void LoopView::open_menu(int line, const QPoint& place) {
  const int behind = line_shown();
  open_nest_menu(*document_, this, code_,
                 {entity_of(line), script_->code()->text().toStdString(), behind}, place,
                 {[this, behind](const QString& chosen) { insert(chosen, behind); },
                  [this](const loop::Func* nest, const QString& words) {
                    // What is written comes back; a hint is new to that.
                    const loop::Func* written = script_->preview().nest;
                    const loop::Listing* shown = document_->kernels().loop_listing();
                    if (!nest || (!written && !shown)) return show_preview();
                    preview(*nest, written ? loop::print(*written) : *shown, words);
                  }});
}

// LLVM's passes speak of the nest that LLVM is given.
void LoopView::show_bands_and_notes() {
  if (preview_) return;
  code_->set_bands(loop_bands(*document_));
  const auto kernel = document_->kernels().kernel();
  const auto code = document_->kernels().machine_code();
  const bool is_last = kernel && document_->kernels().loop_step() + 1 == kernel->loops.size();
  code_->set_notes(code && is_last ? notes_on_loops(code->listings->remarks()) : LineNotes{});
}

void LoopView::show_selection() {
  if (preview_) return;
  const Selection& selection = document_->selection();
  const auto* line = std::get_if<SelectedLine>(&selection.current());
  const bool here = line && line->pane == TextPane::Loops;
  code_->set_highlight(selection.highlighted_lines(TextPane::Loops),
                       here ? std::optional(line->line) : std::nullopt, !clicking_);
}

}  // namespace loopglass::views

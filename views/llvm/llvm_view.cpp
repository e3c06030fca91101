#include "views/llvm/llvm_view.h"

#include "core/glossary.h"
#include "views/code/bands.h"
#include "views/code/changed_lines.h"
#include "views/code/code_pane.h"
#include "views/code/hot_line.h"
#include "views/code/step_chooser.h"
#include "views/counted.h"
#include "views/document/kernel_title.h"
#include "views/document/stage_page.h"
#include "views/document/view_note.h"
#include "views/document/word_help.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace loopglass::views {

LlvmView::LlvmView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      steps_(new StepChooser),
      code_(new CodePane(Language::LlvmIr)),
      summary_(new QLabel) {
  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(6);
  row->addWidget(steps_, 1);
  row->addWidget(summary_);
  inner->addWidget(new KernelTitle(document));
  inner->addLayout(row);
  inner->addWidget(new ViewNote(document));
  inner->addWidget(code_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page = new StagePage(document, Stage::MachineCode, content,
                             tr("Select an operator to see its kernel's LLVM IR."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(code_);

  connect(&document->kernels(), &KernelStage::machineCodeChanged, this, &LlvmView::show_steps);
  connect(&document->kernels(), &KernelStage::llvmStepChanged, this, &LlvmView::show_step);
  connect(&document->selection(), &Selection::selectionChanged, this, &LlvmView::show_selection);
  connect(steps_, &StepChooser::chosen, this, [this](int index) {
    document_->kernels().set_llvm_step(static_cast<std::size_t>(index));
  });
  connect(code_, &CodePane::lineClicked, this, [this](int line) {
    clicking_ = true;
    document_->selection().select_line(TextPane::Llvm, line);
    clicking_ = false;
  });
  code_->set_helper(
      [document](const QString& word) { return word_help(*document, word, x86_instruction); });
  show_steps();
  show_step();
}

void LlvmView::find() { code_->find(); }

void LlvmView::show_steps() {
  std::vector<StepChooser::Item> items;
  if (const auto code = document_->kernels().machine_code())
    for (std::size_t i = 0; i < code->step_count(); ++i) {
      const QString pass = QString::fromStdString(code->step(i));
      items.push_back({QString("%1  %2").arg(i).arg(pass), word_help(*document_, pass)});
    }
  steps_->set_items(items);
}

void LlvmView::show_step() {
  const auto* lines = document_->kernels().llvm_lines();
  if (!lines) {
    code_->set_text({}, true);
    summary_->clear();
    shown_group_ = {};
    return;
  }
  const bool fresh = document_->kernels().group() != shown_group_;
  shown_group_ = document_->kernels().group();
  steps_->set_current(static_cast<int>(document_->kernels().llvm_step()));
  QStringList text;
  for (const codegen::SourceLine& line : *lines) text << QString::fromStdString(line.text);
  code_->set_text(text.join('\n'), fresh);
  code_->set_bands(bands_of(*lines));
  mark_changes();
  if (fresh) code_->begin_at(opening_.begin(*lines));
  summary_->setText(counted(lines->size(), "line"));
  if (fresh) followed_ = document_->selection().current();
  show_selection();
  if (!fresh) followed_.reset();  // its lines in this text are about to be told
}

void LlvmView::mark_changes() {
  const auto* before = document_->kernels().llvm_lines_before();
  const auto* lines = document_->kernels().llvm_lines();
  if (!before || before == lines) return code_->set_changed({});
  const auto texts_of = [](const codegen::SourceLines& shown) {
    std::vector<std::string_view> texts;
    for (const codegen::SourceLine& line : shown) texts.push_back(line.text);
    return texts;
  };
  code_->set_changed(changed_lines(texts_of(*before), texts_of(*lines)));
}

void LlvmView::show_selection() {
  const Selection& selection = document_->selection();
  const auto* line = std::get_if<SelectedLine>(&selection.current());
  const bool here = line && line->pane == TextPane::Llvm;
  const std::vector<int>& lit = selection.highlighted_lines(TextPane::Llvm);
  const bool is_elsewhere = opening_.is_left_for(lit);
  const bool moved = std::exchange(followed_, selection.current()) != selection.current();
  code_->set_highlight(lit, here ? std::optional(line->line) : std::nullopt,
                       (moved || is_elsewhere) && !clicking_);
}

}  // namespace loopglass::views

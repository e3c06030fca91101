#include "views/assembly/assembly_view.h"

#include "core/glossary.h"
#include "views/assembly/code_times.h"
#include "views/code/bands.h"
#include "views/code/code_pane.h"
#include "views/code/hot_line.h"
#include "views/code/line_notes.h"
#include "views/document/kernel_title.h"
#include "views/document/stage_page.h"
#include "views/document/view_note.h"
#include "views/document/word_help.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cctype>
#include <utility>

namespace loopglass::views {

InstructionCount count_instructions(const std::vector<codegen::SourceLine>& lines) {
  InstructionCount count;
  for (const codegen::SourceLine& line : lines) {
    std::string_view text = line.text;
    text = text.substr(0, text.find('#'));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
      text.remove_suffix(1);
    if (text.empty() || text.front() == '.' || text.front() == ';' || text.back() == ':') continue;
    ++count.all;
    count.vector += is_vector_line(text) && !is_of_one_lane(text);
  }
  return count;
}

AssemblyView::AssemblyView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      code_(new CodePane(Language::Assembly)),
      times_(new CodeTimes(document, this)),
      summary_(new QLabel),
      time_words_(new QLabel),
      measure_(new QPushButton) {
  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  summary_->setMargin(6);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  inner->addWidget(new KernelTitle(document));
  measure_->setObjectName("measureCode");
  measure_->setText(tr("Where the time goes"));
  measure_->setToolTip(
      tr("Runs the kernel for half a second while a timer looks at which instruction it is"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 6, 0);
  row->addWidget(summary_, 1);
  row->addWidget(measure_);
  inner->addLayout(row);
  time_words_->setContentsMargins(6, 0, 6, 4);
  time_words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  time_words_->setWordWrap(true);
  inner->addWidget(time_words_);
  inner->addWidget(new ViewNote(document));
  inner->addWidget(code_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page = new StagePage(document, Stage::MachineCode, content,
                             tr("Select an operator to see its kernel's machine code."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(code_);

  connect(&document->kernels(), &KernelStage::machineCodeChanged, this, &AssemblyView::show_code);
  connect(measure_, &QPushButton::clicked, times_, &CodeTimes::measure);
  connect(times_, &CodeTimes::changed, this, [this] {
    show_times();
    // What was asked for comes into view.
    if (times_->profile() && !times_->regions().empty())
      code_->reveal(static_cast<int>(times_->regions().front().lines.front()) + 1);
  });
  connect(&document->selection(), &Selection::selectionChanged, this,
          &AssemblyView::show_selection);
  connect(code_, &CodePane::lineClicked, this, [this](int line) {
    clicking_ = true;
    document_->selection().select_line(TextPane::Assembly, line);
    clicking_ = false;
  });
  code_->set_helper(
      [document](const QString& word) { return word_help(*document, word, llvm_instruction); });
  show_code();
}

void AssemblyView::find() { code_->find(); }

void AssemblyView::show_code() {
  const auto* lines = document_->kernels().assembly_lines();
  measure_->setEnabled(times_->can_measure());
  time_words_->setVisible(false);
  if (!lines) return code_->set_text({}, true);
  QStringList text;
  for (const codegen::SourceLine& line : *lines) text << QString::fromStdString(line.text);
  code_->set_text(text.join('\n'), true);
  code_->set_bands(bands_of(*lines));
  code_->set_notes(notes_on_lines(
      notes_on_loops(document_->kernels().machine_code()->listings->remarks()), *lines));
  show_times();
  // Prologues come first and interest nobody.
  code_->begin_at(opening_.begin(*lines));
  followed_ = document_->selection().current();
  show_selection();
}

void AssemblyView::show_times() {
  const auto* lines = document_->kernels().assembly_lines();
  if (!lines) return;
  const InstructionCount count = count_instructions(*lines);
  summary_->setText(tr("%1 instructions, %2 on vectors").arg(count.all).arg(count.vector));
  time_words_->setText(times_->words());
  time_words_->setVisible(!times_->words().isEmpty());
  std::vector<double> shares;
  if (const measure::CodeProfile* profile = times_->profile())
    for (std::size_t line = 0; line < lines->size(); ++line) shares.push_back(profile->share(line));
  code_->set_shares(shares);
}

void AssemblyView::show_selection() {
  const Selection& selection = document_->selection();
  const auto* line = std::get_if<SelectedLine>(&selection.current());
  const bool here = line && line->pane == TextPane::Assembly;
  const std::vector<int>& lit = selection.highlighted_lines(TextPane::Assembly);
  const bool is_elsewhere = opening_.is_left_for(lit);
  const bool moved = std::exchange(followed_, selection.current()) != selection.current();
  code_->set_highlight(lit, here ? std::optional(line->line) : std::nullopt,
                       (moved || is_elsewhere) && !clicking_);
}

}  // namespace loopglass::views

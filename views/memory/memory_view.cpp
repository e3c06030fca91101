#include "views/memory/memory_view.h"

#include "core/runtime/memory_budget.h"
#include "views/counted.h"
#include "views/document/stage_page.h"
#include "views/memory/memory_chart.h"
#include "views/theme.h"
#include "views/widgets/seen_watch.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

QString memory_summary(const runtime::MemoryPlan& plan) {
  const auto bytes = [](std::int64_t count) {
    return QString::fromStdString(runtime::readable_bytes(count));
  };
  QString text = MemoryView::tr("%1 of %2 take %3")
                     .arg(counted(plan.buffers.size(), "intermediate"),
                          counted(plan.kernels, "kernel"), bytes(plan.arena_bytes));
  if (plan.lower_bound > 0)
    text += MemoryView::tr(" — %1 times the lower bound; %2 if each had memory of its own")
                .arg(static_cast<double>(plan.arena_bytes) / static_cast<double>(plan.lower_bound),
                     0, 'f', 3)
                .arg(bytes(plan.separate_bytes));
  const auto in_place = std::count_if(
      plan.buffers.begin(), plan.buffers.end(),
      [](const runtime::PlannedBuffer& buffer) { return buffer.in_place_of.valid(); });
  if (in_place > 0) text += MemoryView::tr("; %1 written in place").arg(in_place);
  if (!plan.shared.empty()) text += MemoryView::tr("; %1 aliased").arg(plan.shared.size());
  return text;
}

MemoryView::MemoryView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      watch_(new SeenWatch(this)),
      summary_(new QLabel),
      chart_(new MemoryChart) {
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  summary_->setMargin(6);
  summary_->setObjectName("memorySummary");
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  summary_->setWordWrap(true);
  summary_->setTextFormat(Qt::RichText);
  column->addWidget(summary_);
  column->addWidget(chart_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page = new StagePage(document, Stage::Memory, content,
                             tr("Open a model to see where its intermediates live."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(chart_);

  connect(&document->memory(), &MemoryStage::memoryPlanChanged, this, &MemoryView::show_plan);
  connect(&document->history(), &HistoryStage::stepChanged, this, &MemoryView::show_summary);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &MemoryView::show_summary);
  connect(&document->fusion(), &FusionStage::planChanged, this, [this] {
    if (watch_->is_seen()) document_->memory().want();
  });
  connect(watch_, &SeenWatch::changed, this, [this](bool is_seen) {
    if (is_seen) document_->memory().want();
  });
  connect(&document->selection(), &Selection::selectionChanged, this, &MemoryView::show_selection);
  connect(chart_, &MemoryChart::bufferChosen, this,
          [this](graph::ValueId value) { document_->selection().select_value(value); });
  connect(chart_, &MemoryChart::kernelChosen, this,
          [this](fusion::GroupId group) { document_->selection().select_group(group); });
  show_plan();
}

void MemoryView::show_plan() {
  const auto plan = document_->memory().plan();
  show_summary();
  chart_->set_content(plan ? MemoryChart::Content{plan, document_->history().last_graph(),
                                                  document_->fusion().plan()}
                           : MemoryChart::Content{});
  show_selection();
}

// Memory is planned for what runs, which an earlier step does not.
void MemoryView::show_summary() {
  const auto plan = document_->memory().plan();
  if (!plan) return summary_->clear();
  QString words = memory_summary(*plan);
  if (const auto limit = document_->settings().memory_limit; limit && plan->arena_bytes > *limit)
    words += QString("; <span style='color:%1'>%2</span>")
                 .arg(theme().warning.name(),
                      tr("more than the limit of %1")
                          .arg(QString::fromStdString(runtime::readable_bytes(*limit))));
  const HistoryStage& history = document_->history();
  if (history.recorded() && history.graph() != history.last_graph())
    words += tr("; after all steps, not at step %1")
                 .arg(QString::fromStdString(pass::to_text(history.position())));
  summary_->setText(words);
}

void MemoryView::show_selection() {
  const Selection& selection = document_->selection();
  const auto* value = std::get_if<SelectedValue>(&selection.current());
  chart_->set_marks({value ? value->value->id : graph::ValueId(), selection.highlighted_groups()});
}

}  // namespace loopglass::views

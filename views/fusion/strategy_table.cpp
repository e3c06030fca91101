#include "views/fusion/strategy_table.h"

#include "views/document/work_page.h"
#include "views/fusion/decision_model.h"
#include "views/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

const QString lane = "strategies";
enum Column { Name, Kernels, Rate, Certainty, Written, Estimate, Measured, ColumnCount };

QString text(std::string_view value) { return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())); }

}  // namespace

StrategyTable::StrategyTable(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), measure_(new QCheckBox(tr("measure"))), table_(new QTreeWidget) {
  measure_->setObjectName("measureStrategies");
  measure_->setToolTip(tr("Compile and time all plans too, round by round in turns (--measure)"));
  table_->setObjectName("strategyTable");
  table_->setHeaderLabels({tr("Strategy"), tr("Kernels"), tr("Operators per kernel"), tr("How sure"),
                           tr("Intermediates written"), tr("Estimated"), tr("Measured")});
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->header()->setMinimumSectionSize(80);
  table_->header()->setStretchLastSection(false);
  table_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  page_ = new WorkPage(table_, document->jobs(), lane);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->addWidget(new QLabel(tr("A row makes its strategy the one in use.")), 1);
  bar->addWidget(measure_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(page_, 1);
  connect(page_, &WorkPage::againWanted, this, &StrategyTable::derive);
  connect(measure_, &QCheckBox::toggled, this, &StrategyTable::derive);
  connect(document, &Document::planChanged, this, [this] {
    if (graph_ && graph_ == document_->last_graph() && constraints_ == document_->constraints()) return show_current();
    forget();
  });
  for (const auto signal : {&QTreeWidget::itemClicked, &QTreeWidget::itemActivated})
    connect(table_, signal, this, [this](QTreeWidgetItem* row) { document_->set_strategy(row->data(0, Qt::UserRole).toString()); });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &StrategyTable::show_current);
  forget();
}

void StrategyTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (outcomes_.empty() && !page_->working()) derive();
}

void StrategyTable::forget() {
  document_->jobs().cancel(lane);
  graph_.reset();
  outcomes_.clear();
  page_->show_message(tr("Open a model to compare the strategies."));
  if (isVisible()) derive();
}

void StrategyTable::derive() {
  if (!document_->plan() || !isVisible()) return;
  graph_ = document_->last_graph();
  constraints_ = document_->constraints();
  outcomes_.clear();
  std::vector<debug::PlanVariant> variants;
  for (const fusion::Strategy& strategy : document_->toolchain().strategies)
    if (strategy.name != "manual") variants.push_back({strategy.name, constraints_, nullptr});
  debug::WhatIfOptions options;
  options.cost = document_->session()->cost_model();
  options.measure = measure_->isChecked();
  const auto follow = page_->begin(tr("Planning with every strategy"));
  using Outcomes = std::vector<debug::PlanOutcome>;
  document_->jobs().run<Outcomes>(
      lane, tr("Comparing strategies"),
      [toolchain = document_->toolchain(), graph = graph_, variants, options, follow](const JobContext& context) mutable {
        options.control = {follow(context), context.cancellation};
        return debug::what_if(toolchain, graph, variants, options);
      },
      [this](Outcomes outcomes) { accept(std::move(outcomes)); },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void StrategyTable::accept(std::vector<debug::PlanOutcome> outcomes) {
  outcomes_ = std::move(outcomes);
  table_->clear();
  for (const debug::PlanOutcome& outcome : outcomes_) {
    const fusion::PlanSummary& summary = outcome.summary;
    auto* row = new QTreeWidgetItem;
    row->setData(0, Qt::UserRole, text(summary.strategy));
    row->setText(Kernels, QString::number(summary.kernels));
    row->setText(Rate, QString::number(summary.fusion_rate, 'f', 2));
    row->setText(Certainty, text(fusion::name(summary.optimality)));
    row->setText(Written, readable_bytes(static_cast<double>(summary.written_bytes)));
    row->setText(Estimate, tr("%1 ms").arg(summary.estimated_microseconds * 1e-3, 0, 'f', 2));
    if (outcome.time)
      row->setText(Measured, tr("%1 ms (%2 … %3)%4").arg(outcome.time->median_ms, 0, 'f', 3)
                                 .arg(outcome.time->lower_quartile_ms, 0, 'f', 3)
                                 .arg(outcome.time->upper_quartile_ms, 0, 'f', 3)
                                 .arg(outcome.agrees ? QString() : tr(" ⚠ other results")));
    for (const int column : {Kernels, Rate, Written, Estimate}) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    table_->addTopLevelItem(row);
  }
  table_->setColumnHidden(Measured, !measure_->isChecked());
  show_current();
  page_->show_content();
}

void StrategyTable::show_current() {
  for (int i = 0; i < table_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = table_->topLevelItem(i);
    const QString name = row->data(0, Qt::UserRole).toString();
    const bool current = name == document_->strategy();
    QFont font = theme().text_font();
    font.setBold(current);
    row->setText(Name, (current ? "▸ " : "") + name);
    row->setFont(Name, font);
  }
}

}  // namespace loopglass::views

#include "views/fusion/outcome_table.h"

#include "core/fusion/estimate_words.h"
#include "core/fusion/gain.h"
#include "core/runtime/memory_budget.h"
#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/text.h"
#include "views/theme.h"

#include <QHeaderView>
#include <QScrollBar>

#include <cmath>
#include <cstdlib>

namespace loopglass::views {
namespace {

QString bytes(std::int64_t count) { return text(runtime::readable_bytes(count)); }

QString milliseconds(double time) { return text(readable_time(Milliseconds(time))); }

// "4.1 % faster"
QString change_of(double before, double after, const QString& less, const QString& more) {
  const double percent = (after - before) / before * 100;
  if (std::abs(percent) < 0.05) return QObject::tr("the same");
  return QString("%1 % %2").arg(std::abs(percent), 0, 'f', 1).arg(percent < 0 ? less : more);
}

// Of what is estimated to gain less than the estimates are wrong nothing is promised.
QString estimated_words(const debug::PlanOutcome& first, const debug::PlanOutcome& second,
                        const fusion::CostModel& cost) {
  const double before = first.summary.estimated_microseconds,
               after = second.summary.estimated_microseconds;
  switch (fusion::judge(cost, *first.plan, first.summary, *second.plan, second.summary)) {
    case fusion::Gain::None:
      return QObject::tr("no gain or loss beyond what the cost model is wrong by");
    case fusion::Gain::Unknown:
      return after < before ? QObject::tr("quicker by the uncalibrated cost model")
                            : QObject::tr("slower by the uncalibrated cost model");
    case fusion::Gain::Gain:
    case fusion::Gain::Loss: break;
  }
  return QObject::tr("estimated %1")
      .arg(change_of(before, after, QObject::tr("faster"), QObject::tr("slower")));
}

}  // namespace

QString measured_words(const debug::PlanOutcome& one, const debug::PlanOutcome& other) {
  const runtime::Statistics &first = *one.time, &second = *other.time;
  const QString change =
      change_of(first.median_ms, second.median_ms, QObject::tr("faster"), QObject::tr("slower"));
  const QString trust = text(runtime::trust_words(second, other.load, other.threads));
  const auto turns = debug::times_in_turns(one, other);
  if (!turns) return QObject::tr("measured %1, but not in the same turns (%2)").arg(change, trust);
  return QObject::tr("measured %1 (medians of %2 runs in turns on %3, %4); %5")
      .arg(change)
      .arg(turns->turns)
      .arg(counted(other.threads, "thread"), trust, text(runtime::chance_words(*turns)));
}

QString time_words(const debug::PlanOutcome& outcome) {
  return QString("%1 (%2 … %3)")
      .arg(milliseconds(outcome.time->median_ms), milliseconds(outcome.time->lower_quartile_ms),
           milliseconds(outcome.time->upper_quartile_ms));
}

OutcomeTable::OutcomeTable(QWidget* parent) : QTreeWidget(parent) {
  setHeaderLabels({tr("Plan"), tr("Kernels"), tr("Ops/kernel"), tr("Estimated"), tr("Measured"),
                   tr("Written"), tr("Read"), tr("Workspace"), tr("How sure")});
  const auto tip = [&](Column column, const QString& text) {
    headerItem()->setToolTip(column, text);
  };
  tip(Kernels, tr("Kernels that hold an operator; constants and identities are none"));
  tip(Rate, tr("Operators per kernel: the fusion rate"));
  tip(Written, tr("Bytes of intermediate tensors that kernels write for others"));
  tip(Read, tr("Bytes that kernels read of what others wrote"));
  tip(Workspace, tr("Bytes that kernels hand on from one of their loop nests to the next"));
  tip(Measured, tr("Median of runs in turns on all threads, and its quartiles"));
  tip(Certainty, tr("Whether the strategy could prove its plan the best by its own measure"));
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  header()->setStretchLastSection(true);
  header()->setSectionsMovable(false);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  for (const Column column : {Kernels, Rate, Written, Read, Workspace, Estimated})
    headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

void OutcomeTable::set_rows(const std::vector<Row>& rows, const fusion::CostModel& cost) {
  clear();
  bool measured = false;
  std::vector<QTreeWidgetItem*> made;
  std::vector<double> estimates;
  for (const auto& [title, outcome] : rows) {
    auto* row = new QTreeWidgetItem;
    row->setData(Name, Qt::UserRole, title);
    row->setText(Name, "   " + title);
    addTopLevelItem(row);
    if (!outcome) {
      row->setText(Certainty, tr("✕ %1").arg(QString::fromStdString(outcome.error().what)));
      row->setToolTip(Certainty, row->text(Certainty));
      continue;
    }
    fill(row, *outcome, cost);
    made.push_back(row);
    estimates.push_back(outcome->summary.estimated_microseconds);
    measured |= outcome->time.has_value();
  }
  if (!cost.is_calibrated()) {
    const auto ranks = fusion::ranks(estimates);
    for (std::size_t i = 0; i < made.size(); ++i) made[i]->setText(Estimated, text(ranks[i]));
  }
  headerItem()->setToolTip(
      Estimated,
      cost.is_calibrated()
          ? tr("Of one run on one thread, by the cost model as this machine was calibrated")
          : tr("Which would be the quickest, by a cost model that has not been calibrated "
               "for this machine: an order, no times"));
  setColumnHidden(Measured, !measured);
  fit_columns();
}

void OutcomeTable::fill(QTreeWidgetItem* row, const debug::PlanOutcome& outcome,
                        const fusion::CostModel& cost) {
  const fusion::PlanSummary& summary = outcome.summary;
  row->setText(Kernels, QString::number(summary.kernels));
  row->setText(Rate, QString::number(summary.fusion_rate, 'f', 2));
  row->setText(Written, bytes(summary.written_bytes));
  row->setText(Read, bytes(summary.read_bytes));
  row->setText(Workspace, bytes(summary.workspace_bytes));
  row->setText(Estimated, milliseconds(summary.estimated_microseconds * 1e-3));
  row->setText(Certainty, text(fusion::name(summary.optimality)));
  row->setToolTip(Certainty, text(fusion::optimality_words(summary.optimality, cost)));
  for (const Column column : {Kernels, Rate, Written, Read, Workspace, Estimated})
    row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  if (!outcome.time) return;
  row->setText(Measured,
               time_words(outcome) + (outcome.agrees ? QString() : tr("  ⚠ other results")));
  row->setToolTip(
      Measured,
      tr("%1; its results are %2")
          .arg(text(runtime::trust_words(*outcome.time, outcome.load, outcome.threads)),
               outcome.agrees ? tr("those of the first plan") : tr("not those of the first plan")));
}

void OutcomeTable::mark(const QString& title) {
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = topLevelItem(i);
    const QString name = row->data(Name, Qt::UserRole).toString();
    const bool marked = name == title;
    QFont font = theme().text_font();
    font.setBold(marked);
    row->setText(Name, (marked ? "▸ " : "   ") + name);
    row->setToolTip(Name, marked ? tr("The plan in use") : QString());
    row->setFont(Name, font);
  }
  fit_columns();
}

void OutcomeTable::fit_columns() {
  for (int column = 0; column + 1 < ColumnCount; ++column) resizeColumnToContents(column);
  updateGeometry();
}

void OutcomeTable::resizeEvent(QResizeEvent* event) {
  QTreeWidget::resizeEvent(event);
  updateGeometry();
}

QSize OutcomeTable::sizeHint() const {
  int height = header()->sizeHint().height() + 2 * frameWidth() + 2;
  if (topLevelItemCount() > 0) height += topLevelItemCount() * sizeHintForRow(0);
  if (header()->length() > viewport()->width())
    height += horizontalScrollBar()->sizeHint().height();
  return {QTreeWidget::sizeHint().width(), height};
}

QSize OutcomeTable::minimumSizeHint() const { return {200, sizeHint().height()}; }

QString difference_words(const debug::PlanOutcome& first, const debug::PlanOutcome& second,
                         const fusion::CostModel& cost) {
  const fusion::PlanSummary &before = first.summary, &after = second.summary;
  QStringList words;
  const auto kernels =
      static_cast<std::int64_t>(after.kernels) - static_cast<std::int64_t>(before.kernels);
  if (kernels != 0)
    words << QString("%1 %2").arg(counted(std::abs(kernels), "kernel"),
                                  kernels < 0 ? QObject::tr("fewer") : QObject::tr("more"));
  const auto traffic = [&](std::int64_t was, std::int64_t is, const QString& done) {
    if (was == is) return;
    words << QObject::tr("%1 %2 %3")
                 .arg(bytes(std::abs(is - was)),
                      is < was ? QObject::tr("less") : QObject::tr("more"), done);
  };
  traffic(before.written_bytes, after.written_bytes, QObject::tr("written"));
  traffic(before.read_bytes, after.read_bytes, QObject::tr("read"));
  // What is handed on within a kernel is written and read there all the same.
  traffic(before.workspace_bytes, after.workspace_bytes, QObject::tr("kept in workspaces"));
  if (before.estimated_microseconds > 0 &&
      before.estimated_microseconds != after.estimated_microseconds)
    words << estimated_words(first, second, cost);
  if (words.isEmpty()) words << QObject::tr("no difference in these numbers");
  if (first.time && second.time) words << measured_words(first, second);
  return words.join(", ");
}

}  // namespace loopglass::views

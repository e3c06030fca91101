#include "views/tuning/kernel_shares.h"

#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/name_delegate.h"
#include "views/widgets/text_size.h"

#include <QHeaderView>

#include <algorithm>
#include <cmath>

namespace loopglass::views {

namespace {

// Once; 0: not known.
double before_ms(const ShownRun& run) {
  return run.trials.empty() || std::isnan(run.trials[0].best_known_ms())
             ? 0
             : run.trials[0].best_known_ms();
}

double after_ms(const ShownRun& run) {
  const ShownTrial* best = run.best_trial();
  return best && !std::isnan(best->best_known_ms()) ? best->best_known_ms() : 0;
}

QString why_of(const ShownRun& run) {
  if (run.is_withdrawn) return QObject::tr("slower in the network");
  if (run.why.empty() && run.state == RunState::Done && run.measured() == 0)
    return QObject::tr("no round: others promised more");
  return text(run.why);
}

QString time_or_dash(double ms) {
  return ms > 0 ? text(readable_time(Milliseconds(ms))) : QString("–");
}

// Empty: the schedules are the same.
QString turns_words(const runtime::TimesInTurns& turns) {
  return turns.turns == 0 ? QString()
                          : text(ratio_words(turns) + "; " + chance_words(turns)) + "; ";
}

QString quartiles(const runtime::Statistics& time) {
  return QObject::tr("%1 to %2")
      .arg(time_or_dash(time.lower_quartile_ms), time_or_dash(time.upper_quartile_ms));
}

}  // namespace

KernelShares::KernelShares(QWidget* parent) : QTableWidget(parent) {
  setObjectName("kernelShares");
  setColumnCount(ColumnCount);
  setHorizontalHeaderLabels({tr("kernel"), tr("times"), tr("before"), tr("now"), tr("faster"),
                             tr("trials"), tr("why the last round")});
  const auto explain = [this](int column, const QString& words) {
    horizontalHeaderItem(column)->setToolTip(words);
  };
  explain(Times, tr("How often the network has this kernel"));
  explain(Before, tr("The default schedule, once"));
  explain(After, tr("The best that was found, once"));
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setWordWrap(false);
  // Kernels' names differ at their ends, reasons say most at their beginning.
  setTextElideMode(Qt::ElideRight);
  setItemDelegateForColumn(Kernel, new NameDelegate(this));
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  fit_rows_to_text(this, 6);
  horizontalHeader()->setHighlightSections(false);
  fit_columns_to_text(this, {18, 7, 10, 10, 8, 7});
  for (const int column : {int(Kernel), int(Why)})
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
  connect(this, &QTableWidget::cellClicked, this, [this](int row) {
    if (row < std::ssize(workloads_)) emit kernelChosen(workloads_[static_cast<std::size_t>(row)]);
  });
  connect(this, &QTableWidget::cellActivated, this, [this](int row) {
    if (row < std::ssize(workloads_)) emit kernelChosen(workloads_[static_cast<std::size_t>(row)]);
  });
}

void KernelShares::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  share_room();
}

void KernelShares::share_room() {
  constexpr int least_letters = 18;
  const int least = least_letters * fontMetrics().averageCharWidth();
  int numbers = 0;
  for (int column = Times; column <= Trials; ++column) numbers += columnWidth(column);
  const auto mode =
      viewport()->width() - numbers >= 2 * least ? QHeaderView::Stretch : QHeaderView::Interactive;
  for (const int column : {int(Kernel), int(Why)}) {
    if (horizontalHeader()->sectionResizeMode(column) == mode) continue;
    horizontalHeader()->setSectionResizeMode(column, mode);
    if (mode == QHeaderView::Interactive) setColumnWidth(column, least);
  }
}

void KernelShares::show_kernels(const std::vector<const ShownRun*>& kernels) {
  std::vector<const ShownRun*> order = kernels;
  std::ranges::stable_sort(order, std::greater(),
                           [](const ShownRun* run) { return run->times * before_ms(*run); });
  workloads_.clear();
  const auto timed =
      std::ranges::find_if(order, [](const ShownRun* run) { return run->network.has_value(); });
  const bool has_network = timed != order.end();
  setRowCount(std::max(1, static_cast<int>(order.size()) + !order.empty() + has_network));
  const auto cell = [&](int row, int column, const QString& words, bool is_number = false) {
    auto* item = this->item(row, column);
    if (!item) setItem(row, column, item = new QTableWidgetItem);
    item->setText(words);
    item->setToolTip(words);
    item->setForeground(theme().text);
    item->setTextAlignment(Qt::AlignVCenter | (is_number ? Qt::AlignRight : Qt::AlignLeft));
  };
  if (order.empty()) {
    setSpan(0, 0, 1, ColumnCount);
    cell(0, 0, tr("All Kernels tunes a whole network, and shows here which kernels get trials."));
    return item(0, 0)->setForeground(theme().muted);
  }
  if (rowSpan(0, 0) > 1 || columnSpan(0, 0) > 1) setSpan(0, 0, 1, 1);
  double before = 0, after = 0;
  std::size_t trials = 0;
  const auto fill = [&](int row, const QString& name, const QString& times, double was, double is,
                        std::size_t count, const QString& why) {
    cell(row, Kernel, name);
    cell(row, Times, times, true);
    cell(row, Before, time_or_dash(was), true);
    cell(row, After, time_or_dash(is), true);
    cell(row, Faster, is > 0 ? QString("%1x").arg(was / is, 0, 'f', 2) : QString("–"), true);
    cell(row, Trials, QString::number(count), true);
    cell(row, Why, why);
  };
  int row = 0;
  for (const ShownRun* run : order) {
    before += run->times * before_ms(*run);
    after += run->times * after_ms(*run);
    trials += run->measured();
    workloads_.push_back(run->workload);
    fill(row++, text(run->kernel), QString::number(run->times), before_ms(*run), after_ms(*run),
         run->measured(), why_of(*run));
  }
  fill(row, tr("all of these"), {}, before, after, trials, {});
  if (has_network) {
    const NetworkTimes& network = *(*timed)->network;
    fill(row + 1, tr("the network"), {}, network.untuned.median_ms, network.tuned.median_ms, trials,
         turns_words(network.turns) +
             tr("run without and with what was found, in turns; quartiles %1, %2")
                 .arg(quartiles(network.untuned), quartiles(network.tuned)));
  }
  for (int sum = row; sum <= row + has_network; ++sum)
    for (int column = 0; column < ColumnCount; ++column)
      item(sum, column)->setForeground(theme().muted);
}

}  // namespace loopglass::views

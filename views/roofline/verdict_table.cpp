#include "views/roofline/verdict_table.h"

#include "core/support/readable_time.h"
#include "views/roofline/roofline_chart.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/text_size.h"

#include <QHeaderView>

#include <algorithm>

namespace loopglass::views {

namespace {

double time_of(const RooflineRun::Judged& judged) { return judged.newest.milliseconds(); }

}  // namespace

VerdictTable::VerdictTable(QWidget* parent) : QTableWidget(parent) {
  setObjectName("verdictTable");
  setColumnCount(ColumnCount);
  setHorizontalHeaderLabels({tr("Kernel"), tr("Bound"), tr("Time"), tr("Share"), tr("By itself"),
                             tr("GFLOP/s"), tr("Of roof"), tr("Why")});
  horizontalHeaderItem(Time)->setToolTip(tr("In the network, among all others"));
  horizontalHeaderItem(Share)->setToolTip(tr("Of the network's time"));
  horizontalHeaderItem(Alone)->setToolTip(
      tr("Run again and again, with its data as near as can be: what rates and roofs are of"));
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  fit_rows_to_text(this, 6);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setHighlightSections(false);
  fit_columns_to_text(this, {24, 15, 9, 8, 9, 9, 8});
  setTextElideMode(Qt::ElideMiddle);
  for (const int column : {Time, Share, Alone, Gflops, OfRoof})
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  for (const int column : {Kernel, Bound, Why})
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  connect(this, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (!is_filling_ && row >= 0 && row < std::ssize(kernels_))
      emit kernelChosen(kernels_[static_cast<std::size_t>(row)]);
  });
}

void VerdictTable::show_kernels(const std::vector<RooflineRun::Judged>& kernels, int selected) {
  is_filling_ = true;
  kernels_.clear();
  for (int k = 0; k < std::ssize(kernels); ++k) kernels_.push_back(k);
  const auto judged = [&](int k) -> const RooflineRun::Judged& {
    return kernels[static_cast<std::size_t>(k)];
  };
  std::ranges::stable_sort(kernels_, std::greater(), [&](int k) { return time_of(judged(k)); });
  double total = 0;
  for (const RooflineRun::Judged& each : kernels) total += time_of(each);
  setRowCount(static_cast<int>(kernels_.size()));
  const auto cell = [&](int row, int column, const QString& words, bool is_number) {
    auto* item = this->item(row, column);
    if (!item) setItem(row, column, item = new QTableWidgetItem);
    item->setText(words);
    item->setToolTip(words);
    item->setForeground(theme().text);
    item->setTextAlignment(Qt::AlignVCenter | (is_number ? Qt::AlignRight : Qt::AlignLeft));
  };
  for (int row = 0; row < rowCount(); ++row) {
    const int k = kernels_[static_cast<std::size_t>(row)];
    const RooflineRun::Judged& each = judged(k);
    const roofline::Verdict& verdict = each.newest.verdict;
    cell(row, Kernel, text(each.newest.kernel), false);
    cell(row, Time, text(readable_time(Milliseconds(time_of(each)))), true);
    cell(row, Share, QString("%1 %").arg(total > 0 ? 100 * time_of(each) / total : 0, 0, 'f', 1),
         true);
    cell(row, Alone, text(readable_time(Milliseconds(verdict.milliseconds))), true);
    cell(row, Gflops, QString::number(verdict.gflops(), 'f', 1), true);
    cell(row, OfRoof, QString("%1 %").arg(100 * verdict.share_of_roof(), 0, 'f', 0), true);
    cell(row, Bound, "● " + text(roofline::name(verdict.bound)), false);
    item(row, Bound)->setForeground(color_of(verdict.bound));
    item(row, Bound)->setToolTip(text(roofline::doc(verdict.bound)));
    cell(row, Why, text(each.newest.sentence()), false);
    if (k == selected && currentRow() != row) setCurrentCell(row, std::max(0, currentColumn()));
  }
  if (selected < 0) setCurrentCell(-1, -1);
  is_filling_ = false;
}

}  // namespace loopglass::views

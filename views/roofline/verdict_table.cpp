#include "views/roofline/verdict_table.h"

#include "core/support/readable_time.h"
#include "views/roofline/roofline_picture.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/text_size.h"

#include <QHeaderView>

#include <algorithm>

namespace loopglass::views {

namespace {

constexpr int kernel_role = Qt::UserRole, number_role = Qt::UserRole + 1;

double time_of(const JudgedKernel& judged) { return judged.newest.milliseconds(); }

// Numbers by what they are, not by how they are written.
class Cell : public QTableWidgetItem {
 public:
  bool operator<(const QTableWidgetItem& other) const override {
    const QVariant own = data(number_role), its = other.data(number_role);
    return own.isValid() && its.isValid() ? own.toDouble() < its.toDouble()
                                          : QTableWidgetItem::operator<(other);
  }
};

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
  fit_columns_to_text(this, {24, 20, 11, 9, 12, 11, 11});  // with the arrow that sorts
  setTextElideMode(Qt::ElideMiddle);
  for (const int column : {Time, Share, Alone, Gflops, OfRoof})
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  connect(this, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (!is_filling_ && row >= 0) emit kernelChosen(kernel_at(row));
  });
  horizontalHeader()->setSectionsClickable(true);
  sortByColumn(Time, Qt::DescendingOrder);
  setSortingEnabled(true);
}

int VerdictTable::kernel_at(int row) const { return item(row, Kernel)->data(kernel_role).toInt(); }

void VerdictTable::show_kernels(const std::vector<JudgedKernel>& kernels, int selected) {
  is_filling_ = true;
  setSortingEnabled(false);  // rows would move while they are written
  double total = 0;
  for (const JudgedKernel& each : kernels) total += time_of(each);
  setRowCount(static_cast<int>(kernels.size()));
  const auto cell = [&](int row, int column, const QString& words) {
    auto* item = this->item(row, column);
    if (!item) setItem(row, column, item = new Cell);
    item->setText(words);
    item->setToolTip(words);
    item->setForeground(theme().text);
    item->setTextAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    return item;
  };
  const auto number = [&](int row, int column, const QString& words, double value) {
    auto* item = cell(row, column, words);
    item->setData(number_role, value);
    item->setTextAlignment(Qt::AlignVCenter | Qt::AlignRight);
  };
  for (int row = 0; row < rowCount(); ++row) {
    const JudgedKernel& each = kernels[static_cast<std::size_t>(row)];
    const roofline::Verdict& verdict = each.newest.verdict;
    const double share = total > 0 ? 100 * time_of(each) / total : 0,
                 of_roof = 100 * verdict.share_of_roof();
    cell(row, Kernel, text(each.newest.kernel))->setData(kernel_role, row);
    number(row, Time, text(readable_time(Milliseconds(time_of(each)))), time_of(each));
    number(row, Share, QString("%1 %").arg(share, 0, 'f', 1), share);
    number(row, Alone, text(readable_time(Milliseconds(verdict.milliseconds))),
           verdict.milliseconds);
    number(row, Gflops, QString::number(verdict.gflops(), 'f', 1), verdict.gflops());
    number(row, OfRoof, QString("%1 %").arg(of_roof, 0, 'f', 0), of_roof);
    QTableWidgetItem* bound = cell(row, Bound, "● " + text(roofline::name(verdict.bound)));
    bound->setForeground(color_of(verdict.bound));
    bound->setToolTip(text(roofline::doc(verdict.bound)));
    cell(row, Why, text(each.newest.sentence()));
  }
  setSortingEnabled(true);
  int current = -1;
  for (int row = 0; row < rowCount() && current < 0; ++row)
    if (kernel_at(row) == selected) current = row;
  if (current < 0) setCurrentCell(-1, -1);
  else if (currentRow() != current) setCurrentCell(current, std::max(0, currentColumn()));
  is_filling_ = false;
}

}  // namespace loopglass::views

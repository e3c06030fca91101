#include "views/bench/kernel_table.h"

#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"

#include <QPainter>

#include <algorithm>

namespace loopglass::views {
namespace {

// Length of the bar, 0 to 1, relative to the slowest kernel.
constexpr int length_role = Qt::UserRole + 1;

}  // namespace

void KernelTable::set_report(std::shared_ptr<const runtime::BenchmarkReport> report,
                             QStringList layers) {
  beginResetModel();
  layers_ = std::move(layers);
  report_ = std::move(report);
  total_ms_ = longest_ms_ = 0;
  if (report_) {
    for (const auto& kernel : report_->kernels) {
      total_ms_ += kernel.time.median_ms;
      longest_ms_ = std::max(longest_ms_, kernel.time.median_ms);
    }
  }
  endResetModel();
}

fusion::GroupId KernelTable::group_at(int row) const {
  return report_->kernels[static_cast<std::size_t>(row)].group;
}

int KernelTable::row_of(fusion::GroupId group) const {
  if (!report_) return -1;
  const auto found = std::find_if(report_->kernels.begin(), report_->kernels.end(),
                                  [&](const auto& kernel) { return kernel.group == group; });
  return found == report_->kernels.end() ? -1 : static_cast<int>(found - report_->kernels.begin());
}

int KernelTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !report_ ? 0 : static_cast<int>(report_->kernels.size());
}

int KernelTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

double KernelTable::number(const runtime::KernelTiming& kernel, int column) const {
  switch (column) {
    case Median: return kernel.time.median_ms;
    case Share: return total_ms_ > 0 ? 100 * kernel.time.median_ms / total_ms_ : 0;
    case Gflops: return kernel.gflops;
    case Bandwidth: return kernel.gigabytes_per_second;
    default: return 0;
  }
}

QVariant KernelTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !report_) return {};
  const runtime::KernelTiming& kernel = report_->kernels[static_cast<std::size_t>(index.row())];
  if (index.column() == Name) {
    if (role == Qt::DisplayRole || role == sort_role || role == Qt::ToolTipRole)
      return QString::fromStdString(kernel.name);
    return {};
  }
  if (index.column() == Layer)
    return role == Qt::DisplayRole || role == sort_role || role == Qt::ToolTipRole
               ? layers_.value(index.row())
               : QVariant();
  if (kernel.missing && index.column() == Median) {
    if (role == Qt::DisplayRole) return tr("missing");
    if (role == Qt::ToolTipRole)
      return tr("%1: %2\nThe others were timed on random numbers in the place of its results.")
          .arg(QString::fromStdString(code_name(kernel.missing->code)),
               QString::fromStdString(kernel.missing->what));
  }
  if (kernel.missing && (role == Qt::DisplayRole || role == Qt::ToolTipRole)) return {};
  if (kernel.is_view) {
    if (role == Qt::DisplayRole) return index.column() == Median ? tr("no code") : QString();
    if (role == Qt::ToolTipRole)
      return tr("It needs no code: its results are written or lie where they belong.");
  }
  const double value = number(kernel, index.column());
  switch (role) {
    case sort_role: return value;
    case length_role: return longest_ms_ > 0 ? kernel.time.median_ms / longest_ms_ : 0;
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    case Qt::DisplayRole:
      if (index.column() == Median) return text(readable_milliseconds(value));
      if (index.column() == Share) return QString("%1 %").arg(value, 0, 'f', 1);
      if (index.column() == Gflops && kernel.flops == 0) return QString("–");  // nothing to do
      return QString::number(value, 'f', 1);
    case Qt::ToolTipRole:
      return tr("quartiles %1 to %2, minimum %3, %4 rounds, %5")
          .arg(text(readable_milliseconds(kernel.time.lower_quartile_ms)),
               text(readable_milliseconds(kernel.time.upper_quartile_ms)),
               text(readable_milliseconds(kernel.time.minimum_ms)))
          .arg(kernel.time.rounds)
          .arg(text(runtime::trust_words(kernel.time, report_->load, report_->threads)));
    default: return {};
  }
}

QVariant KernelTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::Alignment((section <= Layer ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Kernel");
    case Layer: return tr("Layer");
    case Median: return tr("Median");
    case Share: return tr("Share");
    case Gflops: return tr("GFLOP/s");
    case Bandwidth: return tr("GB/s");
    default: return {};
  }
}

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem background = option;
  initStyleOption(&background, index);
  const QString text = background.text;
  background.text.clear();
  option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);

  const int text_width = option.fontMetrics.horizontalAdvance("100.0 %") + 8;
  QRectF bar = option.rect.adjusted(6, 5, -text_width - 4, -5);
  bar.setWidth(std::max(1.0, bar.width() * index.data(length_role).toDouble()));
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme().accent);
  painter->drawRoundedRect(bar, 2, 2);
  painter->setPen(theme().text);
  painter->drawText(option.rect.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, text);
  painter->restore();
}

}  // namespace loopglass::views

// The kernels of a benchmark report as a sortable table, with a bar for each one's share of the
// time.
#pragma once

#include "core/session.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include <memory>

namespace loopglass::views {

class KernelTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Layer, Median, Share, Gflops, Bandwidth, ColumnCount };
  // Numbers to sort by; display text is for people.
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  // `layers`: what each kernel of the report is in the network; may be shorter.
  void set_report(std::shared_ptr<const runtime::BenchmarkReport> report, QStringList layers);
  fusion::GroupId group_at(int row) const;
  int row_of(fusion::GroupId group) const;  // -1: not there

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  double number(const runtime::KernelTiming& kernel, int column) const;

  std::shared_ptr<const runtime::BenchmarkReport> report_;
  QStringList layers_;
  double total_ms_ = 0, longest_ms_ = 0;
};

// Draws a bar as long as the cell's share, the number beside it.
class ShareDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace loopglass::views

// The groups of a fusion plan as a table: one row per kernel, in the order in which they run.
#pragma once

#include "core/fusion/plan.h"

#include <QAbstractTableModel>

#include <memory>

namespace loopglass::views {

class GroupModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Operators, Anchor, Members, ColumnCount };
  static constexpr int SortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void set_plan(std::shared_ptr<const fusion::Plan> plan,
                std::shared_ptr<const graph::Graph> graph);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const fusion::Plan> plan_;
  std::shared_ptr<const graph::Graph> graph_;
};

}  // namespace loopglass::views

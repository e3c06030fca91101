// The tables of a comparison: counts before and after, and the nodes that are not the same.
#pragma once

#include "core/graph/counts.h"
#include "core/graph/diff.h"

#include <QAbstractTableModel>
#include <QString>

#include <memory>
#include <optional>

namespace loopglass::views {

// Two graphs of one history, compared in full.
struct Comparison {
  QString before_name, after_name;  // "step 4 (fold-constants)"
  std::shared_ptr<const graph::Graph> before, after;
  graph::Diff diff;
  std::vector<graph::CountRow> counts;
  QString text;  // unified hunks
};

class CountModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Before, After, Delta, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<graph::CountRow> rows);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<graph::CountRow> rows_;
};

class NodeDiffModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Operator, What, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;
  void set_comparison(std::shared_ptr<const Comparison> comparison);
  std::optional<graph::NodeId> node_at(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const Comparison> comparison_;
};

}  // namespace loopglass::views

// Two timelines in one table: steps of both sides that are the same pass in the same round stand in
// one row, between them whether their graphs are the same.
#pragma once

#include "core/debug/counterfactual.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>

namespace loopglass::views {

class AlignedModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    LeftPass,
    LeftOperators,
    LeftRewrites,
    LeftTime,
    Same,
    RightPass,
    RightOperators,
    RightRewrites,
    RightTime,
    ColumnCount
  };
  using QAbstractTableModel::QAbstractTableModel;

  void set_result(std::shared_ptr<const debug::Counterfactual> result);
  std::optional<std::size_t> left_step(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant side_text(const debug::Side& side, std::size_t step, int column) const;

  std::shared_ptr<const debug::Counterfactual> result_;
};

// What the two networks are made of and cost.
class SidesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Left, Right, Change, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void set_result(std::shared_ptr<const debug::Counterfactual> result);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name;
    double left, right;
    QString (*words)(double);  // of the numbers, with their unit
  };
  std::vector<Row> rows_;
};

}  // namespace loopglass::views

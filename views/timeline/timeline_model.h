// The steps of a graph history as a tree: one row per step, and below it the rewrites and remarks
// its pass reported.
#pragma once

#include "core/pass/runner.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>

namespace loopglass::views {

class TimelineModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Name, Rewrites, Nodes, Time, ColumnCount };

  using QAbstractItemModel::QAbstractItemModel;

  void set_history(std::shared_ptr<const pass::GraphHistory> history);
  void set_current_step(std::size_t step);

  // The step a row belongs to, be it the step's own row or one below it.
  static std::size_t step_of(const QModelIndex& index);
  // The rewrite on this row; null for steps and remarks.
  const pass::Rewrite* rewrite_at(const QModelIndex& index) const;
  QModelIndex index_of_step(std::size_t step) const;
  bool step_changed(std::size_t step) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  using Step = pass::Step<graph::Graph>;
  QVariant step_data(std::size_t step, int column, int role) const;
  QVariant detail_data(const Step& step, std::size_t row, int column, int role) const;

  std::shared_ptr<const pass::GraphHistory> history_;
  std::size_t current_ = 0;
};

// "1.2 ms", "350 µs"
QString duration_text(std::chrono::nanoseconds duration);

}  // namespace loopglass::views

// The trials of a run, to be sorted.
#pragma once

#include "views/tuning/tuning_runs.h"

#include <QAbstractTableModel>

namespace loopglass::views {

class TrialTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Number, Time, Faster, Speed, How, Knobs, ColumnCount };
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void show(const ShownRun& run);  // of the run before: rows are added
  void clear();
  void set_in_use(const std::string& script);  // that schedules the kernel; empty: none of these
  const ShownTrial& trial(int row) const { return run_.trials[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant number(const ShownTrial& trial, int column) const;
  bool is_of_another_moment(const ShownTrial& trial) const;
  QString words(const ShownTrial& trial, int column) const;

  ShownRun run_;
  std::string in_use_;
};

}  // namespace loopglass::views

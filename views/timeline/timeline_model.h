// The steps of a graph history as a tree: one row per step, and below it the rewrites and remarks
// its pass reported.
#pragma once

#include "core/pass/breakpoints.h"
#include "core/pass/node_history.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>
#include <set>

namespace loopglass::views {

class TimelineModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Name, Rewrites, Nodes, Time, ColumnCount };

  using QAbstractItemModel::QAbstractItemModel;

  void set_history(std::shared_ptr<const pass::GraphHistory> history);
  void set_position(pass::Position position);
  // Knows the names of nodes that live only inside a step; null until worked out.
  void set_node_history(std::shared_ptr<const pass::NodeHistory> nodes);
  // Tells in every row what becomes of this node; invalid: none.
  void set_followed(graph::NodeId node);
  // Marks the rows at which breakpoints stop.
  void set_stops(const std::vector<pass::Stop>& stops);

  // The place a row stands for: a step, or just after a rewrite.
  pass::Position place_of(const QModelIndex& index) const;
  // The step a row belongs to, be it the step's own row or one below it.
  static std::size_t step_of(const QModelIndex& index);
  // The rewrite or remark on this row; null for others.
  const pass::Rewrite* rewrite_at(const QModelIndex& index) const;
  const pass::Remark* remark_at(const QModelIndex& index) const;
  QModelIndex index_of_step(std::size_t step) const;
  QModelIndex index_of(pass::Position place) const;
  bool step_changed(std::size_t step) const;
  // Absent where no node is followed.
  std::optional<pass::Presence> presence(std::size_t step) const;
  // What a row says at length: the pass's doc and reason, the rewrite's, or the remark's sentence.
  QString sentence(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  using Step = pass::Step<graph::Graph>;
  QVariant step_data(std::size_t step, int column, int role) const;
  QVariant rewrite_data(std::size_t step, std::size_t row, int column, int role) const;
  QVariant remark_data(const pass::Remark& remark, int column, int role) const;
  QString step_title(std::size_t step) const;
  QString rewrite_title(std::size_t step, std::size_t row) const;
  QString round_text(std::size_t step) const;  // "round 2"; empty outside of fixed-point groups
  static QString unchanged_words(const Step& step);
  QString names_of(const std::vector<std::uint32_t>& nodes, std::size_t step) const;
  QString name_of(graph::NodeId node, std::size_t step) const;
  void rows_changed();

  std::shared_ptr<const pass::GraphHistory> history_;
  std::shared_ptr<const pass::NodeHistory> nodes_;
  std::set<std::size_t> groups_;  // entries of the pipeline that are fixed-point groups
  pass::Position position_;
  graph::NodeId followed_;
  std::vector<pass::Presence> presences_;
  std::set<std::pair<std::size_t, std::size_t>> stops_;  // step, and rewrite from 0 or Report::all
};

// "1.2 ms", "350 µs"
QString duration_text(std::chrono::nanoseconds duration);

}  // namespace loopglass::views

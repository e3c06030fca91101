// The decisions of a fusion plan as a table: one row per edge between two operators.
#pragma once

#include "core/fusion/saving.h"

#include <QAbstractTableModel>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace loopglass::views {

class DecisionModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Producer, Consumer, Verdict, Reason, Bytes, Saved, Sentence, ColumnCount };
  // What rows sort by, where it is not the text.
  static constexpr int SortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void set_plan(std::shared_ptr<const fusion::Plan> plan,
                std::shared_ptr<const graph::Graph> graph);
  // Rows that have to do with these are tinted.
  void set_related(std::set<graph::NodeId> nodes, std::set<graph::ValueId> values);
  const fusion::Decision* decision(int row) const;
  const graph::Graph* graph() const { return graph_.get(); }
  const fusion::Plan* plan() const { return plan_.get(); }

  // Verdicts and reasons that are hidden until a person has said what they would do.
  using IsHidden = std::function<bool(const fusion::Edge&)>;
  void set_hidden(IsHidden is_hidden);
  void hidden_changed();  // what is hidden is another now
  bool is_hidden(const fusion::Decision& decision) const;

  int row_of(graph::ValueId value) const;  // the first; -1: none
  int row_of(const fusion::Edge& edge) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant text_of(const fusion::Decision& decision, int column) const;
  bool related(const fusion::Decision& decision) const;
  const fusion::Saving& saving(const fusion::Decision& decision) const;
  QString saved_text(const fusion::Decision& decision) const;

  std::shared_ptr<const fusion::Plan> plan_;
  std::shared_ptr<const graph::Graph> graph_;
  // What edges save, found when it is asked for.
  struct Savings {
    Savings(const graph::Graph& graph, const fusion::Plan& plan)
        : rules(graph), of_edge(rules, plan), known(plan.decisions.size()) {}
    fusion::BlockRules rules;
    fusion::EdgeSavings of_edge;
    std::vector<std::optional<fusion::Saving>> known;  // by row
  };
  mutable std::unique_ptr<Savings> savings_;
  std::set<graph::NodeId> nodes_;
  std::set<graph::ValueId> values_;
  IsHidden is_hidden_ = [](const fusion::Edge&) { return false; };
};

}  // namespace loopglass::views

#include "views/fusion/decision_model.h"

#include "core/runtime/memory_budget.h"
#include "views/text.h"
#include "views/theme.h"

#include <QColor>

#include <cstdlib>

namespace loopglass::views {
void DecisionModel::set_plan(std::shared_ptr<const fusion::Plan> plan,
                             std::shared_ptr<const graph::Graph> graph) {
  beginResetModel();
  plan_ = std::move(plan);
  graph_ = std::move(graph);
  savings_.reset();
  nodes_.clear();
  values_.clear();
  endResetModel();
}

void DecisionModel::set_hidden(IsHidden is_hidden) {
  is_hidden_ = std::move(is_hidden);
  hidden_changed();
}

void DecisionModel::hidden_changed() {
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

bool DecisionModel::is_hidden(const fusion::Decision& decision) const {
  return is_hidden_({decision.producer, decision.consumer});
}

const fusion::Saving& DecisionModel::saving(const fusion::Decision& decision) const {
  if (!savings_) {
    savings_ = std::make_unique<Savings>(*graph_, *plan_);
  }
  auto& known = savings_->known[static_cast<std::size_t>(&decision - plan_->decisions.data())];
  if (!known) known = savings_->of_edge(decision);
  return *known;
}

QString DecisionModel::saved_text(const fusion::Decision& decision) const {
  const fusion::Saving& saved = saving(decision);
  if (saved.bytes == 0 && saved.workspace_bytes > 0) return tr("workspace");
  return (saved.bytes < 0 ? "−" : "") + text(runtime::readable_bytes(std::abs(saved.bytes)));
}

void DecisionModel::set_related(std::set<graph::NodeId> nodes, std::set<graph::ValueId> values) {
  if (nodes == nodes_ && values == values_) return;
  nodes_ = std::move(nodes);
  values_ = std::move(values);
  if (rowCount() > 0)
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::BackgroundRole});
}

const fusion::Decision* DecisionModel::decision(int row) const {
  return plan_ && row >= 0 && row < rowCount() ? &plan_->decisions[static_cast<std::size_t>(row)]
                                               : nullptr;
}

int DecisionModel::row_of(graph::ValueId value) const {
  for (int row = 0; row < rowCount(); ++row)
    if (decision(row)->value == value) return row;
  return -1;
}

int DecisionModel::row_of(const fusion::Edge& edge) const {
  for (int row = 0; row < rowCount(); ++row)
    if (decision(row)->producer == edge.producer && decision(row)->consumer == edge.consumer)
      return row;
  return -1;
}

int DecisionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !plan_ ? 0 : static_cast<int>(plan_->decisions.size());
}

int DecisionModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

bool DecisionModel::related(const fusion::Decision& decision) const {
  if (!values_.empty()) return values_.contains(decision.value);
  return nodes_.contains(decision.producer) || nodes_.contains(decision.consumer);
}

QVariant DecisionModel::text_of(const fusion::Decision& decision, int column) const {
  const auto node = [&](graph::NodeId id) {
    const graph::Node* found = graph_->find(id);
    return found ? text(found->name) : QString("?");
  };
  switch (column) {
    case Producer: return node(decision.producer);
    case Consumer: return node(decision.consumer);
    // Never by colour alone.
    case Verdict:
      if (is_hidden(decision)) return tr("? guess");
      return (decision.fused ? tr("✓ fused") : tr("✕ not fused")) +
             (decision.forced ? tr(", by hand") : QString());
    case Reason: return is_hidden(decision) ? QString() : text(fusion::name(decision.reason));
    case Bytes: {
      const graph::Value* value = graph_->find(decision.value);
      return value ? text(runtime::readable_bytes(value->type.bytes())) : QString();
    }
    case Saved:
      // What the kernels around read and write depends on the plan.
      return is_hidden(decision) ? QString() : saved_text(decision);
    case Sentence: return is_hidden(decision) ? QString() : text(decision.sentence);
    default: return {};
  }
}

QVariant DecisionModel::data(const QModelIndex& index, int role) const {
  const fusion::Decision* decision = this->decision(index.row());
  if (!decision) return {};
  switch (role) {
    case Qt::DisplayRole: return text_of(*decision, index.column());
    case SortRole:
      if (index.column() == Bytes) {
        const graph::Value* value = graph_->find(decision->value);
        return value ? QVariant(static_cast<qlonglong>(value->type.bytes())) : QVariant(0);
      }
      if (index.column() == Saved)
        return is_hidden(*decision) ? qlonglong(0)
                                    : static_cast<qlonglong>(saving(*decision).bytes);
      if (index.column() == Producer)
        return static_cast<qulonglong>(graph_->position(decision->producer));
      if (index.column() == Consumer)
        return static_cast<qulonglong>(graph_->position(decision->consumer));
      return text_of(*decision, index.column());
    case Qt::ToolTipRole: {
      if (is_hidden(*decision)) return tr("Say first what you would do");
      if (index.column() == Saved)
        return text(fusion::sentence(saving(*decision), decision->fused));
      QString tip = text(decision->sentence);
      if (!decision->condition.empty()) tip += "\n" + text(decision->condition);
      if (index.column() == Reason)
        tip += "\n" + text(fusion::name(decision->reason)) + ": " +
               text(fusion::explanation(decision->reason));
      return tip;
    }
    case Qt::ForegroundRole:
      if (is_hidden(*decision))
        return index.column() == Verdict ? QVariant(theme().muted) : QVariant();
      if (index.column() == Saved && !decision->fused) return theme().muted;
      if (index.column() == Verdict) return decision->fused ? theme().good : theme().warning;
      return {};
    case Qt::BackgroundRole: return related(*decision) ? QVariant(theme().related) : QVariant();
    case Qt::TextAlignmentRole:
      return index.column() == Bytes || index.column() == Saved
                 ? int(Qt::AlignRight | Qt::AlignVCenter)
                 : int(Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
  }
}

QVariant DecisionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Producer)
    return tr("Sorted by it, edges stand in the graph's order");
  if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Saved)
    return "<p>" +
           tr("What its kernel saves of memory traffic against two that are cut at this edge "
              "alone; "
              "of one that is not fused, what one kernel would. What several fused edges share "
              "counts with each of them here, and once in the plan's sum above.") +
           "</p>";
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Producer: return tr("Producer");
    case Consumer: return tr("Consumer");
    case Verdict: return tr("Verdict");
    case Reason: return tr("Reason");
    case Bytes: return tr("Tensor");
    case Saved: return tr("Traffic saved");
    case Sentence: return tr("Why");
    default: return {};
  }
}

}  // namespace loopglass::views

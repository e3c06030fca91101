#include "views/fusion/decision_model.h"

#include "core/runtime/memory_budget.h"
#include "views/document/text.h"
#include "views/theme.h"

#include <QColor>

#include <algorithm>

namespace loopglass::views {
void DecisionModel::set_plan(std::shared_ptr<const fusion::Plan> plan,
                             std::shared_ptr<const graph::Graph> graph) {
  beginResetModel();
  plan_ = std::move(plan);
  graph_ = std::move(graph);
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

// By sharing a kernel the consumer's read is saved, and the write where nobody else needs the
// tensor.
std::int64_t DecisionModel::saved_bytes(const fusion::Decision& decision) const {
  const graph::Value* value = graph_->find(decision.value);
  if (!value) return 0;
  const fusion::GroupId makes = plan_->group_of(decision.producer),
                        reads = plan_->group_of(decision.consumer);
  const auto& uses = graph_->uses(decision.value);
  const bool others = graph_->is_output(decision.value) ||
                      std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
                        const fusion::GroupId group = plan_->group_of(use.node);
                        return group != makes && group != reads;
                      });
  return value->type.bytes() * (others ? 1 : 2);
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
    case Producer:
      return node(decision.producer);
    case Consumer:
      return node(decision.consumer);
    // Never by colour alone.
    case Verdict:
      if (is_hidden(decision)) return tr("? guess");
      return (decision.fused ? tr("✓ fused") : tr("✕ apart")) +
             (decision.forced ? tr(" (asked)") : QString());
    case Reason:
      return is_hidden(decision) ? QString() : text(fusion::name(decision.reason));
    case Bytes: {
      const graph::Value* value = graph_->find(decision.value);
      return value ? text(runtime::readable_bytes(value->type.bytes())) : QString();
    }
    case Saved:
      // Who else reads the tensor from memory depends on the plan.
      return is_hidden(decision) ? QString() : text(runtime::readable_bytes(saved_bytes(decision)));
    case Sentence:
      return is_hidden(decision) ? QString() : text(decision.sentence);
    default:
      return {};
  }
}

QVariant DecisionModel::data(const QModelIndex& index, int role) const {
  const fusion::Decision* decision = this->decision(index.row());
  if (!decision) return {};
  switch (role) {
    case Qt::DisplayRole:
      return text_of(*decision, index.column());
    case SortRole:
      if (index.column() == Bytes) {
        const graph::Value* value = graph_->find(decision->value);
        return value ? QVariant(static_cast<qlonglong>(value->type.bytes())) : QVariant(0);
      }
      if (index.column() == Saved)
        return is_hidden(*decision) ? qlonglong(0) : static_cast<qlonglong>(saved_bytes(*decision));
      if (index.column() == Producer)
        return static_cast<qulonglong>(graph_->position(decision->producer));
      if (index.column() == Consumer)
        return static_cast<qulonglong>(graph_->position(decision->consumer));
      return text_of(*decision, index.column());
    case Qt::ToolTipRole: {
      if (is_hidden(*decision)) return tr("Say first what you would do");
      if (index.column() == Saved)
        return decision->fused
                   ? tr("Bytes that no longer go from kernel to kernel; what one loop nest of the "
                        "kernel hands to the next through its workspace is among them")
                   : tr("Bytes that would no longer go from kernel to kernel; the near misses say "
                        "what of it would only move into a workspace");
      QString tip = text(decision->sentence);
      if (!decision->condition.empty()) tip += "\n" + text(decision->condition);
      return tip;
    }
    case Qt::ForegroundRole:
      if (is_hidden(*decision))
        return index.column() == Verdict ? QVariant(theme().muted) : QVariant();
      if (index.column() == Saved && !decision->fused) return theme().muted;
      if (index.column() == Verdict) return decision->fused ? theme().good : theme().warning;
      return {};
    case Qt::BackgroundRole:
      return related(*decision) ? QVariant(theme().related) : QVariant();
    case Qt::TextAlignmentRole:
      return index.column() == Bytes || index.column() == Saved
                 ? int(Qt::AlignRight | Qt::AlignVCenter)
                 : int(Qt::AlignLeft | Qt::AlignVCenter);
    default:
      return {};
  }
}

QVariant DecisionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Producer:
      return tr("Producer");
    case Consumer:
      return tr("Consumer");
    case Verdict:
      return tr("Verdict");
    case Reason:
      return tr("Reason");
    case Bytes:
      return tr("Tensor");
    case Saved:
      return tr("Saves");
    case Sentence:
      return tr("Why");
    default:
      return {};
  }
}

}  // namespace loopglass::views

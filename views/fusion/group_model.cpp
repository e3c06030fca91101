#include "views/fusion/group_model.h"

#include "views/text.h"
#include "views/theme.h"

#include <QColor>
#include <QStringList>

namespace loopglass::views {
void GroupModel::set_plan(std::shared_ptr<const fusion::Plan> plan,
                          std::shared_ptr<const graph::Graph> graph) {
  beginResetModel();
  plan_ = std::move(plan);
  graph_ = std::move(graph);
  endResetModel();
}

int GroupModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !plan_ ? 0 : static_cast<int>(plan_->groups.size());
}

int GroupModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant GroupModel::data(const QModelIndex& index, int role) const {
  if (!plan_ || !index.isValid()) return {};
  const fusion::Group& group = plan_->groups[static_cast<std::size_t>(index.row())];
  if (role == Qt::DecorationRole && index.column() == Name) return theme().group(group.id.value);
  if (role == Qt::TextAlignmentRole && index.column() == Operators)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == SortRole && index.column() == Operators) return static_cast<int>(group.nodes.size());
  if (role == SortRole && index.column() == Name) return index.row();  // the order they run in
  if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
    case Name: return text(group.name);
    case Operators: return QString::number(group.nodes.size());
    case Anchor: return text(graph_->node(group.anchor).name);
    case Members: {
      QStringList members;
      for (const graph::NodeId id : group.nodes) members << text(operator_name(graph_->node(id)));
      return members.join(role == Qt::ToolTipRole ? "\n" : ", ");
    }
    default: return {};
  }
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == Anchor)
    return tr("The operator whose loop nest the kernel takes");
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Kernel");
    case Operators: return tr("Operators");
    case Anchor: return tr("Anchor");
    case Members: return tr("Fused");
    default: return {};
  }
}

}  // namespace loopglass::views

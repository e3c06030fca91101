#include "views/diff/diff_model.h"

#include "views/text.h"
#include "views/theme.h"

#include <QLocale>

namespace loopglass::views {
namespace {

struct ChangeLook {
  QString glyph;
  QColor color;
};

ChangeLook look_of(graph::Change change) {
  const Theme& t = theme();
  switch (change) {
    case graph::Change::Same: return {"=", t.muted};
    case graph::Change::Added: return {"+", t.good};
    case graph::Change::Removed: return {"−", t.error};
    case graph::Change::Changed: return {"~", t.warning};
  }
  __builtin_unreachable();
}

QString number(std::int64_t value) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

}  // namespace

// --- counts ---

void CountModel::set_rows(std::vector<graph::CountRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int CountModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int CountModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant CountModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const graph::CountRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() != Name)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role == Qt::ForegroundRole && row.delta() == 0) return theme().muted;
  if (role == Qt::FontRole && !row.per_operator && index.column() == Name) {
    QFont font = theme().text_font();
    font.setBold(true);
    return font;
  }
  // A narrow pane has no room for all columns.
  if (role == Qt::ToolTipRole)
    return tr("%1: %2 before, %3 after").arg(text(row.name), number(row.before), number(row.after));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Name: return text(row.name);
    case Before: return number(row.before);
    case After: return number(row.after);
    case Delta:
      if (row.delta() == 0) return "=";
      return (row.delta() > 0 ? "+" : "−") + number(std::abs(row.delta()));
    default: return {};
  }
}

QVariant CountModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section != Name)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return QString();
    case Before: return tr("Before");
    case After: return tr("After");
    case Delta: return tr("Change");
    default: return {};
  }
}

// --- nodes ---

void NodeDiffModel::set_comparison(std::shared_ptr<const Comparison> comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  endResetModel();
}

std::optional<graph::NodeId> NodeDiffModel::node_at(const QModelIndex& index) const {
  if (!index.isValid() || !comparison_) return {};
  return comparison_->diff.nodes[static_cast<std::size_t>(index.row())].id;
}

int NodeDiffModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !comparison_ ? 0 : static_cast<int>(comparison_->diff.nodes.size());
}
int NodeDiffModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant NodeDiffModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !comparison_) return {};
  const graph::NodeDiff& row = comparison_->diff.nodes[static_cast<std::size_t>(index.row())];
  const graph::Node& shown = row.after ? *row.after : *row.before;
  const ChangeLook look = look_of(row.change);
  if (role == Qt::ForegroundRole && index.column() == Name) return look.color;
  if (role == Qt::ToolTipRole) {
    const std::string_view name = graph::name(row.change);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + ": " +
           text(shown.name) + "\n" + text(graph::to_text(row.differences));
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Name: return look.glyph + "  " + text(shown.name);
    case Operator: return text(operator_name(shown));
    case What: return text(graph::to_text(row.differences));
    default: return {};
  }
}

QVariant NodeDiffModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Node");
    case Operator: return tr("Operator");
    case What: return tr("What changed");
    default: return {};
  }
}

}  // namespace loopglass::views

#include "views/timeline/timeline_model.h"

#include "views/document/counted.h"
#include "views/theme.h"

namespace loopglass::views {
namespace {

// Internal ids: 0 for steps' rows, else 1 + the step that a row is below.
constexpr quintptr step_row = 0;

QString text(const std::string& value) { return QString::fromStdString(value); }

QString remark_glyph(pass::RemarkKind kind) {
  switch (kind) {
    case pass::RemarkKind::Applied:
      return "+ ";
    case pass::RemarkKind::Missed:
      return "− ";
    case pass::RemarkKind::Note:
      return "· ";
  }
  __builtin_unreachable();
}

QString remark_tip(const pass::Remark& remark) {
  QString tip = text(remark.code) + "\n" + text(remark.text);
  for (const auto& [name, value] : remark.numbers)
    tip += QString("\n%1 = %2").arg(text(name)).arg(value);
  return tip;
}

}  // namespace

QString duration_text(std::chrono::nanoseconds duration) {
  const double microseconds = static_cast<double>(duration.count()) / 1000;
  if (microseconds < 1000) return QString("%1 µs").arg(microseconds, 0, 'f', 0);
  if (microseconds < 1e6) return QString("%1 ms").arg(microseconds / 1000, 0, 'f', 1);
  return QString("%1 s").arg(microseconds / 1e6, 0, 'f', 2);
}

void TimelineModel::set_history(std::shared_ptr<const pass::GraphHistory> history) {
  beginResetModel();
  history_ = std::move(history);
  current_ = history_ ? history_->steps.size() - 1 : 0;
  endResetModel();
}

void TimelineModel::set_current_step(std::size_t step) {
  if (step == current_ || !history_) return;
  const std::size_t before = current_;
  current_ = step;
  for (const std::size_t row : {before, step})
    if (row < history_->steps.size())
      emit dataChanged(index_of_step(row), index(static_cast<int>(row), ColumnCount - 1));
}

std::size_t TimelineModel::step_of(const QModelIndex& index) {
  return index.internalId() == step_row ? static_cast<std::size_t>(index.row())
                                        : static_cast<std::size_t>(index.internalId() - 1);
}

const pass::Rewrite* TimelineModel::rewrite_at(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == step_row) return nullptr;
  const auto& rewrites = history_->steps[step_of(index)].rewrites;
  const auto row = static_cast<std::size_t>(index.row());
  return row < rewrites.size() ? &rewrites[row] : nullptr;
}

QModelIndex TimelineModel::index_of_step(std::size_t step) const {
  return index(static_cast<int>(step), 0);
}

bool TimelineModel::step_changed(std::size_t step) const {
  return step == 0 || history_->steps[step].changed;
}

QModelIndex TimelineModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column,
                     parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : step_row);
}

QModelIndex TimelineModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == step_row) return {};
  return createIndex(static_cast<int>(step_of(index)), 0, step_row);
}

int TimelineModel::rowCount(const QModelIndex& parent) const {
  if (!history_ || parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(history_->steps.size());
  if (parent.internalId() != step_row) return 0;
  const Step& step = history_->steps[step_of(parent)];
  return static_cast<int>(step.rewrites.size() + step.remarks.size());
}

int TimelineModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant TimelineModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !history_) return {};
  if (role == Qt::TextAlignmentRole && index.column() != Name)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (index.internalId() == step_row) return step_data(step_of(index), index.column(), role);
  return detail_data(history_->steps[step_of(index)], static_cast<std::size_t>(index.row()),
                     index.column(), role);
}

QVariant TimelineModel::step_data(std::size_t number, int column, int role) const {
  const Step& step = history_->steps[number];
  switch (role) {
    case Qt::DisplayRole:
      switch (column) {
        case Name:
          return QString("%1  %2").arg(number).arg(text(step.pass.name));
        case Rewrites:
          return step.changed ? QVariant::fromValue(step.rewrites.size()) : QVariant("–");
        case Nodes:
          return QVariant::fromValue(step.result->nodes().size());
        case Time:
          return number == 0 ? QString() : duration_text(step.duration);
        default:
          return {};
      }
    case Qt::ForegroundRole:
      return step_changed(number) ? QVariant() : QVariant(theme().muted);
    case Qt::FontRole: {
      if (number != current_) return {};
      QFont font = theme().text_font();
      font.setBold(true);
      return font;
    }
    case Qt::ToolTipRole: {
      QString tip = "<b>" + text(step.pass.name).toHtmlEscaped() + "</b><br>" +
                    text(step.pass.doc).toHtmlEscaped();
      if (!step.pass.reason.empty())
        tip += "<br><i>" + text(step.pass.reason).toHtmlEscaped() + "</i>";
      if (!step_changed(number)) tip += "<br>" + tr("It found nothing to change.");
      return tip;
    }
    default:
      return {};
  }
}

QVariant TimelineModel::detail_data(const Step& step, std::size_t row, int column, int role) const {
  const bool is_rewrite = row < step.rewrites.size();
  if (role == Qt::ForegroundRole && !is_rewrite) return theme().muted;
  if (column != Name) return {};
  if (is_rewrite) {
    const pass::Rewrite& rewrite = step.rewrites[row];
    if (role == Qt::DisplayRole)
      return rewrite.detail.empty() ? "~ " + text(rewrite.rule) : "~ " + text(rewrite.detail);
    if (role == Qt::ToolTipRole)
      return QString("%1: %2 consumed, %3 made")
          .arg(text(rewrite.rule), counted(rewrite.consumed.size(), "node"))
          .arg(rewrite.made.size());
    return {};
  }
  const pass::Remark& remark = step.remarks[row - step.rewrites.size()];
  if (role == Qt::DisplayRole) {
    const QString entity = remark.entity.empty() ? QString() : text(remark.entity) + ": ";
    return remark_glyph(remark.kind) + entity + text(remark.text);
  }
  if (role == Qt::ToolTipRole) return remark_tip(remark);
  return {};
}

QVariant TimelineModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section != Name)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Step");
    case Rewrites:
      return tr("Rewrites");
    case Nodes:
      return tr("Nodes");
    case Time:
      return tr("Time");
    default:
      return {};
  }
}

}  // namespace loopglass::views

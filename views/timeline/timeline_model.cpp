#include "views/timeline/timeline_model.h"

#include "core/support/readable_time.h"

#include "views/text.h"
#include "views/theme.h"

#include <algorithm>

namespace loopglass::views {
namespace {

// Internal ids: 0 for steps' rows, else 1 + the step that a row is below.
constexpr quintptr step_row = 0;

QString remark_glyph(pass::RemarkKind kind) {
  switch (kind) {
    case pass::RemarkKind::Applied: return "+ ";
    case pass::RemarkKind::Missed: return "− ";
    case pass::RemarkKind::Note: return "· ";
  }
  __builtin_unreachable();
}

QString remark_tip(const pass::Remark& remark) {
  QString tip = text(remark.code) + "\n" + text(remark.text);
  for (const auto& [name, value] : remark.numbers)
    tip += QString("\n%1 = %2").arg(text(name)).arg(value);
  return tip;
}

struct PresenceLook {
  QString glyph;
  QColor color;
};

PresenceLook look_of(pass::Presence presence) {
  const Theme& t = theme();
  switch (presence) {
    case pass::Presence::Absent: return {"·", t.muted};
    case pass::Presence::Created: return {"+", t.good};
    case pass::Presence::Unchanged: return {"=", t.accent};
    case pass::Presence::Changed: return {"~", t.warning};
    case pass::Presence::Removed: return {"−", t.error};
  }
  __builtin_unreachable();
}

}  // namespace

QString duration_text(std::chrono::nanoseconds duration) { return text(readable_time(duration)); }

void TimelineModel::set_history(std::shared_ptr<const pass::GraphHistory> history) {
  beginResetModel();
  history_ = std::move(history);
  nodes_ = nullptr;
  presences_.clear();
  stops_.clear();
  groups_.clear();
  position_ = {history_ ? history_->steps.size() - 1 : 0};
  // An entry with one pass, run once, is no group; every other is.
  if (history_)
    for (std::size_t i = 2; i < history_->steps.size(); ++i)
      if (history_->steps[i].entry == history_->steps[i - 1].entry)
        groups_.insert(history_->steps[i].entry);
  endResetModel();
}

void TimelineModel::rows_changed() {
  if (!history_ || rowCount() == 0) return;
  emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void TimelineModel::set_position(pass::Position position) {
  if (!history_ || position == position_) return;
  position_ = position;
  rows_changed();
}

void TimelineModel::set_node_history(std::shared_ptr<const pass::NodeHistory> nodes) {
  nodes_ = std::move(nodes);
  set_followed(followed_);
}

void TimelineModel::set_followed(graph::NodeId node) {
  followed_ = node;
  presences_.clear();
  if (nodes_ && node.valid() && nodes_->find(node)) presences_ = nodes_->presences(node);
  rows_changed();
}

void TimelineModel::set_stops(const std::vector<pass::Stop>& stops) {
  stops_.clear();
  for (const pass::Stop& stop : stops)
    stops_.emplace(stop.position.step, stop.rewrite.value_or(pass::Report::all));
  rows_changed();
}

std::optional<pass::Presence> TimelineModel::presence(std::size_t step) const {
  if (step >= presences_.size()) return {};
  return presences_[step];
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

const pass::Remark* TimelineModel::remark_at(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == step_row) return nullptr;
  const Step& step = history_->steps[step_of(index)];
  const auto row = static_cast<std::size_t>(index.row());
  return row < step.rewrites.size() ? nullptr : &step.remarks[row - step.rewrites.size()];
}

pass::Position TimelineModel::place_of(const QModelIndex& index) const {
  const std::size_t step = step_of(index);
  if (!rewrite_at(index)) return {step};
  return pass::normalised({step, static_cast<std::size_t>(index.row()) + 1}, *history_);
}

QModelIndex TimelineModel::index_of_step(std::size_t step) const {
  return index(static_cast<int>(step), 0);
}

QModelIndex TimelineModel::index_of(pass::Position place) const {
  const QModelIndex step = index_of_step(place.step);
  if (place.rewrites == pass::Report::all || place.rewrites == 0) return step;
  return index(static_cast<int>(place.rewrites) - 1, 0, step);
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
  const std::size_t step = step_of(index);
  if (index.internalId() == step_row) return step_data(step, index.column(), role);
  if (const pass::Remark* remark = remark_at(index))
    return remark_data(*remark, index.column(), role);
  return rewrite_data(step, static_cast<std::size_t>(index.row()), index.column(), role);
}

QString TimelineModel::round_text(std::size_t step) const {
  if (step == 0 || !groups_.contains(history_->steps[step].entry)) return {};
  return tr("round %1").arg(history_->steps[step].round);
}

QString TimelineModel::step_title(std::size_t number) const {
  const Step& step = history_->steps[number];
  QString title = QString("%1  %2").arg(number).arg(text(step.pass.name));
  if (groups_.contains(step.entry) && number > 0) title += QString("  ↻%1").arg(step.round);
  if (const auto here = presence(number)) title = look_of(*here).glyph + " " + title;
  if (stops_.lower_bound({number, 0}) != stops_.lower_bound({number + 1, 0})) title = "● " + title;
  return title;
}

QVariant TimelineModel::step_data(std::size_t number, int column, int role) const {
  const Step& step = history_->steps[number];
  switch (role) {
    case Qt::DisplayRole:
      switch (column) {
        case Name: return step_title(number);
        case Rewrites:
          return step.changed ? QVariant::fromValue(step.rewrites.size()) : QVariant("–");
        case Nodes: return QVariant::fromValue(step.result->nodes().size());
        case Time: return number == 0 ? QString() : duration_text(step.duration);
        default: return {};
      }
    case Qt::ForegroundRole:
      if (const auto here = presence(number); here && column == Name)
        return *here == pass::Presence::Absent ? theme().muted : look_of(*here).color;
      return step_changed(number) ? QVariant() : QVariant(theme().muted);
    case Qt::FontRole: {
      if (number != position_.step) return {};
      QFont font = theme().text_font();
      font.setBold(true);
      return font;
    }
    case Qt::ToolTipRole: {
      QString tip = "<b>" + text(step.pass.name).toHtmlEscaped() + "</b><br>" +
                    text(step.pass.doc).toHtmlEscaped();
      if (!step.pass.reason.empty())
        tip += "<br><i>" + text(step.pass.reason).toHtmlEscaped() + "</i>";
      if (const QString round = round_text(number); !round.isEmpty())
        tip += "<br>" + tr("%1 of a group that runs to a fixed point").arg(round);
      if (!step_changed(number)) tip += "<br>" + unchanged_words(step);
      if (const auto here = presence(number))
        tip +=
            "<br>" + tr("The selected node here: %1")
                         .arg(QString::fromUtf8(pass::name(*here).data(),
                                                static_cast<qsizetype>(pass::name(*here).size())));
      return tip;
    }
    default: return {};
  }
}

// What kept a pass from what it is for stands in its remarks.
QString TimelineModel::unchanged_words(const Step& step) {
  return step.remarks.empty() ? tr("It found nothing to change.")
                              : tr("It changed nothing; its remarks say why.");
}

// As the node was called before the step, else after it, else wherever it was seen.
QString TimelineModel::name_of(graph::NodeId node, std::size_t step) const {
  for (const std::size_t at : {step - 1, step})
    if (const graph::Node* found = history_->at(at).find(node)) return text(found->name);
  return nodes_ ? text(nodes_->name_of(node)) : QString("#%1").arg(node.value);
}

QString TimelineModel::names_of(const std::vector<std::uint32_t>& nodes, std::size_t step) const {
  constexpr std::size_t most = 4;
  QStringList names;
  for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
    names << name_of(graph::NodeId{nodes[i]}, step);
  if (nodes.size() > most) names << tr("%1 more").arg(nodes.size() - most);
  return names.isEmpty() ? tr("nothing") : names.join(", ");
}

QString TimelineModel::rewrite_title(std::size_t step, std::size_t row) const {
  const pass::Rewrite& rewrite = history_->steps[step].rewrites[row];
  const QString stop = stops_.contains({step, row}) ? "● " : QString();
  return stop + QString("%1  %2:  %3 → %4  (%5)")
                    .arg(row + 1)
                    .arg(text(rewrite.rule), names_of(rewrite.consumed, step),
                         names_of(rewrite.made, step), duration_text(rewrite.duration));
}

QVariant TimelineModel::rewrite_data(std::size_t step, std::size_t row, int column,
                                     int role) const {
  const pass::Rewrite& rewrite = history_->steps[step].rewrites[row];
  switch (role) {
    case Qt::DisplayRole: return column == Name ? rewrite_title(step, row) : QVariant();
    case Qt::ForegroundRole: {
      if (!followed_.valid()) return {};
      const auto touches = [&](const std::vector<std::uint32_t>& nodes) {
        return std::find(nodes.begin(), nodes.end(), followed_.value) != nodes.end();
      };
      if (touches(rewrite.made)) return look_of(pass::Presence::Created).color;
      if (touches(rewrite.consumed)) return look_of(pass::Presence::Removed).color;
      return {};
    }
    case Qt::FontRole: {
      if (position_ != pass::normalised({step, row + 1}, *history_)) return {};
      QFont font = theme().text_font();
      font.setBold(true);
      return font;
    }
    case Qt::ToolTipRole:
      return QString("<b>%1</b><br>%2 → %3<br>%4")
          .arg(text(rewrite.rule).toHtmlEscaped(), names_of(rewrite.consumed, step).toHtmlEscaped(),
               names_of(rewrite.made, step).toHtmlEscaped(), text(rewrite.detail).toHtmlEscaped());
    default: return {};
  }
}

QVariant TimelineModel::remark_data(const pass::Remark& remark, int column, int role) const {
  if (role == Qt::ForegroundRole) return theme().muted;
  if (column != Name) return {};
  if (role == Qt::DisplayRole) {
    const QString entity = remark.entity.empty() ? QString() : text(remark.entity) + ": ";
    return remark_glyph(remark.kind) + entity + text(remark.text);
  }
  if (role == Qt::ToolTipRole) return remark_tip(remark);
  return {};
}

QString TimelineModel::sentence(const QModelIndex& index) const {
  if (!index.isValid() || !history_) return {};
  if (const pass::Rewrite* rewrite = rewrite_at(index)) return text(rewrite->detail);
  if (const pass::Remark* remark = remark_at(index))
    return text(remark->code) + ": " + text(remark->text);
  const Step& step = history_->steps[step_of(index)];
  const pass::PassInfo& info = step.pass;
  QString sentence = text(info.doc);
  if (!step_changed(step_of(index))) sentence += " " + unchanged_words(step);
  else if (!info.reason.empty()) sentence += " " + tr("Why here: %1.").arg(text(info.reason));
  return sentence;
}

QVariant TimelineModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section != Name)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  static const char* const tips[] = {
      QT_TR_NOOP("What ran, in order; open a row for its rewrites"),
      QT_TR_NOOP("How many rewrites the pass made; – where it changed nothing"),
      QT_TR_NOOP("Operators of the graph afterwards"), QT_TR_NOOP("How long it took")};
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Step");
    case Rewrites: return tr("Rewrites");
    case Nodes: return tr("Nodes");
    case Time: return tr("Time");
    default: return {};
  }
}

}  // namespace loopglass::views

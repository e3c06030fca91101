#include "views/compare/aligned_model.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"

#include <QLocale>

#include <cmath>

namespace loopglass::views {
namespace {

QVariant right_aligned() {
  return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
}

QString count(double value) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}
QString bytes(double value) { return text(readable_bytes(static_cast<std::int64_t>(value))); }
QString arithmetic(double operations) { return text(readable_flops(operations)); }
QString time(double milliseconds) { return text(readable_time(Milliseconds(milliseconds))); }

}  // namespace

// --- timelines ---

void AlignedModel::set_result(std::shared_ptr<const debug::Counterfactual> result) {
  beginResetModel();
  result_ = std::move(result);
  endResetModel();
}

std::optional<std::size_t> AlignedModel::left_step(int row) const {
  return result_ && row >= 0 ? result_->steps[static_cast<std::size_t>(row)].left : std::nullopt;
}

int AlignedModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !result_ ? 0 : static_cast<int>(result_->steps.size());
}
int AlignedModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant AlignedModel::side_text(const debug::Side& side, std::size_t step, int column) const {
  const auto& recorded = side.history->steps[step];
  switch (column) {
    case LeftPass: {
      const QString name = QString::fromStdString(recorded.pass.name);
      return QString("%1  %2%3")
          .arg(step)
          .arg(name, recorded.round > 1 ? tr(" (round %1)").arg(recorded.round) : QString());
    }
    case LeftOperators: return static_cast<qulonglong>(recorded.result->nodes().size());
    case LeftRewrites:
      return recorded.changed && step > 0
                 ? QVariant(static_cast<qulonglong>(recorded.rewrites.size()))
                 : QVariant();
    case LeftTime:
      return step > 0 ? QVariant(text(readable_time(recorded.duration))) : QVariant();  // no pass
    default: return {};
  }
}

QVariant AlignedModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const debug::AlignedStep& row = result_->steps[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const bool is_right = column > Same, both = row.left && row.right;
  const debug::Side& side = is_right ? result_->right : result_->left;
  const auto& step = is_right ? row.right : row.left;
  const Theme& t = theme();
  if (column == Same) {
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignCenter));
    if (role == Qt::DisplayRole) return !both ? "↔" : row.same_graph ? "=" : "≠";
    if (role == Qt::ForegroundRole) return both && row.same_graph ? t.muted : t.warning;
    if (role == Qt::ToolTipRole)
      return !both            ? tr("only one of the pipelines has this step")
             : row.same_graph ? tr("both graphs are the same after this step")
                              : tr("the graphs differ after this step");
    return {};
  }
  if (!step) return {};
  if (role == Qt::TextAlignmentRole && column != LeftPass && column != RightPass)
    return right_aligned();
  // A pass that did nothing is not what one looks for.
  if (role == Qt::ForegroundRole && *step > 0 && !side.history->steps[*step].changed)
    return t.muted;
  if (role == Qt::DisplayRole)
    return side_text(side, *step, is_right ? column - RightPass : column);
  if (role == Qt::ToolTipRole) return QString::fromStdString(side.history->steps[*step].pass.doc);
  return {};
}

QVariant AlignedModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case LeftPass: return tr("Now");
    case RightPass: return tr("Instead");
    case LeftOperators:
    case RightOperators: return tr("Operators");
    case LeftRewrites:
    case RightRewrites: return tr("Rewrites");
    case LeftTime:
    case RightTime: return tr("Time");
    default: return {};
  }
}

// --- the networks ---

void SidesModel::set_result(std::shared_ptr<const debug::Counterfactual> result) {
  beginResetModel();
  rows_.clear();
  if (result) {
    const auto add = [&](const QString& name, const auto& part, QString (*words)(double) = count) {
      rows_.push_back({name, static_cast<double>(part(result->left)),
                       static_cast<double>(part(result->right)), words});
    };
    add(tr("Operators"), [](const debug::Side& side) { return side.counts.nodes; });
    add(tr("Kernels"), [](const debug::Side& side) { return side.kernels; });
    add(
        tr("Arithmetic"), [](const debug::Side& side) { return side.counts.flops; }, arithmetic);
    add(
        tr("… of kernels, with what is computed twice"),
        [](const debug::Side& side) { return side.kernel_flops; }, arithmetic);
    add(
        tr("Parameters"), [](const debug::Side& side) { return side.counts.parameter_bytes; },
        bytes);
    add(
        tr("Intermediates"), [](const debug::Side& side) { return side.counts.intermediate_bytes; },
        bytes);
    add(
        tr("Written between kernels"),
        [](const debug::Side& side) { return side.memory->separate_bytes; }, bytes);
    add(
        tr("Arena"), [](const debug::Side& side) { return side.memory->arena_bytes; }, bytes);
    if (result->left.time && result->right.time) {
      add(
          tr("Median time"), [](const debug::Side& side) { return side.time->median_ms; }, time);
      add(
          tr("Lower quartile time"),
          [](const debug::Side& side) { return side.time->lower_quartile_ms; }, time);
      add(
          tr("Upper quartile time"),
          [](const debug::Side& side) { return side.time->upper_quartile_ms; }, time);
    }
  }
  endResetModel();
}

int SidesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int SidesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant SidesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() != Name) return right_aligned();
  if (role == Qt::ForegroundRole && row.left == row.right) return theme().muted;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Name: return row.name;
    case Left: return row.words(row.left);
    case Right: return row.words(row.right);
    case Change:
      if (row.left == row.right) return "=";
      if (!(row.left > 0)) return {};
      return QString("%1%2 %")
          .arg(row.right > row.left ? "+" : "−")
          .arg(std::abs(100 * (row.right - row.left) / row.left), 0, 'f', 1);
    default: return {};
  }
}

QVariant SidesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Left: return tr("Now");
    case Right: return tr("Instead");
    case Change: return tr("Change");
    default: return {};
  }
}

}  // namespace loopglass::views

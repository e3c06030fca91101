#include "views/tuning/trial_table.h"

#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"

#include <cmath>

namespace loopglass::views {

void TrialTable::show(const ShownRun& run) {
  const bool is_same = run.workload == run_.workload && title_of(run) == title_of(run_) &&
                       run.trials.size() >= run_.trials.size() && !run_.trials.empty() &&
                       run.trials.front().script == run_.trials.front().script &&
                       run.settings.seed == run_.settings.seed;
  if (!is_same) {
    beginResetModel();
    run_ = run;
    endResetModel();
    return;
  }
  const int before = rowCount();
  const int now = static_cast<int>(run.trials.size());
  if (now > before) beginInsertRows({}, before, now - 1);
  run_ = run;
  if (now > before) endInsertRows();
  if (before > 0) emit dataChanged(index(0, 0), index(before - 1, ColumnCount - 1));
}

void TrialTable::clear() {
  beginResetModel();
  run_ = {};
  endResetModel();
}

void TrialTable::set_in_use(const std::string& script) {
  if (script == in_use_) return;
  in_use_ = script;
  if (rowCount() > 0) emit dataChanged(index(0, How), index(rowCount() - 1, How));
}

int TrialTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(run_.trials.size());
}
int TrialTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

namespace {

// Those that ran once more in turns before the others, whose times are of other moments; then what
// was left early, and failures.
double order_of(const ShownTrial& trial) {
  constexpr double later = 1e6;  // milliseconds; larger ones would swallow microseconds
  if (std::isnan(trial.ms)) return 3 * later + trial.number;
  if (trial.in_turns_ms) return *trial.in_turns_ms;
  return trial.ms + (trial.left_early ? 2 * later : later);
}

// "tile 6x2, group 4 (lanes along j, repeats along i)": what differs first.
QString knob_words(const ShownTrial& trial) {
  const QString words = text(trial.words);
  const auto colon = words.indexOf(": ");
  return colon < 0 ? words : QString("%1  (%2)").arg(words.mid(colon + 2), words.left(colon));
}

}  // namespace

QVariant TrialTable::number(const ShownTrial& trial, int column) const {
  switch (column) {
    case Number: return trial.number;
    case Time: return order_of(trial);
    case Faster:
    case Speed: return -order_of(trial);
    case How: return text(trial.how);
    default: return knob_words(trial);
  }
}

// The default schedule ran once more, in turns with the fastest, and this trial did not.
bool TrialTable::is_of_another_moment(const ShownTrial& trial) const {
  return !trial.in_turns_ms && run_.trials.front().in_turns_ms;
}

QString TrialTable::words(const ShownTrial& trial, int column) const {
  const double ms = trial.best_known_ms();
  const ShownTrial& usual = run_.trials.front();
  switch (column) {
    case Number: return QString::number(trial.number);
    case Time:
      return std::isnan(ms) ? text(trial.failure)
                            : (trial.left_early    ? "> "
                               : trial.in_turns_ms ? "✓ "
                                                   : "") +
                                  text(readable_time(Milliseconds(ms)));
    // Each against the default as it was then; in brackets where that is not what stands there.
    case Faster:
      return std::isnan(ms)
                 ? QString()
                 : QString(is_of_another_moment(trial) ? "(%1%2x)" : "%1%2x")
                       .arg(trial.left_early ? "< " : "")
                       .arg((trial.in_turns_ms ? usual.best_known_ms() : usual.ms) / ms, 0, 'f', 2);
    case Speed:
      return std::isnan(ms)
                 ? QString()
                 : (trial.left_early ? "< " : "") + QString::number(run_.flops / ms * 1e-6, 'f', 1);
    case How:
      return (!in_use_.empty() && trial.script == in_use_ ? tr("in use · ") : QString()) +
             text(trial.how);
    case Knobs: return !trial.failure.empty() ? text(trial.reason) : knob_words(trial);
    default: return {};
  }
}

QVariant TrialTable::data(const QModelIndex& index, int role) const {
  const ShownTrial& trial = this->trial(index.row());
  switch (role) {
    case Qt::DisplayRole: return words(trial, index.column());
    case sort_role: return number(trial, index.column());
    case Qt::TextAlignmentRole:
      return int(index.column() <= Speed ? Qt::AlignRight | Qt::AlignVCenter
                                         : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (!trial.failure.empty()) return theme().error;
      if (trial.left_early || trial.same_code || is_of_another_moment(trial)) return theme().muted;
      return {};
    case Qt::ToolTipRole:
      if (!trial.failure.empty())
        return text(trial.failure) + ": " + text(trial.reason) + "\n" + text(trial.words);
      if (trial.left_early) return tr("It was clearly slower than the best and left early.");
      if (trial.in_turns_ms)
        return tr("Measured once more, in turns with the fastest and the default schedule.");
      if (is_of_another_moment(trial))
        return tr("Measured at another moment than those with ✓: it is held against the default "
                  "schedule's first time, %1.")
            .arg(text(readable_time(Milliseconds(run_.trials.front().ms))));
      if (trial.same_code) return tr("The same machine code as an earlier trial's, and its time.");
      return text(trial.words);
    default: return {};
  }
}

QVariant TrialTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Faster)
    return "<p>" +
           tr("Than the default schedule, at the same moment; in brackets of another moment than "
              "its time above, so that the two columns need not agree.") +
           "</p>";
  if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Time)
    return "<p>" +
           tr("✓: measured once more, in turns with the fastest and the default schedule; these "
              "come first, since times of other moments are not to be compared with them. >: left "
              "early, being clearly slower than the best so far.") +
           "</p>";
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QStringList names{tr("trial"),   tr("time"), tr("faster"),
                          tr("GFLOP/s"), tr("how"),  tr("knobs")};
  return names.value(section);
}

}  // namespace loopglass::views

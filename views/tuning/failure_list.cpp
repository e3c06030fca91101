#include "views/tuning/failure_list.h"

#include "views/text.h"
#include "views/theme.h"

#include <QHeaderView>

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::views {

namespace {

constexpr int trial_role = Qt::UserRole;

}  // namespace

FailureList::FailureList(QWidget* parent) : QTreeWidget(parent) {
  setObjectName("failureList");
  setColumnCount(2);
  setHeaderLabels({tr("failed"), tr("why, and an example")});
  setRootIsDecorated(true);
  setTabKeyNavigation(false);
  header()->setStretchLastSection(true);
  header()->resizeSection(0, 18 * fontMetrics().averageCharWidth());
  const auto choose = [this](QTreeWidgetItem* item) {
    if (item && item->data(0, trial_role).isValid())
      emit trialChosen(item->data(0, trial_role).toInt());
  };
  connect(this, &QTreeWidget::itemClicked, this, choose);
  connect(this, &QTreeWidget::itemActivated, this, choose);
}

void FailureList::show_run(const ShownRun* run, int until_round) {
  struct Reason {
    int count = 0, example = 0;
  };
  std::vector<std::pair<std::string, std::string>> now;
  std::map<std::string, std::map<std::string, Reason>> classes;
  int all = 0;
  for (int t = 0; run && t < std::ssize(run->trials); ++t) {
    const ShownTrial& trial = run->trials[static_cast<std::size_t>(t)];
    if (trial.round > until_round) continue;
    ++all;
    now.emplace_back(trial.failure, trial.reason);
    if (trial.failure.empty()) continue;
    Reason& reason = classes[trial.failure][trial.reason];
    if (reason.count++ == 0) reason.example = t;
  }
  if (now == shown_ && topLevelItemCount() > 0) return;  // what is unfolded stays so
  shown_ = std::move(now);
  std::set<QString> folded;
  for (int i = 0; i < topLevelItemCount(); ++i)
    if (!topLevelItem(i)->isExpanded())
      folded.insert(topLevelItem(i)->data(0, trial_role + 1).toString());
  clear();
  if (classes.empty()) {
    auto* item = new QTreeWidgetItem(
        this, {all > 0 ? tr("none") : tr("nothing yet"),
               all > 0 ? tr("every trial ran, and its results are right") : QString()});
    item->setFlags(Qt::ItemIsEnabled);
    return;
  }
  for (const auto& [name, reasons] : classes) {
    int count = 0;
    for (const auto& [words, reason] : reasons) count += reason.count;
    auto* top =
        new QTreeWidgetItem(this, {QString("%1 × %2").arg(count).arg(text(name)),
                                   tr("%1 % of the trials").arg(100.0 * count / all, 0, 'f', 0)});
    top->setData(0, trial_role + 1, text(name));
    top->setForeground(0, theme().error);
    std::vector<std::pair<std::string, Reason>> order(reasons.begin(), reasons.end());
    std::ranges::stable_sort(order, std::greater(),
                             [](const auto& entry) { return entry.second.count; });
    for (const auto& [words, reason] : order) {
      auto* row = new QTreeWidgetItem(
          top, {QString::number(reason.count),
                tr("%1 (trial %2)")
                    .arg(text(words))
                    .arg(run->trials[static_cast<std::size_t>(reason.example)].number)});
      row->setData(0, trial_role, reason.example);
      row->setToolTip(1, text(words));
    }
    top->setData(0, trial_role, order.front().second.example);
    top->setExpanded(!folded.contains(text(name)));
  }
}

}  // namespace loopglass::views

// The trials of a run in the order that a person wants, all of them or those of one round.
#pragma once

#include "views/tuning/trial_table.h"

#include <QSortFilterProxyModel>

namespace loopglass::views {

class TrialsOfRound : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  // Below 0: all.
  void show_round(int round) {
    if (round == round_) return;
    round_ = round;
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex&) const override {
    return round_ < 0 || static_cast<const TrialTable*>(sourceModel())->trial(row).round == round_;
  }

 private:
  int round_ = -1;
};

}  // namespace loopglass::views

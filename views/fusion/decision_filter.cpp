#include "views/fusion/decision_filter.h"

#include "core/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"

namespace loopglass::views {

DecisionFilter::DecisionFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(DecisionModel::SortRole);
}

void DecisionFilter::set_filter(Filter filter) {
  kept_ = std::move(filter);
  invalidateFilter();
}

void DecisionFilter::set_verdict(Verdict verdict) {
  verdict_ = verdict;
  invalidateFilter();
}

bool DecisionFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* model = static_cast<const DecisionModel*>(sourceModel());
  const fusion::Decision* decision = model->decision(row);
  if (!decision) return false;
  if (verdict_ != Verdict::All && decision->fused != (verdict_ == Verdict::Fused)) return false;
  return fusion::matches(kept_, *decision, *model->plan(), *model->graph());
}

bool DecisionFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (QSortFilterProxyModel::lessThan(left, right)) return true;
  if (QSortFilterProxyModel::lessThan(right, left)) return false;
  const auto* model = static_cast<const DecisionModel*>(sourceModel());
  const auto place = [&](const QModelIndex& index) {
    const fusion::Decision& decision = *model->decision(index.row());
    return std::pair(model->graph()->position(decision.producer),
                     model->graph()->position(decision.consumer));
  };
  return place(left) < place(right);
}

}  // namespace loopglass::views

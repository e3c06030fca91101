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

}  // namespace loopglass::views

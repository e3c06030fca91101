#include "views/fusion/decision_filter.h"

#include "views/fusion/decision_model.h"

#include <algorithm>

namespace loopglass::views {

DecisionFilter::DecisionFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(DecisionModel::SortRole);
}

void DecisionFilter::set_words(const QString& words) {
  words_ = words.split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

void DecisionFilter::set_verdict(Verdict verdict) {
  verdict_ = verdict;
  invalidateFilter();
}

bool DecisionFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto* model = static_cast<const DecisionModel*>(sourceModel());
  const fusion::Decision* decision = model->decision(row);
  if (!decision) return false;
  if (verdict_ != Verdict::All && decision->fused != (verdict_ == Verdict::Fused)) return false;
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
    for (int column = 0; column < DecisionModel::ColumnCount; ++column)
      if (model->index(row, column, parent).data().toString().contains(word, Qt::CaseInsensitive))
        return true;
    return false;
  });
}

}  // namespace loopglass::views

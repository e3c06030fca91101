// Which decisions are shown: a verdict, and what a filter of the shared grammar picks out.
#pragma once

#include "core/support/filter.h"

#include <QSortFilterProxyModel>

namespace loopglass::views {

class DecisionFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  enum class Verdict { All, Fused, Apart };

  explicit DecisionFilter(QObject* parent = nullptr);
  void set_filter(Filter filter);
  void set_verdict(Verdict verdict);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  // Of equals the first in the graph, whatever order the plan decided them in.
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  Filter kept_;
  Verdict verdict_ = Verdict::All;
};

}  // namespace loopglass::views

// All strategies over the same graph, with what is asked of the plan: kernels, fusion rate, bytes,
// how sure each is, and, if asked, measured times. A row can be chosen as the strategy.
#pragma once

#include "core/debug/what_if.h"
#include "views/document/document.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QTreeWidget;

namespace loopglass::views {

class WorkPage;

class StrategyTable : public QWidget {
  Q_OBJECT

 public:
  explicit StrategyTable(Document* document, QWidget* parent = nullptr);

  const std::vector<debug::PlanOutcome>& outcomes() const { return outcomes_; }  // empty until there are some

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void forget();
  void derive();
  void accept(std::vector<debug::PlanOutcome> outcomes);
  void show_current();

  Document* document_;
  QCheckBox* measure_;
  QTreeWidget* table_;
  WorkPage* page_;
  std::shared_ptr<const graph::Graph> graph_;  // what the outcomes are of
  fusion::Constraints constraints_;
  std::vector<debug::PlanOutcome> outcomes_;
};

}  // namespace loopglass::views

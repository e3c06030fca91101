// Arguing with the plan: what is asked of it by hand, and what comes of that beside the strategy's
// own plan, on request measured.
#pragma once

#include "views/document/document.h"

#include <QWidget>

namespace loopglass::views {

class HandList;
class PlanTrials;

class HandPane : public QWidget {
  Q_OBJECT

 public:
  explicit HandPane(Document* document, QWidget* parent = nullptr);
  HandList* list() const { return list_; }
  PlanTrials* trials() const { return trials_; }

 private:
  void follow();

  Document* document_;
  HandList* list_;
  PlanTrials* trials_;
  // What the trials are of.
  std::shared_ptr<const graph::Graph> graph_;
  QString strategy_;
  fusion::Constraints constraints_;
  fusion::EditScript edits_;
};

}  // namespace loopglass::views

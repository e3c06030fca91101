// Where the intermediates of the document's plan live. Every kernel is scheduled for it, so it is
// derived when a view asks.
#pragma once

#include "views/document/document_stage.h"

namespace loopglass::views {

class FusionStage;

class MemoryStage : public DocumentStage {
  Q_OBJECT

 public:
  MemoryStage(const StageTools& tools, const FusionStage& fusion, QObject* parent)
      : DocumentStage(tools, parent), fusion_(fusion) {}

  void want();
  std::shared_ptr<const runtime::MemoryPlan> plan() const { return plan_; }  // null until ready
  void drop();

 signals:
  void memoryPlanChanged();

 private:
  const FusionStage& fusion_;
  std::shared_ptr<const runtime::MemoryPlan> plan_;
};

}  // namespace loopglass::views

#include "views/document/memory_stage.h"

#include "views/document/fusion_stage.h"
#include "views/document/lanes.h"

namespace loopglass::views {

void MemoryStage::drop() {
  jobs_->cancel(lanes::memory);
  plan_.reset();
  board_->set(Stage::Memory, StageState::Empty);
  emit memoryPlanChanged();
}

void MemoryStage::want() {
  using Plan = std::shared_ptr<const runtime::MemoryPlan>;
  if (!fusion_.plan() || board_->state(Stage::Memory) != StageState::Empty) return;
  board_->set(Stage::Memory, StageState::Working);
  jobs_->run<Plan>(
      lanes::memory, tr("Planning memory"),
      [session = session_](const JobContext& context) {
        return session->memory_plan(context.progress, context.cancellation);
      },
      [this](Plan plan) {
        plan_ = std::move(plan);
        board_->set(Stage::Memory, StageState::Ready);
        emit memoryPlanChanged();
      },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::Memory, diagnostic); });
}

}  // namespace loopglass::views

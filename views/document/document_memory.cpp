// The document's memory plan, derived on request.
#include "views/document/document.h"
#include "views/document/lanes.h"

namespace loopglass::views {

void Document::drop_memory_plan() {
  jobs_->cancel(lanes::memory);
  memory_plan_.reset();
  set_state(Stage::Memory, StageState::Empty);
  emit memoryPlanChanged();
}

void Document::want_memory_plan() {
  using Plan = std::shared_ptr<const runtime::MemoryPlan>;
  if (!plan_ || state(Stage::Memory) != StageState::Empty) return;
  set_state(Stage::Memory, StageState::Working);
  jobs_->run<Plan>(
      lanes::memory, tr("Planning memory"),
      [session = session_](const JobContext& context) {
        return session->memory_plan(context.progress, context.cancellation);
      },
      [this](Plan plan) {
        memory_plan_ = std::move(plan);
        set_state(Stage::Memory, StageState::Ready);
        emit memoryPlanChanged();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Memory, diagnostic); });
}

}  // namespace loopglass::views

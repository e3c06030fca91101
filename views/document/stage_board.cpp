#include "views/document/stage_board.h"

#include <utility>

namespace loopglass::views {

const Diagnostic* StageBoard::problem(Stage stage) const {
  const auto& problem = records_[index(stage)].problem;
  return problem ? &*problem : nullptr;
}

void StageBoard::set(Stage stage, StageState state, std::optional<Diagnostic> problem) {
  records_[index(stage)] = {state, std::move(problem)};
  emit stageChanged(stage);
}

void StageBoard::fail(Stage stage, const Diagnostic& diagnostic) {
  emit gaveUp(stage);
  if (diagnostic.code == Code::Cancelled) return set(stage, StageState::Empty);
  set(stage, StageState::Failed, diagnostic);
  // That an opaque operator has no kernel is no failure of anything: the panes say so.
  if (stage == Stage::Kernel && is_unsupported(diagnostic.code))
    return set(Stage::MachineCode, StageState::Failed, diagnostic);
  emit failed(diagnostic);
}

void StageBoard::report(const Diagnostic& diagnostic) {
  if (diagnostic.code != Code::Cancelled) emit failed(diagnostic);
}

void StageBoard::leave_work() {
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (records_[i].state == StageState::Working) set(static_cast<Stage>(i), StageState::Empty);
}

}  // namespace loopglass::views

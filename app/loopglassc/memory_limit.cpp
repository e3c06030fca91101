#include "app/loopglassc/memory_limit.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::app {

std::vector<pass::Remark> limit_remarks(const pass::GraphHistory& history) {
  std::vector<pass::Remark> remarks;
  for (const auto& step : history.steps)
    for (const pass::Remark& remark : step.remarks)
      if (remark.code.starts_with("MEMORY_LIMIT")) remarks.push_back(remark);
  return remarks;
}

Result<Exit> note_memory_limit(Session& session, const ModelOptions& options) {
  if (!options.memory_limit) return Exit::Good;
  const auto history = TRY(session.graph_history());
  bool is_kept = true;
  for (const pass::Remark& remark : limit_remarks(*history)) {
    fmt::print(stderr, "note: {}\n", remark.text);
    is_kept = is_kept && remark.code == "MEMORY_LIMIT_REACHED";
  }
  const bool weighed = std::any_of(history->steps.begin(), history->steps.end(),
                                   [](const auto& step) { return step.pass.name == "recompute"; });
  if (!weighed)
    fmt::print(stderr,
               "note: nothing weighs the memory limit: the pass recompute, which does, was not "
               "run\n");
  return weighed && is_kept ? Exit::Good : Exit::Bad;
}

}  // namespace loopglass::app

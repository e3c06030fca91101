#include "app/loopglassc/memory_limit.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

std::vector<pass::Remark> limit_remarks(const pass::GraphHistory& history) {
  std::vector<pass::Remark> remarks;
  for (const auto& step : history.steps)
    for (const pass::Remark& remark : step.remarks)
      if (remark.code.starts_with("MEMORY_LIMIT")) remarks.push_back(remark);
  return remarks;
}

Result<std::optional<MemoryLimit>> judge_memory_limit(Session& session,
                                                      const ModelOptions& options) {
  if (!options.memory_limit) return std::nullopt;
  const auto history = TRY(session.graph_history());
  MemoryLimit limit{static_cast<std::int64_t>(*options.memory_limit), true, {}};
  for (const pass::Remark& remark : limit_remarks(*history)) {
    limit.sentences.push_back(remark.text);
    limit.is_kept = limit.is_kept && remark.code == "MEMORY_LIMIT_KEPT";
  }
  const bool weighed = std::any_of(history->steps.begin(), history->steps.end(),
                                   [](const auto& step) { return step.pass.name == "recompute"; });
  if (!weighed) {
    limit.is_kept = false;
    limit.sentences.emplace_back(
        "nothing weighs the memory limit: the pass recompute, which does, was not run");
  }
  return limit;
}

Exit note(const std::optional<MemoryLimit>& limit) {
  if (!limit) return Exit::Good;
  for (const std::string& sentence : limit->sentences) fmt::print(stderr, "note: {}\n", sentence);
  return limit->is_kept ? Exit::Good : Exit::Bad;
}

nlohmann::ordered_json to_json(const MemoryLimit& limit) {
  return {{"bytes", limit.bytes}, {"kept", limit.is_kept}, {"sentences", limit.sentences}};
}

}  // namespace loopglass::app

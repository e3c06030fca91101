// What came of --memory-limit, for commands that show a graph without planning its memory.
#pragma once

#include "app/loopglassc/command.h"

#include <nlohmann/json_fwd.hpp>

namespace loopglass::app {

// What passes said about the limit.
std::vector<pass::Remark> limit_remarks(const pass::GraphHistory& history);

struct MemoryLimit {
  std::int64_t bytes;
  bool is_kept;  // as far as is known
  std::vector<std::string> sentences;
};
// Of a session that was opened with a limit; nothing without one.
Result<std::optional<MemoryLimit>> judge_memory_limit(Session& session,
                                                      const ModelOptions& options);
// Says it on the error stream. Bad where a limit is not known to be kept.
Exit note(const std::optional<MemoryLimit>& limit);
nlohmann::ordered_json to_json(const MemoryLimit& limit);

}  // namespace loopglass::app

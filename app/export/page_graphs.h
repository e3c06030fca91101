// The graphs of a page: every step that changed something, as parts of one drawing, so that most
// boxes and edges are told once for all steps.
#pragma once

#include "core/session.h"

#include <string>

namespace loopglass::app {

inline constexpr int page_group_colours = 7;  // of Theme::group's cycle

// As the text of a JSON object: "boxes", "edges", "graphs", "steps", "step", "verdicts",
// "operators". ModelTooLarge, UsageInvalid (no such place, or one in the middle of a step),
// Cancelled.
Result<std::string> page_graphs(Session& session, std::shared_ptr<const pass::GraphHistory> history,
                                std::shared_ptr<const fusion::Plan> plan, const std::string& place,
                                const Cancellation& cancellation);

}  // namespace loopglass::app

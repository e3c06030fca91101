// What a person asks of the fusion plan on the command line: edges to force or forbid, edits in a
// file.
#pragma once

#include "app/common/model_options.h"
#include "core/fusion/edits.h"

namespace loopglass::app {

bool asks_for_plan(const ModelOptions& options);
// Null where there is no edit. A strategy beside it is what the edits begin with.
Result<std::shared_ptr<const fusion::EditScript>> read_edits(const ModelOptions& options);
// Edges are named by operators of the optimised graph, so this runs the passes if there are any.
Result<void> set_plan(Session& session, const ModelOptions& options);

}  // namespace loopglass::app

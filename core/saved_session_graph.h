// What there is of one graph of a session, as JSON: what was asked of it, step by step, where one
// looked, its schedules and times.
#pragma once

#include "core/saved_session.h"
#include "core/saved_session_fields.h"

namespace loopglass::saved {

void add_graph(Json& json, const SavedGraph& graph);

// Of an object that has other members as well.
Result<void> take_graph(Members& members, SavedGraph& graph);
Result<SavedGraph> read_graph(const Found& found);

}  // namespace loopglass::saved

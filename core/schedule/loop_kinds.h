// What parallel, vectorize, unroll and bind share: the same loop with another kind.
#pragma once

#include "core/schedule/nest.h"
#include "core/schedule/primitive.h"

namespace loopglass::schedule {

Applied with_kind(const Func& func, const Path& loop, loop::ForKind kind);
// The extent, or why a kind that needs a constant one cannot be given: at most `limit` iterations.
Result<std::int64_t> constant_extent(const std::string& call, const For& loop, std::int64_t limit);
bool contains_kind(const Stmt& stmt, loop::ForKind kind);
const For* launch_axis_in(const Stmt& stmt);  // the first loop bound to one, or null

}  // namespace loopglass::schedule

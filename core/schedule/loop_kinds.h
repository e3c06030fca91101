// What parallel, vectorize, unroll and bind share: the same loop with another kind.
#pragma once

#include "core/loop/path.h"
#include "core/schedule/primitive.h"

namespace loopglass::schedule {

Applied with_kind(const loop::Func& func, const loop::Path& loop, loop::ForKind kind);
// The extent, or why a kind that needs a constant one cannot be given: at most `limit` iterations.
Result<std::int64_t> constant_extent(const std::string& call, const loop::For& loop,
                                     std::int64_t limit);
bool contains_kind(const loop::Stmt& stmt, loop::ForKind kind);
const loop::For* launch_axis_in(const loop::Stmt& stmt);  // the first loop bound to one, or null

}  // namespace loopglass::schedule

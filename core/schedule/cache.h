// What cache_read, cache_write, reindex and set_scope share: scopes by name, and copying a buffer.
#pragma once

#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/schedule/move.h"

namespace loopglass::schedule {

Result<loop::Scope> scope_named(const std::string& call, const std::string& name);
// Loops around a block `name` that copies one buffer to another of the same shape.
loop::Stmt copy_nest(const std::string& name, const loop::Buffer& from, const loop::Buffer& to,
                     const Origin& origin, loop::Names& names,
                     const std::vector<loop::Buffer>& buffers);
// Nothing in the whole nest that holds the path's block may store to a buffer that is copied before
// it.
Result<void> check_final_before(const std::string& call, const loop::Path& path,
                                const std::string& buffer);
// `nest` put before or after the whole nest that holds the statement at the end of the path.
loop::Func insert_beside(const loop::Func& func, const loop::Path& path, const loop::Stmt& nest,
                         bool before);
// What is still to be done to a copy before its kernel can be compiled; empty: nothing.
std::string remark_on_copy(const loop::Buffer& copy);

}  // namespace loopglass::schedule

// What cache_read, cache_write and set_scope share: scopes by name, and copying a buffer.
#pragma once

#include "core/schedule/move.h"

namespace loopglass::schedule {

Result<loop::Scope> scope_named(const std::string& call, const std::string& name);
// Whether a buffer of this shape may live there.
Result<void> check_scope(const std::string& call, const Buffer& buffer, loop::Scope scope);
// Loops around a block `name` that copies one buffer to another of the same shape.
Stmt copy_nest(const std::string& name, const Buffer& from, const Buffer& to, const Origin& origin,
               Names& names, const std::vector<Buffer>& buffers);
// `nest` put before or after the whole nest that holds the statement at the end of the path.
Func insert_beside(const Func& func, const Path& path, const Stmt& nest, bool before);
std::size_t root_index(const Path& path);

}  // namespace loopglass::schedule

// What moving a block to another place in the nest shares.
#pragma once

#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/schedule/primitive.h"

namespace loopglass::schedule {

// A block that may be computed elsewhere: alone in writing a buffer the function itself allocates,
// with one store at plain, distinct iteration variables that cover all its spatial iterations.
// Returns for each dimension of the buffer the iteration it is.
Result<std::vector<std::size_t>> check_movable(const std::string& call, const loop::Func& func,
                                               const loop::Block& block);

// Nothing but the block may store to its buffer.
Result<void> check_lone_writer(const std::string& call, const loop::Func& func,
                               const loop::Block& block, const std::string& hint = {});
// Conditions, extents and statements outside blocks do not take what a block made elsewhere.
Result<void> check_read_by_blocks(const std::string& call, const loop::Func& func,
                                  const std::string& buffer);
bool loads_itself(const loop::Block& block);

// What the block reads must be final before it, or reading it later would read something else.
Result<void> check_sources_final(const std::string& call, const loop::Func& func,
                                 const loop::Block& block);

// A block that stands elsewhere in `after`, there called `place`: each of its accesses must come
// before, or after, all those of other statements that it came before, or after, in `before`.
Result<void> check_moved(const std::string& call, const loop::Func& before,
                         const std::string& block, const loop::Func& after,
                         const std::string& place);

// A block that gets loops of its own anew: they must run what it ran, a sum once for each element.
Result<void> check_computes_all(const std::string& call, const loop::Path& path);
// Whether the sum's loops, which become those of its iterations, run in another order.
bool sums_anew(const loop::Path& path);

// The nest without the block, and without the loops that held nothing else.
inline loop::Stmt without_block(const loop::Path& block) { return replace(block, nullptr); }

// `block` bound to `bindings` under `loops` (outermost first).
struct NewLoop {
  std::string variable;
  expr::Expr extent;
};
loop::Stmt nest_of(const std::vector<NewLoop>& loops, loop::Block block);

// The block with names of their own for those iteration variables that are called as a loop around
// its new place, `place` itself included.
loop::Block clear_of_loops(loop::Block block, const loop::Path& place, loop::Names& names,
                           const std::vector<loop::Buffer>& buffers);

// Position of `block` among the blocks of a Func, in program order.
std::size_t position_of(const loop::Func& func, const std::string& block);

// The statement list of a loop's body, and that body from a list.
std::vector<loop::Stmt> statements_of(const loop::Stmt& body);

}  // namespace loopglass::schedule

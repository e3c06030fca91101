// Whether what is read was written before, in the same iteration.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/rewrite.h"

#include <span>
#include <vector>

namespace loopglass::loop {

// Whether the indices are equal but for a one-to-one renaming of loops of equal extents.
bool same_but_for_names(const std::vector<Expr>& left, const Bindings& left_extents,
                        const std::vector<Expr>& right, const Bindings& right_extents);

// Whether every element of `buffer` read below `root` was written below it before, in the same
// execution of `root`: then each execution may have a buffer of its own. Structural and
// conservative.
bool flows_inside(const Stmt& root, const Buffer& buffer, const expr::Ranges& outer_ranges);
// The same of all accesses to the buffer below such a root, in program order; and of one of them.
bool flows_inside(std::span<const Access> accesses, const Buffer& buffer,
                  const expr::Ranges& outer_ranges);
bool was_written(std::span<const Access> accesses, std::size_t read, const Buffer& buffer,
                 const expr::Ranges& outer_ranges);

}  // namespace loopglass::loop

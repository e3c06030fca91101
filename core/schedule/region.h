// Which elements a piece of a loop nest touches.
//
// An index expression is relaxed over the loops inside the piece: they run over their whole extent,
// while the loops around it keep their values, so the bounds are expressions of the outer loops.
#pragma once

#include "core/schedule/nest.h"

#include <optional>

namespace loopglass::schedule {

struct Bounds {
  Expr min, max;  // inclusive
};

// `inner`: extents of the variables to relax. `ranges`: of all variables, where known.
// nullopt where the expression is not understood (a load, a product of variables).
std::optional<Bounds> relax(const Expr& e, const Bindings& inner, const expr::Ranges& ranges);

// The smallest interval around both, if it can be written without min and max.
std::optional<Bounds> hull(const Bounds& a, const Bounds& b, const expr::Ranges& ranges);

// Greatest number of elements of the interval, where constant over all outer iterations.
std::optional<std::int64_t> width(const Bounds& bounds, const expr::Ranges& ranges);

// Whether the indices, relaxed over `inner`, take every point of the box of their bounds.
bool fills_its_box(const std::vector<Expr>& indices, const Bindings& inner,
                   const expr::Ranges& ranges);

// One load or store, its indices over loop variables (block iteration variables are bound).
struct Access {
  std::string buffer;
  std::vector<Expr> indices;
  bool is_store = false;
  bool of_own_sum = false;        // the load of a reduction's accumulator in its own store
  std::vector<Expr> guards;       // conditions under which it happens (selects not counted)
  std::vector<const For*> loops;  // around it, below the root of the walk, outermost first
  const Block* block = nullptr;
  bool block_body = false;  // in its body or initial value; else in a condition or extent
  std::vector<std::string> reduction_loops;  // loops its block's reduction iterations are bound to
  const loop::StmtNode* statement = nullptr;

  Bindings inner() const;
};
// In program order; the loads of a store come before it.
std::vector<Access> accesses_of(const Stmt& root);

// Whether the indices are equal but for a one-to-one renaming of loops of equal extents.
bool same_but_for_names(const std::vector<Expr>& left, const Bindings& left_extents,
                        const std::vector<Expr>& right, const Bindings& right_extents);

// Whether every element of `buffer` read below `root` was written below it before, in the same
// execution of `root`: then each execution may have a buffer of its own. Structural and
// conservative.
bool flows_inside(const Stmt& root, const Buffer& buffer, const expr::Ranges& outer_ranges);

}  // namespace loopglass::schedule

// All loads and stores of a nest, each with the loops and conditions it happens under.
#pragma once

#include "core/loop/rewrite.h"

#include <string>
#include <vector>

namespace loopglass::loop {

// One load or store, its indices over loop variables (block iteration variables are bound).
struct Access {
  std::string buffer;
  std::vector<Expr> indices;
  bool is_store = false;
  bool of_own_sum = false;        // the load of a reduction's accumulator in its own store
  std::vector<Expr> guards;       // conditions under which its statement runs
  std::vector<Expr> starts;       // and of a sum's initial value: the variables it sums over at 0
  std::vector<Expr> choices;      // conditions of selects that it stands in
  std::vector<const For*> loops;  // around it, below the root of the walk, outermost first
  const Block* block = nullptr;
  bool block_body = false;  // in its body or initial value; else in a condition or extent
  std::vector<std::string> reduction_loops;  // loops its block's reduction iterations are bound to
  const StmtNode* statement = nullptr;

  // Extents of the loops.
  Bindings inner() const;
  // All that must hold for it to happen.
  std::vector<Expr> conditions() const;
};
// In program order; the loads of a store come before it.
std::vector<Access> accesses_of(const Stmt& root);

}  // namespace loopglass::loop

// Walking, finding and rewriting in a loop nest: what every primitive and loop pass is written
// with.
//
// Statements are immutable and shared, so a rewrite rebuilds the path from the root to the change
// and leaves every other subtree the same pointer.
#pragma once

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/walk.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopglass::schedule {

using expr::Expr;
using loop::Block;
using loop::Buffer;
using loop::For;
using loop::Func;
using loop::Stmt;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

using Bindings = std::map<std::string, Expr>;

std::vector<Stmt> children(const Stmt& stmt);
// The same statement over other children; itself when they are the same pointers. A null child
// removes what it stood for: a loop, allocation, block or condition without a body disappears
// (null).
Stmt with_children(const Stmt& stmt, const std::vector<Stmt>& children);

// Bottom-up: children first, then `change` is asked for the rebuilt statement and returns its
// replacement (itself to keep it, null to remove it: what differs from loop::rewrite).
Stmt transform(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change);
// Applies `map` to every expression. Those inside a block (over its iteration variables) included
// only if `inside_blocks`; bindings and predicates belong to the outside.
Stmt map_expressions(const Stmt& stmt, bool inside_blocks,
                     const std::function<Expr(const Expr&)>& map);
// Replaces loop variables; block bodies, which see only their iteration variables, stay.
Stmt substitute_loops(const Stmt& stmt, const Bindings& variables);
// The bindings and predicates of the blocks below, simplified under the ranges of the loops around
// them; `outer` gives those of the loops above. After a split or fuse, this is what keeps a nest
// readable.
Stmt simplify_bindings(const Stmt& stmt, const expr::Ranges& outer);

// From the root down to a statement, each the child of the one before.
struct Path {
  std::vector<Stmt> statements;

  const Stmt& target() const { return statements.back(); }
  const Block& block() const { return *loop::as<Block>(target()); }
  const For& loop() const { return *loop::as<For>(target()); }
  // Loops on the way, outermost first, the target itself left out.
  std::vector<const For*> loops() const;
  // Position of the statement that is `ancestor`, or -1.
  int index_of(const Stmt& ancestor) const;
  int index_of_loop(const std::string& variable) const;
};
// ScheduleHandleUnknown when there is none.
Result<Path> find_block(const Func& func, const std::string& name);
Result<Path> find_loop(const Func& func, const std::string& variable);
// The whole tree with the statement at `path.statements[index]` replaced (null: removed).
Stmt replace(const Path& path, std::size_t index, const Stmt& replacement);
inline Stmt replace(const Path& path, const Stmt& replacement) {
  return replace(path, path.statements.size() - 1, replacement);
}
Func with_body(const Func& func, Stmt body);
// Allocates `buffer` around everything that is not itself an allocation.
Func with_allocation(const Func& func, Buffer buffer);
Func without_allocation(const Func& func, const std::string& buffer);
// Changes the declaration of a buffer, parameter or allocation.
Func with_buffer(const Func& func, const Buffer& buffer);

bool is_parameter(const Func& func, const std::string& buffer);
// Blocks below `root` in program order.
std::vector<const Block*> blocks_of(const Stmt& root);
bool reads(const Block& block, const std::string& buffer);  // loads of its own sum not counted
bool writes(const Block& block, const std::string& buffer);
std::vector<const Block*> writers_of(const Stmt& root, const std::string& buffer);
std::vector<const Block*> readers_of(const Stmt& root, const std::string& buffer);

// The only store of a block whose body is nothing else; null for others.
const loop::Store* only_store(const Block& block);
// For each index of the store, the position of the iteration variable it is; nullopt unless all are
// plain and distinct.
std::optional<std::vector<std::size_t>> plain_store_axes(const Block& block,
                                                         const loop::Store& store);
bool has_reduction(const Block& block);
std::vector<const expr::Load*> loads_of(const Block& block);
Block map_block_body(const Block& block, const std::function<Expr(const Expr&)>& map);
// Reads and writes as the body has them.
Block with_regions(Block block, const std::vector<Buffer>& buffers);

// A condition that is constant.
bool is_true(const Expr& condition);
bool is_false(const Expr& condition);
Expr conjunction(const Expr& a, const Expr& b);  // undefined means true
std::vector<Expr> conjuncts(const Expr& condition);
// The block's predicate over the loops around it alone, its iteration variables being bound.
Expr loop_predicate(const Block& block);
Stmt add_predicate(const Stmt& stmt, const Expr& condition);

// Names not yet taken by any loop, block, buffer, iteration variable or symbol of a Func.
class Names {
 public:
  explicit Names(const Func& func);
  std::string fresh(const std::string& wanted);
  // Of a block that stands nowhere while loops for it are named.
  void keep_clear_of(const Block& block);

 private:
  std::set<std::string> taken_;
};

// What to call a new loop over a block's iteration: as the loop it is bound to, where it is just
// one.
std::string loop_name(const loop::IterVar& iter);

// Ranges of the loops around the last statement of a path, where constant.
expr::Ranges ranges_of(const std::vector<const For*>& loops);
void add_range(expr::Ranges& ranges, const std::string& variable, const Expr& extent);

}  // namespace loopglass::schedule

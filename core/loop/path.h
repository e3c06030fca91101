// The way from the root of a nest down to a block or a loop.
#pragma once

#include "core/loop/func.h"

#include <string>
#include <vector>

namespace loopglass::loop {

// From the root down to a statement, each the child of the one before.
struct Path {
  std::vector<Stmt> statements;

  const Stmt& target() const { return statements.back(); }
  const Block& block() const { return *as<Block>(target()); }
  const For& loop() const { return *as<For>(target()); }
  // Loops on the way, outermost first, the target itself left out.
  std::vector<const For*> loops() const;
  // Position of the statement that is `ancestor`, or -1.
  int index_of(const Stmt& ancestor) const;
  int index_of_loop(const std::string& variable) const;
};
// ScheduleHandleUnknown when there is none.
Result<Path> find_block(const Func& func, const std::string& name);
Result<Path> find_loop(const Func& func, const std::string& variable);

// The statement among those of the path that lists all nests, or is the only one.
std::size_t root_index(const Path& path);
// The whole nest that holds the statement at the end of the path.
const Stmt& root_nest(const Path& path);

// The whole tree with the statement at `path.statements[index]` replaced (null: removed).
Stmt replace(const Path& path, std::size_t index, const Stmt& replacement);
inline Stmt replace(const Path& path, const Stmt& replacement) {
  return replace(path, path.statements.size() - 1, replacement);
}

}  // namespace loopglass::loop

#include "core/loop/path.h"

#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/support/check.h"

#include <fmt/core.h>
#include <algorithm>
#include <functional>

namespace loopglass::loop {

std::vector<const For*> Path::loops() const {
  std::vector<const For*> result;
  for (std::size_t i = 0; i + 1 < statements.size(); ++i)
    if (const For* node = as<For>(statements[i])) result.push_back(node);
  return result;
}

int Path::index_of(const Stmt& ancestor) const {
  const auto found = std::find(statements.begin(), statements.end(), ancestor);
  return found == statements.end() ? -1 : static_cast<int>(found - statements.begin());
}

int Path::index_of_loop(const std::string& variable) const {
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (const For* node = as<For>(statements[i]); node && node->variable == variable)
      return static_cast<int>(i);
  return -1;
}

namespace {

bool find_path(const Stmt& stmt, const std::function<bool(const Stmt&)>& wanted,
               std::vector<Stmt>& path) {
  path.push_back(stmt);
  if (wanted(stmt)) return true;
  for (const Stmt& child : children(stmt))
    if (find_path(child, wanted, path)) return true;
  path.pop_back();
  return false;
}

}  // namespace

std::size_t root_index(const Path& path) {
  std::size_t index = 0;
  while (as<Alloc>(path.statements[index])) ++index;
  return index;
}

const Stmt& root_nest(const Path& path) {
  const std::size_t root = root_index(path);
  return path.statements[root + (as<Seq>(path.statements[root]) ? 1 : 0)];
}

Result<Path> find_block(const Func& func, const std::string& name) {
  Path path;
  if (func.body && find_path(
                       func.body,
                       [&](const Stmt& s) {
                         const Block* block = as<Block>(s);
                         return block && block->name == name;
                       },
                       path.statements))
    return path;
  return fail(Code::ScheduleHandleUnknown,
              fmt::format("'{}' has no block named '{}'", func.name, name), name);
}

Result<Path> find_loop(const Func& func, const std::string& variable) {
  Path path;
  if (func.body && find_path(
                       func.body,
                       [&](const Stmt& s) {
                         const For* node = as<For>(s);
                         return node && node->variable == variable;
                       },
                       path.statements))
    return path;
  return fail(Code::ScheduleHandleUnknown,
              fmt::format("'{}' has no loop named '{}'", func.name, variable), variable);
}

Stmt replace(const Path& path, std::size_t index, const Stmt& replacement) {
  Stmt current = replacement;
  for (std::size_t i = index; i-- > 0;) {
    std::vector<Stmt> kids = children(path.statements[i]);
    const auto slot = std::find(kids.begin(), kids.end(), path.statements[i + 1]);
    CHECK(slot != kids.end(), "a path names a child its parent does not have");
    *slot = current;
    current = with_children(path.statements[i], kids);
  }
  return current;
}

}  // namespace loopglass::loop

#include "core/loop/source_lines.h"

#include "core/loop/walk.h"

#include <fmt/format.h>

namespace loopglass::loop {

namespace {

template <class Map, class Key>
std::string words(const Map& lines, const Key& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? std::string() : fmt::format("line {}, ", found->second);
}

// `line`: of the block around, 0 outside; the line of the first block in it.
int place(const Stmt& stmt, int line, SourceLines& lines) {
  if (const auto* block = as<Block>(stmt))
    if (const auto found = lines.buffers.find(block->name); found != lines.buffers.end())
      line = found->second;
  for (const Stmt& child : children(stmt)) {
    const int inner = place(child, line, lines);
    if (line == 0) line = inner;
  }
  if (line != 0) lines.statements.emplace(stmt.get(), line);
  return line;
}

}  // namespace

std::string SourceLines::before(const StmtNode* statement) const {
  return words(statements, statement);
}

std::string SourceLines::before_buffer(const std::string& name) const {
  return words(buffers, name);
}

void place_by_blocks(const Stmt& body, SourceLines& lines) { place(body, 0, lines); }

}  // namespace loopglass::loop

// Where a nest stands in the text that a person wrote, so that what is wrong with it names a line.
#pragma once

#include "core/loop/func.h"

#include <map>
#include <string>
#include <unordered_map>

namespace loopglass::loop {

// Lines from 1. Of a nest that was lowered from tensor expressions they are those of the tensors
// that its statements compute.
struct SourceLines {
  std::unordered_map<const StmtNode*, int> statements;
  std::map<std::string, int> buffers;  // where they are declared

  // "line 4, " or nothing: what stands in front of a place.
  std::string before(const StmtNode* statement) const;
  std::string before_buffer(const std::string& name) const;
};

// Gives the blocks called like a buffer, all that stands in them, and the loops around, the
// buffer's line.
void place_by_blocks(const Stmt& body, SourceLines& lines);

// As verify(func); places begin with the line of the innermost statement.
Result<void> verify(const Func& func, const SourceLines& lines);

}  // namespace loopglass::loop

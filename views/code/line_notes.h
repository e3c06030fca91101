// What LLVM's passes say of a kernel, as notes on the lines of a text pane.
#pragma once

#include "core/codegen/kernel_listings.h"

#include <QString>

#include <map>

namespace loopglass::views {

struct LineNote {
  QString words;           // rich text
  bool is_missed = false;  // something was not done
};
using LineNotes = std::map<int, LineNote>;  // by line, 1-based

// On the lines of the lowered loop nest.
LineNotes notes_on_loops(const codegen::LlvmRemarks& remarks);
// On lines that came from it: the first of each.
LineNotes notes_on_lines(const LineNotes& of_loops, const codegen::SourceLines& lines);

}  // namespace loopglass::views

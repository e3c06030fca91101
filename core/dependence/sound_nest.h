// What has to hold of a nest that a person wrote, beyond its form (loop::verify): what the compiler
// makes keeps to it by construction.
#pragma once

#include "core/loop/source_lines.h"

#include <map>
#include <string>

namespace loopglass::schedule {

// No access leaves its buffer, whatever the extents that symbols stand for; loops that are said to
// run at once (parallel, vectorized, axes of a launch) carry no dependence; a block's initial
// value is that of the element which it updates; and what is read, or handed out, was written.
// FuncInvalid with the access and an iteration that shows it, or ScheduleIllegal; both begin with
// the line.
Result<void> check_sound(const loop::Func& func, const loop::SourceLines& lines);

// No loop has more iterations than loop::greatest_extent, with these extents of the symbols.
// FuncInvalid.
Result<void> check_extents(const loop::Func& func,
                           const std::map<std::string, std::int64_t>& symbols,
                           const loop::SourceLines& lines);

}  // namespace loopglass::schedule

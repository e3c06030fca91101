// Schedules written as scripts: what they make of a nest, or why they are refused.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <string>
#include <string_view>

namespace loopglass::schedule {

// Of a text that has to be one.
loop::Func parsed(std::string_view text);
// Replays the script, checks every step, returns the last Func.
loop::Func scheduled(const loop::Func& func, const std::string& script);
// The text of the diagnostic that stops the script; its code must be `code`.
std::string refusal(const loop::Func& func, const std::string& script,
                    Code code = Code::ScheduleIllegal);
// What the default schedule makes of it.
std::string default_script(const loop::Func& func, const Machine& machine = reference_machine());
std::string body_of(const loop::Func& func);

// Loops of a block under handles of our own, whatever the nest calls them.
inline const std::string product_loops = "C = block(\"C\")\ni, j, k = loops(C)\n";

}  // namespace loopglass::schedule

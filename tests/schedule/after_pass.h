// A loop pass by itself: text in, text out, and the same results.
#pragma once

#include "core/loop/func.h"
#include "core/pass/pass.h"

#include <string>

namespace loopglass::schedule {

using LoopPass = Result<loop::Func> (*)(const loop::Func&, pass::Report&);

// The text after the pass, which must be valid and compute the same.
std::string after(LoopPass run, const std::string& text);

}  // namespace loopglass::schedule

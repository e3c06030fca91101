// Margins and styles of the script's editor. Scintilla has few styles: those of ours stand behind
// those of languages and its own, which end at 39.
#pragma once

namespace loopglass::views {

inline constexpr int time_margin = 4;
inline constexpr int problem_style = 40, time_style = 41;  // and those that follow

}  // namespace loopglass::views

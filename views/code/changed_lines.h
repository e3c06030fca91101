// What a step did to a text, told in lines.
#pragma once

#include <string_view>
#include <vector>

namespace loopglass::views {

// The lines of `after` (1-based) that `before` does not have, whatever their indentation and place;
// a line that is there more often than before counts for each time it is new. Numbers of unnamed
// values (%12) are ignored, since LLVM counts them anew after every pass.
std::vector<int> changed_lines(const std::vector<std::string_view>& before,
                               const std::vector<std::string_view>& after);

// The same where the order of lines is what the text says: one that stands before another now and
// stood behind it counts as well. A brace that closes counts for nothing.
std::vector<int> changed_or_moved_lines(const std::vector<std::string_view>& before,
                                        const std::vector<std::string_view>& after);

}  // namespace loopglass::views

// Where to begin reading machine code.
#pragma once

#include "core/codegen/kernel_listings.h"

#include <functional>
#include <optional>
#include <vector>

namespace loopglass::views {

// The first line (1-based) of the longest run of lines that `hot` accepts, a few others in between
// notwithstanding; nothing when there is none.
std::optional<int> longest_run(const std::vector<codegen::SourceLine>& lines,
                               const std::function<bool(std::string_view)>& hot);

// The inner loop of a kernel is where it multiplies and adds on vectors; of one that does not,
// where it works on vectors at all. 1 when it does neither.
int hot_line(const std::vector<codegen::SourceLine>& lines);

// Where the text of a kernel opens: the label of its inner loop; where that has none, or the kernel
// works on no vectors, the head of its function.
int opening_line(const std::vector<codegen::SourceLine>& lines);

// A text that is new opens there, unless what is selected lies elsewhere in it.
class Opening {
 public:
  // The line (1-based) that comes first.
  int begin(const std::vector<codegen::SourceLine>& lines);
  // Whether the lines of what is selected, told for the first time since, are to be seen instead.
  bool is_left_for(const std::vector<int>& selected);

 private:
  std::optional<int> line_;
};

// Whether a line of LLVM IR or assembly works on vectors.
bool is_vector_line(std::string_view text);
// An instruction of x86 on vector registers that computes their first lane alone: vmulss.
bool is_of_one_lane(std::string_view text);

}  // namespace loopglass::views

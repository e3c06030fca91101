// Where hints stand that ask for what the next iteration of a loop over tiles will read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

struct LoopAroundTile {
  std::string name;
  std::int64_t extent;
  bool over_terms;
};

struct HintedTile {
  std::vector<LoopAroundTile> loops;  // outermost first
  std::string streamed;               // of these, the one whose next iteration is asked for
  std::string innermost_tiles;        // the innermost over tiles
  std::string innermost_terms;        // the innermost over terms that turns more than once
  std::string long_terms;             // the same that is no window's
  std::int64_t vectors_of_sums;
  bool is_crowded;                            // with sums
  std::optional<std::int64_t> bytes_of_term;  // of a constant, whose terms lie in a row; not known
                                              // of images
};

// The loop in whose iterations the hints stand.
std::string hinting_loop(const HintedTile& tile);

}  // namespace loopglass::schedule

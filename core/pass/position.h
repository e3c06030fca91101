// A place in a history: after the first rewrites of a step. Everything that names such a place (diff,
// breakpoints, the timeline) names it so.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::pass {

struct Position {
  std::size_t step = 0;
  std::size_t rewrites = Report::all;  // made so far; all of them: the step is complete
  friend bool operator==(const Position&, const Position&) = default;
};

// With `rewrites` at most what the step has, so that equal places are equal. CHECKs the step.
Position normalised(Position position, const GraphHistory& history);
bool is_complete(Position position, const GraphHistory& history);
// Whether one place comes before another.
bool before(Position a, Position b, const GraphHistory& history);

// "3" (step 3), "3:2" (after two of its rewrites), "simplify" (its first application), "simplify#2:4",
// "input", "last". UsageInvalid: there is no such place, and what there is.
Result<Position> parse_position(std::string_view text, const GraphHistory& history);
// "3:2"; the shortest that parses back.
std::string to_text(Position position, const GraphHistory& history);
// "step 3 (simplify#2), after 4 of 9 rewrites"
std::string in_words(Position position, const GraphHistory& history);

// The graph at a place; in the middle of a step the pass has to run again (Session::graph_at).
using GraphAt = std::function<Result<std::shared_ptr<const graph::Graph>>(std::size_t step, std::size_t rewrites)>;

}  // namespace loopglass::pass

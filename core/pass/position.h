// A place in a history: after a step, or in the middle of one. Text, as of a StopAfter: "3", "3:2"
// (after the second rewrite of step 3), "simplify" (its first application), "simplify#2:4",
// "input", "last".
#pragma once

#include "core/pass/pipeline.h"
#include "core/pass/runner.h"

#include <span>
#include <string_view>

namespace loopglass::pass {

struct Position {
  std::size_t step = 0;
  // Of the step's pass that have been made; all: the whole step.
  std::size_t rewrites = Report::all;
  // Earlier places are less; both sides normalised.
  friend auto operator<=>(const Position&, const Position&) = default;
};

// As many rewrites as the step has, or more, are `all`, so that equal places are equal.
Position normalised(Position position, const GraphHistory& history);

// One of the steps that a place is looked for among: the first is what the others start from.
struct NamedStep {
  std::string_view name;
  std::optional<std::size_t> rewrites = {};  // made; nullopt: it has no middle to stop in
};
// "input" is the first and "last" the last, whatever they are called.
// UsageInvalid: there is no such step, or it has fewer rewrites; the hint says what there is. As
// many rewrites as the step has are `all`.
Result<Position> parse_position(std::string_view text, std::span<const NamedStep> steps);
Result<Position> parse_position(std::string_view text, const GraphHistory& history);
// "3" or "3:2", which parses back.
std::string to_text(const Position& position);
// "step 3 (simplify)", "step 3 (simplify) after 2 of 7 rewrites".
std::string describe(const Position& position, const GraphHistory& history);

// The graph after some rewrites of a step; in the middle the pass runs again (Session::graph_at).
using GraphAt = std::function<Result<std::shared_ptr<const graph::Graph>>(std::size_t step,
                                                                          std::size_t rewrites)>;

}  // namespace loopglass::pass

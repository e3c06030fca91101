// Which passes run, in what order, as a value with a text form:
//
//   materialise-shapes, (fold-constants, simplify)*, remove-dead-code
//
// A pass may stand there more than once. `(...)*` is a fixed-point group: its passes run in order,
// again and again, until a whole round changes nothing. `@name` stands for a preset.
#pragma once

#include "core/pass/pass.h"

#include <span>
#include <string_view>

namespace loopglass::pass {

struct PipelineEntry {
  std::vector<std::string> passes;
  bool fixed_point = false;  // else exactly one pass
  friend bool operator==(const PipelineEntry&, const PipelineEntry&) = default;
};

struct Pipeline {
  std::vector<PipelineEntry> entries;
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

// A pipeline with a name.
struct Preset {
  std::string name, doc, text;
};

// Rounds after which a fixed-point group that still changes something is left, with the remark
// FIXED_POINT_NOT_REACHED.
inline constexpr int max_rounds = 16;

// `text` is the text form or just the name of a preset. UsageInvalid, naming what is not known and
// what there is.
Result<Pipeline> parse_pipeline(std::string_view text, std::span<const PassInfo> passes,
                                std::span<const Preset> presets);
std::string to_text(const Pipeline& pipeline);

// A place in a run as it is written, before there is a history of it: after a step, or in its
// middle after the first `rewrites` rewrites. The step is a pass's `occurrence`-th application
// (counted from 1, rounds of fixed-point groups included) or, where no pass is named, of all
// applications, so that 0 is what the pipeline starts from. Text: "simplify", "simplify:3",
// "simplify#2:3", "4", "4:3", "input", "last".
struct StopAfter {
  std::string pass;
  std::size_t occurrence = 1;
  std::size_t rewrites = Report::all;
  friend bool operator==(const StopAfter&, const StopAfter&) = default;
};
// UsageInvalid: it is not written like that.
Result<StopAfter> parse_stop_after(std::string_view text);
std::string to_text(const StopAfter& stop);

}  // namespace loopglass::pass

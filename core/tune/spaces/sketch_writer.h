// A script with decisions, while it is being written. What is decided is given beforehand, so that
// each line is written for what came of those before; what else might have been decided is noted: a
// sketch is a function that writes, and its knobs are what it asked.
#pragma once

#include "core/default_schedule/draft.h"
#include "core/tune/space.h"

namespace loopglass::tune {

class SketchWriter {
 public:
  using Names = schedule::Draft::Names;
  using Arguments = std::vector<schedule::ScriptArgument>;

  explicit SketchWriter(loop::Func nest) : draft_(std::move(nest)) {}
  // What later decisions are to be: places among their candidates. One in the middle, where nothing
  // is said: those at the ends are the oddest.
  void choose(std::span<const int> choices) { choices_.assign(choices.begin(), choices.end()); }

  const loop::Func& func() const { return draft_.func(); }
  const std::vector<Knob>& knobs() const { return knobs_; }
  // The lines, with what was decided in the places where it is used.
  schedule::Scheduled scheduled() const { return {draft_.trace(), draft_.func()}; }

  // As Draft has them; handles of what was decided among the arguments.
  Result<Names> loops(const std::string& block) { return draft_.loops(block); }
  Result<Names> call(const std::string& primitive, Arguments arguments) {
    return draft_.call(primitive, settled(std::move(arguments)));
  }
  Result<std::string> call_for_one(const std::string& primitive, Arguments arguments) {
    return draft_.call_for_one(primitive, settled(std::move(arguments)));
  }
  Result<void> append(const schedule::Trace& lines) { return draft_.append(lines); }
  // A line of script/sampling.h; its handle, for later lines. `doc` is the knob's.
  Result<schedule::Handle> decide(const std::string& name, const std::string& sampling,
                                  Arguments arguments, std::string doc);
  // The same for what all sketches decide: how a loop is cut, how often the innermost one is
  // copied, and how many of these loops threads share.
  Result<schedule::Handle> decide_tile(const std::string& loop, std::int64_t parts,
                                       std::int64_t innermost);
  Result<schedule::Handle> decide_unroll(std::vector<std::string> copies);
  Result<schedule::Handle> decide_shared(schedule::ScriptArgument loops);

  // Of these loops, those of more than one iteration: primitives that follow a nest's loops pass
  // over the others.
  Names turning(const Names& loops) const;

 private:
  Arguments settled(Arguments arguments) const;

  schedule::Draft draft_;
  schedule::Settling settling_;
  std::vector<int> choices_;
  std::vector<Knob> knobs_;
};

schedule::ScriptArgument handles(const std::vector<std::string>& names);

// A sketch from what writes it; it is written once for its knobs. What is wrong with a line.
using WriteSketch = std::function<Result<void>(SketchWriter&)>;
Result<Sketch> written_sketch(const SketchWriter& begun, const WriteSketch& write, std::string name,
                              std::string rules);

}  // namespace loopglass::tune

// A script with decisions, while it is being written. What is decided is given beforehand, so that
// each line is written for what came of those before; what else might have been decided is noted: a
// sketch is a function that writes, and its knobs are what it asked.
#pragma once

#include "core/script/sampling.h"
#include "core/tune/space.h"

#include <map>
#include <span>

namespace loopglass::tune {

class SketchWriter {
 public:
  using Names = std::vector<std::string>;

  explicit SketchWriter(loop::Func nest) : replayer_(std::move(nest)) {}
  // What later decisions are to be: places among their candidates. One in the middle, where nothing
  // is said: those at the ends are the oddest.
  void choose(std::span<const int> choices) { choices_.assign(choices.begin(), choices.end()); }

  const loop::Func& func() const { return replayer_.func(); }
  const std::vector<Knob>& knobs() const { return knobs_; }
  // The lines, with what was decided in the places where it is used.
  schedule::Settled settled() const { return {trace_, replayer_.func()}; }

  // Names of the loops around a block, outermost first, bound by a look-up.
  Result<Names> loops(const std::string& block);
  // A primitive; what it makes is bound to handles of their own names.
  Result<Names> call(const std::string& primitive, std::vector<schedule::ScriptArgument> arguments);
  Result<std::string> call_for_one(const std::string& primitive,
                                   std::vector<schedule::ScriptArgument> arguments);
  // A line of script/sampling.h; its handle, for later lines.
  Result<schedule::Handle> decide(const std::string& name, const std::string& sampling,
                                  std::vector<schedule::ScriptArgument> arguments);
  // All lines of another script for the nest as it is now.
  Result<void> append(const schedule::Trace& lines);

  // Of these loops, those of more than one iteration: primitives that follow a nest's loops pass
  // over the others.
  Names turning(const Names& loops) const;

 private:
  Result<void> write(schedule::Instruction line);
  schedule::ScriptArgument settled(const schedule::ScriptArgument& argument) const;

  schedule::Replayer replayer_;
  schedule::Trace trace_;
  std::vector<int> choices_;
  std::vector<Knob> knobs_;
  std::map<std::string, schedule::ScriptArgument> decided_;
};

schedule::ScriptArgument handles(const std::vector<std::string>& names);

// A sketch from what writes it; it is written once for its knobs. What is wrong with a line.
using WriteSketch = std::function<Result<void>(SketchWriter&)>;
Result<Sketch> written_sketch(const SketchWriter& begun, const WriteSketch& write, std::string name,
                              std::string rules);

}  // namespace loopglass::tune

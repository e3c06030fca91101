#include "core/tune/spaces/sketch_writer.h"

#include "core/loop/path.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::tune {

using schedule::Handle;
using schedule::Instruction;
using schedule::ScriptArgument;

ScriptArgument handles(const std::vector<std::string>& names) {
  std::vector<Handle> list;
  for (const std::string& name : names) list.push_back({name});
  return list;
}

SketchWriter::Arguments SketchWriter::settled(Arguments arguments) const {
  for (ScriptArgument& argument : arguments) argument = settling_(argument);
  return arguments;
}

Result<Handle> SketchWriter::decide(const std::string& name, const std::string& sampling,
                                    Arguments arguments, std::string doc) {
  const Instruction line{{name}, sampling, settled(std::move(arguments))};
  const schedule::Decision decision = TRY(schedule::decision_of(draft_.replayer(), line));
  const std::size_t knob = knobs_.size(), count = decision.candidates.size();
  const std::size_t chosen = knob < choices_.size()
                                 ? std::min(static_cast<std::size_t>(choices_[knob]), count - 1)
                                 : count / 2;
  settling_.bind(name, decision.values[chosen]);
  knobs_.push_back({name, {}, std::move(doc)});
  for (const ScriptArgument& candidate : decision.candidates)
    knobs_.back().values.push_back(schedule::to_script(candidate));
  return Handle{name};
}

Result<Handle> SketchWriter::decide_tile(const std::string& loop, std::int64_t parts,
                                         std::int64_t innermost) {
  return decide(fmt::format("tile_{}", loop), "sample_tile", {Handle{loop}, parts, innermost},
                fmt::format("extents of the loops that {} is cut into, the outermost first", loop));
}

Result<Handle> SketchWriter::decide_unroll(std::vector<std::string> copies) {
  return decide("unroll", "sample", {std::move(copies)},
                "copies of the body of the innermost loop of the sum");
}

Result<Handle> SketchWriter::decide_shared(ScriptArgument loops) {
  return decide("shared", "sample_prefix", {std::move(loops)},
                "how many of the outermost loops become one that threads share");
}

SketchWriter::Names SketchWriter::turning(const Names& loops) const {
  Names names;
  for (const std::string& name : loops)
    if (const auto path = loop::find_loop(func(), name);
        path && expr::as_integer(path->loop().extent) != 1)
      names.push_back(name);
  return names;
}

Result<Sketch> written_sketch(const SketchWriter& begun, const WriteSketch& write, std::string name,
                              std::string rules) {
  SketchWriter first = begun;
  TRY_VOID(write(first));
  Sketch sketch{std::move(name), std::move(rules), first.knobs(), {}};
  sketch.script = [begun, write](std::span<const int> choices) -> Result<schedule::Scheduled> {
    SketchWriter writer = begun;
    writer.choose(choices);
    TRY_VOID(write(writer));
    return writer.scheduled();
  };
  return sketch;
}

}  // namespace loopglass::tune

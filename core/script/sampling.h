// Lines of a script that decide something: what their handle stands for is one of several, and
// their last argument says which. A script with such lines is a space of scripts, and one of them:
//
//   t = sample_tile(y, 2, 16, [32, 8])          // the decision last; without it, the first
//   depth = sample([1, 2, 4], 2)
//   order = sample_order([yo, xo], [xo, yo])
//   outer = sample_prefix(order, 1)
//   yo, yi = split(y, t)
//
// A number stands in quoted text as "{depth}", or "{t.1}" where there are several. After
// MetaSchedule's sampled decisions (Shao et al., 2022) and AutoTVM's knobs (Chen et al., 2018).
#pragma once

#include "core/script/replayer.h"
#include "core/script/scheduled.h"

namespace loopglass::schedule {

struct Sampling {
  std::string name;
  std::string doc;            // one sentence
  std::string before, after;  // small pictures for the reference page
  std::vector<Parameter> parameters;
  // What the handle may stand for, in a fixed order and none twice; the arguments are as they are
  // written. ScheduleIllegal.
  std::function<Result<std::vector<ScriptArgument>>(const Replayer&, const Instruction&)>
      candidates;
  // What the handle stands for where this one is chosen; undefined: the candidate itself.
  std::function<ScriptArgument(const Instruction&, const ScriptArgument& candidate)> value = {};
};
const std::vector<Sampling>& all_samplings();
const Sampling* find_sampling(std::string_view name);

// What is decided by a line of a trace.
struct Decision {
  std::size_t instruction = 0;             // in the trace
  std::string name;                        // of its handle
  std::vector<ScriptArgument> candidates;  // as they are written
  std::vector<ScriptArgument> values;      // what the handle stands for by each
  std::size_t chosen = 0;
};
// Of a line in which what was decided before stands in its place (settling.h). ScheduleIllegal
// where it has no candidates, or its decision is none of them.
Result<Decision> decision_of(const Replayer& before, const Instruction& instruction);

// "[32, 8]", as a script has it.
std::string to_script(const ScriptArgument& argument);

// All that a trace decides, as it goes on this nest. Candidates of a line may depend on what lines
// before it decide. What is wrong with a line.
Result<std::vector<Decision>> decisions_of(const loop::Func& func, const Trace& trace);
// The line with this for its decision.
Instruction decided(Instruction instruction, ScriptArgument decision);
// The same schedule without such lines: what they decide stands where it was used.
Result<Scheduled> settled(const loop::Func& func, const Trace& trace);

}  // namespace loopglass::schedule

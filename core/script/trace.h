// A schedule is a trace of primitives. It prints to a script and parses back; replaying it on the
// Func it was made for, or on one of another shape, gives the scheduled Func step by step.
//
//   C = block("C")
//   y, x, k = loops(C)
//   yo, yi = split(y, [-1, 8])
//   reorder([yo, x, yi])
//   vectorize(yi)
#pragma once

#include "core/schedule/primitive.h"

namespace loopglass::schedule {

// An argument in a script: a handle (a name bound earlier in the trace) or a literal.
struct Handle {
  std::string name;
};
using ScriptArgument =
    std::variant<Handle, std::vector<Handle>, std::string, std::vector<std::string>, std::int64_t,
                 std::vector<std::int64_t>>;

// `results = primitive(arguments)`; "block", "loops" and "buffer" are look-ups that bind names, and
// the lines of sampling.h decide.
struct Instruction {
  std::vector<std::string> results;
  std::string primitive;
  std::vector<ScriptArgument> arguments;
  int line = 0;  // from 1, of the text that it was read from; 0: it was not read
};

struct Trace {
  std::vector<Instruction> instructions;
};

std::string to_script(const Instruction& instruction);
std::string to_script(const Trace& trace);
Result<Trace> parse_script(std::string_view text);  // TextMalformed with line, column and caret
// As far as it can be read.
struct ScriptBegun {
  Trace trace;
  std::optional<Diagnostic> problem;
  int problem_line = 0;
};
ScriptBegun begin_script(std::string_view text);

struct ScheduleStep {
  Instruction instruction;
  loop::Func func;  // after it
  std::string remark;
};

// One step per instruction that changes the Func (look-ups do not). The diagnostic of an illegal
// instruction carries its line in the script.
Result<std::vector<ScheduleStep>> replay(const loop::Func& func, const Trace& trace);

}  // namespace loopglass::schedule

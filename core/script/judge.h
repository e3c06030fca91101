// Whether a line of script may follow: yes, or why not, with two iterations that clash where there
// are such. Of one line that somebody wrote, and of all that a nest offers.
#pragma once

#include "core/dependence/witness.h"
#include "core/script/offered_calls.h"
#include "core/script/replayer.h"

namespace loopglass::schedule {

struct Verdict {
  std::string call;  // the line
  std::optional<Diagnostic> refusal;
  std::string remark;
  Search search = {};  // for a clash
};

enum class Clash : bool { Ignore, Show };

Verdict judge(const Replayer& replayer, const Instruction& instruction, Clash clash);

// Of a call with the nest's names. Handles of the script that stand for something else than what
// the nest calls so are written around.
Verdict judge(const Replayer& replayer, const OfferedCall& call, Clash clash = Clash::Ignore);
// Of offered_calls(), in their order. Cancelled.
Result<std::vector<Verdict>> judge_offered(const Replayer& replayer, const std::string& entity = {},
                                           const Cancellation& cancellation = {},
                                           Clash clash = Clash::Ignore);

}  // namespace loopglass::schedule

#include "core/script/judge.h"

#include "core/loop/intrinsics.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::schedule {
namespace {

// A handle of that name stands for something else.
bool is_taken(const Replayer& replayer, const std::string& name) {
  return replayer.bound(name) && replayer.name_of(name).value_or(name) != name;
}

// Arguments that are names of the nest, whatever the script has bound.
Instruction by_names(Instruction instruction, const Replayer& replayer) {
  for (ScriptArgument& argument : instruction.arguments) {
    if (const auto* handle = std::get_if<Handle>(&argument);
        handle && is_taken(replayer, handle->name))
      argument = std::string(handle->name);
    const auto* list = std::get_if<std::vector<Handle>>(&argument);
    if (!list || std::ranges::none_of(
                     *list, [&](const Handle& handle) { return is_taken(replayer, handle.name); }))
      continue;
    std::vector<std::string> names;
    for (const Handle& handle : *list) names.push_back(handle.name);
    argument = std::move(names);
  }
  return instruction;
}

// What an intrinsic ran, and loops would run then; empty: nothing.
std::string lost_intrinsics(const loop::Func& before, const loop::Func& after) {
  const auto known = loop::unused_intrinsics(before);
  std::string words;
  for (const loop::UnusedIntrinsic& unused : loop::unused_intrinsics(after))
    if (std::ranges::find(known, unused.name, &loop::UnusedIntrinsic::name) == known.end())
      words += fmt::format("{}'{}' is not used then: {}", words.empty() ? "" : "; ", unused.name,
                           unused.why);
  return words;
}

}  // namespace

Verdict judge(const Replayer& replayer, const Instruction& instruction, Clash clash) {
  Verdict verdict{to_script(instruction), {}, {}};
  Replayer tried = replayer;
  const auto step = tried.run(instruction);
  if (step) {
    if (*step) verdict.remark = (*step)->remark;
    if (const std::string lost = lost_intrinsics(replayer.func(), tried.func()); !lost.empty())
      verdict.remark += (verdict.remark.empty() ? "" : "; ") + lost;
    return verdict;
  }
  verdict.refusal = step.error();
  if (clash == Clash::Ignore) return verdict;
  const auto call = replayer.call_of(instruction);
  if (call && call->first->witness)
    verdict.search = call->first->witness(replayer.func(), call->second);
  return verdict;
}

Verdict judge(const Replayer& replayer, const OfferedCall& call, Clash clash) {
  return judge(replayer, by_names(to_instruction(call), replayer), clash);
}

Result<std::vector<Verdict>> judge_offered(const Replayer& replayer, const std::string& entity,
                                           const Cancellation& cancellation, Clash clash) {
  std::vector<Verdict> verdicts;
  for (const OfferedCall& call : offered_calls(replayer.func(), entity)) {
    if (cancellation.requested()) return fail(Code::Cancelled, "checking was cancelled");
    verdicts.push_back(judge(replayer, call, clash));
  }
  return verdicts;
}

}  // namespace loopglass::schedule

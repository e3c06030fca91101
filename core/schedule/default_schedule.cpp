#include "core/schedule/default_schedule.h"

#include "core/schedule/default_rules.h"

#include <functional>

namespace loopglass::schedule {

namespace {

using Rule = std::function<Result<void>(Draft&)>;

// The first rule whose every line is legal; none is an error, since the nest is right as it stands.
void apply_first(Draft& draft, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) {
    Draft attempt = draft;
    if (!rule(attempt)) continue;
    draft = std::move(attempt);
    return;
  }
}

std::vector<Rule> rules_for(const Draft& draft, const std::string& name, const Machine& machine) {
  std::vector<Rule> rules;
  if (const auto block = analyse(draft.func(), name)) {
    if (block->reductions.empty()) {
      rules.push_back([=](Draft& d) { return schedule_elementwise(d, *block, machine); });
    } else {
      if (const auto epilogue = epilogue_of(draft.func(), name))
        rules.push_back([=](Draft& d) { return schedule_reduction(d, *block, epilogue, machine); });
      rules.push_back([=](Draft& d) { return schedule_reduction(d, *block, std::nullopt, machine); });
    }
  }
  rules.push_back([=](Draft& d) { return schedule_plainly(d, name); });
  return rules;
}

// Whether the block has already been placed in the loops of another.
bool is_alone(const Func& func, const std::string& name) {
  const auto path = find_block(func, name);
  if (!path) return false;
  const std::vector<const For*> loops = path->loops();
  if (loops.empty()) return true;
  const auto outermost = find_loop(func, loops[0]->variable);
  return blocks_of(outermost->target()).size() == 1;
}

}  // namespace

Result<Trace> default_schedule(const loop::Func& func, const Machine& machine) {
  Draft draft(func);
  TRY_VOID(inline_producers(draft));
  std::vector<std::string> reductions, others;
  for (const Block* block : blocks_of(draft.func().body))
    (has_reduction(*block) ? reductions : others).push_back(block->name);
  // Reductions first: they take their consumers with them.
  reductions.insert(reductions.end(), others.begin(), others.end());
  for (const std::string& name : reductions)
    if (is_alone(draft.func(), name)) apply_first(draft, rules_for(draft, name, machine));
  return std::move(draft).take();
}

}  // namespace loopglass::schedule

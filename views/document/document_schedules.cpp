// Schedules that a person wrote: what is asked of the current kernel, handed to the session and
// kept.
#include "core/loop/text.h"
#include "views/document/document.h"

#include <algorithm>

namespace loopglass::views {

const SavedSchedule* Document::own_schedule() const {
  if (!kernels_->kernel() || asked().schedules.empty()) return nullptr;
  const std::string workload =
      kernel::workload_of(loop::nameless_form(kernels_->kernel()->stages->initial));
  const auto found = std::ranges::find(asked().schedules, workload, &SavedSchedule::workload);
  return found == asked().schedules.end() ? nullptr : &*found;
}

void Document::set_schedule(std::optional<std::string> script) {
  if (!kernels_->kernel() || !fusion_->plan()) return;
  const loop::Func& nest = kernels_->kernel()->stages->initial;
  SavedSchedule own{fusion_->plan()->group(kernels_->group()).name,
                    kernel::workload_of(loop::nameless_form(nest)),
                    {}};
  if (script) {
    own.script = *std::move(script);
    const Workloads nests{{own.workload, loop::to_text(nest)}};
    return set_schedules({std::move(own)}, nests);
  }
  Asked asked = this->asked();
  std::erase_if(asked.schedules,
                [&](const SavedSchedule& other) { return other.workload == own.workload; });
  ask(std::move(asked));
}

void Document::set_schedules(std::vector<SavedSchedule> schedules, const Workloads& nests) {
  Asked asked = this->asked();
  for (SavedSchedule& own : schedules) {
    std::erase_if(asked.schedules,
                  [&](const SavedSchedule& other) { return other.workload == own.workload; });
    workloads_.emplace(own.workload, nests.at(own.workload));
    asked.schedules.push_back(std::move(own));
  }
  std::ranges::sort(asked.schedules, {}, &SavedSchedule::workload);
  ask(std::move(asked));
}

void Document::set_draft(SavedSchedule draft) {
  SavedSchedule& known = drafts_[draft.workload];
  if (known == draft) return;
  known = std::move(draft);
  emit draftsChanged();
}

void Document::drop_draft(const std::string& workload) {
  if (drafts_.erase(workload) > 0) emit draftsChanged();
}

// Runs each script of a session that is opened, and of what can be undone in it.
auto Document::refused_schedules(const SavedSession& session) -> std::vector<RefusedSchedule> {
  std::vector<SavedSchedule> seen;
  std::vector<RefusedSchedule> refused;
  const auto check = [&](const SavedAsked& asked) {
    for (const SavedSchedule& schedule : asked.schedules) {
      if (std::ranges::find(seen, schedule) != seen.end()) continue;
      seen.push_back(schedule);
      if (auto legal = check_schedule(schedule, session.workloads); !legal)
        refused.push_back({schedule, std::move(legal).error()});
    }
  };
  check(session.asked);
  std::ranges::for_each(session.undo, check);
  std::ranges::for_each(session.redo, check);
  return refused;
}

kernel::Schedules Document::schedules_in_use() const {
  kernel::Schedules schedules;
  for (const SavedSchedule& own : asked().schedules) {
    if (std::ranges::find(refused_schedules_, own, &RefusedSchedule::schedule) !=
        refused_schedules_.end())
      continue;
    if (auto read = read_schedule(own, workloads_))
      schedules.set(read->nest, std::move(read->trace));
  }
  return schedules;
}

void Document::hand_schedules() {
  if (handed_schedules_ == asked().schedules) return;
  handed_schedules_ = asked().schedules;
  session_->set_schedules(schedules_in_use());
}

// What was measured is of the others; what is shown stays until it is made anew.
void Document::schedules_changed() {
  if (!fusion_->plan()) return;
  benchmark_->set_schedules(schedules_digest(asked().schedules));
  benchmark_->drop();
  memory_->drop();
  benchmark_->show_recalled();
  benchmark_->tell();
  if (kernels_->group().valid()) kernels_->reschedule();
}

}  // namespace loopglass::views

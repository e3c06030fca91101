#include "core/farm/farm_measurer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <thread>

namespace loopglass::farm {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using measure::Failure;
using measure::FailureKind;
using tune::Outcome;

constexpr auto listen_patience = 200ms;
// How often one looks for results that were missed, and for jobs that are gone.
constexpr auto sweep_every = 1s;
constexpr auto silence_told = 5s;
constexpr int most_times_gone = 8;

Outcome failed(FailureKind kind, Diagnostic why) {
  Outcome outcome;
  outcome.failure = Failure{kind, std::move(why)};
  return outcome;
}

}  // namespace

// A job that has been asked for, for some scripts of a caller.
struct FarmMeasurer::Asked {
  Job job;
  std::string id;
  std::vector<std::size_t> places;  // of the caller's scripts
  bool is_submitted = false;
  int times_gone = 0;  // from the queue, without a result
};

// What is outstanding, until nothing is.
class FarmMeasurer::Round {
 public:
  using OnResult = std::function<void(const Asked&, const JobResult&)>;
  Round(FarmMeasurer& owner, std::vector<Asked> asked, OnResult on_result)
      : owner_(owner), on_result_(std::move(on_result)) {
    for (Asked& each : asked) {
      order_.push_back(each.id);
      asked_.emplace(each.id, std::move(each));
    }
  }

  // Why not all have been answered, if they have not.
  std::optional<Failure> wait(const Cancellation& cancellation) {
    Clock::time_point next_sweep = Clock::now();
    last_word_ = Clock::now();
    while (!asked_.empty()) {
      if (cancellation.requested()) {
        withdraw_all();
        return Failure{FailureKind::Cancelled, {Code::Cancelled, "tuning was cancelled"}};
      }
      if (Clock::now() >= next_sweep) {
        if (auto problem = sweep()) {
          withdraw_all();
          return problem;
        }
        next_sweep = Clock::now() + sweep_every;
        continue;
      }
      if (!owner_.is_listening_) {
        std::this_thread::sleep_for(listen_patience);
        continue;
      }
      auto result = owner_.queue_.next_result(listen_patience);
      if (!result) owner_.is_listening_ = false;
      else if (*result) take(**result);
    }
    return std::nullopt;
  }

 private:
  // Nobody waits for them any more.
  void withdraw_all() {
    for (const auto& [id, each] : asked_) {
      if (!each.is_submitted) continue;
      // A server that is away is not asked for each.
      const auto withdrawn = owner_.queue_.withdraw(owner_.capability_, id);
      if (!withdrawn && withdrawn.error().code == Code::FarmUnreachable) return;
    }
  }
  void take(const JobResult& result) {
    const auto found = asked_.find(result.id);
    if (found == asked_.end() || !fits(found->second, result)) return;
    const Asked asked = std::move(found->second);
    asked_.erase(found);
    last_word_ = Clock::now();
    on_result_(asked, result);
  }
  // It vanishes however often it is asked for.
  void give_up(const Asked& each) {
    JobResult result{each.id, {}, each.job.attempt, {}};
    result.outcomes.assign(each.job.scripts.size(),
                           failed(FailureKind::Lost, {Code::WorkerLost,
                                                      "the farm took it and gave no answer, again "
                                                      "and again"}));
    take(result);
  }
  // What came to nothing before is another's, and asked for once more.
  static bool fits(const Asked& asked, const JobResult& result) {
    return result.outcomes.size() == asked.job.scripts.size() &&
           (result.is_answer_for_all() ||
            (asked.is_submitted && result.attempt == asked.job.attempt));
  }

  // Submits what is not, takes what was missed, and asks again for what is gone. What is wrong, if
  // the server will not have it.
  std::optional<Failure> sweep() {
    const auto swept = try_sweep();
    if (swept) {
      is_away_ = false;
    } else if (swept.error().code != Code::FarmUnreachable) {
      return Failure{FailureKind::Refused, swept.error()};
    } else if (!std::exchange(is_away_, true)) {
      owner_.say_("the farm's server does not answer; waiting for it (Ctrl+C ends)");
    }
    return std::nullopt;
  }
  Result<void> try_sweep() {
    Queue& queue = owner_.queue_;
    const std::string& capability = owner_.capability_;
    if (!owner_.is_listening_) {
      TRY_VOID(queue.listen(capability));
      owner_.is_listening_ = true;
    }
    for (const std::string& id : order_) {
      const auto found = asked_.find(id);
      if (found == asked_.end()) continue;
      Asked& each = found->second;
      if (!each.is_submitted) {
        const auto known = TRY(queue.result_of(capability, id));
        if (known && fits(each, *known)) {
          take(*known);
          continue;
        }
        if (known) each.job.attempt = known->attempt + 1;
        // One that was withdrawn a moment ago is remembered, and would be dropped.
        while (!TRY(queue.submit(capability, each.job)) && !TRY(queue.is_waiting(capability, id)) &&
               !TRY(queue.result_of(capability, id)))
          ++each.job.attempt;
        each.is_submitted = true;
        continue;
      }
      // In this order: a result is there before its job is gone.
      const bool is_waiting = TRY(queue.is_waiting(capability, id));
      const auto known = TRY(queue.result_of(capability, id));
      if (known && fits(each, *known)) {
        take(*known);
      } else if (!is_waiting) {
        if (++each.times_gone > most_times_gone) {
          give_up(each);
          continue;
        }
        ++each.job.attempt;
        TRY(queue.submit(capability, each.job));
      }
    }
    if (Clock::now() - last_word_ > silence_told && !asked_.empty()) {
      last_word_ = Clock::now();
      const auto workers = TRY(queue.workers());
      const bool is_there = std::ranges::any_of(workers, [&](const WorkerNotice& notice) {
        return notice.capability.digest() == capability;
      });
      if (!is_there)
        owner_.say_("no worker of this kind is there now; waiting for one (Ctrl+C ends)");
    }
    return {};
  }

  FarmMeasurer& owner_;
  OnResult on_result_;
  std::vector<std::string> order_;
  std::map<std::string, Asked> asked_;
  bool is_away_ = false;
  Clock::time_point last_word_;
};

std::vector<Outcome> FarmMeasurer::measure(const tune::Task& task, const std::string& reference,
                                           std::span<const std::string> scripts, double best_ms,
                                           const Cancellation& cancellation,
                                           const tune::OnOutcome& on_outcome) {
  std::vector<Outcome> outcomes(scripts.size());
  std::vector<Asked> asked;
  for (std::size_t place = 0; place < scripts.size(); ++place) {
    Job job = job_of(task, reference);
    job.scripts = {scripts[place]};
    job.best_ms = best_ms;
    const std::string id = id_of(job);
    const auto same = std::ranges::find(asked, id, &Asked::id);
    if (same != asked.end()) same->places.push_back(place);
    else asked.push_back({std::move(job), id, {place}});
  }
  std::vector<bool> is_answered(scripts.size());
  Round round(*this, std::move(asked), [&](const Asked& each, const JobResult& result) {
    for (const std::size_t place : each.places) {
      outcomes[place] = result.outcomes.front();
      is_answered[place] = true;
      if (on_outcome) on_outcome(place, outcomes[place]);
    }
  });
  const auto problem = round.wait(cancellation);
  for (std::size_t place = 0; problem && place < scripts.size(); ++place) {
    if (is_answered[place]) continue;
    outcomes[place] = failed(problem->kind, problem->diagnostic);
    if (on_outcome) on_outcome(place, outcomes[place]);
  }
  return outcomes;
}

std::vector<Outcome> FarmMeasurer::measure_in_turns(const tune::Task& task,
                                                    const std::string& reference,
                                                    std::span<const std::string> scripts, int turns,
                                                    const Cancellation& cancellation) {
  Job job = job_of(task, reference);
  job.scripts.assign(scripts.begin(), scripts.end());
  job.turns = turns;
  std::vector<Outcome> outcomes;
  std::vector<Asked> asked{{job, id_of(job), {}}};
  Round round(*this, std::move(asked),
              [&](const Asked&, const JobResult& result) { outcomes = result.outcomes; });
  if (const auto problem = round.wait(cancellation))
    outcomes.assign(scripts.size(), failed(problem->kind, problem->diagnostic));
  return outcomes;
}

Result<WorkerNotice> choose_worker(const std::vector<WorkerNotice>& workers, const Capability& own,
                                   std::string_view wanted) {
  const auto words = [&] {
    std::set<std::string> lines;
    for (const WorkerNotice& worker : workers)
      lines.insert(fmt::format(
          "{} ({}, {}{})", worker.name, worker.capability.processor, worker.capability.target,
          worker.capability.compiler == own.compiler ? "" : ", with another version of Loopglass"));
    return fmt::format("{}", fmt::join(lines, "; "));
  };
  if (!wanted.empty()) {
    const auto found = std::ranges::find(workers, wanted, &WorkerNotice::name);
    if (found == workers.end())
      return fail(Code::FarmWithoutWorkers, fmt::format("the farm has no worker '{}'", wanted), {},
                  workers.empty() ? "it has none at all" : "there are " + words());
    if (found->capability.compiler != own.compiler)
      return fail(Code::FarmWithoutWorkers,
                  fmt::format("the worker '{}' has another version of Loopglass", wanted), {},
                  "have the same on all machines: what a schedule becomes is its to say");
    return *found;
  }
  std::vector<WorkerNotice> usable;
  for (const WorkerNotice& worker : workers) {
    if (worker.capability == own) return worker;
    if (worker.capability.compiler == own.compiler) usable.push_back(worker);
  }
  if (usable.empty())
    return fail(
        Code::FarmWithoutWorkers,
        workers.empty() ? std::string("the farm has no worker")
                        : "no worker of the farm has this version of Loopglass",
        {},
        workers.empty() ? "start some: loopglassc worker --connect URL" : "there are " + words());
  const bool is_one_kind = std::ranges::all_of(usable, [&](const WorkerNotice& worker) {
    return worker.capability == usable.front().capability;
  });
  if (!is_one_kind)
    return fail(Code::FarmWithoutWorkers,
                "the farm has workers of several kinds, and none is like this machine", {},
                "choose one by its name, --farm-worker NAME: " + words());
  return usable.front();
}

}  // namespace loopglass::farm

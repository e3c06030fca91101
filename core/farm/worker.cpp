#include "core/farm/worker.h"

#include "core/loop/text.h"
#include "core/support/counted.h"
#include "core/support/printable.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace loopglass::farm {

namespace {

using namespace std::chrono_literals;
using measure::Failure;
using measure::FailureKind;

constexpr auto fetch_patience = 500ms;

// Says every now and then that the worker lives, and that it holds its job.
class Heartbeat {
 public:
  Heartbeat(Queue& queue, WorkerNotice notice)
      : queue_(queue), notice_(std::move(notice)), thread_([this](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!stop.stop_requested()) {
            if (taken_) taken_->hold();
            // Where the server does not answer, others find out.
            std::ignore = queue_.announce(notice_);
            // Several beats within what one is waited for.
            woken_.wait_for(lock, stop, std::min(Queue::notices_for, queue_.held_for()) / 4,
                            [&] { return std::exchange(is_changed_, false); });
          }
          std::ignore = queue_.leave(notice_.name);
        }) {}

  // As long as it is there, its job is ours.
  class Holding {
   public:
    Holding(Heartbeat& heartbeat, Queue::Taken& taken, std::string doing) : heartbeat_(heartbeat) {
      heartbeat_.change(&taken, std::move(doing));
    }
    ~Holding() { heartbeat_.change(nullptr, {}); }
    Holding(const Holding&) = delete;

   private:
    Heartbeat& heartbeat_;
  };

 private:
  void change(Queue::Taken* taken, std::string doing) {
    const std::lock_guard lock(mutex_);
    notice_.done += taken_ != nullptr;
    taken_ = taken;
    notice_.doing = std::move(doing);
    is_changed_ = true;
    woken_.notify_all();
  }

  Queue& queue_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  WorkerNotice notice_;
  Queue::Taken* taken_ = nullptr;
  bool is_changed_ = false;
  std::jthread thread_;  // last: the others are there when it begins
};

std::vector<tune::Outcome> all_failed(std::size_t count, FailureKind kind, Diagnostic why) {
  tune::Outcome outcome;
  outcome.failure = Failure{kind, std::move(why)};
  return std::vector(count, outcome);
}

std::vector<tune::Outcome> outcomes_of(const Job& job, tune::Measurer& measurer,
                                       const Machine& machine, const Cancellation& cancellation) {
  auto nest = loop::parse(job.nest);
  if (nest)
    if (auto sound = loop::verify(*nest); !sound) nest = std::unexpected(std::move(sound).error());
  if (!nest) return all_failed(job.scripts.size(), FailureKind::Refused, std::move(nest).error());
  if (job.threads > machine.cores)
    return all_failed(
        job.scripts.size(), FailureKind::Refused,
        {Code::UsageInvalid, fmt::format("the worker's machine has {}, and {} are asked for",
                                         counted(machine.cores.value, "core"), job.threads)});
  const tune::Task task{job.kernel, *std::move(nest), job.symbols, machine, job.threads};
  if (job.turns > 0)
    return measurer.measure_in_turns(task, job.reference, job.scripts, job.turns, cancellation);
  return measurer.measure(task, job.reference, job.scripts, job.best_ms, cancellation, {});
}

Diagnostic killed_its_workers(int deliveries) {
  return {Code::WorkerLost,
          fmt::format("{} that took it never came back", counted(deliveries - 1, "worker")),
          {},
          "they were killed, their machines went down, or the schedule does that to them"};
}

bool was_cancelled(const std::vector<tune::Outcome>& outcomes) {
  return std::ranges::any_of(outcomes, [](const tune::Outcome& outcome) {
    return outcome.failure && outcome.failure->kind == FailureKind::Cancelled;
  });
}

// It may have been done already: by whoever had it before and whose word came late.
bool is_answered(Queue& queue, const std::string& capability, const Queue::Taken& taken,
                 const Result<Job>& job) {
  const auto known = queue.result_of(capability, taken.id());
  return known && *known &&
         ((*known)->is_answer_for_all() || (job && (*known)->attempt == job->attempt));
}

std::vector<tune::Outcome> answer(const Queue::Taken& taken, const Result<Job>& job,
                                  tune::Measurer& measurer, const Machine& machine,
                                  const Cancellation& cancellation) {
  if (!job) return all_failed(1, FailureKind::Refused, job.error());
  if (taken.deliveries() > most_deliveries)
    return all_failed(job->scripts.size(), FailureKind::Lost,
                      killed_its_workers(taken.deliveries()));
  return outcomes_of(*job, measurer, machine, cancellation);
}

// Asks again for as long as the server is away.
template <class Ask>
auto persistently(const Ask& ask, const WorkerSettings& settings, const Say& say,
                  const Cancellation& cancellation) -> decltype(ask()) {
  const auto begun = std::chrono::steady_clock::now();
  bool is_told = false;
  for (;;) {
    auto answer = ask();
    if (answer) {
      if (is_told) say("the server is back");
      return answer;
    }
    if (answer.error().code != Code::FarmUnreachable ||
        std::chrono::steady_clock::now() - begun > settings.patience)
      return answer;
    if (cancellation.requested()) return fail(Code::Cancelled, "the worker was stopped");
    if (!std::exchange(is_told, true)) say("the server does not answer; waiting for it");
    std::this_thread::sleep_for(fetch_patience);
  }
}

}  // namespace

std::string worker_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 64)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += is_plain ? c : '-';
  }
  return name.empty() ? "worker" : name;
}

Result<void> work(Queue& queue, tune::Measurer& measurer, const WorkerSettings& settings,
                  const Say& say, const Cancellation& cancellation) {
  const std::string capability = settings.capability.digest();
  Heartbeat heartbeat(queue, {settings.name, settings.capability, settings.machine, {}, 0});
  for (std::uint64_t done = 0; !cancellation.requested();) {
    auto next = persistently([&] { return queue.take(capability, fetch_patience); }, settings, say,
                             cancellation);
    if (!next && next.error().code == Code::Cancelled) break;
    if (!next) return std::unexpected(std::move(next).error());
    if (!*next) continue;
    Queue::Taken& taken = **next;
    const auto job = job_in(taken.text());
    const std::string kernel = job ? printable(job->kernel) : "a job that is not understood";
    const Heartbeat::Holding holding(heartbeat, taken, kernel);
    JobResult result{taken.id(), settings.name, job ? job->attempt : 0, {}};
    const bool is_known = is_answered(queue, capability, taken, job);
    if (!is_known) result.outcomes = answer(taken, job, measurer, settings.machine, cancellation);
    if (was_cancelled(result.outcomes)) break;  // it is left to somebody else
    const auto given = persistently([&] { return is_known ? taken.drop() : taken.finish(result); },
                                    settings, say, cancellation);
    if (!given && given.error().code == Code::Cancelled) break;
    if (!given) {
      // One that cannot be answered, since the answer is too long say, is nobody's.
      say(fmt::format("{} cannot be answered, and is dropped: {}", kernel, given.error().what));
      std::ignore = taken.drop();
      continue;
    }
    ++done;
    say(fmt::format("{}: {} of {}", done,
                    is_known ? "known already" : counted(result.outcomes.size(), "schedule"),
                    kernel));
    if (settings.jobs > 0 && done >= settings.jobs) break;
  }
  return {};
}

}  // namespace loopglass::farm

#include "core/measure/worker_pool.h"

#include "core/support/check.h"

#include <optional>
#include <utility>

namespace loopglass::measure {
namespace {

FailureKind kind_of(LossKind kind) {
  switch (kind) {
    case LossKind::NotStarted: return FailureKind::Refused;
    case LossKind::Crashed: return FailureKind::Crashed;
    case LossKind::TimedOut: return FailureKind::TimedOut;
    case LossKind::Lost: return FailureKind::Lost;
    case LossKind::Cancelled: return FailureKind::Cancelled;
  }
  return FailureKind::Lost;
}

Code code_of(LossKind kind) {
  switch (kind) {
    case LossKind::NotStarted: return Code::SystemRefused;
    case LossKind::Crashed: return Code::WorkerCrashed;
    case LossKind::TimedOut: return Code::WorkerTimedOut;
    case LossKind::Lost: return Code::WorkerLost;
    case LossKind::Cancelled: return Code::Cancelled;
  }
  return Code::WorkerLost;
}

std::string hint_for(LossKind kind) {
  switch (kind) {
    case LossKind::Crashed:
    case LossKind::TimedOut:
      return "the code of some kernel is wrong: look at the schedules that were changed last; the "
             "next measurement has a process of its own";
    case LossKind::Lost: return "measure again: that has a process of its own";
    case LossKind::NotStarted:
    case LossKind::Cancelled: return {};
  }
  return {};
}

}  // namespace

Diagnostic WorkerPool::diagnose(const Loss& loss) {
  return {code_of(loss.kind), "the measuring worker: " + loss.what, {}, hint_for(loss.kind)};
}

WorkerPool::WorkerPool(Program program, int at_once)
    : program_(std::move(program)), at_once_(at_once) {
  CHECK(at_once >= 1, "a pool of no workers");
}

std::expected<WorkerProcess, Loss> WorkerPool::take(const Cancellation& cancellation) {
  // Cancelling is noticed that late.
  constexpr std::chrono::milliseconds slice(20);
  std::unique_lock lock(mutex_);
  while (busy_ >= at_once_) {
    if (cancellation.requested())
      return std::unexpected(Loss{LossKind::Cancelled, "it was cancelled"});
    free_.wait_for(lock, slice);
  }
  ++busy_;
  while (!idle_.empty()) {
    WorkerProcess worker = std::move(idle_.back());
    idle_.pop_back();
    // One that was killed while it waited costs no answer.
    if (worker.is_ready()) return worker;
  }
  ++started_;
  lock.unlock();
  auto worker = WorkerProcess::start(program_, cancellation);
  if (!worker) give_back(std::nullopt);
  return worker;
}

void WorkerPool::give_back(std::optional<WorkerProcess> worker) {
  const std::lock_guard lock(mutex_);
  --busy_;
  if (worker) idle_.push_back(*std::move(worker));
  free_.notify_one();
}

std::expected<Frame, Loss> WorkerPool::ask(Frame request, std::chrono::milliseconds limit,
                                           const Cancellation& cancellation, const Hear& hear) {
  for (bool again = false;; again = true) {
    auto worker = take(cancellation);
    if (!worker) return std::unexpected(std::move(worker).error());
    const bool had_waited = worker->was_asked();
    bool has_heard = false;
    auto answer = worker->ask(request, limit, cancellation, [&](const Frame& progress) {
      has_heard = true;
      if (hear) hear(progress);
    });
    if (answer) give_back(*std::move(worker));
    else give_back(std::nullopt);
    // A signal from outside to a worker that had waited may be older than the request.
    const bool killed_before = !answer && had_waited && !has_heard &&
                               answer.error().kind == LossKind::Lost && answer.error().signal != 0;
    if (again || !killed_before) return answer;
  }
}

Answer WorkerPool::ask(const Request& request, const Cancellation& cancellation) {
  const auto frame = ask(to_frame(request), request.time_limit, cancellation);
  if (!frame)
    return std::unexpected(
        Failure{kind_of(frame.error().kind), diagnose(frame.error()), frame.error().signal});
  const auto answer = answer_from(*frame);
  if (answer) return *answer;
  return std::unexpected(Failure{FailureKind::Lost, answer.error()});
}

int WorkerPool::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

std::vector<pid_t> WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t> processes;
  for (const WorkerProcess& worker : idle_) processes.push_back(worker.id());
  return processes;
}

}  // namespace loopglass::measure

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

Failure failure_of(const Loss& loss) {
  const Code code = loss.kind == LossKind::Cancelled ? Code::Cancelled : Code::SystemRefused;
  return {kind_of(loss.kind), {code, "the measuring worker: " + loss.what, {}, {}}, loss.signal};
}

}  // namespace

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
                                           const Cancellation& cancellation) {
  for (bool again = false;; again = true) {
    auto worker = take(cancellation);
    if (!worker) return std::unexpected(std::move(worker).error());
    const bool had_waited = worker->was_asked();
    auto answer = worker->ask(request, limit, cancellation);
    if (answer) give_back(*std::move(worker));
    else give_back(std::nullopt);
    // A signal from outside to a worker that had waited may be older than the request.
    const bool killed_before = !answer && had_waited && answer.error().kind == LossKind::Lost &&
                               answer.error().signal != 0;
    if (again || !killed_before) return answer;
  }
}

Answer WorkerPool::ask(const Request& request, const Cancellation& cancellation) {
  const auto frame = ask(to_frame(request), request.time_limit, cancellation);
  if (!frame) return std::unexpected(failure_of(frame.error()));
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

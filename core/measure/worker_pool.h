// Workers that are asked in turn. One is started when it is first needed, stays for the next
// request, and where it is lost another takes its place: a loss costs one answer, and none where it
// was killed while it waited.
#pragma once

#include "core/measure/request.h"
#include "core/measure/worker_process.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

namespace loopglass::measure {

class WorkerPool {
 public:
  // `at_once`: workers, and requests that are answered at the same time. Two measurements at once
  // are measurements of each other.
  explicit WorkerPool(Program program, int at_once = 1);

  const Program& program() const { return program_; }

  // Thread-safe; whoever comes when all are busy waits, which the limit (of silence) does not
  // count.
  std::expected<Frame, Loss> ask(Frame request, std::chrono::milliseconds limit,
                                 const Cancellation& cancellation = {}, const Hear& hear = {});
  // A kernel, timed.
  Answer ask(const Request& request, const Cancellation& cancellation = {});

  // What a loss is to whoever asked. WorkerCrashed, WorkerTimedOut, WorkerLost, Cancelled.
  static Diagnostic diagnose(const Loss& loss);

  int started() const;                 // processes, so far
  std::vector<pid_t> waiting() const;  // to be asked

 private:
  std::expected<WorkerProcess, Loss> take(const Cancellation& cancellation);
  void give_back(std::optional<WorkerProcess> worker);

  const Program program_;
  const int at_once_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  std::vector<WorkerProcess> idle_;
  int busy_ = 0, started_ = 0;
};

}  // namespace loopglass::measure

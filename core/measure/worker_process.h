// One worker, as whoever started it sees it.
//
// It is made by spawning a program anew, never by forking: a copy of a process with threads has
// their locks and not the threads.
#pragma once

#include "core/measure/frame.h"

#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace loopglass::measure {

// A program that serves on its standard streams.
struct Program {
  std::filesystem::path path;
  std::vector<std::string> arguments = {};
};

enum class LossKind : std::uint8_t {
  NotStarted,
  Crashed,  // by a signal that follows from what it ran
  TimedOut,
  Lost,  // it ended otherwise, was killed, or said what nobody understands
  Cancelled
};
// Why there is no answer: "killed by signal 11 (Segmentation fault)", "took longer than 60 s".
struct Loss {
  LossKind kind;
  std::string what;
  int signal = 0;
  int reason = 0;  // errno of what could not be started; 0: none
};

// Called with what a worker tells before it answers.
using Hear = std::function<void(const Frame& progress)>;

class WorkerProcess {
 public:
  // Waits until it can be asked.
  static std::expected<WorkerProcess, Loss> start(const Program& program,
                                                  const Cancellation& cancellation = {});
  // Kills it, where it is left, and takes note of its end: there are no zombies.
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  // Numbers the frame. `limit`: of silence, until it answers or tells how far it is. After a loss
  // the process has ended.
  std::expected<Frame, Loss> ask(Frame& request, std::chrono::milliseconds limit,
                                 const Cancellation& cancellation = {}, const Hear& hear = {});
  // Whether it is there and waits to be asked.
  bool is_ready() const;
  bool was_asked() const { return asked_ > 0; }
  pid_t id() const { return process_; }

 private:
  WorkerProcess(pid_t process, int socket) : process_(process), socket_(socket) {}
  std::expected<Frame, BadFrame> exchange(const Frame& request, std::chrono::milliseconds limit,
                                          const Cancellation& cancellation, const Hear& hear) const;
  Loss end(const BadFrame& problem);

  pid_t process_ = -1;  // -1: it has ended
  int socket_ = -1;
  std::uint64_t asked_ = 0;
};

}  // namespace loopglass::measure

#include "core/measure/worker_process.h"

#include "core/measure/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

extern char** environ;

namespace loopglass::measure {
namespace {

using Clock = std::chrono::steady_clock;

// A busy machine loads a program slowly.
constexpr std::chrono::seconds start_limit(60);

std::unexpected<Loss> not_started(int error) {
  return std::unexpected(Loss{LossKind::NotStarted,
                              fmt::format("a worker cannot be started: {}", std::strerror(error)),
                              0, error});
}

// The program with `socket` for its stdin and stdout; an error number where there is none.
std::expected<pid_t, int> spawn(const Program& program, int socket) {
  std::vector<std::string> words{program.path.string()};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0)
    return std::unexpected(error);
  if (const int error = posix_spawnattr_init(&attributes); error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return std::unexpected(error);
  }
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  // Whatever this thread blocks or ignores is no business of the worker's.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int error = ::posix_spawn(&process, program.path.c_str(), &actions, &attributes,
                                  arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return std::unexpected(error);
  return process;
}

int wait_for_end(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// How it ended by itself, where it does so soon.
std::optional<int> status_soon(pid_t process) {
  const auto deadline = Clock::now() + std::chrono::seconds(5);
  for (auto pause = std::chrono::microseconds(50);;
       pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (Clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

// Signals by which the processor or the C library answers what a program does; the others come from
// outside.
bool is_own_doing(int signal) {
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    if (signal == own) return true;
  return false;
}

Loss loss_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {is_own_doing(signal) ? LossKind::Crashed : LossKind::Lost,
            fmt::format("killed by signal {} ({})", signal, ::strsignal(signal)), signal};
  }
  return {LossKind::Lost, fmt::format("ended with exit code {}", WEXITSTATUS(status))};
}

}  // namespace

std::expected<WorkerProcess, Loss> WorkerProcess::start(const Program& program,
                                                        const Cancellation& cancellation) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return not_started(errno);
  const auto process = spawn(program, ends[1]);
  ::close(ends[1]);
  if (!process) {
    ::close(ends[0]);
    return not_started(process.error());
  }
  WorkerProcess worker(*process, ends[0]);
  ::fcntl(worker.socket_, F_SETFL, ::fcntl(worker.socket_, F_GETFL) | O_NONBLOCK);
  const auto hello = read_frame(worker.socket_, {Clock::now() + start_limit, cancellation});
  if (hello && hello->job == hello_job) return worker;
  Loss loss = worker.end(hello ? BadFrame{FrameProblem::Unreadable, "it did not begin as a worker"}
                               : hello.error());
  if (loss.kind == LossKind::Cancelled) return std::unexpected(std::move(loss));
  return std::unexpected(Loss{
      LossKind::NotStarted,
      fmt::format("the worker {} is none: {}", program.path.string(), loss.what), loss.signal});
}

WorkerProcess::~WorkerProcess() {
  if (socket_ >= 0) ::close(socket_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait_for_end(process_);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      asked_(other.asked_) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(socket_, other.socket_);
  std::swap(asked_, other.asked_);
  return *this;
}

bool WorkerProcess::is_ready() const {
  if (process_ < 0) return false;
  // One that says something without being asked is none to be asked.
  pollfd end{socket_, POLLIN, 0};
  return ::poll(&end, 1, 0) == 0;
}

// Takes note of how it ended, or ends it.
Loss WorkerProcess::end(const BadFrame& problem) {
  ::close(std::exchange(socket_, -1));
  const pid_t process = std::exchange(process_, -1);
  if (problem.problem == FrameProblem::Closed || problem.problem == FrameProblem::Torn) {
    if (const auto status = status_soon(process)) return loss_of(*status);
  }
  ::kill(process, SIGKILL);
  wait_for_end(process);
  switch (problem.problem) {
    case FrameProblem::Late: return {LossKind::TimedOut, problem.what};
    case FrameProblem::Cancelled: return {LossKind::Cancelled, problem.what};
    default: return {LossKind::Lost, problem.what};
  }
}

std::expected<Frame, BadFrame> WorkerProcess::exchange(const Frame& request,
                                                       std::chrono::milliseconds limit,
                                                       const Cancellation& cancellation,
                                                       const Hear& hear) const {
  const auto said = write_frame(socket_, request, {Clock::now() + limit, cancellation});
  // One that ended while it was told may have answered before.
  if (!said && said.error().problem != FrameProblem::Closed) return std::unexpected(said.error());
  for (;;) {
    auto answer = read_frame(socket_, {Clock::now() + limit, cancellation});
    if (answer && answer->number != request.number)
      return std::unexpected(BadFrame{FrameProblem::Unreadable, "it answered what nobody asked"});
    if (!answer || answer->job != progress_job) return answer;
    if (hear) hear(*answer);
  }
}

std::expected<Frame, Loss> WorkerProcess::ask(Frame& request, std::chrono::milliseconds limit,
                                              const Cancellation& cancellation, const Hear& hear) {
  if (process_ < 0) return std::unexpected(Loss{LossKind::Lost, "the worker has ended"});
  request.number = ++asked_;
  auto answer = exchange(request, limit, cancellation, hear);
  if (answer && answer->job != defect_job) return *std::move(answer);
  // What a defect leaves behind is not asked again.
  Loss loss = end(answer ? BadFrame{FrameProblem::Unreadable, answer->text} : answer.error());
  if (loss.kind == LossKind::TimedOut)
    loss.what = fmt::format("took longer than {} s", std::chrono::duration<double>(limit).count());
  return std::unexpected(std::move(loss));
}

}  // namespace loopglass::measure

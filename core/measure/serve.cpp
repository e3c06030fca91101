#include "core/measure/serve.h"

#include "core/support/fault.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

namespace loopglass::measure {
namespace {

// Readable once the process has ended; -1 where the system has no such thing. A descriptor that a
// child of the parent's inherited keeps the other end open; this one knows better.
int watched_process(pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
  static_cast<void>(process);
  return -1;
#endif
}

// Ends the process when nobody reads `out` any more, or the parent is gone.
void watch(int out, pid_t parent) {
  const int process = watched_process(parent);
  // It may have ended before it was watched.
  if (::getppid() != parent) ::_exit(0);
  std::thread([out, process] {
    for (;;) {
      std::array<pollfd, 2> ends{{{out, 0, 0}, {process, POLLIN, 0}}};
      if (::poll(ends.data(), ends.size(), -1) > 0) ::_exit(0);
    }
  }).detach();
}

Frame answer_to(const Frame& request, const Jobs& jobs, const Tell& tell) {
  const auto job = jobs.find(request.job);
  if (job == jobs.end())
    return {0, std::string(defect_job), fmt::format("there is no job '{}'", request.job), {}};
  try {
    return job->second(request, tell);
  } catch (...) {
    return {0, std::string(defect_job), to_string(diagnose_current_exception()), {}};
  }
}

}  // namespace

int serve(int in, int out, const Jobs& jobs) {
  if (!write_frame(out, {0, std::string(hello_job), {}, {}})) return 0;
  for (;;) {
    const auto request = read_frame(in);
    if (!request) {
      if (request.error().problem == FrameProblem::Closed) return 0;
      fmt::print(stderr, "worker: {}\n", request.error().what);
      return 2;
    }
    const Tell tell = [&](Frame progress) {
      progress.number = request->number;
      progress.job = progress_job;
      // Where nobody reads any more, the answer finds that out.
      static_cast<void>(write_frame(out, progress));
    };
    Frame answer = answer_to(*request, jobs, tell);
    answer.number = request->number;
    if (!write_frame(out, answer)) return 0;
  }
}

int serve_standard_streams(const Jobs& jobs) {
  const pid_t parent = ::getppid();
  std::signal(SIGPIPE, SIG_IGN);
  // A crash is an answer like any other, and not worth a file of all memory.
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_NAME, "loopglass-worker");
  const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (in < 0 || out < 0) return 2;
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
  }
  watch(out, parent);
  const int exit = serve(in, out, jobs);
  // Without destructors: the thread that watches would outlive what they destroy.
  std::fflush(nullptr);
  ::_exit(exit);
}

}  // namespace loopglass::measure

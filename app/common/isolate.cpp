#include "app/common/isolate.h"

#include "core/support/fault.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <system_error>

namespace loopglass::app {

namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  pid_t process = -1;
  int pipe = -1;
  Clock::time_point deadline;
  std::string text;
};

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

// No destructors, and no flushing of what the parent had buffered; nor may an exception come out
// into the parent's code.
[[noreturn]] void be_child(int pipe, const std::function<std::string()>& work) {
  int exit = 0;
  try {
    write_all(pipe, work());
  } catch (...) {
    fmt::print(stderr, "{}\n", to_string(diagnose_current_exception()));
    exit = 70;
  }
  ::_exit(exit);
}

// Throws std::system_error where the system refuses.
Child start(const std::function<std::string()>& work, std::chrono::seconds limit) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "a pipe");
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) {
    const int problem = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(problem, std::generic_category(), "a process");
  }
  if (process == 0) {
    ::close(ends[0]);
    be_child(ends[1], work);
  }
  ::close(ends[1]);
  return {process, ends[0], Clock::now() + limit, {}};
}

Answer finish(Child& child) {
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return Lost{
        fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))};
  if (WEXITSTATUS(status) != 0)
    return Lost{fmt::format("ended with exit code {}", WEXITSTATUS(status))};
  return std::move(child.text);
}

// Reads what there is; true when the child has closed its end.
bool drain(Child& child) {
  char buffer[4096];
  const ssize_t count = ::read(child.pipe, buffer, sizeof buffer);
  if (count > 0) child.text.append(buffer, static_cast<std::size_t>(count));
  return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace

Result<void> run_isolated(const std::vector<std::function<std::string()>>& work, int at_once,
                          std::chrono::seconds limit,
                          const std::function<void(std::size_t, Answer)>& done) {
  std::map<std::size_t, Child> running;
  std::map<std::size_t, Answer> waiting;  // answered before an earlier one
  std::size_t next = 0, reported = 0;
  while (reported < work.size()) {
    for (; next < work.size() && running.size() < static_cast<std::size_t>(std::max(1, at_once));
         ++next) {
      try {
        running.emplace(next, start(work[next], limit));
      } catch (const std::system_error&) {
        // One that ends makes room for another.
        if (running.empty()) return std::unexpected(diagnose_current_exception());
        break;
      }
    }
    std::vector<pollfd> pipes;
    for (const auto& [number, child] : running) pipes.push_back({child.pipe, POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), 100);
    std::size_t at = 0;
    for (auto child = running.begin(); child != running.end(); ++at) {
      auto& [number, state] = *child;
      const bool late = Clock::now() > state.deadline;
      if (late) ::kill(state.process, SIGKILL);
      if (!late && (pipes[at].revents == 0 || !drain(state))) {
        ++child;
        continue;
      }
      Answer answer = finish(state);
      waiting.emplace(number, late ? Lost{fmt::format("took longer than {} s", limit.count())}
                                   : std::move(answer));
      child = running.erase(child);
    }
    for (auto answer = waiting.find(reported); answer != waiting.end();
         answer = waiting.find(++reported)) {
      done(reported, std::move(answer->second));
      waiting.erase(answer);
    }
  }
  return {};
}

}  // namespace loopglass::app

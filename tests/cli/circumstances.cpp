#include "tests/cli/circumstances.h"

#include "app/loopglassc/command_line.h"
#include "core/support/printable.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace loopglass::app {

namespace {

constexpr unsigned seconds_allowed = 300;
constexpr int cannot_start = 126;

void open_as(int descriptor, const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0666);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(cannot_start);
  if (file != descriptor) ::close(file);
}

void direct_streams(const Circumstances& circumstances, const std::filesystem::path& scratch) {
  constexpr int fresh = O_WRONLY | O_CREAT | O_TRUNC;
  using Output = Circumstances::Output;
  open_as(STDERR_FILENO, scratch / "error", fresh);
  switch (circumstances.output) {
    case Output::Kept: open_as(STDOUT_FILENO, scratch / "out", fresh); break;
    case Output::Full: open_as(STDOUT_FILENO, "/dev/full", O_WRONLY); break;
    case Output::Closed: ::close(STDOUT_FILENO); break;
    case Output::NobodyReads: {
      int ends[2];
      if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(cannot_start);
      ::close(ends[0]);
      ::close(ends[1]);
      break;
    }
  }
  if (circumstances.input_closed) ::close(STDIN_FILENO);
  if (circumstances.error_closed) ::close(STDERR_FILENO);
}

void apply(const Circumstances& circumstances, const std::filesystem::path& scratch) {
  for (const auto& [name, value] : circumstances.environment) {
    if (value) ::setenv(name.c_str(), value->c_str(), 1);
    else ::unsetenv(name.c_str());
  }
  const std::filesystem::path& folder =
      circumstances.folder.empty() ? scratch : circumstances.folder;
  if (::chdir(folder.c_str()) != 0) ::_exit(cannot_start);
  if (circumstances.folder_removed && ::rmdir(circumstances.folder.c_str()) != 0)
    ::_exit(cannot_start);
  direct_streams(circumstances, scratch);
  constexpr uid_t nobody = 65534;
  if (circumstances.as_nobody && ::getuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
    ::_exit(cannot_start);
  for (const auto& [resource, most] : circumstances.limits) {
    const rlimit limit{most, most};
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) ::_exit(cannot_start);
  }
  ::alarm(seconds_allowed);
}

}  // namespace

std::string in_words(const Words& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "'" : " '") + printable(word.substr(0, 200)) +
            (word.size() > 200 ? "...'" : "'");
  return text;
}

Said run_in(const Circumstances& circumstances, const std::filesystem::path& program,
            const Words& words, const std::filesystem::path& scratch) {
  for (const char* file : {"out", "error"}) std::filesystem::remove(scratch / file);
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    apply(circumstances, scratch);
    const std::string name = program == command_line_here ? "loopglassc" : program.string();
    std::vector<char*> arguments{const_cast<char*>(name.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (program == command_line_here)
      be_command_line(static_cast<int>(words.size()) + 1, arguments.data());
    ::execv(name.c_str(), arguments.data());
    ::_exit(cannot_start);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  std::stringstream out, error;
  out << std::ifstream(scratch / "out").rdbuf();
  error << std::ifstream(scratch / "error").rdbuf();
  Said ended;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.out = out.str();
  ended.error = error.str();
  return ended;
}

}  // namespace loopglass::app

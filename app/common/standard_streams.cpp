#include "app/common/standard_streams.h"

#include "core/support/printable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace loopglass::app {

namespace {

// A standard stream of C in front of a descriptor. Every library prints through those.
struct Stream {
  int descriptor;
  bool may_fail_quietly;        // there is nowhere to say that stderr cannot be written
  std::string unfinished = {};  // bytes of a character whose others are to come
  int problem = 0;              // errno of the first write that failed
};
Stream out{STDOUT_FILENO, false}, error{STDERR_FILENO, true};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    else if (count < 0 && errno != EINTR) return false;
  }
  return true;
}

ssize_t write_printable(void* cookie, const char* bytes, std::size_t size) noexcept {
  Stream& stream = *static_cast<Stream*>(cookie);
  try {
    std::string text = std::exchange(stream.unfinished, {}).append(bytes, size);
    stream.unfinished = text.substr(text.size() - unfinished_bytes(text));
    text.resize(text.size() - stream.unfinished.size());
    if (stream.problem == 0 && !write_all(stream.descriptor, printable(text)))
      stream.problem = errno;
  } catch (const std::exception&) {
    stream.problem = ENOMEM;
  }
  if (stream.problem == 0 || stream.may_fail_quietly) return static_cast<ssize_t>(size);
  errno = stream.problem;
  return 0;
}

FILE* opened(Stream& stream, int buffering) {
  FILE* file = ::fopencookie(&stream, "w", {nullptr, write_printable, nullptr, nullptr});
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

}  // namespace

void prepare_standard_streams() {
  // A reader that stops early (head) is no reason to be killed in the middle of a run.
  std::signal(SIGPIPE, SIG_IGN);
  // Nor is a file that may grow no further (ulimit -f): writing fails.
  std::signal(SIGXFSZ, SIG_IGN);
  // Opened the wrong way round, a closed stream goes on failing. The lowest number is taken first.
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  if (FILE* file = opened(out, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF)) stdout = file;
  if (FILE* file = opened(error, _IONBF)) stderr = file;
}

void write_codes(std::FILE* stream, std::string_view codes) {
  std::fflush(stream);
  Stream& behind = stream == stderr ? error : out;
  if (behind.problem == 0 && !write_all(behind.descriptor, codes)) behind.problem = errno;
}

bool output_failed() { return out.problem != 0; }

Result<void> finish_output() {
  std::fflush(stdout);
  if (out.problem == 0 && !out.unfinished.empty() &&
      !write_all(out.descriptor, printable(std::exchange(out.unfinished, {}))))
    out.problem = errno;
  if (out.problem == 0 || out.problem == EPIPE) return {};
  return fail(
      Code::FileUnwritable,
      fmt::format("what was to be printed cannot be written: {}", std::strerror(out.problem)),
      "standard output");
}

void tell(const Diagnostic& diagnostic) { fmt::print(stderr, "{}\n", to_string(diagnostic)); }

}  // namespace loopglass::app

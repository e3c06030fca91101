#include "app/common/status_line.h"

#include <fmt/format.h>

#include <unistd.h>
#include <cstdio>

namespace loopglass::app {

StatusLine::StatusLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void StatusLine::write(const std::string& line, bool now) {
  if (!now && since_last_.milliseconds() < (is_terminal_ ? 100 : 10'000)) return;
  since_last_ = {};
  if (is_terminal_) {
    fmt::print(stderr, "\r{:<{}}", line, width_);
    width_ = line.size();
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void StatusLine::end() {
  if (is_terminal_ && width_ > 0) fmt::print(stderr, "\r{:<{}}\r", "", width_);
  width_ = 0;
}

}  // namespace loopglass::app

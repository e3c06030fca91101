#include "app/common/status_line.h"

#include "app/common/standard_streams.h"
#include "app/common/table.h"
#include "app/common/terminal.h"
#include "core/support/printable.h"

#include <fmt/format.h>

#include <unistd.h>
#include <cmath>
#include <cstdio>

namespace loopglass::app {

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s left", std::ceil(seconds));
  if (seconds < 100 * 60) return fmt::format("{:.0f} min left", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h left", std::ceil(seconds / 3600));
}

StatusLine::StatusLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void StatusLine::update(const std::string& line) {
  if (!is_terminal_) return;
  const std::lock_guard lock(mutex_);
  if (since_begin_.milliseconds() < 1000 || since_last_.milliseconds() < 100) return;
  write(line);
}

void StatusLine::update(const std::string& what, double part) {
  if (!is_terminal_) return;
  std::string line = what;
  if (part >= 0) {
    const std::lock_guard lock(mutex_);
    if (part < part_ || part_ == 0) {
      since_part_ = {};
      first_part_ = part;
    }
    part_ = part;
    const double seconds = since_part_.milliseconds() / 1000, done = part - first_part_;
    line += fmt::format(" ({:.0f} %", 100 * part);
    if (seconds >= 1 && done > 0.02) line += ", " + time_left(seconds / done * (1 - part));
    line += ")";
  }
  update(line);
}

void StatusLine::say(const std::string& line) {
  if (!is_terminal_) return;
  const std::lock_guard lock(mutex_);
  write(line);
}

void StatusLine::wait_for(const std::string& what) {
  say(what);
  const std::lock_guard lock(mutex_);
  if (is_terminal_ || what == told_) return;
  told_ = what;
  fmt::print(stderr, "note: {}\n", printable(what));
}

void StatusLine::end() {
  const std::lock_guard lock(mutex_);
  if (width_ > 0) write_codes(stderr, fmt::format("\r{:{}}\r", "", width_));
  width_ = 0;
}

Progress StatusLine::progress() {
  return [this](std::string_view what, double part) { update(std::string(what), part); };
}

void StatusLine::write(const std::string& line) {
  since_last_ = {};
  // In the last column a terminal would begin a new line, which nothing can be written over from.
  const std::string shown = shortened(printable(line), error_columns() - 1);
  write_codes(stderr, fmt::format("\r{:<{}}", shown, width_));
  width_ = columns_of(shown);
}

}  // namespace loopglass::app

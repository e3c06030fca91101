// How something is going that takes a while: a line on the error stream that is written over where
// that is a terminal, and else a line now and then.
#pragma once

#include "core/support/stopwatch.h"

#include <string>

namespace loopglass::app {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { end(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Often; some of them are shown.
  void update(const std::string& line) { write(line, false); }
  // What is done next: on a terminal shown at once.
  void say(const std::string& line) { write(line, is_terminal_); }
  // Nothing stands there any more.
  void end();

 private:
  void write(const std::string& line, bool now);

  const bool is_terminal_;
  Stopwatch since_last_;
  std::size_t width_ = 0;  // of what stands in the line
};

}  // namespace loopglass::app

// How something is going that takes a while: a line on the error stream that is written over, where
// that is a terminal. In a pipe or a file there is nothing of it.
#pragma once

#include "core/support/cancellation.h"
#include "core/support/stopwatch.h"

#include <mutex>
#include <string>

namespace loopglass::app {

// "17 s left", "3 min left".
std::string time_left(double seconds);

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { end(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Often, from any thread; some of them are shown, none in the first second.
  void update(const std::string& line);
  // The same with how much of it is done, and, as far as that can be told, how long it will go on:
  // "conv1 (30 %, 12 s left)". Less than 0: nobody knows. Where less is done than before, something
  // else has begun.
  void update(const std::string& what, double part);
  // What is done next: shown at once.
  void say(const std::string& line);
  // What it waits for: as say(), and where there is no terminal a note, once.
  void wait_for(const std::string& what);
  // Nothing stands there any more, until the next of them.
  void end();

  // To be called while this lives.
  Progress progress();

 private:
  void write(const std::string& line);

  const bool is_terminal_;
  std::mutex mutex_;
  Stopwatch since_begin_, since_last_, since_part_;
  double part_ = 0, first_part_ = 0;  // done at the last and at the first word of what goes on
  std::string told_;                  // as a note, last
  std::size_t width_ = 0;             // of what stands in the line
};

}  // namespace loopglass::app

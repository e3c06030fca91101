// What tuning came to, as a table and as JSON; and how it is going while it runs.
#pragma once

#include "core/support/stopwatch.h"
#include "core/tune/network_tuning.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace loopglass::app {

// The network as it was and as it is with what was found, in turns.
struct NetworkTimes {
  runtime::Statistics untuned, tuned;
};

struct TuneReport {
  const tune::NetworkTuning& tuning;
  std::string model;
  int threads = 1;
  bool was_cancelled = false;
  std::map<std::string, std::string> checked;  // kernels, and by what their results were compared
  std::map<std::string, std::string> wrong;    // or what is wrong with them
  std::optional<NetworkTimes> network;
};
void print(const TuneReport& report);
nlohmann::ordered_json to_json(const TuneReport& report);

// Sizes and knobs, and of some points that cannot be written the reasons.
void print(const tune::Space& space, const tune::Task& task);
nlohmann::ordered_json to_json(const tune::Space& space, const tune::Task& task);

// A line on the error stream that is written over where that is a terminal, and else a line now and
// then.
class TuneProgress {
 public:
  TuneProgress();
  void trial(const tune::NetworkTuning& all, const tune::Tuning& tuning, const tune::Trial& trial,
             double seconds_asked);
  void say(const std::string& words);
  void end();

 private:
  void write(const std::string& line, bool now);

  const bool is_terminal_;
  Stopwatch since_last_;
  std::size_t width_ = 0;  // of what stands in the line
};

}  // namespace loopglass::app

// What tuning came to, as a table and as JSON; and how it is going while it runs.
#pragma once

#include "app/common/status_line.h"
#include "core/tuned_network.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace loopglass::app {

struct TuneReport {
  const tune::NetworkTuning& tuning;
  std::string model;
  int threads = 1;
  bool was_cancelled = false;
  std::optional<MachineLoad> load;             // of this machine meanwhile, where it measured
  std::map<std::string, std::string> checked;  // kernels, and by what their results were compared
  std::map<std::string, std::string> wrong;    // or what is wrong with them
  std::optional<NetworkTimes> network;
  std::vector<std::string> withdrawn;  // kernels that are faster by themselves and slower in it
};
void print(const TuneReport& report);
nlohmann::ordered_json to_json(const TuneReport& report);

// Sizes and knobs, and of some points that cannot be written the reasons.
void print(const tune::Space& space, const tune::Task& task);
nlohmann::ordered_json to_json(const tune::Space& space, const tune::Task& task);

// How a run is going.
class TuneProgress {
 public:
  void trial(const tune::NetworkTuning& all, const tune::Tuning& tuning, const tune::Trial& trial,
             double seconds_asked);
  void say(const std::string& words) { line_.say(words); }
  void wait_for(const std::string& words) { line_.wait_for(words); }
  void end() { line_.end(); }

 private:
  StatusLine line_;
};

}  // namespace loopglass::app

// Timing networks, round by round in turns, so that the machine's moods fall on all; one network by
// itself, too. Every round runs whole networks, so a kernel is timed with the caches as its
// neighbours leave them, and what is walked through lies in huge pages, as far as some seconds
// suffice for it.
#pragma once

#include "core/runtime/loaded_network.h"
#include "core/support/cancellation.h"
#include "core/support/machine_load.h"

namespace loopglass::runtime {

struct Statistics {
  double median_ms = 0, lower_quartile_ms = 0, upper_quartile_ms = 0, minimum_ms = 0;
  int rounds = 0;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};
// Order statistics, not means, because machines are noisy.
Statistics summarise(std::vector<double> milliseconds);

struct Contestant {
  LoadedNetwork* network;
  std::vector<Tensor> inputs;
};

struct TurnOptions {
  int warm_up = 2, rounds = 10;
  // After each round that counts, with the milliseconds of each network: for live charts.
  std::function<void(int round, std::span<const double> milliseconds)> on_round;
  Cancellation cancellation;
  // Asked before each round but the first: no more of them, those that ran count.
  std::function<bool()> is_enough = {};
  bool want_outputs = false;
  std::optional<int> works_for = {};  // a process: see LoadMeter
};

struct NetworkTimes {
  Statistics network;               // writing into outputs that are kept from round to round
  std::vector<Statistics> kernels;  // in their order
  Statistics fresh_outputs;         // taking outputs and giving them back: mostly their page faults
  std::vector<Tensor> outputs;      // of the last round, where they are wanted
};
struct TurnTimes {
  int threads = 1;       // that they ran on
  std::string shortage;  // why they are fewer than were asked for; empty: they are as many
  std::optional<MachineLoad> load = {};  // meanwhile; nothing: not known
  std::vector<NetworkTimes> networks;    // in their order
};
Result<TurnTimes> time_in_turns(std::span<const Contestant> contestants, ThreadPool& pool,
                                const TurnOptions& options);

}  // namespace loopglass::runtime

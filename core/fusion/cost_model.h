// What a block costs on this machine: the time of its kernel, estimated from calibrated constants, or
// measured where it has been measured.
//
//   cost = sum over the kernel's loop nests of max(compute, memory), + launch
//   compute = FLOPs (recomputed ones counted each time) / (peak * efficiency)
//   memory  = bytes at each level / bandwidth of the level, with a penalty for strided reads
#pragma once

#include "core/fusion/block.h"

#include <map>

namespace loopglass::fusion {

// The machine, as micro-benchmarks found it (`loopglassc calibrate`); the defaults are those of a
// middling core.
struct MachineConstants {
  double peak_gflops = 60;          // dense matrix product, one thread, of the code this compiler makes
  double convolution_efficiency = 0.7, matrix_efficiency = 0.8, elementwise_efficiency = 0.15,
         reduction_efficiency = 0.05;
  double launch_microseconds = 0.3;  // of a kernel
  struct Level {
    std::int64_t bytes;     // that fit
    double gigabytes_per_second;
    friend bool operator==(const Level&, const Level&) = default;
  };
  Level l1{32 << 10, 100}, l2{1 << 20, 50}, l3{16 << 20, 20};
  double memory_gigabytes_per_second = 10;
  double strided_penalty = 3;       // of reads that jump, against reads in a row
  std::string target;               // the CPU that was measured; empty: defaults
  friend bool operator==(const MachineConstants&, const MachineConstants&) = default;
};
// UsageInvalid: not such a text, or numbers that no machine has.
std::string to_json(const MachineConstants& constants);
Result<MachineConstants> constants_from_json(std::string_view text);

// Microseconds of measured kernels, by the structure of their block.
using Measurements = std::map<std::uint64_t, double>;
std::string to_json(const Measurements& measurements);
Result<Measurements> measurements_from_json(std::string_view text);

struct Cost {
  double compute = 0, memory = 0, launch = 0;  // microseconds
  std::size_t nests = 1;                       // that run one after another
  bool measured = false;                       // then only `total` counts
  double total = 0;
};

class CostModel {
 public:
  explicit CostModel(MachineConstants constants = {}) : constants_(constants) {}

  const MachineConstants& constants() const { return constants_; }
  // Of one kernel of these nodes (positions, ascending).
  Cost cost(const BlockRules& rules, std::span<const std::size_t> nodes) const;
  // A lower bound of any kernel that holds the node: its arithmetic alone.
  double arithmetic(const BlockRules& rules, std::size_t node) const;

  // Structure, shapes and types of a block, not its names: equal for repeated layers.
  static std::uint64_t structural_hash(const graph::Graph& graph, std::span<const std::size_t> nodes);
  // A measured kernel replaces the estimate, for all blocks of that structure.
  void add_measurement(std::uint64_t structure, double microseconds) { measured_[structure] = microseconds; }
  const Measurements& measurements() const { return measured_; }

 private:
  MachineConstants constants_;
  Measurements measured_;
};

}  // namespace loopglass::fusion

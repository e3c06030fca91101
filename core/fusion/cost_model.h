// What a block costs on a machine: the time of its kernel, estimated from the machine's rates, or
// measured where it has been measured.
//
//   cost = sum over the kernel's loop nests of max(compute, memory), + launch
//   compute = FLOPs (recomputed ones counted each time) / (peak * efficiency)
//   memory  = bytes at each level / bandwidth of the level, with a penalty for strided reads
//
// A kernel that only puts what other kernels compute into its place, for other kernels, costs
// nothing: these write and read it there.
//
// Where some kernels have been measured, the estimates of all others are scaled by what the
// measured ones of their kind took against their own estimates: a plan is a sum of both.
#pragma once

#include "core/fusion/block.h"
#include "core/machine/machine.h"

#include <array>
#include <map>

namespace loopglass::fusion {

// What a kernel's time mostly goes into; estimates of a kind are wrong by about the same factor.
enum class KernelClass : std::uint8_t { Convolution, MatrixProduct, Reduction, Elementwise };
inline constexpr std::array kernel_classes{KernelClass::Convolution, KernelClass::MatrixProduct,
                                           KernelClass::Reduction, KernelClass::Elementwise};
std::string_view name(KernelClass kind);  // "matrix product"

// A kernel's time as it was measured, beside the estimate of that day.
struct Measurement {
  double microseconds = 0;
  double estimate = 0;          // microseconds; 0: not known
  double spread = 0;            // half the distance of the quartiles, as a share; 0: not known
  std::uint64_t constants = 0;  // fingerprint of the rates that the estimate was made with
  KernelClass kind = KernelClass::Elementwise;
  friend bool operator==(const Measurement&, const Measurement&) = default;
};
// By the structure of their block.
using Measurements = std::map<std::uint64_t, Measurement>;
std::string to_json(const Measurements& measurements);
Result<Measurements> measurements_from_json(std::string_view text);

// What so many of measured / estimated, at least one and all positive, are off from 1: half of them
// by more than this share, one way or the other.
double typical_error(std::vector<double> ratios);

// What estimates of a kind are multiplied by, so that they can be weighed against measured times:
// the median of measured / estimated.
struct Scale {
  double factor = 1;
  std::size_t kernels = 0;  // that it rests on
  bool of_all = false;      // of all kinds, because too few of this one were measured
};

struct Cost {
  double compute = 0, memory = 0, launch = 0;  // microseconds
  std::size_t nests = 1;                       // that run one after another
  bool measured = false;                       // then only `total` counts, and `spread`
  double spread = 0;                           // of the measured time, as a share
  double scale = 1;                            // that is in the estimates
  double total = 0;
};

class CostModel {
 public:
  explicit CostModel(Machine machine = {}) : machine_(std::move(machine)) {}

  const Machine& machine() const { return machine_; }
  bool is_calibrated() const { return machine_.is_measured(); }
  // Of one kernel of these nodes (positions, ascending).
  Cost cost(const BlockRules& rules, std::span<const std::size_t> nodes) const;
  // A lower bound of any kernel that holds the node: its arithmetic alone.
  double arithmetic(const BlockRules& rules, std::size_t node) const;

  // Structure, shapes and types of a block, not its names: equal for repeated layers.
  static std::uint64_t structural_hash(const graph::Graph& graph,
                                       std::span<const std::size_t> nodes);
  // Of the member with the most arithmetic.
  KernelClass kernel_class(const BlockRules& rules, std::span<const std::size_t> nodes) const;

  // Measured kernels replace the estimate, for all blocks of their structure, and put all other
  // estimates on their scale.
  void add_measurements(const Measurements& measurements);
  // For add_measurements, of a block that took so long.
  Measurement measurement(const BlockRules& rules, std::span<const std::size_t> nodes,
                          double microseconds) const;
  const Measurements& measurements() const { return measured_; }
  // What estimates of kernels are wrong by, as a share, half of them by more: that of measured
  // kernels about their scale, else that of the calibration. Nothing where nobody knows.
  std::optional<double> error() const;
  const Scale& scale(KernelClass kind) const { return scales_[static_cast<std::size_t>(kind)]; }
  // Where the numbers come from, a sentence each.
  std::vector<std::string> notes() const;

 private:
  Cost estimate(const BlockRules& rules, std::span<const std::size_t> nodes) const;
  std::uint64_t fingerprint() const;

  Machine machine_;
  Measurements measured_;
  std::array<Scale, kernel_classes.size()> scales_;
  std::optional<double> measured_error_;
};

}  // namespace loopglass::fusion

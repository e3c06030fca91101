#include "core/machine/machine.h"

#include <map>
#include <utility>

namespace loopglass {

namespace {

// Of the reference machine: 245 GFLOP/s in sixteen lanes, two loads of a vector a cycle, and 32
// bytes from the second-level cache.
constexpr double gflops_per_lane = 245.0 / 16, flops_per_lane_and_cycle = 4,
                 l1_vectors_per_cycle = 2, l2_bytes_a_cycle = 32;

}  // namespace

std::string_view name(Provenance from) {
  switch (from) {
    case Provenance::Default: return "default";
    case Provenance::Detected: return "detected";
    case Provenance::Measured: return "measured";
  }
  __builtin_unreachable();
}

double Machine::cycles_per_nanosecond() const {
  return peak_gflops / (flops_per_lane_and_cycle * lanes(sizeof(float)));
}

double Machine::l2_bytes_per_cycle() const {
  return l2.gigabytes_per_second / cycles_per_nanosecond();
}

Machine machine_with_vectors(std::string name, int vector_bytes, int vector_registers) {
  Machine machine;
  machine.name = std::move(name);
  machine.vector_bytes = vector_bytes;
  machine.vector_registers = vector_registers;
  machine.peak_gflops = gflops_per_lane * machine.lanes(sizeof(float));
  const double clock = machine.cycles_per_nanosecond();
  machine.l1.gigabytes_per_second = l1_vectors_per_cycle * vector_bytes * clock;
  machine.l2.gigabytes_per_second = l2_bytes_a_cycle * clock;
  return machine;
}

Machine reference_machine() {
  Machine machine = machine_with_vectors("x86-64, AVX-512", 64, 32);
  machine.processor = "AMD EPYC, Zen 5";
  machine.l1.bytes = 48 << 10;
  machine.l2.bytes = 1 << 20;
  machine.l3.bytes = 32 << 20;
  machine.cores = 2;
  return machine;
}

Machine with_measured(Machine machine, const Machine& kept) {
  std::map<std::string_view, Figure<double>> known;
  each_rate(kept, [&](const char* name, const Figure<double>& figure) { known[name] = figure; });
  each_rate(machine, [&](const char* name, Figure<double>& figure) {
    if (known.at(name).from == Provenance::Measured) figure = known.at(name);
  });
  if (kept.estimate_error.from == Provenance::Measured)
    machine.estimate_error = kept.estimate_error;
  return machine;
}

}  // namespace loopglass

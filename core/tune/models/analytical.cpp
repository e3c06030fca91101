// A model that learns nothing: it counts what a core does for each store and what its caches have
// to bring. After the roofline (Williams, Waterman, Patterson, 2009) with a roof for each level.
#include "core/tune/models/models.h"

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

namespace {

constexpr double cycles_of_a_function = 20, cycles_of_a_division = 5;
constexpr double fused_latency = 4;  // of a multiply-add, in cycles

bool is_unrolled(const LoopFact& loop) { return loop.kind == loop::ForKind::Unrolled; }
bool is_lanes(const LoopFact& loop) { return loop.kind == loop::ForKind::Vectorized; }

// The instructions of a core for one store, by vectors, in its cycles.
double core_cycles(const StoreFact& store, const Machine& machine) {
  double lanes = 1;
  for (const LoopFact& loop : store.loops)
    if (is_lanes(loop)) lanes *= loop.extent;
  const double element = store.accesses.empty() ? 4 : store.accesses[0].element_bytes;
  const double width = machine.lanes(static_cast<std::size_t>(element));
  const double vectors = std::max(1.0, std::ceil(lanes / width));
  const double turns = store.runs() / lanes * vectors;  // in vectors

  // Of an operand that an unrolled loop does not move, one load serves all copies.
  double loads = 0, registers = 1;
  double copies = 1;
  for (const LoopFact& loop : store.loops) copies *= is_unrolled(loop) ? loop.extent : 1;
  for (const AccessFact& access : store.accesses) {
    double held = 1, lane_stride = 0;
    for (std::size_t l = 0; l < store.loops.size(); ++l) {
      if (is_unrolled(store.loops[l]) && access.strides[l] != 0) held *= store.loops[l].extent;
      if (is_lanes(store.loops[l])) lane_stride = access.strides[l];
    }
    const double wide = lane_stride == 0 ? 1 : vectors;
    registers += held * wide;
    const double scattered = std::abs(lane_stride) > 1 ? width : 1;
    if (!access.writes) loads += held / copies * wide / vectors * scattered;
    else if (copies * vectors == 1) loads += 1;  // a sum that is loaded and stored each turn
  }
  const double fused = store.floats.multiply_adds + store.floats.additions +
                       store.floats.multiplications + store.floats.comparisons +
                       store.floats.others + store.floats.selects;
  double each = std::max(fused / 2, loads / 2);
  each = std::max(each, fused > 0 ? fused_latency / std::max(1.0, copies * vectors) : 0);
  each +=
      store.floats.functions * cycles_of_a_function + store.floats.divisions * cycles_of_a_division;
  if (registers > machine.vector_registers)
    each *= 1 + (registers - machine.vector_registers) / machine.vector_registers;
  return turns * each;
}

// What comes from beyond a cache: the loops whose data it holds are read once each time that those
// outside of them turn.
double traffic(const StoreFact& store, double cache_bytes) {
  std::size_t depth = 0;
  for (; depth < store.loops.size(); ++depth) {
    double bytes = 0;
    for (const AccessFact& access : store.accesses)
      bytes += access.touched_lines(depth) * access.line_bytes;
    if (bytes <= cache_bytes) break;
  }
  double turns = 1;
  for (std::size_t l = 0; l < depth; ++l) turns *= store.loops[l].extent;
  double bytes = 0;
  for (const AccessFact& access : store.accesses) {
    double times = turns;
    // The loop directly outside leaves alone what it does not move.
    if (depth > 0 && access.strides[depth - 1] == 0) times /= store.loops[depth - 1].extent;
    bytes += times * access.touched_lines(depth) * access.line_bytes;
  }
  return bytes;
}

class Analytical : public CostModel {
 public:
  Features describe(const loop::Func& scheduled, const Task& task) const override {
    const auto facts = store_facts(scheduled, task.symbols);
    return {1, {static_cast<float>(estimated_milliseconds(facts, task.machine, task.threads))}};
  }
  void learn(std::span<const Example>) override {}
  bool can_predict() const override { return true; }
  std::vector<double> predict(std::span<const Features* const> subjects) const override {
    std::vector<double> scores;
    for (const Features* subject : subjects)
      scores.push_back(subject->values.empty() ? 0 : 1 / std::max(1e-9F, subject->values[0]));
    return scores;
  }
};

}  // namespace

double estimated_milliseconds(std::span<const StoreFact> facts, const Machine& machine,
                              int threads) {
  double milliseconds = 0;
  for (const StoreFact& store : facts) {
    double shared = 1;
    for (const LoopFact& loop : store.loops)
      if (loop.kind == loop::ForKind::Parallel) shared *= loop.extent;
    const double workers = std::min<double>(threads, shared);
    const double rounds = std::ceil(shared / workers) / shared;  // of the busiest thread
    const double core = core_cycles(store, machine) / machine.cycles_per_nanosecond() * 1e-6;
    const auto brought = [&](double bytes, double gigabytes_per_second) {
      return bytes / gigabytes_per_second * 1e-6;
    };
    const double l2 = brought(traffic(store, static_cast<double>(machine.l1.bytes)),
                              machine.l2.gigabytes_per_second);
    const double l3 = brought(traffic(store, static_cast<double>(machine.l2.bytes)),
                              machine.l3.gigabytes_per_second);
    const double memory = brought(traffic(store, static_cast<double>(machine.l3.bytes)),
                                  machine.memory_gigabytes_per_second);
    milliseconds += std::max({core, l2, l3, memory}) * rounds;
  }
  return milliseconds;
}

std::unique_ptr<CostModel> analytical_model() { return std::make_unique<Analytical>(); }

}  // namespace loopglass::tune

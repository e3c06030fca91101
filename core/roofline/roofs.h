// What a machine can do at most, measured by code of this compiler: multiply-adds, and reading from
// each level of memory. The roofs of a roofline (S. Williams, A. Waterman, D. Patterson, "Roofline:
// An Insightful Visual Performance Model for Multicore Architectures", CACM 52(4), 2009).
#pragma once

#include "core/machine/machine.h"
#include "core/measure/worker_pool.h"

#include <string>
#include <vector>

namespace loopglass::roofline {

// How fast one level hands on what lies in it.
struct LevelRoof {
  std::string name;        // "L1", ..., "memory"
  std::int64_t bytes = 0;  // of one cache; 0: memory
  double gigabytes_per_second = 0;
  friend bool operator==(const LevelRoof&, const LevelRoof&) = default;
};

struct Roofs {
  int threads = 1;
  double float32_gflops = 0, float64_gflops = 0;
  // Sums of products of bytes, in fours where the machine has an instruction for them, or else in
  // pairs: four products and their sums into int32 count as eight, two as four.
  double byte_products_gflops = 0;
  std::vector<LevelRoof> levels;  // the nearest first
  // That a network takes to call a kernel; 0: nobody has measured it.
  double launch_microseconds = 0;
  double gigahertz = 0;  // of a core at work

  // Of arithmetic in such elements; 0: nobody has measured it. float16 is computed in as float32.
  double gflops(DataType type) const {
    if (type == DataType::Int32) return byte_products_gflops;
    return type == DataType::Float64 ? float64_gflops : is_float(type) ? float32_gflops : 0;
  }
  // FLOPs for each byte of a level at which its slope meets the flat roof.
  double ridge(const LevelRoof& level) const { return float32_gflops / level.gigabytes_per_second; }
  friend bool operator==(const Roofs&, const Roofs&) = default;
};

// Each is the best of a few turns; some seconds in all. Levels of the machine, with as many
// bytes for each thread; all threads at once. What WorkerPool::diagnose says.
Result<Roofs> measure_roofs(const Machine& machine, int threads, measure::WorkerPool& workers,
                            const Progress& progress = {}, const Cancellation& cancellation = {});
// The levels of the machine, with no rates yet; a third one without which nothing could be measured
// is taken for granted.
std::vector<LevelRoof> levels_of(const Machine& machine);
// Whether they were measured where caches are as large: sizes are the machine's affair, and roofs
// that are kept from another one's say nothing of it.
bool are_of(const Roofs& roofs, const Machine& machine);
// The better of both: between two measurements of a machine that others use, too.
Roofs higher(const Roofs& a, const Roofs& b);

// The nests that are timed, as text.
struct RoofNest {
  std::string text;
  double amount = 0;  // of one run: operations, bytes, cycles
};
RoofNest multiply_adds(const Machine& machine, DataType type, int threads);
// A chain of multiplications and additions of integers, each of which waits for the one before:
// four cycles on every processor with vectors of late.
RoofNest waiting();
// `bytes` of each thread, over and over where they are few.
RoofNest reading(const Machine& machine, std::int64_t bytes, int threads);

}  // namespace loopglass::roofline

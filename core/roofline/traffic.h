// How many bytes a nest asks of each level of memory, by counting: exact where loops walk boxes of
// their buffers, which they do but for gathers. Counted is what is compiled, after all loop passes.
//
// Of a cache that holds what one iteration of a loop touches, the loop fetches each byte that it
// touches once; of a smaller one, every iteration fetches by itself (the capacity model of M. Wolf,
// M. Lam, "A Data Locality Optimizing Algorithm", PLDI 1991). Lines are fetched whole,
// to be written too; that they are put back goes on beside the fetching, and is not counted. Runs
// follow one another: what fits a cache as a whole stays there.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::roofline {

struct Traffic {
  // Asked of L1, L2, L3 and memory, in one run: by loads of the processor (work.h), and by each
  // smaller cache.
  double l1 = 0, l2 = 0, l3 = 0, memory = 0;
  double flops = 0;                   // of one run, what is computed in vain among them
  double useful_flops = 0;            // of the nest as it is before anything is scheduled
  DataType type = DataType::Float32;  // that most is computed in
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// `lowered`: what its schedule and the loop passes made of `initial`, with the values of its
// symbols in their place; `symbols`: these, of `initial`.
Traffic traffic_of(const loop::Func& lowered, const loop::Func& initial,
                   const std::map<std::string, std::int64_t>& symbols, const Machine& machine);

// Else it is a thread's own, in registers or next to them.
bool is_memory(const loop::Buffer& buffer);
// Bytes that a statement touches of each buffer that is memory, the loops around it standing still.
std::map<std::string, double> footprint(const loop::Stmt& stmt,
                                        const std::vector<loop::Buffer>& buffers);
double sum_of(const std::map<std::string, double>& bytes);

}  // namespace loopglass::roofline

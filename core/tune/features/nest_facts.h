// What a scheduled nest does, store by store, in numbers that features are made of.
#pragma once

#include "core/loop/func.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::tune {

struct LoopFact {
  std::string variable;
  double extent = 1;
  loop::ForKind kind = loop::ForKind::Serial;
  int unroll = 1;  // copies that LLVM is told to make
};

struct AccessFact {
  std::string buffer;
  bool reads = false, writes = false;
  double element_bytes = 4;
  double line_bytes = 64;
  std::vector<double> strides;  // elements, of each loop; 0: it does not move

  // What the loops from this depth inwards touch.
  double touched_elements(std::size_t depth) const;
  double touched_lines(std::size_t depth) const;

  // Of each dimension: its extent, and by each loop how far the index goes: 1 where it stays.
  struct Dimension {
    double extent = 1;
    std::vector<double> reach;
  };
  std::vector<Dimension> dimensions;
};

// By kind of arithmetic, of one execution of the store.
struct Arithmetic {
  double multiply_adds = 0, additions = 0, multiplications = 0, divisions = 0, comparisons = 0,
         functions = 0, others = 0, selects = 0;
  double sum() const;
};

struct StoreFact {
  std::string block;
  std::vector<LoopFact> loops;  // around it, outermost first
  Arithmetic floats, integers;
  std::vector<AccessFact> accesses;  // a buffer each, the store's first
  double allocated_bytes = 0;        // of the buffer that it stores to; 0: a parameter

  double runs() const;  // product of the loops' extents
};

// Symbols that have no extent count as one.
std::vector<StoreFact> store_facts(const loop::Func& func,
                                   const std::map<std::string, std::int64_t>& symbols = {});

}  // namespace loopglass::tune

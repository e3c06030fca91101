// The iterations of a block in the order in which a nest runs them, with what each of them touches:
// what a player shows step by step.
#pragma once

#include "core/loop/func.h"
#include "core/support/cancellation.h"
#include "core/support/result.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::locality {

struct Touch {
  std::uint32_t buffer = 0;  // an index of Iterations::buffers
  bool stores = false;
  std::int64_t element = 0;  // row-major
};

struct Iteration {
  std::vector<std::int64_t> values;  // of the axes
  std::vector<Touch> touches;        // in order
};

struct Iterations {
  struct TouchedBuffer {
    std::string name;
    Shape shape;
    std::int64_t element_bytes = 0;
  };
  // The block's iteration variables, then the loops around it, outermost first.
  struct Axis {
    std::string name;
    bool is_loop = false, is_summed = false;
    std::int64_t extent = 0;   // as far as `steps` go
    std::string whole_extent;  // as the nest says it: "512", "n - i"
  };
  std::string block;
  std::string summed_into;  // the buffer whose elements are sums, or otherwise reduced; empty: none
  std::vector<Axis> axes;
  std::vector<TouchedBuffer> buffers;  // in the order of first use
  std::vector<Iteration> steps;
  bool whole = false;  // else there are more of them
};

inline constexpr std::int64_t default_iterations = 20'000;

// Of a block by its name; the first `most_steps`, of those that its predicate lets happen.
// ScheduleHandleUnknown, OutOfMemory, Cancelled.
Result<Iterations> iterations_of(const loop::Func& func, const std::string& block,
                                 const std::map<std::string, std::int64_t>& symbols,
                                 std::int64_t most_steps = default_iterations,
                                 const Cancellation& cancellation = {});

// Where an element lies, by its place in row-major order.
std::vector<std::int64_t> indices_of(std::int64_t element, const Shape& shape);

inline constexpr const char* why_no_block = "the nest has no block, whose iterations are followed";

// The block that most is computed in, a reduction before others; empty: there is none.
std::string main_block(const loop::Func& func);

}  // namespace loopglass::locality

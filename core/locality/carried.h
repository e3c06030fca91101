// What iterations of a block take over from one another: the dependences among them, seen as they
// happen. Of each element the nearest: the store before a load (flow), the store or the loads
// before a store (output, anti).
#pragma once

#include "core/locality/iterations.h"

#include <span>
#include <string_view>

namespace loopglass::locality {

enum class Dependence : std::uint8_t { Flow, Anti, Output };
std::string_view name(Dependence kind);  // "flow"

struct Carried {
  std::size_t from = 0, to = 0;  // of Iterations::steps
  Dependence kind = Dependence::Flow;
  std::uint32_t buffer = 0;  // of Iterations::buffers
  std::int64_t element = 0;
  bool of_sum = false;  // terms of one sum, which may change places
};

// In the order of `to`; none within one iteration.
class CarriedDependences {
 public:
  explicit CarriedDependences(const Iterations& iterations);

  std::span<const Carried> all() const { return all_; }
  std::span<const Carried> into(std::size_t step) const;

 private:
  std::vector<Carried> all_;
};

// "after 3, which stores C[0, 1]": steps counted from 1.
std::string words_of(const Carried& carried, const Iterations& iterations);

}  // namespace loopglass::locality

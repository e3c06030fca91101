// Whether two accesses of a nest may meet at one element, given how the iterations that make them
// lie to one another: the test behind every primitive that changes an order.
//
// Indices that are linear in loop variables are compared by the extremes of their difference over
// all such pairs of iterations, and by the divisors of its coefficients (the tests of Banerjee and
// of the greatest common divisor, with direction vectors; Allen and Kennedy, Optimizing Compilers
// for Modern Architectures, ch. 3). Quotients and remainders are told apart digit by digit
// (independence.h), or bounded. What is not understood may meet; guards are not looked at.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/accesses.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::schedule {

// Of a loop, in the second access' iteration beside the first's.
enum class Relation : std::uint8_t { Same, Later, Earlier, Any };
using Relations = std::map<std::string, Relation>;  // loops left out: Any

bool may_meet(const loop::Access& first, const loop::Access& second, const loop::Buffer& buffer,
              const Relations& relations, const expr::Ranges& ranges);

// All accesses of a Func in program order, with the question of what may come after what.
class Order {
 public:
  explicit Order(const loop::Func& func);

  const std::vector<loop::Access>& accesses() const { return accesses_; }
  const expr::Ranges& ranges() const { return ranges_; }
  const loop::Buffer& buffer_of(const loop::Access& access) const;
  // Whether some iteration makes the second access after one that made the first, at one element;
  // exactly (meeting.h): where the quick test does not rule it out.
  enum class Test : std::uint8_t { Quick, Exact };
  bool may_follow(const loop::Access& first, const loop::Access& second,
                  Test test = Test::Quick) const;
  // A store, by another statement, to what the access meets, that may come after it.
  const loop::Access* stored_later(const loop::Access& access) const;

 private:
  std::vector<loop::Buffer> buffers_;
  std::vector<loop::Access> accesses_;
  expr::Ranges ranges_;
};

// Whether both are part of what one declared reduction adds up: A[i] = reducer(A[i], term) in one
// block, where the term does not load A. In whatever order: that is what a reducer says.
bool same_reduction(const loop::Access& first, const loop::Access& second);
bool updates_by_reducer(const loop::Block& block);
// Whether one sets the initial value of such a sum where the other, of the same block, adds to it
// or sets it.
bool starts_sum(const loop::Access& first, const loop::Access& second);

// "block 'b' stores Y[i + j]", for refusals.
std::string described(const loop::Access& access, const expr::Ranges& ranges);

}  // namespace loopglass::schedule

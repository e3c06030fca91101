// What may keep a kernel from running faster: the codes of a verdict (verdict.h), each with what it
// means and what is to be tried.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loopglass::roofline {

enum class Bound : std::uint8_t {
  Compute,    // multiply-adds
  Functions,  // exp, tanh and the like, and divisions
  L1,         // reading from the level, at its bandwidth or in an order that does not reach it
  L2,
  L3,
  Memory,
  Latency,      // too few sums at a time: each waits for its last multiply-add
  Loads,        // the processor asks for more than it may in a cycle
  Gathers,      // each lane asks for an element somewhere else
  Spills,       // vector registers go to the stack
  Shuffles,     // lanes change places
  Conversions,  // numbers are unpacked and converted before they are multiplied
  Scalar,       // no vectors
  Tail,         // a part of what is computed is never wanted
  Imbalance,    // some threads wait for others
  Launch,       // the kernel is shorter than it takes to call it
  Unexplained   // nothing of the above
};
inline constexpr std::array all_bounds{
    Bound::Compute, Bound::Functions, Bound::L1,          Bound::L2,
    Bound::L3,      Bound::Memory,    Bound::Latency,     Bound::Loads,
    Bound::Spills,  Bound::Shuffles,  Bound::Conversions, Bound::Scalar,
    Bound::Tail,    Bound::Imbalance, Bound::Launch,      Bound::Unexplained};
std::string_view name(Bound bound);  // "COMPUTE"
std::string_view doc(Bound bound);   // what it means, a sentence
// What is to be tried, a sentence.
std::string_view advice(Bound bound);
std::optional<Bound> bound_named(std::string_view name);

}  // namespace loopglass::roofline

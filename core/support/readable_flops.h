// Amounts of arithmetic for people: FLOP, floating-point operations, with SI prefixes; GFLOP/s.
#pragma once

#include <string>

namespace loopglass {

std::string readable_flops(double operations);            // "931 FLOP", "8.21 GFLOP"
std::string readable_speed(double gigaflops_per_second);  // "12.3 GFLOP/s"

}  // namespace loopglass

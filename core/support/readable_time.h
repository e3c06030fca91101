// Times as a person reads them: in the unit that suits them, with three digits, since measured
// times differ by more than the fourth from run to run.
#pragma once

#include <chrono>
#include <string>

namespace loopglass {

using Microseconds = std::chrono::duration<double, std::micro>;
using Milliseconds = std::chrono::duration<double, std::milli>;

// "0.30 µs", "12.3 µs", "50.5 ms", "1.25 s"; a minus sign before what is below zero. At least three
// digits; below 10 µs no more than so many decimals less one.
std::string readable_time(Microseconds time, int digits = 3);
inline std::string readable_milliseconds(double time) { return readable_time(Milliseconds(time)); }

}  // namespace loopglass

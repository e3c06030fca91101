// What two codes take that were timed in the same turns, and whether the difference is by chance.
#pragma once

#include <span>
#include <string>

namespace loopglass::runtime {

struct TimesInTurns {
  double before_ms = 0, after_ms = 0;  // medians
  // Of a turn's times, after over before: their median and quartiles.
  double ratio = 1, lower_ratio = 1, upper_ratio = 1;
  int turns = 0;     // 0: the codes are the same
  int agreeing = 0;  // turns in which the one was faster that is on the whole
};
// Of as many turns each, in milliseconds.
TimesInTurns times_in_turns(std::span<const double> before, std::span<const double> after);

// How likely it is that so many turns agree, either way, if the codes took the same time (a sign
// test).
double chance(const TimesInTurns& times);
// Less than one in a hundred.
bool is_certain(const TimesInTurns& times);

// "1.250 times as fast (quartiles of the turns 1.201 to 1.312)"
std::string ratio_words(const TimesInTurns& times);
// "this is no chance: 14 of 15 turns agree, as they would in 0.098 % of all cases if it changed
// nothing"
std::string chance_words(const TimesInTurns& times);

}  // namespace loopglass::runtime

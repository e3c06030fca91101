// Difference experiments: the same nest without one of the things that may keep it from running
// faster. What it then takes says what that thing costs. The results are wrong, which is the point:
// nothing but time is looked at. Where a machine has no counters, this is what tells a slow memory
// from slow arithmetic.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace loopglass::roofline {

enum class Experiment : std::uint8_t {
  NearData,      // loops that lead farther than the first cache reaches go nowhere
  FewLoads,      // the innermost loop that turns reads the same in each turn
  NoArithmetic,  // what is elementwise adds up what it reads and stores it
};
inline constexpr std::array all_experiments{Experiment::NearData, Experiment::FewLoads,
                                            Experiment::NoArithmetic};
std::string_view name(Experiment experiment);  // "near-data"
std::string_view doc(Experiment experiment);   // one sentence
std::optional<Experiment> experiment_named(std::string_view name);

// nullopt: it would change nothing here. `scheduled`: with all that its schedule made of it; what
// comes is to be run as it stands, with constants as it declares them.
std::optional<loop::Func> changed_for(Experiment experiment, const loop::Func& scheduled,
                                      const Machine& machine);

}  // namespace loopglass::roofline

// Constants laid out for the loops that read them (AL-Ansor: Fan et al., 2023). Weights are known
// when a kernel is compiled, and how they lie costs nothing when it runs; but how a program is
// judged while one searches decides what one finds:
//
//   nl   no layout: the program as it is
//   lr   layout at run time: a kernel that lays the constants out, and the program on them,
//   together lc   layout at compile time: the program on constants that have been laid out al
//   adaptive: rounds of nl, then of lr, then of lc, in the proportion 5 : 5 : 6, and one cost model
//   that
//        learns from all; whatever is measured, the fastest program on laid-out constants is kept
#pragma once

#include "core/script/scheduled.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace loopglass::tune {

enum class Layout : std::uint8_t { None, AtRunTime, AtCompileTime, Adaptive };
inline constexpr std::array all_layouts{Layout::None, Layout::AtRunTime, Layout::AtCompileTime,
                                        Layout::Adaptive};
std::string_view name(Layout layout);  // "nl"
std::string_view doc(Layout layout);   // one sentence
std::optional<Layout> layout_named(std::string_view name);

// What is measured when this share of the trials has been: never Adaptive.
Layout layout_at(Layout strategy, double share);

// The schedule with lines that lay each constant out as the loops walk through it: along the loops
// around its reader, outermost first, those by which it is indexed, each cut where they are cut.
// Constants that are laid out already, or that are walked irregularly, are left; as is the schedule
// where all are.
schedule::Scheduled laid_out(const schedule::Scheduled& scheduled);

// The kernel that lays a constant out when it is run: a nest by itself, whose input is the constant
// as it was and whose output is what the program reads. Of each constant that is laid out in
// `func`.
std::vector<loop::Func> layout_kernels(const loop::Func& func);

}  // namespace loopglass::tune

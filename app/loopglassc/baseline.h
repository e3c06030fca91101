// Two documents of the same form: what has changed from the first to the second, and whether that
// is worse.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopglass::app {

// By how much more than before a median has to be, besides lying beyond the quartiles of both, to
// count as a change: machines are not the same from one day to the next.
constexpr double time_tolerance = 0.05;

// A list of objects: what it is `of` (network, kernel, edge), its `name` (null: the network has
// none), the `field` as the documents call it, `before`, `after` (null: it is not there), whether
// that is `worse`, and a `sentence` that says all of it.
// Sizes and counts: more is worse. The network's time: more is worse where it lies beyond both
// spreads and the tolerance; of single kernels that is only told, since among many some always are
// slower. Kernels that came or went are told. An edge that is fused no more is worse.
nlohmann::ordered_json changes(const nlohmann::ordered_json& before,
                               const nlohmann::ordered_json& after);

// Why `before`, which may come from anywhere, cannot be compared with `after`, which is ours: the
// first field that would be compared and is not there, or is something else. Empty: it can.
std::string incomparable(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);

}  // namespace loopglass::app

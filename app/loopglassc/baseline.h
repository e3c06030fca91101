// Two documents of the same form: what has changed from the first to the second, and whether that
// is worse.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace loopglass::app {

struct Change {
  std::string sentence;
  bool is_worse;
};

// By how much more than before a median has to be, besides lying beyond the quartiles of both, to
// count as a change: machines are not the same from one day to the next.
constexpr double time_tolerance = 0.05;

// Sizes and counts: more is worse. The network's time: more is worse where it lies beyond both
// spreads and the tolerance; of single kernels that is only told, since among many some always are
// slower. Kernels that came or went are told. An edge that is fused no more is worse.
std::vector<Change> changes(const nlohmann::ordered_json& before,
                            const nlohmann::ordered_json& after);

}  // namespace loopglass::app

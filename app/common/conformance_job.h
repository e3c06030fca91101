// A case of the conformance suite, for a worker: asked, run and answered as frames.
#pragma once

#include "app/common/conformance.h"
#include "core/measure/frame.h"

#include <string_view>

namespace loopglass::app {

// What a case is run by; the request is its folder and nothing else.
inline constexpr std::string_view compiled_case_job = "conformance case",
                                  interpreted_case_job = "conformance case, interpreted";

measure::Frame conformance_request(const std::filesystem::path& folder, bool interpreted);
measure::Frame run_conformance_case(const measure::Frame& request);
CaseResult conformance_result(const measure::Frame& answer);

}  // namespace loopglass::app

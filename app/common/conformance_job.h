// A case of the conformance suite, for a worker: asked, run and answered as frames.
#pragma once

#include "app/common/conformance.h"
#include "core/measure/frame.h"

#include <string_view>

namespace loopglass::app {

inline constexpr std::string_view conformance_job_name = "conformance case";

measure::Frame conformance_request(const std::filesystem::path& folder, bool interpreted);
measure::Frame run_conformance_case(const measure::Frame& request);
CaseResult conformance_result(const measure::Frame& answer);

}  // namespace loopglass::app

// Times of rounds as --json prints them.
#pragma once

#include "core/runtime/turns.h"

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace loopglass::app {

// {median_us, lower_quartile_us, upper_quartile_us, minimum_us, rounds}: in microseconds, as all
// times are.
nlohmann::ordered_json to_json(const runtime::Statistics& time);

// {others, processors, busy} of the time that so many threads took; null: not known.
nlohmann::ordered_json to_json(const std::optional<MachineLoad>& load, int threads);

constexpr double microseconds(double milliseconds) { return milliseconds * 1e3; }
constexpr double microseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) * 1e-3;
}

}  // namespace loopglass::app

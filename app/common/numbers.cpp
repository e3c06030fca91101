#include "app/common/numbers.h"

#include "core/runtime/thread_pool.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace loopglass::app {

Check whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [=](const std::string& text) -> std::string {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number =
        end == text.data() + text.size() && problem != std::errc::invalid_argument;
    if (is_number && problem == std::errc() && number >= least && number <= most) return {};
    return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

Check not_blank() {
  const auto check = [](const std::string& text) -> std::string {
    const bool blank = text.find_first_not_of(" \t\n") == std::string::npos;
    return blank ? "there is nothing in it" : std::string();
  };
  return {check, ""};
}

namespace {

std::optional<double> finite_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && *end == '\0' && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

Check not_negative_number() {
  const auto check = [](const std::string& text) -> std::string {
    if (finite_number(text).value_or(-1) >= 0) return {};
    return fmt::format("'{}' is no number from 0 up", text);
  };
  return {check, "0 and more"};
}

Check positive_number() {
  const auto check = [](const std::string& text) -> std::string {
    if (finite_number(text).value_or(0) > 0) return {};
    return fmt::format("'{}' is no finite number above 0", text);
  };
  return {check, "more than 0"};
}

Check thread_count() {
  const int cores = runtime::hardware_threads(), most = std::max(16, 4 * cores);
  const auto check = [=](const std::string& text) -> std::string {
    if (whole_number(1, most).problem(text).empty()) return {};
    return fmt::format("'{}' is no number of threads: from 1 to {} here, where {} run at once",
                       text, most, cores);
  };
  return {check, fmt::format("1 to {}", most)};
}

}  // namespace loopglass::app

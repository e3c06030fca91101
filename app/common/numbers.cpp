#include "app/common/numbers.h"

#include "core/runtime/thread_pool.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>

namespace loopglass::app {

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [=](std::string& text) -> std::string {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number =
        end == text.data() + text.size() && problem != std::errc::invalid_argument;
    if (is_number && problem == std::errc() && number >= least && number <= most) return {};
    return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

CLI::Validator not_blank() {
  const auto check = [](std::string& text) -> std::string {
    const bool blank = text.find_first_not_of(" \t\n") == std::string::npos;
    return blank ? "there is nothing in it" : std::string();
  };
  return {check, ""};
}

CLI::Validator not_negative_number() {
  const auto check = [](std::string& text) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= 0 && std::isfinite(number)) return {};
    return fmt::format("'{}' is no number from 0 up", text);
  };
  return {check, "0 and more"};
}

CLI::Validator not_negative() {
  const auto check = [](std::string& text) -> std::string {
    return text.starts_with('-') ? fmt::format("'{}' is less than nothing", text) : std::string();
  };
  return {check, ""};
}

CLI::Validator thread_count() {
  const int cores = runtime::hardware_threads(), most = std::max(16, 4 * cores);
  const auto check = [=](std::string& text) -> std::string {
    if (whole_number(1, most)(text).empty()) return {};
    return fmt::format("'{}' is no number of threads: on {} cores from 1 to {}, more would only wait for one another", text,
                       cores, most);
  };
  return {check, fmt::format("1 to {}", most)};
}

}  // namespace loopglass::app

// Measured kernels as JSON: what `loopglassc bench --record` keeps between runs.
#include "core/fusion/cost_model.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::fusion {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> positive(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double number = found->get<double>();
  return std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

Result<Json> object_in(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Code::UsageInvalid, "this is not a JSON object");
  return json;
}

}  // namespace

std::string to_json(const Measurements& measurements) {
  Json json = Json::object();
  for (const auto& [structure, measured] : measurements) {
    Json& row = json[fmt::format("{:016x}", structure)];
    row = {{"microseconds", measured.microseconds}};
    if (measured.spread > 0) row["spread"] = measured.spread;
    if (measured.estimate > 0)
      row.update({{"estimate", measured.estimate},
                  {"constants", fmt::format("{:016x}", measured.constants)},
                  {"kind", name(measured.kind)}});
  }
  return json.dump(2);
}

namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<Measurement> measurement_in(const Json& row) {
  if (!row.is_object()) return std::nullopt;
  Measurement measured;
  const auto microseconds = positive(row, "microseconds");
  if (!microseconds) return std::nullopt;
  measured.microseconds = *microseconds;
  if (row.contains("spread")) {
    const auto spread = positive(row, "spread");
    if (!spread) return std::nullopt;
    measured.spread = *spread;
  }
  if (!row.contains("estimate")) return measured;
  const auto estimate = positive(row, "estimate");
  const auto constants = hexadecimal(text_of(row, "constants"));
  const std::string word = text_of(row, "kind");
  const auto kind = std::find_if(kernel_classes.begin(), kernel_classes.end(),
                                 [&](KernelClass candidate) { return name(candidate) == word; });
  if (!estimate || !constants || kind == kernel_classes.end()) return std::nullopt;
  measured.estimate = *estimate;
  measured.constants = *constants;
  measured.kind = *kind;
  return measured;
}

}  // namespace

Result<Measurements> measurements_from_json(std::string_view text) {
  const Json json = TRY(object_in(text));
  Measurements measurements;
  for (const auto& [name, row] : json.items()) {
    const auto structure = hexadecimal(name);
    const auto measured = measurement_in(row);
    if (!structure || !measured)
      return fail(Code::UsageInvalid, fmt::format("'{}' is no kernel's time", name));
    measurements[*structure] = *measured;
  }
  return measurements;
}

}  // namespace loopglass::fusion

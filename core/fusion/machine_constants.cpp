// Machine constants and measured kernels as JSON: what `loopglassc calibrate` keeps between runs.
#include "core/fusion/cost_model.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::fusion {

namespace {

using Json = nlohmann::ordered_json;

// The numbers of a machine by name, for writing and for reading.
template <class Constants, class Visit>
void for_each_number(Constants& constants, const Visit& visit) {
  visit("peak_gflops", constants.peak_gflops);
  visit("convolution_efficiency", constants.convolution_efficiency);
  visit("matrix_efficiency", constants.matrix_efficiency);
  visit("elementwise_efficiency", constants.elementwise_efficiency);
  visit("reduction_efficiency", constants.reduction_efficiency);
  visit("launch_microseconds", constants.launch_microseconds);
  visit("l1_gigabytes_per_second", constants.l1.gigabytes_per_second);
  visit("l2_gigabytes_per_second", constants.l2.gigabytes_per_second);
  visit("l3_gigabytes_per_second", constants.l3.gigabytes_per_second);
  visit("memory_gigabytes_per_second", constants.memory_gigabytes_per_second);
  visit("strided_penalty", constants.strided_penalty);
}
template <class Constants, class Visit>
void for_each_size(Constants& constants, const Visit& visit) {
  visit("l1_bytes", constants.l1.bytes);
  visit("l2_bytes", constants.l2.bytes);
  visit("l3_bytes", constants.l3.bytes);
}

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

std::string to_json(const MachineConstants& constants) {
  Json json{{"target", constants.target}};
  for_each_number(constants, [&](const char* name, double value) { json[name] = value; });
  for_each_size(constants, [&](const char* name, std::int64_t value) { json[name] = value; });
  if (constants.error > 0) json["estimate_error"] = constants.error;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<MachineConstants> constants_from_json(std::string_view text) {
  const Json json = TRY(object_in(text));
  MachineConstants constants;
  std::string wrong;
  // Costs divide by these.
  for_each_number(constants, [&](const char* name, double& value) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number() ||
        !std::isfinite(found->template get<double>()) || found->template get<double>() <= 0)
      wrong = name;
    else value = found->template get<double>();
  });
  for_each_size(constants, [&](const char* name, std::int64_t& value) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_integer() ||
        found->template get<std::int64_t>() <= 0)
      wrong = name;
    else value = found->template get<std::int64_t>();
  });
  const auto target = json.find("target");
  if (target == json.end() || !target->is_string()) wrong = "target";
  else constants.target = target->get<std::string>();
  if (json.contains("estimate_error")) {
    const auto error = positive(json, "estimate_error");
    if (!error) wrong = "estimate_error";
    else constants.error = *error;
  }
  if (!wrong.empty())
    return fail(Code::UsageInvalid, fmt::format("'{}' is missing or no positive number", wrong));
  return constants;
}

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

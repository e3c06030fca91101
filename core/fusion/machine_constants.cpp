// Machine constants and measured kernels as JSON: what `loopglassc calibrate` keeps between runs.
#include "core/fusion/cost_model.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<MachineConstants> constants_from_json(std::string_view text) {
  const Json json = TRY(object_in(text));
  MachineConstants constants;
  std::string wrong;
  // Costs divide by these.
  for_each_number(constants, [&](const char* name, double& value) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number() || !std::isfinite(found->template get<double>()) || found->template get<double>() <= 0) wrong = name;
    else value = found->template get<double>();
  });
  for_each_size(constants, [&](const char* name, std::int64_t& value) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_integer() || found->template get<std::int64_t>() <= 0) wrong = name;
    else value = found->template get<std::int64_t>();
  });
  const auto target = json.find("target");
  if (target == json.end() || !target->is_string()) wrong = "target";
  else constants.target = target->get<std::string>();
  if (!wrong.empty()) return fail(Code::UsageInvalid, fmt::format("'{}' is missing or no positive number", wrong));
  return constants;
}

std::string to_json(const Measurements& measurements) {
  Json json = Json::object();
  for (const auto& [structure, microseconds] : measurements) json[fmt::format("{:016x}", structure)] = microseconds;
  return json.dump(2);
}

Result<Measurements> measurements_from_json(std::string_view text) {
  const Json json = TRY(object_in(text));
  Measurements measurements;
  for (const auto& [name, value] : json.items()) {
    std::uint64_t structure = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), structure, 16);
    const bool is_time = value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
    if (error != std::errc() || end != name.data() + name.size() || !is_time)
      return fail(Code::UsageInvalid, fmt::format("'{}' is no kernel's time", name));
    measurements[structure] = value.get<double>();
  }
  return measurements;
}

}  // namespace loopglass::fusion

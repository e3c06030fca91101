#include "core/machine/machine_json.h"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace loopglass {

namespace {

using Json = nlohmann::ordered_json;

std::optional<Provenance> provenance_named(const Json& word) {
  for (const Provenance from : {Provenance::Default, Provenance::Detected, Provenance::Measured})
    if (word.is_string() && word.get<std::string>() == name(from)) return from;
  return std::nullopt;
}

template <class T>
Json json_of(const Figure<T>& figure) {
  return {{"value", figure.value}, {"from", name(figure.from)}};
}

// Nothing but a finite number of the figure's type, above zero unless it `may_be_zero`.
template <class T>
std::optional<Figure<T>> figure_in(const Json& machine, const char* key, bool may_be_zero = false) {
  const auto found = machine.find(key);
  if (found == machine.end() || !found->is_object() || !found->contains("value") ||
      !found->contains("from"))
    return std::nullopt;
  const Json& value = found->at("value");
  const auto from = provenance_named(found->at("from"));
  if (!from || !(std::is_integral_v<T> ? value.is_number_integer() : value.is_number()))
    return std::nullopt;
  const double number = value.template get<double>();
  const bool fits = std::isfinite(number) && (may_be_zero ? number >= 0 : number > 0) &&
                    number <= static_cast<double>(std::numeric_limits<T>::max());
  return fits ? std::optional(Figure<T>(value.template get<T>(), *from)) : std::nullopt;
}

}  // namespace

std::string to_json(const Machine& machine) {
  Json json{{"name", machine.name}, {"processor", machine.processor}};
  const auto write = [&](const char* key, const auto& figure) { json[key] = json_of(figure); };
  each_size(machine, write);
  each_rate(machine, write);
  write("estimate_error", machine.estimate_error);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<Machine> machine_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Code::UsageInvalid, "this is not a JSON object");
  Machine machine;
  std::string wrong;
  const auto read = [&]<class T>(const char* key, Figure<T>& figure, bool may_be_zero) {
    if (const auto found = figure_in<T>(json, key, may_be_zero)) figure = *found;
    else wrong = key;
  };
  // Costs divide by these.
  const auto positive = [&](const char* key, auto& figure) { read(key, figure, false); };
  each_size(machine, positive);
  each_rate(machine, positive);
  read("estimate_error", machine.estimate_error, true);
  for (const auto& [key, word] :
       {std::pair{"name", &machine.name}, std::pair{"processor", &machine.processor}}) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_string()) *word = found->get<std::string>();
    else wrong = key;
  }
  if (!wrong.empty())
    return fail(Code::UsageInvalid, fmt::format("'{}' is missing or no positive number", wrong));
  return machine;
}

}  // namespace loopglass

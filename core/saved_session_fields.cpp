#include "core/saved_session_fields.h"

#include "core/support/closest.h"
#include "core/support/printable.h"

#include <nlohmann/json.hpp>

namespace loopglass::saved {

Json text_json(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t shown = shown_as_is(rest);
    const bool is_ascii = static_cast<unsigned char>(rest.front()) < 0x80;
    if (shown == 0 && !is_ascii) {
      std::string digits;
      for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
      return {{"hex", digits}};
    }
    rest.remove_prefix(std::max<std::size_t>(shown, 1));
  }
  return text;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(text_json(text));
  return json;
}

void add_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text_json(text);
}
void add_texts(Json& json, const char* key, const std::vector<std::string>& texts) {
  if (!texts.empty()) json[key] = texts_json(texts);
}
void add_flag(Json& json, const char* key, bool flag, bool by_default) {
  if (flag != by_default) json[key] = flag;
}

std::string shortened(const std::string& word) {
  constexpr std::size_t longest = 60;
  return word.size() > longest ? word.substr(0, longest) + "..." : word;
}

std::unexpected<Diagnostic> refuse(const Found& found, std::string what, std::string hint) {
  return fail(Code::SessionCorrupt, std::move(what), found.path, std::move(hint));
}

std::unexpected<Diagnostic> expected(const Found& found, const std::string& what) {
  return refuse(found, fmt::format("expected {}, found {}", what,
                                   found.json.is_primitive() && !found.json.is_string()
                                       ? found.json.dump()
                                       : std::string(found.json.type_name())));
}

Result<bool> read_flag(const Found& found) {
  if (!found.json.is_boolean()) return expected(found, "true or false");
  return found.json.get<bool>();
}

Result<std::int64_t> read_whole(const Found& found, std::int64_t least, std::int64_t greatest) {
  const std::string what = fmt::format("a whole number from {} to {}", least, greatest);
  if (!found.json.is_number_integer()) return expected(found, what);
  const bool too_large = found.json.is_number_unsigned() &&
                         found.json.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (too_large) return expected(found, what);
  const auto value = found.json.get<std::int64_t>();
  if (value < least || value > greatest) return expected(found, what);
  return value;
}

Result<double> read_number(const Found& found, double least, double greatest) {
  const bool is_number = found.json.is_number();
  const double value = is_number ? found.json.get<double>() : 0;
  if (!is_number || !(value >= least && value <= greatest))
    return expected(found, fmt::format("a number from {} to {}", least, greatest));
  return value;
}

Result<std::string> read_text(const Found& found) {
  if (found.json.is_string()) return found.json.get<std::string>();
  if (!found.json.is_object() || found.json.size() != 1 || !found.json.contains("hex") ||
      !found.json["hex"].is_string())
    return expected(found, "a string, or {\"hex\": \"...\"}");
  const auto digits = found.json["hex"].get<std::string>();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() % 2 != 0 || !std::all_of(digits.begin(), digits.end(), is_digit))
    return refuse(found, "these are no pairs of hexadecimal digits");
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text;
}

Result<std::string> read_name(const Found& found) {
  std::string name = TRY(read_text(found));
  if (name.empty()) return refuse(found, "expected a name, found an empty string");
  return name;
}

Result<std::size_t> read_step(const Found& found) {
  return static_cast<std::size_t>(TRY(read_whole(found, 0, most)));
}

Result<std::vector<Found>> elements_of(const Found& found) {
  if (!found.json.is_array()) return expected(found, "a list");
  std::vector<Found> elements;
  for (std::size_t i = 0; i < found.json.size(); ++i)
    elements.push_back({found.json[i], fmt::format("{}[{}]", found.path, i)});
  return elements;
}

Result<Members> Members::of(const Found& found) {
  if (!found.json.is_object()) return expected(found, "an object");
  return Members(found);
}

std::optional<Found> Members::find(const std::string& key) {
  known_.push_back(key);
  const auto member = found_.json.find(key);
  if (member == found_.json.end()) return {};
  return Found{*member, found_.path + "." + key};
}

Result<Found> Members::get(const std::string& key) {
  if (auto member = find(key)) return *std::move(member);
  return refuse(found_, fmt::format("'{}' is missing", key));
}

Result<void> Members::take_flag(const char* key, bool& target) {
  return take(key, target, read_flag);
}
Result<void> Members::take_text(const char* key, std::string& target) {
  return take(key, target, read_text);
}
Result<void> Members::take_texts(const char* key, std::vector<std::string>& target) {
  return take(key, target,
              [](const Found& found) { return read_list<std::string>(found, read_text); });
}

Result<void> Members::end() const {
  for (const auto& [key, value] : found_.json.items())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      return refuse({value, found_.path + "." + shortened(key)}, "this is not known here",
                    did_you_mean(shortened(key), known_));
  return {};
}

}  // namespace loopglass::saved

#include "core/script/settling.h"

#include "core/support/overloaded.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace loopglass::schedule {

namespace {

// "1" of "t.1"; nullopt: it is no place.
std::optional<std::size_t> place_in(std::string_view text) {
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(place) : std::nullopt;
}

// The number that "{handle}" or "{handle.place}" is; nullopt: it is none.
std::optional<std::int64_t> number_in(const ScriptArgument& value, std::string_view place) {
  if (const auto* one = std::get_if<std::int64_t>(&value))
    return place.empty() ? std::optional(*one) : std::nullopt;
  const auto* several = std::get_if<std::vector<std::int64_t>>(&value);
  const auto at = place.empty() ? std::nullopt : place_in(place.substr(1));
  return several && at && *at < several->size() ? std::optional((*several)[*at]) : std::nullopt;
}

}  // namespace

std::string Settling::filled_in(const std::string& text) const {
  std::string filled;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    filled += text.substr(at, open - at);
    at = close + 1;
    const std::string inside = text.substr(open + 1, close - open - 1);
    const std::size_t dot = std::min(inside.find('.'), inside.size());
    const auto value = values_.find(inside.substr(0, dot));
    const auto number = value == values_.end()
                            ? std::nullopt
                            : number_in(value->second, std::string_view(inside).substr(dot));
    // Other braces mean themselves.
    filled += number ? fmt::format("{}", *number) : text.substr(open, at - open);
  }
  return filled + text.substr(at);
}

ScriptArgument Settling::operator()(const ScriptArgument& argument) const {
  if (values_.empty()) return argument;
  return std::visit(Overloaded{
                        [&](const Handle& handle) -> ScriptArgument {
                          const auto value = values_.find(handle.name);
                          return value == values_.end() ? ScriptArgument(handle) : value->second;
                        },
                        [&](const std::vector<Handle>& handles) -> ScriptArgument {
                          std::vector<Handle> all;
                          for (const Handle& handle : handles) {
                            const ScriptArgument value = (*this)(handle);
                            if (const auto* several = std::get_if<std::vector<Handle>>(&value))
                              all.insert(all.end(), several->begin(), several->end());
                            else if (const auto* one = std::get_if<Handle>(&value))
                              all.push_back(*one);
                            else
                              all.push_back(handle);  // a number is no loop, and is refused as one
                          }
                          return all;
                        },
                        [&](const std::string& text) -> ScriptArgument { return filled_in(text); },
                        [](const auto& literal) -> ScriptArgument { return literal; },
                    },
                    argument);
}

Instruction Settling::operator()(Instruction line) const {
  for (ScriptArgument& argument : line.arguments) argument = (*this)(argument);
  return line;
}

}  // namespace loopglass::schedule

// Values of a session's JSON, each read with the way to it and refused where it is not what it has
// to be. Writing leaves out what is at its default; reading refuses what it does not know.
#pragma once

#include "core/support/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::saved {

using Json = nlohmann::ordered_json;  // what is written, in our order
// What is read. The other one looks every name up along all of an object, which takes minutes where
// a hostile file has 100,000 of them.
using ReadJson = nlohmann::json;

inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Names come from models and need not be UTF-8; what JSON cannot say is said in hexadecimal digits.
Json text_json(const std::string& text);
Json texts_json(const std::vector<std::string>& texts);
void add_text(Json& json, const char* key, const std::string& text);
void add_texts(Json& json, const char* key, const std::vector<std::string>& texts);
// Where it is not so by default.
void add_flag(Json& json, const char* key, bool flag, bool by_default);

// Of a word that somebody made up, as much as one reads.
std::string shortened(const std::string& word);

// A value of the file and the way to it, "$.bookmarks[2].at".
struct Found {
  const ReadJson& json;
  std::string path;
};

// SessionCorrupt, as what all below refuse.
std::unexpected<Diagnostic> refuse(
    const Found& found, std::string what,
    std::string hint = "take that out of the file, or bring back the one that was saved");
std::unexpected<Diagnostic> expected(const Found& found, const std::string& what);

Result<bool> read_flag(const Found& found);
Result<std::int64_t> read_whole(const Found& found, std::int64_t least, std::int64_t greatest);
Result<double> read_number(const Found& found, double least, double greatest);
Result<std::string> read_text(const Found& found);
Result<std::string> read_name(const Found& found);
Result<std::size_t> read_step(const Found& found);

// Of a list, in order.
Result<std::vector<Found>> elements_of(const Found& found);
// What `read` makes of each element.
template <class T>
Result<std::vector<T>> read_list(const Found& found,
                                 const std::function<Result<T>(const Found&)>& read) {
  std::vector<T> list;
  for (const Found& element : TRY(elements_of(found))) list.push_back(TRY(read(element)));
  return list;
}

// The members of an object, each of which somebody must ask for.
class Members {
 public:
  static Result<Members> of(const Found& found);

  std::optional<Found> find(const std::string& key);
  Result<Found> get(const std::string& key);
  // Puts into `target` what `read` makes of the member, if there is one.
  template <class T, class Read>
  Result<void> take(const char* key, T& target, const Read& read) {
    if (const auto member = find(key)) target = TRY(read(*member));
    return {};
  }
  Result<void> take_flag(const char* key, bool& target);
  Result<void> take_text(const char* key, std::string& target);
  Result<void> take_texts(const char* key, std::vector<std::string>& target);

  // Nothing else is there.
  Result<void> end() const;

 private:
  explicit Members(const Found& found) : found_(found) {}

  Found found_;
  std::vector<std::string> known_;
};

// `parse` says where in the text it fails.
template <class Parse>
auto read_parsed(const Found& found, const Parse& parse) -> decltype(parse(std::string_view())) {
  const std::string text = TRY(read_name(found));
  auto parsed = parse(text);
  if (!parsed) {
    parsed.error().code = Code::SessionCorrupt;
    std::string& where = parsed.error().where;
    where = where.empty() ? found.path : fmt::format("{}: {}", found.path, where);
  }
  return parsed;
}

// Its place among the names, one of which it has to be.
Result<std::ptrdiff_t> read_one_of(const Found& found, const auto& names,
                                   std::string_view none_else) {
  const std::string name = TRY(read_text(found));
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end())
    return refuse(found, fmt::format("'{}' {}", shortened(name), none_else),
                  fmt::format("one of: {}", fmt::join(names, ", ")));
  return known - names.begin();
}

}  // namespace loopglass::saved

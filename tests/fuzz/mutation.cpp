#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace loopglass::fuzz {

namespace {

constexpr std::size_t longest = 64 << 10;

// Where parsers are known to stumble, beside what the seeds are made of.
const std::vector<std::string>& awkward() {
  static const std::vector<std::string> words{"",
                                              "0",
                                              "-1",
                                              "1e999",
                                              "nan",
                                              "9223372036854775807",
                                              "-9223372036854775808",
                                              "(",
                                              ")",
                                              "[",
                                              "]",
                                              "{",
                                              "}",
                                              "\"",
                                              "'",
                                              "\\",
                                              "\n",
                                              "\t",
                                              std::string(1, '\0'),
                                              "\xff",
                                              "\xef\xbb\xbf",
                                              "\xf0\x9f\x98\x80",
                                              std::string(300, '(')};
  return words;
}

std::vector<std::string> words_of(const std::vector<std::string>& seeds) {
  std::set<std::string> words(awkward().begin(), awkward().end());
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (const std::string& seed : seeds)
    for (auto begin = seed.begin(); begin != seed.end();) {
      const auto end =
          is_of_word(*begin) ? std::find_if_not(begin, seed.end(), is_of_word) : std::next(begin);
      words.emplace(begin, end);
      begin = end;
    }
  return {words.begin(), words.end()};
}

}  // namespace

Mutation::Mutation(std::vector<std::string> seeds, std::uint64_t number)
    : seeds_(std::move(seeds)), words_(words_of(seeds_)), random_(number) {}

std::string Mutation::next() {
  std::string text = one_of(seeds_);
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(text);
  text.resize(std::min(text.size(), longest));
  return text;
}

void Mutation::change(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
  switch (below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, text.substr(at, length)); break;
    case 3: text.insert(at, one_of(words_)); break;
    case 4: {  // a word for a word
      const auto is_end = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = std::find_if(begin, text.end(), is_end);
      text.replace(begin, end, one_of(words_));
      break;
    }
    default: {  // the rest of another
      const std::string& other = one_of(seeds_);
      text.replace(at, std::string::npos, other, below(other.size() + 1), std::string::npos);
      break;
    }
  }
}

}  // namespace loopglass::fuzz

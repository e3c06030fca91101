// Where TRY must not stand: in braces, behind an element of the same aggregate or list. When it
// returns, GCC 12 does not destroy the elements before it, and what they own is lost.
#include <gtest/gtest.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// The text between an opening brace and `at`, if `at` stands behind a comma of what that brace
// lists; empty where it stands in parentheses of a statement, in a block or at the list's front.
std::string elements_before(const std::string& text, std::size_t at) {
  std::string elements;
  int closed = 0;
  for (std::size_t k = at; k-- > 0;) {
    const char c = text[k];
    if (c == ')' || c == '}' || c == ']') ++closed;
    if (c == ';' && closed == 0) return {};
    if (c != '(' && c != '{' && c != '[') continue;
    if (closed-- > 0) continue;
    closed = 0;
    if (c != '{') continue;
    const std::string inside = text.substr(k + 1, at - k - 1);
    const std::size_t before = text.find_last_not_of(" \n", k - 1);
    if (before == std::string::npos || text[before] == ')') return {};  // a block
    if (inside.find(';') != std::string::npos) return {};
    int depth = 0;
    std::size_t comma = std::string::npos;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      depth += inside[i] == '(' || inside[i] == '{' || inside[i] == '[' ? 1 : 0;
      depth -= inside[i] == ')' || inside[i] == '}' || inside[i] == ']' ? 1 : 0;
      if (inside[i] == ',' && depth == 0) comma = i;
    }
    if (comma != std::string::npos) return inside.substr(0, comma);
    // Braces in braces are elements too; others are of a block, or of one element.
    if (text[before] != '{' && text[before] != ',') return {};
  }
  return {};
}

// Element types and enumerators own nothing.
bool owns_nothing(const std::string& elements) {
  static const std::regex form(
      R"(\s*([A-Za-z_][\w.\[\]()]*\.(type|data_type\(\))|\w+::\w+|[0-9]+)\s*)");
  return std::regex_match(elements, form);
}

TEST(Try, DoesNotStandBehindAnElementThatOwnsSomething) {
  int seen = 0;
  for (const char* folder : {"app", "core", "passes", "samples", "views"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(LOOPGLASS_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::stringstream whole;
      whole << std::ifstream(entry.path()).rdbuf();
      const std::string text = whole.str();
      static const std::regex use(R"(\bTRY\()");
      for (std::sregex_iterator found(text.begin(), text.end(), use), end; found != end; ++found) {
        ++seen;
        const auto at = static_cast<std::size_t>(found->position());
        const std::string elements = elements_before(text, at);
        if (elements.empty() || owns_nothing(elements)) continue;
        ADD_FAILURE() << entry.path().string() << ":"
                      << std::count(text.begin(), text.begin() + found->position(), '\n') + 1
                      << ": name the value before the braces; there is\n"
                      << elements;
      }
    }
  EXPECT_GT(seen, 1000);
}

}  // namespace

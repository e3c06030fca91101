// Which words may name variables and buffers in the text forms.
#include "core/expr/parse.h"

#include <algorithm>
#include <array>

namespace loopglass::expr {

namespace {

// Words of the expression and loop forms that would be misread where a name is expected.
constexpr std::array<std::string_view, 25> reserved{
    "select", "and",    "or",   "not",  "floordiv", "floormod", "true",  "false", "inf",
    "nan",    "func",   "for",  "in",   "if",       "else",     "alloc", "block", "prefetch",
    "reads",  "writes", "init", "from", "where",    "reduce",   "_"};

bool may_stand(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return letter || (!first && ((c >= '0' && c <= '9') || c == '.'));
}

bool is_reserved(std::string_view text) {
  return std::find(reserved.begin(), reserved.end(), text) != reserved.end();
}

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || is_reserved(text)) return false;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (!may_stand(text[k], k == 0)) return false;
  return true;
}

std::string to_name(std::string_view text) {
  std::string result;
  if (text.empty() || (may_stand(text[0], false) && !may_stand(text[0], true))) result += '_';
  for (const char c : text) result += may_stand(c, false) ? c : '_';
  return is_name(result) ? result : result + "_";
}

}  // namespace loopglass::expr

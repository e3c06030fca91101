#include "core/support/diagnostic.h"

#include "core/support/check.h"

#include <fmt/format.h>

namespace loopglass {

std::string code_name(Code code) { return fmt::format("LG{}", static_cast<int>(code)); }

std::string_view code_title(Code code) {
  switch (code) {
#define CODE(name, number, title) \
  case Code::name:                \
    return title;
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
  }
  throw InternalError("diagnostic code outside its enumeration");
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = fmt::format("error {}: {}", code_name(diagnostic.code), diagnostic.what);
  if (!diagnostic.where.empty()) text += fmt::format("\n  at {}", diagnostic.where);
  if (!diagnostic.hint.empty()) text += fmt::format("\n  hint: {}", diagnostic.hint);
  return text;
}

std::string caret(std::string_view line, std::size_t column) {
  const std::size_t indent = column > 0 ? column - 1 : 0;
  return fmt::format("  {}\n  {:{}}^", line, "", indent);
}

}  // namespace loopglass

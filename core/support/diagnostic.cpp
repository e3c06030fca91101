#include "core/support/diagnostic.h"

#include "core/support/check.h"
#include "core/support/excerpt.h"

#include <fmt/format.h>

namespace loopglass {

std::string code_name(Code code) { return fmt::format("LG{}", static_cast<int>(code)); }

std::string_view code_title(Code code) {
  switch (code) {
#define CODE(name, number, title) \
  case Code::name: return title;
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
  }
  throw InternalError("diagnostic code outside its enumeration");
}

bool is_unsupported(Code code) {
  switch (code) {
    case Code::OpsetUnsupported:
    case Code::ValueKindUnsupported:
    case Code::OperatorUnsupported:
    case Code::AttributeUnsupported:
    case Code::TypeUnsupported:
    case Code::InputNotConstant:
    case Code::DynamicShapeUnsupported:
    case Code::OperandTypeUnknown:
    case Code::CodegenUnsupported: return true;
    default: return false;
  }
}

// What is named may be called anything, at any length.
std::string to_string(const Diagnostic& diagnostic) {
  const auto shortened = [](const std::string& text) {
    constexpr std::size_t most_of_word = 300, most = 4000;
    return excerpt(text, most_of_word, most);
  };
  std::string text =
      fmt::format("error {}: {}", code_name(diagnostic.code), shortened(diagnostic.what));
  if (!diagnostic.where.empty()) text += fmt::format("\n  at {}", shortened(diagnostic.where));
  if (!diagnostic.hint.empty()) text += fmt::format("\n  hint: {}", shortened(diagnostic.hint));
  return text;
}

// Of a long line what is near, and dots for what cannot be printed.
std::string caret(std::string_view line, std::size_t column) {
  constexpr std::size_t width = 100, before = 60;
  const std::size_t at = column > 0 ? column - 1 : 0;
  const std::size_t begin = at > before ? at - before : 0;
  const std::string_view left = begin > 0 ? "..." : "";
  const std::string_view right = line.size() > begin + width ? "..." : "";
  std::string excerpt(line.substr(std::min(begin, line.size()), width));
  for (char& c : excerpt)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '.';
  return fmt::format("  {}{}{}\n  {:{}}^", left, excerpt, right, "", left.size() + at - begin);
}

}  // namespace loopglass

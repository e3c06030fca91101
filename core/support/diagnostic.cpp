#include "core/support/diagnostic.h"

#include "core/support/check.h"

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

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = fmt::format("error {}: {}", code_name(diagnostic.code), diagnostic.what);
  if (!diagnostic.where.empty()) text += fmt::format("\n  at {}", diagnostic.where);
  if (!diagnostic.hint.empty()) text += fmt::format("\n  hint: {}", diagnostic.hint);
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

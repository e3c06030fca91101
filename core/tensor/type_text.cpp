#include "core/tensor/type_text.h"

#include <fmt/format.h>

namespace loopglass {

std::string type_text(const TensorType& type) {
  return type.is_known() ? to_string(type) : fmt::format("opaque {}", quote(type.declared));
}

Result<TensorType> parse_type(TextCursor& cursor) {
  const std::string type_name = TRY(cursor.identifier());
  if (type_name == "opaque") {
    std::string declared = TRY(cursor.quoted());
    if (declared.empty()) return cursor.error("a type that is not known says what is declared");
    return TensorType::unknown(std::move(declared));
  }
  const auto type = data_type_named(type_name);
  if (!type) return cursor.error(fmt::format("there is no element type '{}'", type_name));
  TRY_VOID(cursor.expect("["));
  Shape shape;
  while (!cursor.accept("]")) {
    if (!shape.empty() && !cursor.accept_character('x')) return cursor.error("expected 'x' or ']'");
    shape.push_back(TRY(cursor.integer()));
    if (shape.back() < 0) return cursor.error("an extent is negative");
  }
  return TensorType{*type, std::move(shape)};
}

}  // namespace loopglass

// Reading scalar expressions back from their text form (see to_string in expr.h).
#pragma once

#include "core/expr/expr.h"
#include "core/support/result.h"
#include "core/support/text_cursor.h"

#include <functional>
#include <string_view>

namespace loopglass::expr {

// The element type of a buffer that an expression loads from; nullopt when there is none of that
// name, which is an error in the text.
using BufferTypes = std::function<std::optional<DataType>(std::string_view buffer)>;

// The whole text as one expression. Variables are int64. A number without a suffix takes the type
// of what it is combined with: x + 1 of a float32 is x + 1.0f.
Result<Expr> parse(std::string_view text, const BufferTypes& buffers = {});
// One expression at the cursor, which stops behind it: what the loop and schedule parsers call.
Result<Expr> parse(TextCursor& cursor, const BufferTypes& buffers = {});

// A number without a suffix, int64 or float64, or what is computed from such numbers and chosen
// between them alone, of the type that it is combined with; nullopt where it is no number, or the
// type cannot hold it.
std::optional<Expr> number_as(const Expr& number, DataType type);

// Whether a name can stand for a variable or buffer in our text forms: a letter or underscore, then
// letters, digits, underscores and dots, and none of the words the forms use themselves.
bool is_name(std::string_view text);
// The nearest such name: other characters become underscores.
std::string to_name(std::string_view text);

}  // namespace loopglass::expr

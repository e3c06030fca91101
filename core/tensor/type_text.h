// Types in our text forms: float32[1x3], or opaque "sequence(float32)" for what is not known.
#pragma once

#include "core/support/text_cursor.h"
#include "core/tensor/tensor.h"

namespace loopglass {

std::string type_text(const TensorType& type);
Result<TensorType> parse_type(TextCursor& cursor);

}  // namespace loopglass

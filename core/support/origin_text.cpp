#include "core/support/origin_text.h"

namespace loopglass {

Result<Origin> accept_origin(TextCursor& cursor) {
  Origin origin;
  if (!cursor.accept("from")) return origin;
  do {
    const std::int64_t source = TRY(cursor.integer());
    if (source < 0 || source > std::int64_t{0xffffffff})
      return cursor.error("expected a node's number");
    origin.merge({{static_cast<std::uint32_t>(source)}});
  } while (cursor.accept(","));
  return origin;
}

}  // namespace loopglass

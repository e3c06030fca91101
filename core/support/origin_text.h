// Origins in our text forms: "from 3, 7" behind what came from there.
#pragma once

#include "core/support/origin.h"
#include "core/support/text_cursor.h"

namespace loopglass {

// What stands next, if it is an origin; else none.
Result<Origin> accept_origin(TextCursor& cursor);

}  // namespace loopglass

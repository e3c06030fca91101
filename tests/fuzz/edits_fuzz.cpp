// Edits of a partition.
#include "core/fusion/edits.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(fuzz::text_of(data, size), fusion::parse_edits,
                   [](const fusion::EditScript& script) { return to_text(script); });
  return 0;
}

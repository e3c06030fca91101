// Sessions as they are kept in files.
#include "core/saved_session.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(fuzz::text_of(data, size), parse_saved_session,
                   [](const SavedSession& session) { return to_text(session); });
  return 0;
}

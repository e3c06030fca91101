// Schedule scripts.
#include "core/script/trace.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view text) { return schedule::parse_script(text); },
      [](const schedule::Trace& trace) { return schedule::to_script(trace); });
  return 0;
}

// Loop nests as text; the verifier has to come to an end on whatever parses.
#include "core/loop/text.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view text) { return loop::parse(text); },
      [](const loop::Func& func) {
        static_cast<void>(loop::verify(func));
        return loop::to_text(func);
      });
  return 0;
}

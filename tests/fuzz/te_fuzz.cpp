// Tensor expressions as text; what parses has a nest, whose soundness is decided.
#include "core/dependence/sound_nest.h"
#include "core/loop/lower.h"
#include "core/te/parse.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view text) { return te::parse(text); },
      [](const te::Parsed& parsed) {
        const loop::Func nest = loop::lower(parsed.program, "kernel", parsed.constants);
        fuzz::require(loop::verify(nest).has_value(), "its nest is not sound",
                      to_string(parsed.program));
        static_cast<void>(schedule::check_sound(nest, {}));
        return to_string(parsed.program);
      });
  return 0;
}

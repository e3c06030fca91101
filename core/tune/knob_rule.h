// What a person says of a knob: it stands so, or never so.
#pragma once

#include "core/support/diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace loopglass::tune {

struct KnobRule {
  // Of several pins of one knob any may be taken.
  enum class Kind : std::uint8_t { Pin, Forbid };
  Kind kind = Kind::Pin;
  std::string knob, value;  // by their names
  friend bool operator==(const KnobRule&, const KnobRule&) = default;
};
// "tile=4 x 16"
std::string to_text(const KnobRule& rule);
// UsageInvalid: not such a text.
Result<KnobRule> knob_rule(KnobRule::Kind kind, std::string_view text);

}  // namespace loopglass::tune

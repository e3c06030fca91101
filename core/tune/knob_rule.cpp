#include "core/tune/knob_rule.h"

namespace loopglass::tune {

std::string to_text(const KnobRule& rule) { return rule.knob + "=" + rule.value; }

Result<KnobRule> knob_rule(KnobRule::Kind kind, std::string_view text) {
  const auto sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == text.size())
    return fail(Code::UsageInvalid, "that names no value of a knob", std::string(text),
                "KNOB=VALUE, as --print-space lists them");
  return KnobRule{kind, std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
}

}  // namespace loopglass::tune

// What a pass calls what it does: the rules of its rewrites and the codes of its remarks.
#pragma once

#include <cstdint>
#include <string>

namespace loopglass::pass {

struct Word {
  enum class Kind : std::uint8_t { Rule, Remark };

  Kind kind;
  std::string passes;    // that say it, by commas; empty: whoever runs passes
  std::string name;      // "same-operator", "FOLD_TOO_LARGE"
  std::string sentence;  // what it means
};

}  // namespace loopglass::pass

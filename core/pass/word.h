// What a pass calls what it does: the rules of its rewrites and the codes of its remarks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loopglass::pass {

struct Word {
  enum class Kind : std::uint8_t { Rule, Remark };

  Kind kind;
  std::string name;      // "same-operator", "FOLD_TOO_LARGE"
  std::string sentence;  // what it means
};
using Words = std::vector<Word>;

// Of a pass and of what it is made with.
inline Words joined(Words own, const Words& more) {
  own.insert(own.end(), more.begin(), more.end());
  return own;
}

}  // namespace loopglass::pass

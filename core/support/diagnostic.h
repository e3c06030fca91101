// What a person is told when a file, a script or a gesture cannot be honoured.
//
// A Diagnostic is a value: a stable number (see diagnostic_codes.h), what went wrong, where, and
// what to do about it. Broken invariants of our own are not diagnostics; see check.h.
#pragma once

#include "core/support/diagnostic_codes.h"

#include <string>
#include <string_view>

namespace loopglass {

struct Diagnostic {
  Code code;
  std::string what;   // one sentence, e.g. "operator 'Det' is not supported"
  std::string where;  // file, node, line and column; empty where there is none
  std::string hint;   // what the person can do; empty where there is nothing to add
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// "error LG1004: what\n  at where\n  hint: hint"
std::string to_string(const Diagnostic& diagnostic);

// "LG1004"
std::string code_name(Code code);
// Whether a code says that something is not supported, as opposed to wrong: what it is said of
// stays in a network as an operator that is not known.
bool is_unsupported(Code code);
// The one-line meaning of a code, as the README and `loopglassc` list it.
std::string_view code_title(Code code);

// A caret under `column` (1-based) of `line`, for messages about text: two lines, indented by two.
std::string caret(std::string_view line, std::size_t column);

}  // namespace loopglass

// Reading our text forms: a cursor over text that skips blanks and // comments, knows its line and
// column, and makes diagnostics with a caret. The graph, loop and schedule parsers share it.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loopglass {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  bool at_end();
  // The next character after blanks, not consumed; '\0' at the end.
  char peek();
  // Consumes `token` if it is next. A token of letters must end at a word boundary.
  bool accept(std::string_view token);
  // What is missing of a bracket whose line, or text, is over is told where it was opened.
  Result<void> expect(std::string_view token);
  // The same refusal in other words where the line goes on: "expected ',' or ')'".
  std::unexpected<Diagnostic> not_closed(char bracket, std::string otherwise);
  // The same for one character, whatever follows it: the x in 1x3.
  bool accept_character(char c);

  // [A-Za-z_][A-Za-z0-9_.]*
  Result<std::string> identifier();
  std::optional<std::string> accept_identifier();
  Result<std::int64_t> integer();  // optional sign
  // A decimal number, inf or nan, with optional sign: the text as written.
  Result<std::string> number();
  Result<std::string> quoted();         // "..." with \" \\ \n \xHH
  Result<std::uint64_t> hexadecimal();  // 0x...

  // TextMalformed at the cursor: line, column, and a caret under the spot.
  std::unexpected<Diagnostic> error(std::string what);

  // The line that the cursor is in, from 1.
  int line();

  std::size_t position() const { return at_; }
  void rewind(std::size_t position) { at_ = position; }

 private:
  void skip_blanks();
  bool is_past_line();  // whether what is next begins a line, or there is nothing
  std::optional<std::size_t> innermost_open(char bracket) const;
  Result<char> hexadecimal_byte();  // the two digits of \x

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t asked_at_ = 0;  // for its line, the last time
  int line_ = 1;              // there
};

// The inverse of TextCursor::quoted.
std::string quote(std::string_view text);

}  // namespace loopglass

#include "core/support/text_cursor.h"

#include "core/support/printable.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace loopglass {

namespace {
bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
}  // namespace

void TextCursor::skip_blanks() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    else if (text_.substr(at_).starts_with("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else break;
  }
}

bool TextCursor::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

char TextCursor::peek() { return at_end() ? '\0' : text_[at_]; }

bool TextCursor::accept(std::string_view token) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(token)) return false;
  const std::size_t end = at_ + token.size();
  if (starts_word(token.front()) && end < text_.size() && in_word(text_[end])) return false;
  at_ = end;
  return true;
}

bool TextCursor::accept_character(char c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

Result<void> TextCursor::expect(std::string_view token) {
  if (accept(token)) return {};
  std::string expected = fmt::format("expected '{}'", token);
  if (token == ")" || token == "]" || token == "}")
    return not_closed(token.front(), std::move(expected));
  return error(std::move(expected));
}

bool TextCursor::is_past_line() {
  if (at_end()) return true;
  std::size_t blank = at_;
  while (blank > 0 && text_[blank - 1] != '\n' &&
         std::isspace(static_cast<unsigned char>(text_[blank - 1])))
    --blank;
  return blank > 0 && text_[blank - 1] == '\n';
}

std::optional<std::size_t> TextCursor::innermost_open(char bracket) const {
  constexpr std::string_view opening = "([{", closing = ")]}";
  std::vector<std::size_t> open;
  TextCursor cursor(text_.substr(0, at_));
  while (!cursor.at_end()) {
    const char next = cursor.peek();
    if (next == '"') {
      if (!cursor.quoted()) break;
      continue;
    }
    if (opening.find(next) != opening.npos) open.push_back(cursor.position());
    else if (const std::size_t kind = closing.find(next);
             kind != closing.npos && !open.empty() && text_[open.back()] == opening[kind])
      open.pop_back();
    ++cursor.at_;
  }
  if (open.empty() || text_[open.back()] != opening[closing.find(bracket)]) return std::nullopt;
  return open.back();
}

std::unexpected<Diagnostic> TextCursor::not_closed(char bracket, std::string otherwise) {
  // Lines are separated in braces, and end in the others.
  if (bracket == '}' ? !at_end() : !is_past_line()) return error(std::move(otherwise));
  const auto opened = innermost_open(bracket);
  if (!opened) return error(std::move(otherwise));
  rewind(*opened);
  return error(fmt::format("this '{}' is not closed", text_[*opened]));
}

std::optional<std::string> TextCursor::accept_identifier() {
  skip_blanks();
  if (at_ == text_.size() || !starts_word(text_[at_])) return std::nullopt;
  const std::size_t begin = at_;
  while (at_ < text_.size() && in_word(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

Result<std::string> TextCursor::identifier() {
  if (auto found = accept_identifier()) return *std::move(found);
  return error("expected a name");
}

Result<std::int64_t> TextCursor::integer() {
  skip_blanks();
  std::int64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (status == std::errc::result_out_of_range) return error("the integer does not fit 64 bits");
  if (status != std::errc{}) return error("expected an integer");
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

Result<std::string> TextCursor::number() {
  skip_blanks();
  std::size_t end = at_;
  const auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
  for (const std::string_view word : {"inf", "nan"}) {
    if (!text_.substr(end).starts_with(word)) continue;
    const std::string found(text_.substr(at_, end + word.size() - at_));
    at_ = end + word.size();
    return found;
  }
  const std::size_t first_digit = end;
  digits();
  if (end < text_.size() && text_[end] == '.') ++end, digits();
  if (end == first_digit) return error("expected a number");
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    ++end;
    if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
    digits();
  }
  const std::string found(text_.substr(at_, end - at_));
  at_ = end;
  return found;
}

Result<char> TextCursor::hexadecimal_byte() {
  unsigned code = 0;
  const char* begin = text_.data() + at_;
  const char* end = begin + std::min<std::size_t>(2, text_.size() - at_);
  const auto [stop, status] = std::from_chars(begin, end, code, 16);
  if (status != std::errc{} || stop != begin + 2) return error("expected two hexadecimal digits");
  at_ += 2;
  return static_cast<char>(code);
}

Result<std::string> TextCursor::quoted() {
  if (!accept("\"")) return error("expected a quoted string");
  const std::size_t opened = at_ - 1;
  std::string value;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      value += text_[at_++];
      continue;
    }
    if (++at_ == text_.size()) break;
    const char escaped = text_[at_++];
    if (escaped == 'n') value += '\n';
    else if (escaped == 'x') value += TRY(hexadecimal_byte());
    else value += escaped;
  }
  if (at_ == text_.size()) {
    rewind(opened);
    return error("this string is not closed");
  }
  ++at_;
  return value;
}

Result<std::uint64_t> TextCursor::hexadecimal() {
  if (!accept("0x")) return error("expected a hexadecimal number");
  std::uint64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value, 16);
  if (status != std::errc{}) return error("expected a hexadecimal number");
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

int TextCursor::line() {
  const auto breaks = [&](std::size_t from, std::size_t to) {
    return static_cast<int>(std::ranges::count(text_.substr(from, to - from), '\n'));
  };
  // From where it was asked last: a text is read from its beginning to its end.
  line_ += asked_at_ <= at_ ? breaks(asked_at_, at_) : -breaks(at_, asked_at_);
  asked_at_ = at_;
  return line_;
}

std::unexpected<Diagnostic> TextCursor::error(std::string what) {
  const std::size_t at = std::min(at_, text_.size());
  const std::size_t line_start = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;  // npos + 1 == 0
  const std::size_t line_end = std::min(text_.find('\n', at), text_.size());
  const std::size_t column = at - line_start + 1;
  return fail(
      Code::TextMalformed,
      fmt::format("{}\n{}", what, caret(text_.substr(line_start, line_end - line_start), column)),
      fmt::format("line {}, column {}", line(), column));
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t shown = shown_as_is(text);
    if (c == '"' || c == '\\') quoted += '\\', quoted += c;
    else if (c == '\n') quoted += "\\n";
    else if (c == '\t' || shown == 0)
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else quoted += text.substr(0, shown);
    text.remove_prefix(std::max<std::size_t>(shown, 1));
  }
  return quoted + '"';
}

}  // namespace loopglass

#include "app/common/terminal.h"

#include "app/common/standard_streams.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace loopglass::app {

namespace {

Coloring coloring = Coloring::Auto;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// The codes that begin a style (ECMA-48, Select Graphic Rendition).
std::string_view code_of(Style style) {
  switch (style) {
    case Style::Plain: return "";
    case Style::Title: return "\x1b[1m";
    case Style::Good: return "\x1b[32m";
    case Style::Bad: return "\x1b[31m";
    case Style::Caution: return "\x1b[33m";
    case Style::Faint: return "\x1b[2m";
    case Style::Product: return "\x1b[34m";
    case Style::Reduction: return "\x1b[35m";
    case Style::Movement: return "\x1b[36m";
  }
  __builtin_unreachable();
}

std::size_t columns_behind(int descriptor) {
  constexpr std::size_t usual = 100;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(said.data(), said.data() + said.size(), columns);
  return columns > 0 ? columns : usual;
}

}  // namespace

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

std::size_t terminal_columns() { return columns_behind(STDOUT_FILENO); }

std::size_t error_columns() { return columns_behind(STDERR_FILENO); }

void set_coloring(Coloring wanted) { coloring = wanted; }

bool is_colored() {
  if (coloring != Coloring::Auto) return coloring == Coloring::Always;
  return output_is_terminal() && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

Styled::Styled(Style style) : changes_(style != Style::Plain && is_colored()) {
  if (changes_) write_codes(stdout, code_of(style));
}

Styled::~Styled() {
  if (changes_) write_codes(stdout, "\x1b[0m");
}

}  // namespace loopglass::app

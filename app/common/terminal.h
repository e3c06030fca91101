// The terminal that standard output leads to, if it does.
#pragma once

#include <cstddef>

namespace loopglass::app {

// Whether a person reads what is printed, or a program does.
bool output_is_terminal();

// Columns of the terminal; where there is none, what COLUMNS says, else 100.
std::size_t terminal_columns();
// The same of standard error.
std::size_t error_columns();

// What is printed in between stands out on a terminal. The last three are of operators
// (family_style.h).
enum class Style { Plain, Title, Good, Bad, Caution, Faint, Product, Reduction, Movement };

// --color: by default where standard output is a terminal that can (TERM is not "dumb") and nobody
// minds (NO_COLOR is empty or not set).
enum class Coloring { Auto, Always, Never };
void set_coloring(Coloring coloring);
bool is_colored();

// All that is printed on standard output while it lives is in this style. The codes pass by what
// makes output printable (standard_streams.h), which lets no name bring codes of its own.
class Styled {
 public:
  explicit Styled(Style style);
  ~Styled();
  Styled(const Styled&) = delete;
  Styled& operator=(const Styled&) = delete;

 private:
  const bool changes_;
};

}  // namespace loopglass::app

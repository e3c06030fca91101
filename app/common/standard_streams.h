// What our programs print goes through here: to the standard streams, safe to look at on a terminal
// (core/support/printable.h), and not lost in silence.
#pragma once

#include "core/support/result.h"

#include <cstdio>

namespace loopglass::app {

// From here on, what is written to stdout and stderr is made printable; a standard stream that is
// closed stays unusable, so that no file which is opened later gets its number and its text. To be
// called once, before anything is printed or opened.
void prepare_standard_streams();

// Writes codes for a terminal to stdout or stderr as they are, behind all that was printed before.
void write_codes(std::FILE* stream, std::string_view codes);

// Whether something on stdout could not be written. Printing has thrown then.
bool output_failed();

// Writes what is still held back of stdout. FileUnwritable where anything could not be written, but
// not where whoever read it has seen enough (head): that is no fault of anybody.
Result<void> finish_output();

// Prints the diagnostic on stderr.
void tell(const Diagnostic& diagnostic);

}  // namespace loopglass::app

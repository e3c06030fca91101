// What is wrong with a command line that does not parse, be it of commands or of one program.
#pragma once

#include "core/support/diagnostic.h"

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace loopglass::app {

// UsageInvalid. Of commands and options that there are not, the hint is the nearest.
Diagnostic usage_problem(const CLI::App& app, const CLI::ParseError& problem);
Diagnostic no_command(const CLI::App& app, const std::string& name);

}  // namespace loopglass::app

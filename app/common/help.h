// The help of a command, out of what is declared: its own options first, then those that it shares
// with others, under their headings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace loopglass::app {

// In lines of at most so many columns, but for words that are longer and for lines of the footer
// that are indented.
std::string help_text(const CLI::App& command, std::size_t columns);
// As wide as the terminal: from 80 to 120 columns.
std::string help_text(const CLI::App& command);

// Of those below this one, in their order.
std::vector<const CLI::App*> commands_of(const CLI::App& command);
// Groups of its options, which CLI11 keeps as commands without names.
std::vector<const CLI::App*> groups_of(const CLI::App& command);
// What stands for the option's value: "PLACE", "N".
std::string value_name(const CLI::Option& option);

// --help of the command, and of those below it, is that text.
void set_help(CLI::App& command);

}  // namespace loopglass::app

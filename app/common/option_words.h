// What the command line knows of an option beside CLI11: words for its value, and whether it is a
// list. For what reads CLI11's declarations: help, completion and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace loopglass::app {

// The names of the validators that keep this (arguments.cpp).
inline constexpr std::string_view offer_name = "words", list_name = "list";

// Words that may stand for the option's value; none where it has no fixed ones.
std::vector<std::string> words_of(const CLI::Option& option);
// Whether its entries may have commas between them.
bool is_list(const CLI::Option& option);

}  // namespace loopglass::app

// Completion for fish.
#include "app/loopglassc/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::app {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What is offered is the output of a command, of which words with blanks are no part.
std::string words_of(const CompletedOption& option) {
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  if (words.empty()) return "";
  return " -a " + quoted(option.is_list ? "(__fish_append , " + words + ")" : words);
}

void add_option(std::string& text, const std::string& condition, const CompletedOption& option) {
  text += fmt::format("complete -c loopglassc -n {}", quoted(condition));
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += option.takes_files ? " -r -F" : " -x";
  text += words_of(option) + " -d " + quoted(option.doc) + "\n";
}

}  // namespace

std::string fish_completion(const CompletedLine& line) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : line.commands) names.push_back(command.name);
  const std::string none = fmt::format("not __fish_seen_subcommand_from {}", fmt::join(names, " "));
  std::string text =
      "# Completion of loopglassc for fish; made by: loopglassc completion fish\n"
      "complete -c loopglassc -f\n";
  for (const CompletedOption& option : line.options) add_option(text, none, option);
  for (const CompletedCommand& command : line.commands) {
    text += fmt::format("complete -c loopglassc -n {} -a {} -d {}\n", quoted(none), command.name,
                        quoted(command.doc));
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const CompletedOption& option : command.options) add_option(text, condition, option);
    for (const CompletedOption& argument : command.arguments)
      text += fmt::format("complete -c loopglassc -n {}{}{} -d {}\n", quoted(condition),
                          argument.takes_files ? " -F" : "", words_of(argument),
                          quoted(argument.value));
  }
  return text;
}

}  // namespace loopglass::app

#include "app/common/usage.h"

#include "app/common/help.h"
#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace loopglass::app {

namespace {

// "--json", of the command and of its groups of options.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group : groups_of(command))
    for (std::string& name : option_names(*group)) names.push_back(std::move(name));
  return names;
}

Diagnostic no_place(const CLI::App& command, const std::string& word, const std::string& help) {
  return {Code::UsageInvalid,
          fmt::format("'{}' has no place for '{}'", command.get_name(), word),
          {},
          help};
}

}  // namespace

Diagnostic no_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return {Code::UsageInvalid,
          fmt::format("there is no command '{}'", name),
          {},
          did_you_mean(name, names, "loopglassc --help lists the commands")};
}

Diagnostic usage_problem(const CLI::App& app, const CLI::ParseError& problem) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const bool has_commands = !commands_of(app).empty();
  const std::string help =
      !chosen.empty() ? fmt::format("{} {} --help explains it", app.get_name(), command.get_name())
                      : fmt::format("{} --help {}", app.get_name(),
                                    has_commands ? "lists the commands" : "explains it");
  if (chosen.empty() && has_commands)
    for (const std::string& word : app.remaining())
      if (!word.starts_with('-')) return no_command(app, word);
  // Words that nothing takes: an option among them is what was misspelt.
  const std::vector<std::string> left = app.remaining(true);
  for (const std::string& word : left) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    return {Code::UsageInvalid,
            fmt::format("{} has no option {}",
                        chosen.empty() ? app.get_name() : "'" + command.get_name() + "'", name),
            {},
            did_you_mean(name, option_names(command), help)};
  }
  if (!left.empty()) return no_place(command, left.front(), help);
  // "--threads: 1 required N missing", with all that there is to know of N.
  const std::string what = problem.what();
  if (problem.get_name() == "ArgumentMismatch" && what.ends_with(" missing"))
    return {Code::UsageInvalid,
            fmt::format("{} wants a value behind it", what.substr(0, what.find(':'))),
            {},
            help};
  // "--trials: At Most 1 required but received 2"
  if (problem.get_name() == "ArgumentMismatch" && what.find(": At Most 1 ") != std::string::npos)
    return {Code::UsageInvalid,
            fmt::format("{} is given more than once", what.substr(0, what.find(':'))),
            {},
            help};
  // "files is required", of what has a place and no name on the command line.
  if (problem.get_name() == "RequiredError" && !chosen.empty())
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional() && what == option->get_name() + " is required")
        return {Code::UsageInvalid,
                fmt::format("'{}' wants a {}", command.get_name(), option->get_type_name()),
                {},
                help};
  if (chosen.empty() && has_commands && problem.get_name() == "RequiredError")
    return {Code::UsageInvalid, "which command? None is given", {}, help};
  return {Code::UsageInvalid, what, {}, help};
}

}  // namespace loopglass::app

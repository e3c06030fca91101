// loopglassc completion: a script for a shell, made from what all commands declare.
#include "app/loopglassc/completion.h"

#include "app/common/help.h"
#include "app/common/option_words.h"
#include "app/loopglassc/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

namespace loopglass::app {

namespace {

struct Shell {
  const char* name;
  std::string (*script)(const CompletedLine&);
};
constexpr std::array shells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                            Shell{"fish", fish_completion}};

CompletedOption completed(const CLI::Option& option) {
  CompletedOption completed;
  for (const std::string& name : option.get_lnames()) completed.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) completed.names.push_back("-" + name);
  completed.doc = option.get_description();
  if (option.get_items_expected_max() > 0) completed.value = value_name(option);
  completed.words = words_of(option);
  completed.is_list = is_list(option);
  completed.is_repeated = option.get_items_expected_max() > 1;
  completed.takes_files = std::ranges::any_of(
      std::array{"FILE", "DIR", "MODEL"},
      [&](const char* kind) { return completed.value.find(kind) != std::string::npos; });
  return completed;
}

void add_options(const CLI::App& command, std::vector<CompletedOption>& options,
                 std::vector<CompletedOption>& arguments) {
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? arguments : options).push_back(completed(*option));
  for (const CLI::App* group : groups_of(command)) add_options(*group, options, arguments);
}

}  // namespace

CompletedLine completed_line(const CLI::App& app) {
  CompletedLine line;
  std::vector<CompletedOption> none;
  add_options(app, line.options, none);
  for (const CLI::App* command : commands_of(app)) {
    CompletedCommand& completed = line.commands.emplace_back();
    completed.name = command->get_name();
    completed.doc = command->get_description();
    add_options(*command, completed.options, completed.arguments);
  }
  return line;
}

void add_completion(Command app, Action& chosen) {
  const auto name = std::make_shared<std::string>();
  const Command command = app.add_subcommand(
      "completion", "prints what teaches a shell the commands, their options and words for these");
  std::vector<std::string> names;
  for (const Shell& shell : shells) names.emplace_back(shell.name);
  command.add_option("shell", *name, "whose").required().check(one_of(names)).type_name("SHELL");
  command.footer(
      "For the shell that runs:  source <(loopglassc completion bash), the same with zsh (behind\n"
      "compinit), or loopglassc completion fish | source; to keep it, in the shell's start-up "
      "file.");
  command.callback([app, name, &chosen] {
    chosen = [app, name]() -> Result<Exit> {
      const auto* shell = std::ranges::find(shells, *name, &Shell::name);
      fmt::print("{}", shell->script(completed_line(app.parser())));
      return Exit::Good;
    };
  });
}

}  // namespace loopglass::app

// loopglassc help: what --help of a command prints.
#include "app/common/help.h"
#include "app/common/usage.h"
#include "app/loopglassc/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace loopglass::app {

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

Result<Exit> explain(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found = std::ranges::find(commands, name, &CLI::App::get_name);
  if (!name.empty() && found == commands.end()) return std::unexpected(no_command(app, name));
  fmt::print("{}", help_text(name.empty() ? app : **found));
  return Exit::Good;
}

}  // namespace

void add_help(Command app, Action& chosen) {
  const auto name = std::make_shared<std::string>();
  const Command command =
      app.add_subcommand("help", "explains a command; without COMMAND, lists them");
  command.add_option("command", *name, "which").type_name("COMMAND").suggests([app] {
    return command_names(app.parser());
  });
  command.callback(
      [app, name, &chosen] { chosen = [app, name] { return explain(app.parser(), *name); }; });
}

}  // namespace loopglass::app

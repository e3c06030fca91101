// What all commands have in common: a subcommand, options of its own with `json` among them, and
// the function that acts on them.
#pragma once

#include "app/common/print_json.h"
#include "app/common/session_options.h"
#include "app/loopglassc/command.h"
#include "app/loopglassc/footer.h"

#include <fmt/format.h>

#include <concepts>

namespace loopglass::app {

// That commands list where nobody says how many: the slowest.
inline constexpr std::size_t usual_kernels = 20;

template <class Options>
struct Declared {
  Command command;
  Options* options;  // live as long as the command
};

// Commands that read a model take a session in its place.
template <class Options>
Result<void> with_session(Options& options) {
  if constexpr (requires { requires std::same_as<decltype(options.model), ModelOptions>; })
    return take_session(options.model);
  else return {};
}

// Parsing the command chooses `perform`. `json_doc` says what is different about --json.
template <class Options>
Declared<Options> declare(Command app, Action& chosen, const std::string& name,
                          const std::string& doc, Result<Exit> (*perform)(const Options&),
                          const std::string& json_doc = "as JSON") {
  const auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand(name, doc);
  if constexpr (!requires { options->model; }) command.footer(footer(false));
  command.add_flag("--json", options->json, json_doc);
  command.callback([options, perform, &chosen] {
    chosen = [options, perform]() -> Result<Exit> {
      TRY_VOID(with_session(*options));
      return perform(*options);
    };
  });
  return {command, options.get()};
}

}  // namespace loopglass::app

// Commands of loopglassc. Each stands in its own file and offers one function, listed in main.cpp,
// that adds its subcommand; parsing it chooses the action that main then runs.
#pragma once

#include "app/common/exit_codes.h"
#include "app/common/model_options.h"

#include <functional>

namespace loopglass::app {

using Action = std::function<Result<Exit>()>;

void add_run(CLI::App& app, Action& chosen);
void add_emit(CLI::App& app, Action& chosen);
void add_passes(CLI::App& app, Action& chosen);
void add_ops(CLI::App& app, Action& chosen);
void add_fuse(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_calibrate(CLI::App& app, Action& chosen);
void add_conformance(CLI::App& app, Action& chosen);
void add_samples(CLI::App& app, Action& chosen);
void add_memory(CLI::App& app, Action& chosen);
void add_lens(CLI::App& app, Action& chosen);
void add_bisect(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_history(CLI::App& app, Action& chosen);
void add_explain(CLI::App& app, Action& chosen);
void add_fold(CLI::App& app, Action& chosen);
void add_session(CLI::App& app, Action& chosen);
// `words` are those of the command line behind the program.
void add_export(CLI::App& app, Action& chosen, std::vector<std::string> words);

}  // namespace loopglass::app

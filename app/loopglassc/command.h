// Commands of loopglassc. Each stands in its own file and offers one function, listed in main.cpp,
// that adds its subcommand; parsing it chooses the action that main then runs.
#pragma once

#include "app/common/exit_codes.h"
#include "app/common/model_options.h"

#include <functional>

namespace loopglass::app {

using Action = std::function<Result<Exit>()>;

void add_run(Command app, Action& chosen);
void add_emit(Command app, Action& chosen);
void add_passes(Command app, Action& chosen);
void add_ops(Command app, Action& chosen);
void add_fuse(Command app, Action& chosen);
void add_bench(Command app, Action& chosen);
void add_calibrate(Command app, Action& chosen);
void add_conformance(Command app, Action& chosen);
void add_samples(Command app, Action& chosen);
void add_memory(Command app, Action& chosen);
void add_lens(Command app, Action& chosen);
void add_bisect(Command app, Action& chosen);
void add_compare(Command app, Action& chosen);
void add_diff(Command app, Action& chosen);
void add_history(Command app, Action& chosen);
void add_explain(Command app, Action& chosen);
void add_fold(Command app, Action& chosen);
void add_session(Command app, Action& chosen);
void add_primitives(Command app, Action& chosen);
void add_legal(Command app, Action& chosen);
void add_locality(Command app, Action& chosen);
void add_roofline(Command app, Action& chosen);
void add_mca(Command app, Action& chosen);
void add_tune(Command app, Action& chosen);
void add_records(Command app, Action& chosen);
void add_worker(Command app, Action& chosen);
void add_farm(Command app, Action& chosen);
void add_help(Command app, Action& chosen);
void add_completion(Command app, Action& chosen);
void add_schema(Command app, Action& chosen);
// `words` are those of the command line behind the program.
void add_export(Command app, Action& chosen, std::vector<std::string> words);

}  // namespace loopglass::app

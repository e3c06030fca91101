#include "app/loopglassc/command_line.h"

#include "app/common/help.h"
#include "app/common/print_json.h"
#include "app/common/standard_streams.h"
#include "app/common/terminal.h"
#include "app/common/usage.h"
#include "app/common/worker.h"
#include "app/loopglassc/command.h"
#include "app/loopglassc/footer.h"

#include "core/machine/instruction_level.h"
#include "core/support/fault.h"
#include "core/support/stacks.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace loopglass::app {

namespace {

// --help and --version are such "errors" too.
Result<Exit> explain(const CLI::App& app, const CLI::ParseError& problem) {
  std::ostringstream help, ignored;
  if (app.exit(problem, help, ignored) == 0) {
    fmt::print("{}", help.str());
    return Exit::Good;
  }
  return std::unexpected(usage_problem(app, problem));
}

Result<Exit> perform(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == worker_switch) return be_worker();
  CLI::App app{"Loopglass: a tensor compiler in a glass case", "loopglassc"};
  set_help(app);
  app.set_help_flag("-h,--help", "explains the command");
  app.set_version_flag("--version", LOOPGLASS_VERSION, "which this is");
  std::string coloring = "auto";
  Command(app)
      .add_option(
          "--color", coloring,
          "colours in what is printed: where that goes to a terminal (but not with NO_COLOR "
          "or TERM=dumb), or said before the command")
      .check(one_of({"auto", "always", "never"}))
      .capture_default_str();
  app.require_subcommand(1);
  app.footer(footer(true));
  Action chosen;
  for (const auto add :
       {add_run,        add_emit,        add_passes,   add_ops,      add_fuse,       add_bench,
        add_calibrate,  add_conformance, add_samples,  add_memory,   add_lens,       add_bisect,
        add_compare,    add_diff,        add_history,  add_fold,     add_session,    add_explain,
        add_primitives, add_legal,       add_locality, add_roofline, add_mca,        add_tune,
        add_records,    add_worker,      add_farm,     add_help,     add_completion, add_schema})
    add(Command(app), chosen);
  add_export(Command(app), chosen, {argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return explain(app, problem);
  }
  set_coloring(coloring == "always"  ? Coloring::Always
               : coloring == "never" ? Coloring::Never
                                     : Coloring::Auto);
  TRY_VOID(check_held_level());
  return chosen();
}

Exit guarded(int argc, char** argv) {
  try {
    const auto done = perform(argc, argv);
    return done ? *done : refused(done.error(), asks_for_json(argc, argv));
  } catch (...) {
    // Output that cannot be written is told of when all is over.
    return output_failed() ? Exit::Good
                           : refused(diagnose_current_exception(), asks_for_json(argc, argv));
  }
}

}  // namespace

void be_command_line(int argc, char** argv) {
  prepare_stacks();
  prepare_standard_streams();
  Exit exit = guarded(argc, argv);
  const auto written = finish_output();
  if (!written) exit = refused(written.error());
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(static_cast<int>(exit));  // when what sanitizers found is told
#else
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(exit));
#endif
}

}  // namespace loopglass::app

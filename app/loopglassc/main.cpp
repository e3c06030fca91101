// loopglassc: every stage of the compiler on the command line.
#include "app/loopglassc/command.h"

#include "core/runtime/memory_budget.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <csignal>
#include <system_error>

namespace loopglass::app {

namespace {

constexpr const char* footer =
    "MODEL is a file, a folder with model.onnx, or the name of a sample (see 'samples').\n"
    "Exit codes: 0 good, 1 a result that is not right, 2 usage, 3 a diagnostic, 70 a defect of "
    "ours.";

int ended(Exit exit) { return static_cast<int>(exit); }

int perform(const Action& action) {
  try {
    const auto done = action();
    if (done) return ended(*done);
    fmt::print(stderr, "{}\n", to_string(done.error()));
    return ended(done.error().code == Code::UsageInvalid ? Exit::Usage : Exit::Refused);
  } catch (const InternalError& defect) {
    fmt::print(stderr, "defect in Loopglass: {}\n", defect.what());
  } catch (const std::bad_alloc&) {
    const MachineMemory machine = machine_memory();
    const std::string what = fmt::format("there is not enough memory: this machine has {}, of which {} are free",
                                         runtime::readable_bytes(machine.total), runtime::readable_bytes(machine.available));
    fmt::print(stderr, "{}\n",
               to_string(Diagnostic{Code::OutOfMemory, what, {}, "give the inputs smaller shapes (--shape)"}));
    return ended(Exit::Refused);
  } catch (const std::system_error& error) {
    // The reader of our output has seen enough.
    if (error.code() == std::errc::broken_pipe) return ended(Exit::Good);
    fmt::print(stderr, "defect in Loopglass: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "defect in Loopglass: {}\n", error.what());
  }
  return ended(Exit::Defect);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that stops early (head) is no reason to be killed in the middle of a run.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{"Loopglass: a tensor compiler in a glass case", "loopglassc"};
  app.set_version_flag("--version", LOOPGLASS_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  Action chosen;
  for (const auto add :
       {add_run, add_emit, add_passes, add_ops, add_fuse, add_bench, add_calibrate, add_conformance,
        add_samples, add_memory, add_lens, add_bisect, add_compare, add_diff, add_history})
    add(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ended(Exit::Good) : ended(Exit::Usage);
  }
  return perform(chosen);
}

}  // namespace loopglass::app

int main(int argc, char** argv) { return loopglass::app::main(argc, argv); }

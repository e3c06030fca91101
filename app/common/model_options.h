// What a person says of a model on the command line: which it is, how to compile it, and what its
// fusion plan is asked for.
#pragma once

#include "app/common/arguments.h"
#include "core/session.h"

#include <array>
#include <span>

namespace loopglass::app {

// MODEL and how to compile it, wherever a model is read.
struct ModelOptions {
  std::string model;
  std::string subgraph;  // inside an operator of the model; empty: the model's own graph
  std::vector<std::string> shapes, symbols, disabled_passes, disabled_llvm_passes;
  std::string strategy, pipeline, stop_after;
  std::string target;                                   // a level of instructions; empty: all
  std::optional<std::uint64_t> memory_limit;            // bytes
  std::vector<std::string> forced, forbidden;           // edges, "conv1:relu1"
  std::map<std::string, std::string> edges_in;          // of these, and the session that says so
  std::string edits;                                    // a file
  std::vector<std::string> more_edits;                  // as text, after those of the file
  std::vector<std::string> schedules, saved_schedules;  // "KERNEL=FILE"
  std::vector<std::string> records;                     // files of loopglassc tune
  bool takes_plan = false;                              // whether the command has options for these
  enum class Schedules { NoMatter, LeftOut, Taken };
  Schedules of_session = Schedules::NoMatter;  // what becomes of those that a session has
  // Names of the options that the command line itself says, before a session says more.
  std::vector<std::string> said;
  // Values of inputs that are known before the model is opened: they tell the shapes that it leaves
  // open, and stand for inputs that decide shapes.
  std::map<std::string, Tensor> known_inputs;
  std::uint64_t seed = 1;      // of random numbers for the others
  bool gives_counted = false;  // onnx::ImportOptions
};
// What decides the optimised graph, the plan of it, and the schedules of its kernels.
inline constexpr std::array graph_switches{"--passes", "--without", "--stop-after",
                                           "--memory-limit"};
inline constexpr std::array plan_switches{"--strategy", "--force", "--forbid", "--edits", "--edit"};
inline constexpr std::array machine_code_switches{"--without-llvm"};
inline constexpr std::array schedule_switches{"--schedule", "--save-schedule", "--records"};
void note_what_is_said(ModelOptions& options);
// The model and these as words of a shell, for commands that ask for more of the same.
std::string model_words(const ModelOptions& options);
// UsageInvalid where the command line says one of these, "--force says nothing about WHAT".
Result<void> refuse_switches(const ModelOptions& options, std::span<const char* const> switches,
                             const std::string& what, const std::string& hint);

Option add_model(Command command, ModelOptions& options);
// --strategy alone.
Option add_strategy(Command command, ModelOptions& options, const std::string& doc);
// --strategy, --force, --forbid and --edits, wherever kernels are shown or run.
void add_plan(Command command, ModelOptions& options);
// --without-llvm, wherever machine code is made of the session's kernels.
void add_llvm_passes(Command command, ModelOptions& options);
// Opens the model and prints the notes of its import on the error stream. InputMismatch where it
// has no input of a known one's name.
Result<std::unique_ptr<Session>> open_session(const ModelOptions& options);
SessionOptions session_options();
Result<SessionOptions> session_options(const ModelOptions& options);

}  // namespace loopglass::app

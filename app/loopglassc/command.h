// Commands of loopglassc. Each stands in its own file and offers one function, listed in main.cpp,
// that adds its subcommand; parsing it chooses the action that main then runs.
#pragma once

#include "core/session.h"

#include <CLI/CLI.hpp>
#include <functional>

namespace loopglass::app {

// What the process ends with.
enum class Exit : int {
  Good = 0,
  Bad = 1 /* a result that is not right */,
  Usage = 2,
  Refused = 3 /* a diagnostic */,
  Defect = 70
};

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

// MODEL and how to compile it, wherever a model is read.
struct ModelOptions {
  std::string model;
  std::string subgraph;  // inside an operator of the model; empty: the model's own graph
  std::vector<std::string> shapes, disabled_passes;
  std::string strategy, pipeline, stop_after;
  std::optional<std::uint64_t> memory_limit;  // bytes
  std::vector<std::string> forced, forbidden;  // edges, "conv1:relu1"
  std::string edits;                           // a file
  std::vector<std::string> more_edits;         // as text, after those of the file
  // Values of inputs that are known before the model is opened: they tell the shapes that it leaves
  // open, and stand for inputs that decide shapes.
  std::map<std::string, Tensor> known_inputs;
};
CLI::Option* add_model(CLI::App& command, ModelOptions& options);
// --force, --forbid and --edits, wherever kernels are shown or run.
void add_plan(CLI::App& command, ModelOptions& options);
// Opens the model and prints the notes of its import on the error stream. InputMismatch where it has
// no input of a known one's name.
Result<std::unique_ptr<Session>> open_session(const ModelOptions& options);
SessionOptions session_options();
Result<SessionOptions> session_options(const ModelOptions& options);

}  // namespace loopglass::app

#include "app/common/model_options.h"

#include "app/common/calibration.h"
#include "app/common/data_evaluation.h"
#include "app/common/model_argument.h"
#include "app/common/numbers.h"
#include "app/common/plan_options.h"
#include "app/common/schedule_options.h"
#include "app/common/vocabulary.h"
#include "core/codegen/llvm_passes.h"
#include "core/fusion/find_strategy.h"
#include "core/import_model.h"
#include "core/loop/interpreter.h"
#include "core/machine/instruction_level.h"
#include "core/support/cache_folder.h"
#include "core/support/shell_word.h"
#include "core/support/suggestion.h"
#include "passes/pipeline.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::app {

namespace {

constexpr const char* of_model = "The model";
constexpr const char* of_passes = "Passes";
constexpr const char* of_machine_code = "Machine code";

// What decides a network, its plan and its schedules, by the names of the options.
std::vector<std::pair<const char*, std::vector<std::string>>> switches_of(
    const ModelOptions& options) {
  const auto one = [](const std::string& value) {
    return value.empty() ? std::vector<std::string>() : std::vector{value};
  };
  return {{"--shape", options.shapes},
          {"--set", options.symbols},
          {"--subgraph", one(options.subgraph)},
          {"--target", one(options.target)},
          {"--without", options.disabled_passes},
          {"--without-llvm", options.disabled_llvm_passes},
          {"--passes", one(options.pipeline)},
          {"--stop-after", one(options.stop_after)},
          {"--memory-limit",
           one(options.memory_limit ? std::to_string(*options.memory_limit) : std::string())},
          {"--strategy", one(options.strategy)},
          {"--force", options.forced},
          {"--forbid", options.forbidden},
          {"--edits", one(options.edits)},
          {"--edit", options.more_edits},
          {"--schedule", options.schedules},
          {"--records", options.records}};
}

}  // namespace

Option add_model(Command command, ModelOptions& options) {
  command
      .add_list("--shape", options.shapes, "shape of an input: name=1x3x224x224", Entries::Bindings)
      .type_name("NAME=SHAPE")
      .group(of_model);
  command
      .add_list("--set", options.symbols,
                "extent of a symbolic dimension, wherever it stands: n=1000; or the value of an "
                "input that is one whole number: rate=16000",
                Entries::Bindings)
      .type_name("SYMBOL=EXTENT")
      .group(of_model);
  command
      .add_option(
          "--subgraph", options.subgraph,
          "a graph that an operator runs, instead of the model's: if1.then_branch, further inside "
          "loop1.body/if2.else_branch")
      .type_name("NODE.ATTRIBUTE")
      .group(of_model);
  command
      .add_option("--memory-limit", options.memory_limit,
                  "what the intermediates may take: bytes, or 64KiB, 10MB, ...")
      .in_bytes()
      .type_name("BYTES")
      .group(of_model);
  command.add_list("--without", options.disabled_passes, "leaves a graph or loop pass out")
      .type_name("PASS")
      .suggests(pass_names)
      .group(of_passes);
  command
      .add_option("--passes", options.pipeline,
                  "graph passes in order, or a preset: a, (b, c)*, @canonical")
      .type_name("PIPELINE")
      .suggests(pipeline_words)
      .group(of_passes);
  command
      .add_option("--stop-after", options.stop_after,
                  "ends the graph passes after one, or in its middle (3, 3:2, simplify, "
                  "simplify#2:4)")
      .type_name("PLACE")
      .suggests(place_words)
      .group(of_passes);
  command
      .add_option("--target", options.target,
                  "instructions to use, as if the processor had no more: x86-64-v2, x86-64-v3, "
                  "x86-64-v4")
      .type_name("LEVEL")
      .check(not_blank())
      .suggests([] {
        return std::vector<std::string>{"x86-64-v2", "x86-64-v3", "x86-64-v4"};
      })
      .group(of_machine_code);
  return command
      .add_option(
          "model", options.model,
          "a file, a folder with model.onnx, a sample's name, or a session (FILE.loopglass)")
      .type_name("MODEL")
      .suggests(sample_names);
}

void add_llvm_passes(Command command, ModelOptions& options) {
  command
      .add_list("--without-llvm", options.disabled_llvm_passes,
                "leaves a pass of LLVM out, by its name in 'emit llvm'")
      .type_name("PASS")
      .check(not_blank())
      .suggests(codegen::optional_llvm_passes)
      .group(of_machine_code);
}

void note_what_is_said(ModelOptions& options) {
  for (const auto& [name, values] : switches_of(options))
    if (!values.empty()) options.said.emplace_back(name);
  if (!options.saved_schedules.empty()) options.said.emplace_back("--save-schedule");
}

std::string model_words(const ModelOptions& options) {
  std::string words = shell_word(options.model);
  for (const auto& [name, values] : switches_of(options))
    for (const std::string& value : values) words += fmt::format(" {} {}", name, shell_word(value));
  return words;
}

Result<void> refuse_switches(const ModelOptions& options, std::span<const char* const> switches,
                             const std::string& what, const std::string& hint) {
  for (const char* name : switches)
    if (std::ranges::find(options.said, name) != options.said.end())
      return fail(Code::UsageInvalid, fmt::format("{} says nothing about {}", name, what), name,
                  hint);
  return {};
}

SessionOptions session_options() {
  SessionOptions options;
  options.import.evaluate = loop::evaluate;
  options.compile_threads = runtime::hardware_threads();
  if (const auto folder = cache_folder())
    options.object_cache = std::make_shared<codegen::ObjectCache>(*folder / "object-code");
  options.import.evaluate_data = data_evaluation(ModelOptions().seed, options.object_cache);
  return options;
}

namespace {

// A misspelt name would leave nothing out, and nobody would notice.
Result<void> check_passes(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::vector<std::string> known = pass_names();
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      return fail(Code::PassUnknown, fmt::format("there is no graph or loop pass '{}'", name),
                  "--without", did_you_mean(name, known, "loopglassc passes lists them"));
  return {};
}

// The required ones would run all the same.
Result<void> check_llvm_passes(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::vector<std::string>& known = codegen::optional_llvm_passes();
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      return fail(Code::PassUnknown,
                  fmt::format("LLVM has no pass '{}' that may be left out", name), "--without-llvm",
                  did_you_mean(name, known, "loopglassc emit llvm MODEL lists those that matter"));
  return {};
}

}  // namespace

Result<SessionOptions> session_options(const ModelOptions& options) {
  SessionOptions session = session_options();
  if (options.seed != ModelOptions().seed)
    session.import.evaluate_data = data_evaluation(options.seed, session.object_cache);
  session.import.shapes = TRY(parse_shapes(options.shapes));
  session.import.symbols = TRY(parse_symbols(options.symbols));
  session.import.subgraph = options.subgraph;
  session.import.gives_counted = options.gives_counted;
  session.strategy = options.strategy;
  session.pipeline = options.pipeline;
  session.disabled_passes = options.disabled_passes;
  session.disabled_llvm_passes = options.disabled_llvm_passes;
  if (!options.stop_after.empty())
    session.stop_after = TRY(pass::parse_stop_after(options.stop_after));
  session.settings.memory_limit = options.memory_limit;
  return session;
}

namespace {

// What --shape says goes before.
Result<void> bind_known_inputs(const std::map<std::string, Tensor>& known,
                               const onnx::Source& source, onnx::ImportOptions& import) {
  if (known.empty()) return {};
  const auto declared = TRY(read_model_inputs(source));
  for (const auto& [name, value] : known) {
    const auto input =
        std::find_if(declared.begin(), declared.end(),
                     [&](const onnx::Signature& signature) { return signature.name == name; });
    if (input == declared.end())
      return fail(Code::InputMismatch, fmt::format("the model has no input '{}'", name), "--input");
    if (has_open_shape(*input)) import.shapes.emplace(name, value.shape());
  }
  import.bound_inputs = known;
  return {};
}

}  // namespace

Result<std::unique_ptr<Session>> open_session(const ModelOptions& options) {
  if (!options.target.empty()) TRY_VOID(hold_to_level(options.target));
  SessionOptions session = TRY(session_options(options));
  const onnx::Source source = TRY(find_model(options.model));
  TRY_VOID(bind_known_inputs(options.known_inputs, source, session.import));
  Toolchain toolchain = passes::toolchain();
  TRY_VOID(check_passes(options.disabled_passes));
  TRY_VOID(check_llvm_passes(options.disabled_llvm_passes));
  TRY(fusion::find_strategy(toolchain.strategies, options.strategy));
  auto opened = std::make_unique<Session>(std::move(toolchain), std::move(session));
  opened->set_cost_model(host_cost_model());
  TRY_VOID(opened->open(source));
  TRY_VOID(set_plan(*opened, options));
  TRY_VOID(set_schedules(*opened, options));
  for (const onnx::Note& note : TRY(opened->model())->notes)
    fmt::print(stderr, "note: {}\n", note.text);
  return opened;
}

}  // namespace loopglass::app

// loopglassc run: compiles a model, runs it on given or random inputs, and says what came out; with
// --expect, whether it is what a test data set expects.
#include "app/common/conformance.h"
#include "app/common/model_argument.h"
#include "app/common/numbers.h"
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/common/tensor_file.h"
#include "app/loopglassc/by_library.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/inputs.h"
#include "app/loopglassc/memory_limit.h"
#include "core/import_model.h"
#include "core/loop/interpret_graph.h"
#include "core/onnx/named_tensors.h"
#include "core/runtime/memory_plan.h"
#include "core/support/whole_file.h"

#include <fmt/ranges.h>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct RunCommandOptions {
  ModelOptions model;
  InputOptions inputs;
  std::string expect, save;
  bool npy = false;
  int threads = runtime::hardware_threads();
  std::vector<std::string> library;
  bool interpreted = false, json = false;
};

using Given = std::map<std::string, Tensor>;

// Values by input name, from the test data set and, before those, from files.
Result<Given> read_given(const RunCommandOptions& options) {
  Given given = TRY(read_inputs(options.inputs.inputs));
  if (options.expect.empty()) return given;
  const auto declared = TRY(read_model_inputs(TRY(find_model(options.model.model))));
  given.merge(TRY(read_test_inputs(options.expect, declared)));
  return given;
}

// A data set has a value for every input.
Result<void> check_given(const Given& given, const graph::Graph& graph,
                         const std::string& data_set) {
  for (const graph::ValueId id : graph.inputs())
    if (const std::string& name = graph.value(id).name; !given.contains(name))
      return fail(Code::TestDataUnreadable, fmt::format("there is no value for input '{}'", name),
                  data_set,
                  "a data set has input_0.pb, ... in the model's order; --input gives others");
  return {};
}

struct Computed {
  std::vector<Tensor> inputs, outputs;
  int threads = 1;                                // that computed them
  std::optional<LibraryNetwork> by_library = {};  // where one was asked to take part
};

// The network as it is compiled, or with kernels that a library computes.
Result<std::shared_ptr<runtime::Executor>> executor_for(const RunCommandOptions& options,
                                                        Session& session, runtime::ThreadPool& pool,
                                                        const Progress& progress,
                                                        Computed& computed) {
  if (options.library.empty()) return session.executor(progress);
  computed.by_library =
      TRY(choose_by_library(session, options.library, pool, progress, {}, Missing::Refuse));
  fmt::print(stderr, "note: {}\n", words_on(*computed.by_library));
  if (const auto note = note_on_nan(*computed.by_library, *TRY(session.plan())))
    fmt::print(stderr, "note: {}\n", *note);
  return TRY(runtime::Executor::create(computed.by_library->chosen.network));
}

// What a run takes is checked before anything, inputs included, is allocated for it.
Result<Computed> compute(const RunCommandOptions& options, const Given& given, Session& session,
                         const graph::Graph& graph) {
  Computed computed;
  if (options.interpreted) {
    TRY_VOID(runtime::check_memory_of_operators(graph));
    computed.inputs = runtime::random_inputs(graph, given, options.inputs.seed);
    computed.outputs = TRY(loop::interpret(graph, computed.inputs));
    return computed;
  }
  StatusLine status;
  runtime::ThreadPool pool(options.threads);
  const auto executor = TRY(executor_for(options, session, pool, status.progress(), computed));
  status.end();
  if (!pool.shortage().empty()) fmt::print(stderr, "note: {}\n", pool.shortage());
  computed.threads = pool.threads();
  computed.inputs = runtime::random_inputs(graph, given, options.inputs.seed);
  computed.outputs = TRY(executor->run(computed.inputs, pool));
  return computed;
}

// As the model declares them, those with it that became constants.
std::vector<onnx::NamedTensor> declared_inputs(const onnx::Model& model,
                                               const std::vector<Tensor>& inputs) {
  std::vector<onnx::NamedTensor> given = onnx::named(model.graph, model.graph.inputs(), inputs);
  for (const auto& [name, value] : model.inputs_bound) given.push_back({name, value});
  const auto place = [&](const onnx::NamedTensor& input) {
    return std::ranges::find(model.inputs, input.name, &onnx::Signature::name);
  };
  std::ranges::stable_sort(given, {}, place);
  return given;
}

// As a test data set: input_0.pb, ... in the model's order, output_0.pb, ...
Result<void> save(const Computed& computed, const RunCommandOptions& options,
                  const onnx::Model& model) {
  const std::filesystem::path folder = options.save;
  TRY_VOID(make_folder_of(folder / "output_0"));
  // What is left of another would be taken for a part of this one.
  for (const char* file : {"input_0.pb", "input_0.npy", "output_0.pb", "output_0.npy"})
    if (std::error_code error; std::filesystem::exists(folder / file, error))
      return fail(Code::FileUnwritable, "the folder holds a data set already",
                  (folder / file).string(), "name another folder, or remove what is in it");
  const auto write = [&](const char* what,
                         const std::vector<onnx::NamedTensor>& tensors) -> Result<void> {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      TRY_VOID(write_tensor_file(
          tensors[i].tensor, tensors[i].name,
          folder / fmt::format("{}_{}{}", what, i, options.npy ? ".npy" : ".pb")));
    return {};
  };
  TRY_VOID(write("input", declared_inputs(model, computed.inputs)));
  std::vector<graph::ValueId> outputs = model.graph.outputs();
  outputs.resize(computed.outputs.size());
  return write("output", onnx::named(model.graph, outputs, computed.outputs));
}

// Shapes are those that were counted operator by operator while the model was opened: the network
// has to count as much. Leaves the model's own outputs.
Result<void> check_counted(const onnx::Model& model, std::vector<Tensor>& outputs) {
  const std::size_t own = outputs.size() - model.counted.size();
  for (std::size_t i = own; i < outputs.size(); ++i)
    if (!outputs[i].same_content(model.counted[i - own]))
      return fail(Code::ResultMismatch,
                  "the network selects otherwise than the operators did one by one, of which its "
                  "shapes are: a number lies within rounding of what selects it",
                  model.graph.value(model.graph.outputs()[i]).name,
                  "--interpreted computes it operator by operator");
  outputs.resize(own);
  return {};
}

// Of the finite elements; not numbers where there are none.
struct TensorSummary {
  double minimum = std::numeric_limits<double>::quiet_NaN(), maximum = minimum, mean = minimum;
  std::int64_t not_finite = 0;
  std::vector<double> first;
};

TensorSummary summarise(const Tensor& tensor) {
  TensorSummary summary;
  std::int64_t finite = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.double_at(i);
    if (i < 8) summary.first.push_back(value);
    if (!std::isfinite(value)) {
      ++summary.not_finite;
      continue;
    }
    if (finite++ == 0) summary.mean = 0;
    summary.minimum = std::fmin(summary.minimum, value);
    summary.maximum = std::fmax(summary.maximum, value);
    summary.mean += (value - summary.mean) / static_cast<double>(finite);
  }
  return summary;
}

Json to_json(const graph::Value& value, const TensorSummary& summary) {
  // JSON has no such numbers: an output without a finite element has a null for its minimum.
  return {{"name", value.name},         {"type", to_string(value.type)},
          {"minimum", summary.minimum}, {"maximum", summary.maximum},
          {"mean", summary.mean},       {"not_finite", summary.not_finite},
          {"first", summary.first}};
}

// The interpreter runs the model as it was imported.
Result<void> check(const RunCommandOptions& options) {
  if (!options.interpreted) return {};
  if (!options.library.empty())
    return fail(Code::UsageInvalid, "nothing is compiled", "--interpreted", "leave --library out");
  constexpr const char* hint = "leave it out, or --interpreted";
  TRY_VOID(refuse_switches(options.model, graph_switches, "what is interpreted as it is", hint));
  TRY_VOID(refuse_switches(options.model, plan_switches, "what is interpreted as it is", hint));
  TRY_VOID(refuse_switches(options.model, schedule_switches, "what is interpreted as it is", hint));
  return refuse_switches(options.model, machine_code_switches, "what is interpreted as it is",
                         hint);
}

Result<Exit> run(const RunCommandOptions& options) {
  TRY_VOID(check(options));
  ModelOptions how = options.model;
  how.known_inputs = TRY(read_given(options));
  how.seed = options.inputs.seed;
  how.gives_counted = true;
  const auto session = TRY(open_session(how));
  std::optional<MemoryLimit> limit;
  if (!options.interpreted) limit = TRY(judge_memory_limit(*session, options.model));
  const Exit kept = note(limit);
  const auto model = TRY(session->model());
  std::vector<Tensor> expected;
  if (!options.expect.empty()) {
    TRY_VOID(check_given(how.known_inputs, model->graph, options.expect));
    expected = TRY(read_test_outputs(options.expect));
  }
  Computed computed = TRY(compute(options, how.known_inputs, *session, model->graph));
  TRY_VOID(check_counted(*model, computed.outputs));
  const std::vector<Tensor>& outputs = computed.outputs;
  if (!options.save.empty()) TRY_VOID(save(computed, options, *model));

  Json rows = Json::array();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const graph::Value& value = model->graph.value(model->graph.outputs()[i]);
    const TensorSummary summary = summarise(outputs[i]);
    rows.push_back(to_json(value, summary));
    if (options.json) continue;
    if (outputs[i].elements() == 0) {
      fmt::print("{}: {}  empty\n", value.name, to_string(value.type));
      continue;
    }
    fmt::print("{}: {}  min {:.6g}  max {:.6g}  mean {:.6g}\n", value.name, to_string(value.type),
               summary.minimum, summary.maximum, summary.mean);
    if (summary.not_finite > 0)
      fmt::print("  {} elements are infinite or not numbers\n", summary.not_finite);
    fmt::print("  {:.6g}{}\n", fmt::join(summary.first, ", "),
               outputs[i].elements() > 8 ? ", ..." : "");
  }
  Result<double> same = 0;
  if (!options.expect.empty()) same = compare_outputs(outputs, expected, model->graph);
  if (options.json) {
    const kernel::CodeStore::Counts code = session->code_counts();
    Json json{{"threads", computed.threads},
              {"compiled", code.compiled},
              {"from_cache", code.from_cache},
              {"outputs", rows}};
    if (!options.expect.empty())
      json.update({{"matches", same.has_value()},
                   {"mismatch", same ? Json() : Json(same.error().what)},
                   {"tolerance",
                    {{"relative", relative_tolerance},
                     {"absolute", absolute_tolerance},
                     {"used", same ? Json(*same) : Json()}}}});
    if (computed.by_library) json["library"] = to_json(*computed.by_library, *TRY(session->plan()));
    if (limit) json["memory_limit"] = to_json(*limit);
    print_json(Schema::Run, session->model_name(), json);
  } else if (!options.expect.empty() && same) {
    fmt::print(
        "all outputs are as expected: within {:g} of each number and {:g}, of which the "
        "worst takes {:.2g} %\n",
        relative_tolerance, absolute_tolerance, 100 * *same);
  }
  if (same) return kept;
  fmt::print(stderr, "{}\n", to_string(same.error()));
  return Exit::Bad;
}

}  // namespace

void add_run(Command app, Action& chosen) {
  const auto [command, options] =
      declare<RunCommandOptions>(app, chosen, "run", "compiles a model and runs it", run);
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  add_library(command, options->library);
  const Option seed = add_inputs(command, options->inputs);
  command
      .add_option("--expect", options->expect,
                  "a test_data_set folder (.pb or .npy): takes its inputs, compares its outputs")
      .type_name("DIR")
      .excludes(seed);
  const Option save =
      command
          .add_option("--save", options->save,
                      "writes inputs and outputs into this folder, as a test_data_set that "
                      "--expect reads")
          .check(not_blank())
          .type_name("DIR");
  command.add_flag("--npy", options->npy, "writes them as NumPy keeps them (.npy)").needs(save);
  const Option threads = command.add_option("--threads", options->threads, "threads to run on")
                             .check(whole_number(1, 1024))
                             .capture_default_str();
  command
      .add_flag("--interpreted", options->interpreted,
                "by the reference interpreter, without compiling, on one thread")
      .excludes(threads);
}

}  // namespace loopglass::app

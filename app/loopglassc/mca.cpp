// loopglassc mca: a kernel's innermost loop on LLVM's model of a processor, as llvm-mca has it.
#include "app/common/calibration.h"
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/schedule_options.h"
#include "app/common/table.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/known_roofs.h"
#include "core/codegen/kernel_listings.h"
#include "core/codegen/pipeline_model.h"
#include "core/loop/text.h"
#include "core/network_roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using codegen::ModelledInstruction;
using codegen::PipelineModel;

struct McaOptions {
  ModelOptions model;
  std::string kernel, processor;
  bool timeline = false;
  bool json = false;
};

std::string trimmed(const std::string& line) {
  const std::string code = line.substr(0, line.find('#'));
  const std::size_t begin = code.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  std::string text = code.substr(begin, code.find_last_not_of(" \t") - begin + 1);
  std::ranges::replace(text, '\t', ' ');
  return text;
}

// Whose model is taken where nobody asks for one: that which roofline takes.
struct ProcessorModel {
  std::string processor;  // empty: this one, as LLVM calls it
  std::string_view reason = "asked", words = "which was asked for";
};

ProcessorModel choose(Session& session, const std::string& asked,
                      std::optional<roofline::Roofs>& roofs) {
  if (!asked.empty()) {
    roofs = kept_roofs(1);
    return {asked};
  }
  if (auto known = known_roofs(session, 1)) roofs = *std::move(known);
  else fmt::print(stderr, "note: no roofs are known: {}\n", known.error().what);
  std::string fitting = roofs ? fitting_model(session.toolchain(), *roofs) : "";
  if (fitting.empty())
    return {"", "this_processor", "which is LLVM's of this one, with nothing measured beside it"};
  return {std::move(fitting), "fits_measurements",
          "of all models the one that foretells best what multiply-adds take here"};
}

// By what the kernel takes by itself on one thread; nullopt: it is not run here as it is listed.
std::optional<double> measured_cycles(Session& session, const KernelStages& stages,
                                      const codegen::SourceLines& assembly,
                                      const roofline::Roofs& roofs) {
  const Machine& machine = session.toolchain().machine;
  const auto asked = roofline_question(stages, machine, 1);
  measure::Request request{loop::to_text(asked.initial)};
  request.script = asked.script;
  request.machine = machine;
  request.symbols = asked.symbols;
  request.budget_milliseconds = 30;
  measure::WorkerPool workers(own_worker());
  const auto answer = workers.ask(request);
  if (!answer) return std::nullopt;
  const auto traffic = roofline::traffic_of(asked.lowered, asked.initial, asked.symbols, machine);
  return roofline::measured_cycles(assembly, traffic, answer->time.minimum_ms, roofs);
}

// What most of a loop's iteration waits for.
std::string words_of(const PipelineModel& model) {
  const auto busiest = std::ranges::max_element(model.pressure);
  if (busiest == model.pressure.end()) return "no port is used";
  const auto port = static_cast<std::size_t>(busiest - model.pressure.begin());
  return fmt::format(
      "{} is busy for {:.1f} of {:.1f} cycles; something waits for a port in {:.0f} % of the "
      "cycles, for a result in {:.0f} %",
      model.ports[port], *busiest, model.cycles, 100 * model.waiting_for_ports,
      100 * model.waiting_for_results);
}

void print_ports(const PipelineModel& model, const codegen::SourceLines& assembly) {
  std::vector<Column> columns{Column::name("instruction"), Column::number("ops"),
                              Column::number("latency")};
  for (const std::string& port : model.ports) columns.push_back(Column::number(port));
  Table table(std::move(columns));
  const auto add = [&](std::vector<Cell> row, const std::vector<double>& pressure) {
    for (const double part : pressure)
      row.emplace_back(part < 0.005 ? "-" : fmt::format("{:.2f}", part));
    table.add(std::move(row));
  };
  for (const ModelledInstruction& each : model.instructions)
    add({trimmed(assembly[each.line].text), each.micro_operations, each.latency}, each.pressure);
  add({"in an iteration", "", ""}, model.pressure);
  fmt::print("\n");
  table.print();
}

// D handed out, = waiting, e at work, E done, - waiting for those before it, R retired.
std::string line_of(const ModelledInstruction::Moments& at) {
  std::string line(static_cast<std::size_t>(at.retired) + 1, ' ');
  const auto fill = [&](int from, int to, char mark) {
    for (int cycle = from; cycle < to; ++cycle) line[static_cast<std::size_t>(cycle)] = mark;
  };
  fill(at.dispatched, at.issued, '=');
  fill(at.issued, at.executed, 'e');
  fill(at.executed, at.retired, '-');
  line[static_cast<std::size_t>(at.dispatched)] = 'D';
  if (at.executed > at.dispatched) line[static_cast<std::size_t>(at.executed)] = 'E';
  line[static_cast<std::size_t>(at.retired)] = 'R';
  return line;
}

void print_timeline(const PipelineModel& model, const codegen::SourceLines& assembly) {
  fmt::print(
      "\ncycle by cycle: D handed out, = waiting, e at work, E done, - waiting to retire in "
      "its turn, R retired\n");
  std::size_t width = 0;
  for (const ModelledInstruction& each : model.instructions)
    for (const auto& moments : each.timeline)
      width = std::max(width, static_cast<std::size_t>(moments.retired) + 1);
  const std::size_t iterations = model.instructions.front().timeline.size();
  for (std::size_t iteration = 0; iteration < iterations; ++iteration)
    for (std::size_t i = 0; i < model.instructions.size(); ++i)
      fmt::print("{:>7}  {:<{}}  {}\n", fmt::format("{}.{}", iteration, i),
                 line_of(model.instructions[i].timeline[iteration]), width,
                 trimmed(assembly[model.instructions[i].line].text));
}

Json to_json(const PipelineModel& model, const codegen::SourceLines& assembly,
             const std::string& kernel, const ProcessorModel& choice,
             std::optional<double> measured) {
  Json json{{"kernel", kernel},
            {"processor", model.processor},
            {"processor_reason", choice.reason},
            {"first_line", model.loop.first + 1},
            {"last_line", model.loop.last + 1},
            {"cycles", model.cycles},
            {"measured_cycles", measured ? Json(*measured) : Json()},
            {"waiting_for_ports", model.waiting_for_ports},
            {"waiting_for_results", model.waiting_for_results},
            {"ports", model.ports},
            {"pressure", model.pressure}};
  json["instructions"] = Json::array();
  for (const ModelledInstruction& each : model.instructions) {
    Json timeline = Json::array();
    for (const auto& moments : each.timeline)
      timeline.push_back({{"dispatched", moments.dispatched},
                          {"issued", moments.issued},
                          {"executed", moments.executed},
                          {"retired", moments.retired}});
    json["instructions"].push_back({{"line", each.line + 1},
                                    {"text", trimmed(assembly[each.line].text)},
                                    {"loop_line", assembly[each.line].loop_line},
                                    {"micro_operations", each.micro_operations},
                                    {"latency", each.latency},
                                    {"pressure", each.pressure},
                                    {"timeline", std::move(timeline)}});
  }
  return json;
}

Result<Exit> show(const McaOptions& options) {
  if (options.json && options.timeline)
    return fail(Code::UsageInvalid, "--json has the timeline", "--timeline", "leave it out");
  const auto session = TRY(open_session(options.model));
  const fusion::Group* group = TRY(choose_kernel(*session, options.kernel, "--kernel"));
  const auto listings = TRY(session->listings(group->id));
  const codegen::SourceLines& assembly = listings->assembly();
  const auto loop = codegen::main_loop(assembly);
  if (!loop)
    return fail(Code::CodegenUnsupported, "its machine code has no loop", group->name,
                "what runs once waits for nothing that could be foreseen");
  std::optional<roofline::Roofs> roofs;
  const ProcessorModel choice = choose(*session, options.processor, roofs);
  auto modelled = model_pipeline(assembly, *loop, choice.processor);
  // A processor that LLVM does not know is a word of the command line.
  if (!modelled && !options.processor.empty() && modelled.error().where == options.processor)
    modelled.error().code = Code::UsageInvalid;
  const PipelineModel model = TRY(std::move(modelled));
  // Other machine code than the listed one says nothing about it.
  std::optional<double> measured;
  if (roofs && options.model.disabled_llvm_passes.empty())
    measured = measured_cycles(*session, *TRY(session->kernel(group->id)), assembly, *roofs);
  if (options.json) {
    print_json(Schema::Mca, session->model_name(),
               to_json(model, assembly, group->name, choice, measured));
    return Exit::Good;
  }
  fmt::print(
      "{}, lines {} to {} of its assembly on the model of {}: {:.1f} cycles an iteration{}\n{}\n",
      group->name, loop->first + 1, loop->last + 1, model.processor, model.cycles,
      measured ? fmt::format(", {:.1f} as measured, with what is outside of it", *measured) : "",
      words_of(model));
  fmt::print("(the model of {}, {})\n", model.processor, choice.words);
  const std::size_t others = codegen::innermost_loops(assembly).size() - 1;
  if (others > 0)
    fmt::print("(of {} innermost loops that with the most multiply-adds)\n", others + 1);
  print_ports(model, assembly);
  if (options.timeline) print_timeline(model, assembly);
  return Exit::Good;
}

}  // namespace

void add_mca(Command app, Action& chosen) {
  const auto [command, options] = declare<McaOptions>(
      app, chosen, "mca",
      "runs a kernel's innermost loop through LLVM's model of a processor (llvm-mca)", show,
      "as JSON: cycles of an iteration, ports, and of each instruction pressure and timeline");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  command.add_option("--kernel", options->kernel, "which, by name or number")
      .check(not_blank())
      .type_name("NAME");
  command
      .add_option("--processor", options->processor,
                  "whose model, as LLVM calls it: znver4, skylake-avx512 (default: that which "
                  "foretells best what multiply-adds take here, as in roofline)")
      .check(not_blank())
      .type_name("NAME");
  command.add_flag("--timeline", options->timeline,
                   "what becomes of each instruction in each cycle of the first iterations");
}

}  // namespace loopglass::app

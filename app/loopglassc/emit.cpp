// loopglassc emit: any stage of the compiler as text or JSON. Graph stages print the model; the
// others print every kernel, or the one asked for.
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/place.h"
#include "app/common/remarks.h"
#include "app/common/schedule_options.h"
#include "app/loopglassc/declare.h"
#include "core/codegen/kernel_listings.h"
#include "core/fusion/layer_words.h"
#include "core/graph/text.h"
#include "core/pass/position.h"
#include "core/te/parse.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string stage, kernel, step;
  ModelOptions model;
  bool post = false, json = false;
};

// What one kernel has to show at a stage: the states it went through, of which one is printed.
struct Line {
  std::string text;
  int loop_line = 0;
};
struct Shown {
  std::string title;
  std::vector<Line> lines;
  std::vector<std::string> steps = {};     // of LLVM's passes: all that one may ask for
  std::vector<pass::Remark> remarks = {};  // of the steps that led there
  codegen::LlvmRemarks llvm_remarks = {};  // of the lines, by their number
};
// `place`: among the stage's steps; empty: the last of them.
using KernelPrinter = Result<Shown> (*)(Session&, fusion::GroupId, const std::string& place);

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({text.substr(at, end - at), 0});
    at = end + 1;
  }
  return lines;
}

std::vector<Line> lines_of(const std::vector<codegen::SourceLine>& source) {
  std::vector<Line> lines;
  for (const codegen::SourceLine& line : source) lines.push_back({line.text, line.loop_line});
  return lines;
}

// With what its symbols stand for, and which inputs are constant.
te::Parsed text_of(const fusion::KernelProgram& kernel) {
  te::Parsed text{kernel.program, {}, {}, {}};
  for (std::size_t i = 0; i < kernel.input_is_constant.size(); ++i)
    if (kernel.input_is_constant[i]) text.constants.push_back(kernel.program.inputs[i].name);
  for (std::size_t k = 0; k < kernel.extents.size(); ++k)
    text.defaults.emplace(kernel.program.symbols[k], kernel.extents[k]);
  return text;
}

Result<Shown> show_te(Session& session, fusion::GroupId group, const std::string&) {
  const auto kernel = TRY(session.kernel(group));
  if (kernel->program.nest)
    return fail(Code::UsageInvalid,
                "the kernel was written as a loop nest, not as tensor expressions", "te",
                "emit loops shows the nest");
  return Shown{"tensor expressions", lines_of(te::to_text(text_of(kernel->program)))};
}

Result<Shown> show_schedule(Session& session, fusion::GroupId group, const std::string&) {
  const auto kernel = TRY(session.kernel(group));
  return Shown{"schedule", lines_of(schedule::to_script(kernel->trace))};
}

Result<Shown> show_loops(Session& session, fusion::GroupId group, const std::string& place) {
  const auto kernel = TRY(session.kernel(group));
  const std::size_t step = TRY(choose_step(place, schedule_steps(*kernel), "--step"));
  if (step == 0) return Shown{"loop nest 0: initial", lines_of(loop::to_text(kernel->initial))};
  const schedule::ScheduleStep& shown = kernel->schedule[step - 1];
  return Shown{fmt::format("loop nest {}: {}", step, schedule::to_script(shown.instruction)),
               lines_of(loop::to_text(shown.func))};
}

Result<Shown> show_lowered(Session& session, fusion::GroupId group, const std::string& place) {
  const auto kernel = TRY(session.kernel(group));
  std::vector<std::string> names;
  for (const auto& made : kernel->lowering.steps) names.push_back(made.pass.name);
  const std::size_t step = TRY(choose_step(place, names, "--step"));
  Shown shown{fmt::format("lowered {}: {}", step, kernel->lowering.steps[step].pass.name),
              lines_of(loop::to_text(kernel->lowering.at(step)))};
  for (std::size_t i = 0; i <= step; ++i)
    for (const pass::Remark& remark : kernel->lowering.steps[i].remarks)
      shown.remarks.push_back(remark);
  return shown;
}

Result<Shown> show_llvm(Session& session, fusion::GroupId group, const std::string& place) {
  const auto listings = TRY(session.listings(group));
  const std::size_t step = TRY(choose_step(place, listings->llvm_steps(), "--step"));
  const auto text = TRY(listings->llvm(step));
  const auto& steps = listings->llvm_steps();
  return Shown{fmt::format("LLVM IR {}: {}", step, steps[step]), lines_of(*text), steps};
}

Result<Shown> show_machine(Session& session, fusion::GroupId group, const std::string& place) {
  const auto listings = TRY(session.listings(group));
  const std::size_t step = TRY(choose_step(place, listings->machine_steps(), "--step"));
  const auto text = TRY(listings->machine(step));
  const auto& steps = listings->machine_steps();
  return Shown{fmt::format("code generation {}: {}", step, steps[step]), lines_of(*text), steps};
}

Result<Shown> show_remarks(Session& session, fusion::GroupId group, const std::string&) {
  const auto listings = TRY(session.listings(group));
  Shown shown{"what LLVM's passes say of its loop nest", lines_of(listings->loops().text())};
  for (std::size_t i = 0; i < shown.lines.size(); ++i)
    shown.lines[i].loop_line = static_cast<int>(i) + 1;
  shown.llvm_remarks = listings->remarks();
  return shown;
}

Result<Shown> show_assembly(Session& session, fusion::GroupId group, const std::string&) {
  const auto listings = TRY(session.listings(group));
  return Shown{"assembly", lines_of(listings->assembly())};
}

const std::map<std::string, KernelPrinter>& kernel_stages() {
  static const std::map<std::string, KernelPrinter> stages{
      {"te", show_te},           {"schedule", show_schedule}, {"loops", show_loops},
      {"lowered", show_lowered}, {"llvm", show_llvm},         {"machine", show_machine},
      {"remarks", show_remarks}, {"asm", show_assembly}};
  return stages;
}

// "// steps: 0 emitted; 1 sroa; 2 early-cse": some have names of several passes.
void print_steps(const std::vector<std::string>& steps) {
  for (std::size_t step = 0; step < steps.size(); ++step)
    fmt::print("{}{} {}", step == 0 ? "// steps: " : "; ", step, steps[step]);
  if (!steps.empty()) fmt::print("\n");
}

// Each line with what is said of it below; what is said of none comes first.
void print_lines(const Shown& shown) {
  auto said = shown.llvm_remarks.begin();
  const auto print_remarks_to = [&](int line, const std::string& indent) {
    for (; said != shown.llvm_remarks.end() && said->loop_line <= line; ++said)
      fmt::print("{}// {}\n", indent, to_text(*said));
  };
  print_remarks_to(0, "");
  std::size_t indent = 0;
  bool is_continued = false;
  for (const Line& line : shown.lines) {
    fmt::print("{}\n", line.text);
    if (!is_continued) indent = std::min(line.text.find_first_not_of(' '), line.text.size());
    // A signature of several lines is not cut by what is said of it.
    is_continued = line.text.ends_with('(') || line.text.ends_with(',');
    if (!is_continued) print_remarks_to(line.loop_line, std::string(indent, ' '));
  }
}

Result<Exit> emit_kernels(Session& session, const Options& options, KernelPrinter print) {
  const auto plan = TRY(session.plan());
  const auto graph = TRY(session.graph());
  Json rows = Json::array();
  for (const fusion::Group* group : TRY(choose_kernels(*plan, options.kernel))) {
    auto printed = print(session, group->id, options.step);
    // Of all kernels those that there are; the one that was asked for must be there.
    if (!printed && options.kernel.empty() && is_unsupported(printed.error().code)) {
      if (options.json)
        rows.push_back({{"kernel", group->name}, {"missing", printed.error().what}});
      else
        fmt::print("// {}, none: {}: {}\n\n", group->name, code_name(printed.error().code),
                   printed.error().what);
      continue;
    }
    const Shown shown = TRY(std::move(printed));
    if (!options.json) {
      fmt::print("// {} ({}), {}\n", group->name, fusion::layer_words(*group, *graph), shown.title);
      print_steps(shown.steps);
      for (const pass::Remark& remark : shown.remarks) fmt::print("// {}\n", to_text(remark));
      print_lines(shown);
      fmt::print("\n");
      continue;
    }
    Json lines = Json::array();
    for (const Line& line : shown.lines)
      lines.push_back({{"text", line.text}, {"loop_line", line.loop_line}});
    Json remarks = Json::array();
    for (const pass::Remark& remark : shown.remarks) remarks.push_back(remark_json<Json>(remark));
    for (const codegen::LlvmRemark& remark : shown.llvm_remarks) {
      remarks.push_back(remark_json<Json>(remark.remark));
      remarks.back().update(
          {{"pass", remark.pass}, {"loop_line", remark.loop_line}, {"times", remark.times}});
    }
    rows.push_back({{"kernel", group->name},
                    {"layer", fusion::layer_words(*group, *graph)},
                    {"title", shown.title},
                    {"lines", std::move(lines)},
                    {"steps", shown.steps},
                    {"remarks", std::move(remarks)}});
  }
  if (options.json) print_json(rows);
  return Exit::Good;
}

// JSON forms come without a last newline, text forms with one.
void print_whole(const std::string& text) {
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
}

Result<std::shared_ptr<const graph::Graph>> graph_at(Session& session, const std::string& place) {
  const auto history = TRY(session.graph_history());
  const pass::Position position =
      TRY(pass::parse_position(place.empty() ? "last" : place, *history));
  return session.graph_at(position.step, position.rewrites);
}

Result<Exit> emit_graph(Session& session, const Options& options) {
  const auto graph = TRY(graph_at(session, options.step));
  print_whole(options.json ? graph::to_json(*graph) : graph::to_text(*graph));
  return Exit::Good;
}

Result<Exit> emit_dominators(Session& session, const Options& options) {
  const auto graph = TRY(graph_at(session, options.step));
  const graph::DominatorTree tree(
      *graph, options.post ? graph::Direction::PostDominators : graph::Direction::Dominators);
  print_whole(options.json ? graph::to_json(tree, *graph) : graph::to_text(tree, *graph));
  return Exit::Good;
}

Result<Exit> emit_fusion(Session& session, const Options& options) {
  if (options.json)
    return fail(Code::UsageInvalid, "fusion as JSON is what 'loopglassc fuse --json' prints",
                "--json", "loopglassc fuse MODEL --json");
  fmt::print("{}", fusion::to_text(*TRY(session.plan()), *TRY(session.graph())));
  return Exit::Good;
}

// What an option asks for has to be something that the stage has.
Result<void> check(const Options& options) {
  const std::string& stage = options.stage;
  const bool is_graph = stage == "graph" || stage == "domtree";
  const bool has_steps =
      is_graph || stage == "loops" || stage == "lowered" || stage == "llvm" || stage == "machine";
  for (const auto& [name, is_given, of] :
       {std::tuple("--step", !options.step.empty() && !has_steps,
                   "graph, domtree, loops, lowered, llvm, machine"),
        {"--kernel", !options.kernel.empty() && (is_graph || stage == "fusion"),
         "te and later stages"},
        {"--post", options.post && stage != "domtree", "domtree"}})
    if (is_given)
      return fail(Code::UsageInvalid, fmt::format("{} says nothing about '{}'", name, stage), name,
                  fmt::format("it is for {}", of));
  if (stage != "llvm" && stage != "machine" && stage != "remarks" && stage != "asm")
    TRY_VOID(refuse_switches(options.model, machine_code_switches, fmt::format("'{}'", stage),
                             "it is for llvm, machine, remarks and asm"));
  if (is_graph || stage == "fusion" || stage == "te")
    TRY_VOID(refuse_switches(options.model, schedule_switches, fmt::format("'{}'", stage),
                             "it is for schedule, loops and later stages"));
  if (!is_graph) return {};
  return refuse_switches(options.model, plan_switches, fmt::format("'{}'", stage),
                         "it is for fusion, te and later stages");
}

Result<Exit> emit(const Options& options) {
  TRY_VOID(check(options));
  const auto session = TRY(open_session(options.model));
  if (options.stage == "graph") return emit_graph(*session, options);
  if (options.stage == "domtree") return emit_dominators(*session, options);
  if (options.stage == "fusion") return emit_fusion(*session, options);
  return emit_kernels(*session, options, kernel_stages().at(options.stage));
}

}  // namespace

void add_emit(Command app, Action& chosen) {
  const auto [command, options] = declare<Options>(
      app, chosen, "emit", "prints any stage between the model and the machine code", emit);
  std::vector<std::string> stages{"graph", "domtree", "fusion"};
  for (const auto& [stage, printer] : kernel_stages()) stages.push_back(stage);
  command.add_option("stage", options->stage, "which representation")
      .required()
      .check(one_of(stages))
      .type_name("STAGE");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  add_place(command, "--step", options->step,
            "after this step of the stage, by number or name, and for graph and domtree in its "
            "middle; loops, lowered, llvm, machine: of the steps that each of them prints");
  command
      .add_option("--kernel", options->kernel, "one kernel, by name or number; te and later stages")
      .check(not_blank())
      .type_name("NAME");
  command.add_flag("--post", options->post, "domtree: post-dominators");
}

}  // namespace loopglass::app

// loopglassc emit: any stage of the compiler as text or JSON. Graph stages print the model; the
// others print every kernel, or the one asked for.
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/operator_choice.h"
#include "app/common/place.h"
#include "app/common/remarks.h"
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/emit_lines.h"
#include "app/loopglassc/fuse_views.h"
#include "core/fusion/layer_words.h"
#include "core/graph/text.h"
#include "core/pass/position.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct EmitOptions {
  std::string stage, kernel, step, of;
  ModelOptions model;
  bool post = false, annotate = false, hot = false, every_step = false, json = false;
};

// What is printed of one kernel.
struct Asked {
  const graph::Graph& graph;
  const fusion::Group& group;
  const Emitted& shown;
  const EmitView& view;
};

// "// steps: 0 emitted; 1 sroa; 2 early-cse": some have names of several passes.
void print_steps(const std::vector<std::string>& steps) {
  for (std::size_t step = 0; step < steps.size(); ++step)
    fmt::print("{}{} {}", step == 0 ? "// steps: " : "; ", step, steps[step]);
  if (!steps.empty()) fmt::print("\n");
}

void print(const Asked& asked) {
  fmt::print("// {} ({}), {}\n", asked.group.name, fusion::layer_words(asked.group, asked.graph),
             asked.shown.title);
  print_steps(asked.shown.steps);
  for (const pass::Remark& remark : asked.shown.remarks) fmt::print("// {}\n", to_text(remark));
  print_lines(asked.shown, asked.graph, asked.view);
  fmt::print("\n");
}

Json to_json(const Asked& asked) {
  Json json{{"name", asked.group.name},
            {"layer", fusion::layer_words(asked.group, asked.graph)},
            {"title", asked.shown.title},
            {"lines", lines_json(asked.shown, asked.graph, asked.view)},
            {"steps", asked.shown.steps}};
  json["remarks"] = Json::array();
  for (const pass::Remark& remark : asked.shown.remarks)
    json["remarks"].push_back(remark_json<Json>(remark));
  for (const codegen::LlvmRemark& remark : asked.shown.llvm_remarks) {
    json["remarks"].push_back(remark_json<Json>(remark.remark));
    json["remarks"].back().update(
        {{"pass", remark.pass}, {"loop_line", remark.loop_line}, {"times", remark.times}});
  }
  if (asked.view.hot) json["hot"] = hot_json(asked.shown, asked.graph, *asked.view.hot);
  return json;
}

// Those that hold the operators, of those that --kernel names.
Result<std::vector<const fusion::Group*>> kernels_of(Session& session, const EmitOptions& options,
                                                     const std::vector<graph::NodeId>& operators) {
  std::vector<const fusion::Group*> chosen = TRY(choose_kernels(session, options.kernel));
  if (options.of.empty()) return chosen;
  std::erase_if(chosen, [&](const fusion::Group* group) {
    return std::ranges::none_of(operators, [&](graph::NodeId id) {
      return std::ranges::find(group->nodes, id) != group->nodes.end();
    });
  });
  if (chosen.empty())
    return fail(Code::GraphEntityUnknown,
                fmt::format("'{}' is not in kernel '{}'", options.of, options.kernel), "--of",
                "without --kernel it is looked for");
  return chosen;
}

// The places among the stage's steps that are printed of one kernel.
std::vector<std::string> places_of(Session& session, fusion::GroupId group,
                                   const EmitOptions& options) {
  const auto kernel = options.every_step ? session.kernel(group) : nullptr;
  if (!kernel || !*kernel) return {options.step};  // the stage says why
  const std::size_t last =
      options.stage == "loops" ? (*kernel)->schedule.size() : (*kernel)->lowering.steps.size() - 1;
  std::vector<std::string> places;
  for (std::size_t step = 0; step <= last; ++step) places.push_back(std::to_string(step));
  return places;
}

Result<Exit> emit_kernels(Session& session, const EmitOptions& options, KernelStage stage) {
  const auto graph = TRY(session.graph());
  EmitView view;
  view.annotate = options.annotate || options.hot || !options.of.empty();
  if (!options.of.empty()) {
    ChosenOperator chosen = TRY(choose_operator(session, options.of, "--of"));
    if (!chosen.became.empty()) fmt::print(stderr, "note: {}\n", chosen.became);
    view.of = std::move(chosen.nodes);
  }
  const auto groups = TRY(kernels_of(session, options, view.of));
  if (options.hot && groups.size() != 1)
    return fail(Code::UsageInvalid,
                fmt::format("one kernel is looked at, and there are {}", groups.size()), "--hot",
                "name it with --kernel; 'loopglassc bench' lists the slowest with their numbers");
  Json rows = Json::array();
  StatusLine status;
  for (std::size_t done = 0; done < groups.size(); ++done) {
    const fusion::Group* group = groups[done];
    status.update(fmt::format("{} of {}", options.stage, group->name),
                  static_cast<double>(done) / static_cast<double>(groups.size()));
    for (const std::string& place : places_of(session, group->id, options)) {
      auto emitted = stage(session, group->id, place);
      // Of all kernels those that there are; the one that was asked for must be there.
      if (!emitted && groups.size() > 1 && is_unsupported(emitted.error().code)) {
        if (options.json) {
          rows.push_back({{"name", group->name}, {"missing", emitted.error().what}});
          continue;
        }
        status.end();
        fmt::print("// {}, none: {}: {}\n\n", group->name, code_name(emitted.error().code),
                   emitted.error().what);
        continue;
      }
      const Emitted shown = TRY(std::move(emitted));
      std::optional<HotCode> hot;
      if (options.hot) {
        status.update(fmt::format("looking where {} is while it runs", group->name), -1);
        hot = TRY(profile_of(session, group->id));
      }
      view.hot = hot ? &*hot : nullptr;
      const Asked asked{*graph, *group, shown, view};
      if (options.json) {
        rows.push_back(to_json(asked));
      } else {
        status.end();
        print(asked);
      }
    }
  }
  status.end();
  if (options.json)
    print_json(Schema::Emit, session.model_name(),
               Json{{"stage", options.stage}, {"kernels", std::move(rows)}});
  return Exit::Good;
}

Exit print_graph(Schema schema, const std::string& model, const pass::Position& position,
                 const std::string& form) {
  Json json{
      {"step", position.step},
      {"rewrites", position.rewrites == pass::Report::all ? Json() : Json(position.rewrites)}};
  json.update(Json::parse(form));
  print_json(schema, model, json);
  return Exit::Good;
}

// A graph of the history, and where in it.
struct Shown {
  pass::Position position;
  std::shared_ptr<const graph::Graph> graph;
};
Result<Shown> graph_at(Session& session, const std::string& place) {
  const auto history = TRY(session.graph_history());
  const pass::Position position =
      TRY(pass::parse_position(place.empty() ? "last" : place, *history));
  const auto graph = TRY(session.graph_at(position.step, position.rewrites));
  return Shown{position, graph};
}

Result<Exit> emit_graph(Session& session, const EmitOptions& options) {
  const auto [position, graph] = TRY(graph_at(session, options.step));
  if (options.json)
    return print_graph(Schema::EmitGraph, session.model_name(), position, graph::to_json(*graph));
  fmt::print("{}", graph::to_text(*graph));
  return Exit::Good;
}

Result<Exit> emit_dominators(Session& session, const EmitOptions& options) {
  const auto [position, graph] = TRY(graph_at(session, options.step));
  const graph::DominatorTree tree(
      *graph, options.post ? graph::Direction::PostDominators : graph::Direction::Dominators);
  if (options.json)
    return print_graph(Schema::EmitDomtree, session.model_name(), position,
                       graph::to_json(tree, *graph));
  fmt::print("{}", graph::to_text(tree, *graph));
  return Exit::Good;
}

Result<Exit> emit_fusion(Session& session, const EmitOptions& options) {
  if (options.json) {
    FuseOptions groups;
    groups.json = true;
    return show_plan(groups, session);
  }
  fmt::print("{}", fusion::to_text(*TRY(session.plan()), *TRY(session.graph())));
  return Exit::Good;
}

// What an option asks for has to be something that the stage has.
Result<void> check(const EmitOptions& options) {
  const std::string& stage = options.stage;
  const bool is_graph = stage == "graph" || stage == "domtree";
  const bool has_steps =
      is_graph || stage == "loops" || stage == "lowered" || stage == "llvm" || stage == "machine";
  constexpr const char* stages_with_origins = "loops, lowered, llvm, machine, asm";
  const bool has_origins = (has_steps && !is_graph) || stage == "asm";
  if (options.annotate && options.of.size() + options.hot > 0)
    return fail(Code::UsageInvalid,
                fmt::format("{} annotates anyway", options.hot ? "--hot" : "--of"), "--annotate",
                "leave it out");
  for (const auto& [name, is_given, of] :
       {std::tuple("--step", !options.step.empty() && !has_steps,
                   "graph, domtree, loops, lowered, llvm, machine"),
        {"--step", !options.step.empty() && options.hot, "states that do not run"},
        {"--every-step", options.every_step && options.hot, "states that do not run"},
        {"--every-step", options.every_step && stage != "loops" && stage != "lowered",
         "loops, lowered"},
        {"--kernel", !options.kernel.empty() && (is_graph || stage == "fusion"),
         "te and later stages"},
        {"--post", options.post && stage != "domtree", "domtree"},
        {"--annotate", options.annotate && !has_origins, stages_with_origins},
        {"--of", !options.of.empty() && !has_origins, stages_with_origins},
        {"--hot", options.hot && stage != "lowered" && stage != "asm", "lowered, asm"}})
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

Result<Exit> emit(const EmitOptions& options) {
  TRY_VOID(check(options));
  const auto session = TRY(open_session(options.model));
  if (options.stage == "graph") return emit_graph(*session, options);
  if (options.stage == "domtree") return emit_dominators(*session, options);
  if (options.stage == "fusion") return emit_fusion(*session, options);
  return emit_kernels(*session, options, kernel_stages().at(options.stage));
}

}  // namespace

void add_emit(Command app, Action& chosen) {
  const auto [command, options] = declare<EmitOptions>(
      app, chosen, "emit", "prints any stage between the model and the machine code", emit);
  std::vector<std::string> stages{"graph", "domtree", "fusion"};
  for (const auto& [stage, show] : kernel_stages()) stages.push_back(stage);
  command.add_option("stage", options->stage, "which representation")
      .required()
      .check(one_of(stages))
      .type_name("STAGE");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  const Option step =
      add_place(command, "--step", options->step,
                "after this step of the stage, by number or name, and for graph and domtree in its "
                "middle; loops, lowered, llvm, machine: of the steps that each of them prints");
  command
      .add_option("--kernel", options->kernel, "one kernel, by name or number; te and later stages")
      .check(not_blank())
      .type_name("NAME");
  command.add_flag("--annotate", options->annotate,
                   "beside each line that of the loop nest it came from, and its operators; loops, "
                   "lowered, llvm, machine, asm");
  command
      .add_option("--of", options->of,
                  "only lines of this operator, in the kernel that has it; as --annotate")
      .check(not_blank())
      .type_name("OPERATOR");
  command.add_flag("--hot", options->hot,
                   "where a kernel's time goes, by looking where it is while it runs: of asm the "
                   "loops and instructions that take it, of lowered the share of each line");
  command
      .add_flag("--every-step", options->every_step,
                "after every step, from the first: of loops the lines of the schedule, of lowered "
                "the loop passes")
      .excludes(step);
  command.add_flag("--post", options->post, "domtree: post-dominators");
}

}  // namespace loopglass::app

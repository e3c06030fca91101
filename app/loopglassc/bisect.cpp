// loopglassc bisect: the first rewrite that makes a network's results differ, or makes it slower;
// with --llvm, the pass of LLVM after which a kernel's speed changes most.
#include "core/debug/bisect.h"
#include "app/common/numbers.h"
#include "app/common/place.h"
#include "app/common/status_line.h"
#include "app/loopglassc/bisect_llvm.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/inputs.h"
#include "core/support/counted.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct BisectCommandOptions {
  ModelOptions model;
  EvaluationOptions evaluation;
  std::string good = "input", bad = "last", by = "values";
  double factor = 0;  // 0: not said
  std::optional<int> rounds;
  bool thorough = false, json = false;
  bool llvm = false;
  std::string kernel;  // with --llvm
};

Json to_json(const debug::Verdict& verdict) {
  Json json{{"bad", verdict.bad}, {"text", verdict.text}, {"numbers", Json::object()}};
  // Times, which a person reads in milliseconds.
  constexpr std::string_view milliseconds = "_ms";
  for (const auto& [name, value] : verdict.numbers)
    if (name.ends_with(milliseconds))
      json["numbers"][name.substr(0, name.size() - milliseconds.size()) + "_us"] = value * 1e3;
    else json["numbers"][name] = value;
  return json;
}

Json to_json(const debug::Culprit& culprit) {
  Json json{{"step", culprit.after.step}, {"pass", culprit.pass}, {"number", culprit.number}};
  json["rule"] = culprit.rewrite ? Json(culprit.rewrite->rule) : Json();
  json["reason"] = culprit.rewrite ? Json(culprit.rewrite->detail) : Json();
  json["consumed"] = culprit.consumed;
  json["made"] = culprit.made;
  json["good_position"] = to_text(culprit.before);
  json["bad_position"] = to_text(culprit.after);
  json["before"] = to_json(culprit.verdict_before);
  json["after"] = to_json(culprit.verdict_after);
  json["allowed"] = culprit.is_allowed;
  return json;
}

Json to_json(const debug::BisectReport& report) {
  Json json{{"outcome", name(report.outcome)}};
  json["culprit"] = report.culprit ? to_json(*report.culprit) : Json();
  json["probes"] = Json::array();
  for (const debug::Probe& probe : report.probes) {
    Json row{{"position", to_text(probe.position)}};
    row.update(to_json(probe.verdict));
    json["probes"].push_back(std::move(row));
  }
  json["good_again"] = Json::array();
  for (const pass::Position& position : report.good_again)
    json["good_again"].push_back(to_text(position));
  return json;
}

void print(const debug::Culprit& culprit, const pass::GraphHistory& history) {
  fmt::print("\nthe first bad change is in {}", describe(culprit.after, history));
  if (culprit.rewrite)
    fmt::print(", rewrite {}: {}\n  {}\n  consumed {}\n  made {}\n", culprit.number,
               culprit.rewrite->rule, culprit.rewrite->detail, fmt::join(culprit.consumed, ", "),
               culprit.made.empty() ? "nothing" : fmt::format("{}", fmt::join(culprit.made, ", ")));
  else fmt::print(", beside its rewrites\n");
  fmt::print("  before: {}\n  after:  {}\n", culprit.verdict_before.text,
             culprit.verdict_after.text);
  if (culprit.is_allowed)
    fmt::print(
        "  {0} changes results on purpose, as the model lets it; --without {0} looks for others\n",
        culprit.pass);
}

void print(const debug::BisectReport& report, const pass::GraphHistory& history) {
  for (const debug::Probe& probe : report.probes)
    fmt::print("{:<5}{}: {}\n", probe.verdict.bad ? "bad" : "good",
               describe(probe.position, history), probe.verdict.text);
  switch (report.outcome) {
    case debug::BisectOutcome::Found: print(*report.culprit, history); break;
    case debug::BisectOutcome::NoDisagreement:
      fmt::print("\nno disagreement: both places are good, there is nothing to find\n");
      break;
    case debug::BisectOutcome::BadFromTheStart:
      fmt::print("\nbad from the start: the culprit lies before the first position\n");
      break;
  }
  for (const pass::Position& position : report.good_again)
    fmt::print("good again at {}: more than one change is at work\n", describe(position, history));
}

Result<debug::Predicate> predicate(const BisectCommandOptions& options, Session& session,
                                   debug::Evaluator& evaluator,
                                   std::shared_ptr<const graph::Graph> reference) {
  debug::Inputs inputs = network_inputs(TRY(session.model())->graph, options.model.known_inputs,
                                        options.evaluation.seed);
  if (options.by == "time") {
    const debug::SlowdownOptions usual;
    debug::SlowdownOptions slowdown{.factor = options.factor > 0 ? options.factor : usual.factor,
                                    .rounds = options.rounds.value_or(usual.rounds),
                                    .threads = options.evaluation.threads,
                                    .strategy = options.model.strategy,
                                    .inputs = std::move(inputs)};
    return TRY(debug::is_slower(session.toolchain(), std::move(reference), slowdown));
  }
  return debug::results_differ(evaluator, std::move(reference), std::move(inputs),
                               options.evaluation.tolerance());
}

// Sessions have strategies, which a comparison of values passes over.
Result<void> check(const BisectCommandOptions& options) {
  if (options.by == "time" && options.evaluation.relative_tolerance)
    return fail(Code::UsageInvalid, "--tolerance is about values, and times are compared",
                "--tolerance", "--by values, or leave it out");
  if (options.by == "time") return {};
  for (const auto& [name, is_given] :
       {std::pair("--factor", options.factor > 0), {"--rounds", options.rounds.has_value()}})
    if (is_given)
      return fail(Code::UsageInvalid,
                  fmt::format("{} is about times, and values are compared", name), name,
                  "--by time, or leave it out");
  return refuse_switches(options.model, plan_switches, "values, which are the same in any kernels",
                         "--by time, or leave it out");
}

// One kernel's way through LLVM has neither places in the history of the graph nor a bad end.
Result<Exit> act_on_llvm(const BisectCommandOptions& options) {
  const BisectCommandOptions usual;
  for (const auto& [name, is_given] :
       {std::pair("good", options.good != usual.good),
        {"bad", options.bad != usual.bad},
        {"--by", options.by != usual.by},
        {"--factor", options.factor > 0},
        {"--tolerance", options.evaluation.relative_tolerance.has_value()},
        {"--input", !options.evaluation.inputs.empty()}})
    if (is_given)
      return fail(Code::UsageInvalid, fmt::format("{} says nothing about LLVM's passes", name),
                  name, "leave it out, or --llvm");
  const auto session = TRY(open_session(options.model));
  const debug::LlvmBisectOptions bisect;
  return bisect_llvm(
      *session,
      {options.kernel,
       options.evaluation.threads,
       {options.rounds.value_or(bisect.turns), options.thorough, options.evaluation.seed, {}, {}},
       options.json});
}

Result<Exit> act(const BisectCommandOptions& asked_for) {
  if (asked_for.llvm) return act_on_llvm(asked_for);
  if (!asked_for.kernel.empty())
    return fail(Code::UsageInvalid, "--kernel is about LLVM's passes", "--kernel",
                "--llvm, or leave it out");
  TRY_VOID(check(asked_for));
  BisectCommandOptions options = asked_for;
  options.model =
      TRY(with_known_inputs(options.model, options.evaluation.inputs, options.evaluation.seed));
  const auto session = TRY(open_session(options.model));
  const auto history = TRY(session->graph_history());
  tell_of_stand_ins(*history->steps.front().result);
  const pass::Position a = TRY(pass::parse_position(options.good, *history)),
                       b = TRY(pass::parse_position(options.bad, *history));
  const pass::Position good = std::min(a, b), bad = std::max(a, b);
  debug::Evaluator evaluator(session->toolchain(), options.evaluation.threads);
  const auto asked = TRY(
      predicate(options, *session, evaluator, TRY(session->graph_at(good.step, good.rewrites))));
  StatusLine status;
  const auto report =
      TRY(debug::bisect(*session, good, bad, asked, {options.thorough, {status.progress(), {}}}));
  status.end();
  if (options.json) {
    Json json = to_json(report);
    json["threads"] = options.evaluation.threads;
    print_json(Schema::Bisect, session->model_name(), json);
  } else {
    if (options.by == "time")
      fmt::print("times are taken on {}\n", counted(options.evaluation.threads, "thread"));
    print(report, *history);
  }
  return report.outcome == debug::BisectOutcome::NoDisagreement ? Exit::Good : Exit::Bad;
}

}  // namespace

void add_bisect(Command app, Action& chosen) {
  const auto [command, options] = declare<BisectCommandOptions>(
      app, chosen, "bisect",
      "finds the first rewrite after which results differ or the network is "
      "slower, or LLVM's pass that matters most; ends with 1 when there is one",
      act);
  add_model(command, options->model).required();
  add_place(command, "good", options->good, "the place to compare with").capture_default_str();
  add_place(command, "bad", options->bad, "a later place that is not like it")
      .capture_default_str();
  command.add_option("--by", options->by, "what is compared: values or time")
      .check(one_of({"values", "time"}))
      .capture_default_str();
  add_evaluation(command, options->evaluation);
  const debug::SlowdownOptions usual;
  command.add_option("--factor", options->factor, "by time: how many times slower is bad")
      .check(positive_number())
      .default_str(fmt::format("{}", usual.factor));
  command
      .add_option("--rounds", options->rounds,
                  "by time: timed runs of either network; with --llvm, turns of the last two")
      .check(whole_number(1, 1000000))
      .default_str(fmt::format("{}", usual.rounds));
  add_strategy(command, options->model, "by time: fusion strategy of either network");
  command.add_flag("--thorough", options->thorough,
                   "asks every step, where good and bad may take turns");
  command.add_flag("--llvm", options->llvm,
                   "finds the pass of LLVM after which the speed of one kernel changes most");
  command.add_option("--kernel", options->kernel, "with --llvm: which, by name or number")
      .check(not_blank())
      .type_name("NAME");
}

}  // namespace loopglass::app

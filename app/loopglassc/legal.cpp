// loopglassc legal: whether a primitive may be applied to a kernel's nest as it is scheduled now,
// and if not, why: the reason, and two iterations that clash where there are such.
#include "app/common/kernel_choice.h"
#include "app/common/limits_json.h"
#include "app/common/numbers.h"
#include "app/common/place.h"
#include "app/common/schedule_options.h"
#include "app/common/typed_text.h"
#include "app/loopglassc/declare.h"
#include "core/script/drops.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using schedule::Replayer;
using schedule::Search;
using schedule::Searched;
using schedule::Verdict;

struct LegalOptions {
  ModelOptions model;
  std::string kernel, call, step;
  bool all = false, drops = false, json = false;
};

struct AskedKernel {
  const Session& session;
  std::string kernel;  // by its name
};

// The nest after so many steps of the schedule, with what its lines have bound.
Result<Replayer> replayed(const KernelStages& kernel, const std::string& place) {
  const std::size_t wanted = TRY(choose_step(place, schedule_steps(kernel), "--step"));
  Replayer replayer(kernel.initial);
  std::size_t step = 0;
  for (const schedule::Instruction& instruction : kernel.trace.instructions) {
    if (step == wanted && !schedule::is_look_up(instruction.primitive)) break;
    step += TRY(replayer.run(instruction)) ? 1 : 0;
  }
  return replayer;
}

Json to_json(const schedule::Visit& visit) {
  Json loops = Json::object();
  for (const auto& [variable, value] : visit.loops) loops[variable] = value;
  return {{"block", visit.block}, {"loops", std::move(loops)}, {"stores", visit.stores}};
}

Json to_json(const Verdict& verdict) {
  Json json{{"call", verdict.call}, {"legal", !verdict.refusal}, {"remark", verdict.remark}};
  if (!verdict.refusal) return json;
  json["code"] = code_name(verdict.refusal->code);
  json["reason"] = verdict.refusal->what;
  json["where"] = verdict.refusal->where;
  json["hint"] = verdict.refusal->hint;
  json["searched"] = name(verdict.search.searched);
  json["accesses"] = verdict.search.accesses;
  const auto& witness = verdict.search.witness;
  Json symbols = Json::object();
  if (witness)
    for (const auto& [symbol, value] : witness->symbols) symbols[symbol] = value;
  json["witness"] = witness ? Json{{"first", to_json(witness->first)},
                                   {"second", to_json(witness->second)},
                                   {"symbols", symbols},
                                   {"buffer", witness->buffer},
                                   {"element", witness->element}}
                            : Json(nullptr);
  return json;
}

void print(const Verdict& verdict) {
  if (!verdict.refusal) {
    fmt::print("legal: {}\n", verdict.call);
    if (!verdict.remark.empty()) fmt::print("  note: {}\n", verdict.remark);
    return;
  }
  fmt::print("not legal: {}\n  {} {}\n", verdict.call, code_name(verdict.refusal->code),
             verdict.refusal->what);
  if (const std::string words = schedule::search_words(verdict.search); !words.empty())
    fmt::print("  {}", words);
  if (!verdict.refusal->hint.empty()) fmt::print("  hint: {}\n", verdict.refusal->hint);
}

// One line of script: what is asked about.
Result<schedule::Instruction> parse_call(const std::string& text) {
  schedule::Trace trace = TRY(typed(schedule::parse_script(text)));
  if (trace.instructions.size() != 1 || schedule::is_look_up(trace.instructions.front().primitive))
    return fail(Code::UsageInvalid, fmt::format("'{}' is not one primitive", text), "CALL",
                "as in 'reorder([k, i])'; loopglassc primitives lists them");
  return std::move(trace.instructions.front());
}

Result<Exit> legal_one(Replayer replayer, const LegalOptions& options, const AskedKernel& asked) {
  const schedule::Instruction call = TRY(parse_call(options.call));
  const Verdict verdict = schedule::judge(replayer, call, schedule::Clash::Show);
  if (verdict.refusal && verdict.refusal->code == Code::ScheduleHandleUnknown)
    return std::unexpected(typed(*verdict.refusal));  // nothing was asked of this nest
  if (!verdict.refusal) TRY(replayer.run(call));
  const auto limits = schedule::limits(replayer.func(), asked.session.toolchain().machine);
  if (options.json) {
    Json json{{"kernel", asked.kernel}};
    json.update(to_json(verdict));
    json["limits"] = Json::parse(app::to_json(limits));
    print_json(Schema::Legal, asked.session.model_name(), json);
  } else {
    print(verdict);
    for (const schedule::LimitRemark& limit : limits)
      fmt::print("  {}: {}\n", verdict.refusal ? "in the way as it is" : "in the way then",
                 limit.text);
  }
  return verdict.refusal ? Exit::Bad : Exit::Good;
}

// "vectorize(k): block ..." beside the call itself.
std::string without_call(const std::string& sentence) {
  const std::size_t colon = sentence.find(": ");
  return colon == std::string::npos ? sentence : sentence.substr(colon + 2);
}

// What is offered for a loop, block or buffer, or for all.
Result<Exit> legal_all(const Replayer& replayer, const LegalOptions& options,
                       const AskedKernel& asked) {
  // In text there is a line a call, and clashes take time to find.
  const std::vector<Verdict> verdicts = TRY(schedule::judge_offered(
      replayer, options.call, {}, options.json ? schedule::Clash::Show : schedule::Clash::Ignore));
  if (verdicts.empty() && !options.call.empty()) TRY(typed(replayer.name_of(options.call)));
  if (options.json) {
    Json rows = Json::array();
    for (const Verdict& verdict : verdicts) rows.push_back(to_json(verdict));
    print_json(Schema::LegalAll, asked.session.model_name(),
               Json{{"kernel", asked.kernel}, {"calls", std::move(rows)}});
    return Exit::Good;
  }
  std::size_t width = 0;
  for (const Verdict& verdict : verdicts) width = std::max(width, verdict.call.size());
  for (const bool legal : {true, false})
    for (const Verdict& verdict : verdicts) {
      if (!verdict.refusal != legal) continue;
      const std::string why = verdict.refusal ? verdict.refusal->what : verdict.remark;
      if (why.empty()) fmt::print("yes {}\n", verdict.call);
      else
        fmt::print("{:<4}{:<{}}  {}\n", legal ? "yes" : "no", verdict.call, width,
                   legal ? why : without_call(why));
    }
  return Exit::Good;
}

// Where a loop or block may be dropped when it is dragged.
Result<Exit> legal_drops(const Replayer& replayer, const LegalOptions& options,
                         const AskedKernel& asked) {
  const auto drops = TRY(schedule::drops(
      replayer, options.call, {}, options.json ? schedule::Clash::Show : schedule::Clash::Ignore));
  if (drops.empty()) TRY(typed(replayer.name_of(options.call)));
  Json rows = Json::array();
  std::size_t width = 0;
  for (const schedule::Drop& drop : drops) width = std::max(width, drop.target.size());
  for (const schedule::Drop& drop : drops) {
    Json row = to_json(drop.verdict);
    row["target"] = drop.target;
    rows.push_back(std::move(row));
    if (options.json) continue;
    const Verdict& verdict = drop.verdict;
    fmt::print("{:<4}onto {:<{}}  {}\n", verdict.refusal ? "no" : "yes", drop.target, width,
               verdict.refusal ? verdict.refusal->what : verdict.call);
  }
  if (options.json)
    print_json(Schema::LegalDrops, asked.session.model_name(),
               Json{{"kernel", asked.kernel}, {"drops", std::move(rows)}});
  return Exit::Good;
}

Result<Exit> legal(const LegalOptions& options) {
  if (options.call.empty() && !options.all)
    return fail(Code::UsageInvalid, "nothing is asked", "CALL",
                "a call, as in 'split(i, [-1, 8])', or --all for what is offered");
  if (options.all && options.drops)
    return fail(Code::UsageInvalid, "--all and --drops are two questions", "--drops",
                "ask one of them");
  const auto session = TRY(open_session(options.model));
  const fusion::Group* group = TRY(choose_kernel(*session, options.kernel, "--kernel"));
  const Replayer replayer = TRY(replayed(*TRY(session->kernel(group->id)), options.step));
  const AskedKernel asked{*session, group->name};
  if (options.all) return legal_all(replayer, options, asked);
  if (options.drops) return legal_drops(replayer, options, asked);
  return legal_one(replayer, options, asked);
}

}  // namespace

void add_legal(Command app, Action& chosen) {
  const auto [command, options] = declare<LegalOptions>(
      app, chosen, "legal",
      "whether a primitive may be applied to a kernel as it is scheduled, or why not: exit 1",
      legal);
  add_model(command, options->model).required();
  command
      .add_option("call", options->call,
                  "a line of script, with the names that 'emit loops' prints: 'reorder([k, i])'; "
                  "with --all the loop, block or buffer that is asked about")
      .type_name("CALL");
  add_plan(command, options->model);
  add_schedules(command, options->model);
  command.add_option("--kernel", options->kernel, "the kernel, by name or number")
      .check(not_blank())
      .type_name("NAME");
  add_place(command, "--step", options->step,
            "after this step of its schedule, by number or primitive");
  command.add_flag("--all", options->all, "every primitive with what it has to choose from");
  command.add_flag("--drops", options->drops,
                   "where the loop or block CALL may be dropped when it is dragged in the window");
}

}  // namespace loopglass::app

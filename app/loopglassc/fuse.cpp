// loopglassc fuse: the groups a strategy makes of a model's operators, and everything there is to
// argue about them.
#include "app/common/numbers.h"
#include "app/common/plan_options.h"
#include "app/common/vocabulary.h"
#include "app/loopglassc/fuse_views.h"
#include "app/loopglassc/inputs.h"
#include "app/loopglassc/memory_limit.h"
#include "core/fusion/explain.h"

namespace loopglass::app {

namespace {

constexpr const char* json_forms = R"(What --json prints, an object each:
  (no view)      strategy, optimality, operator_count, kernel_count, kernels, edges
  --summary      counts: operators, kernels, views (that need no code), fused edges, the others by
                 reason, saved_bytes, never_written_bytes; the largest kernel
  --explain      strategy, edges, reasons (how many edges have each), costs
  --edge         the same, with a card for each edge: nests, kinds, path, bytes, steps; near_miss,
                 and in became what passes made of the operators that were named
  --near-misses  strategy, near_misses: the edge, what the change would save, change; costs
  --steps        strategy, optimality, steps
  --compare      calibrated, costs, plans, differing_edges: those that only some plans fuse
  --force, ...   the same of the plans before and after, with the groups removed and added
  --reasons      notation, reasons
costs says where the cost model has its numbers from. An edge has value, type, producer,
consumer, fused, forced, reason, condition, sentence and numbers, and what one kernel of both ends
saves, or would save: saved_bytes, that are no longer written to memory and read from it, and
workspace_bytes, that the kernel hands on within itself instead, which saves nothing.
In a card nests are loops before they are tiled, with how each walks over the tensor (elements, window,
repeats, elsewhere, once, none); shared are those that compute both ends; lowered_workspace_bytes is
what the kernel takes as it is lowered; what is missing says why. steps are numbered as in --steps.
Times in microseconds (estimated_us, saved_us, microseconds_...) are the cost model's: of kernels
that `bench --record` has measured, as measured; of others estimated. time (from --measure) is
measured. `loopglassc schema fuse-explain` and the like describe every field.)";

Result<void> check(const FuseOptions& options) {
  if (options.reasons && !options.model.said.empty())
    return fail(Code::UsageInvalid,
                fmt::format("{} is about a model, and --reasons is the legend of all codes",
                            options.model.said.front()),
                options.model.said.front(), "leave it out");
  if (options.reasons && (!options.model.model.empty() || asks_for_plan(options.model) ||
                          options.edge || options.filter || options.sort))
    return fail(Code::UsageInvalid, "--reasons is the legend of all codes, whatever the model", {},
                "leave out the model and its edges");
  if (!options.summary &&
      (options.reasons || options.explain || options.near_misses || options.steps || options.edge ||
       options.filter || options.sort || !options.compare.empty()))
    TRY_VOID(
        refuse_gate(options.gate, "this view", "leave it out, or show the groups or --summary"));
  if (options.reasons) return {};
  if (options.model.model.empty())
    return fail(Code::UsageInvalid, "which model? MODEL is missing", {}, "loopglassc fuse --help");
  const bool selects = options.edge || options.filter || options.sort;
  const bool compares = asks_for_plan(options.model) || !options.compare.empty();
  const bool selects_misses = options.near_misses && !options.edge && !options.sort;
  if (selects && (options.summary || (options.near_misses && !selects_misses) || options.steps ||
                  !options.compare.empty()))
    return fail(Code::UsageInvalid, "--edge, --filter and --sort pick out edges to be explained",
                {},
                "leave out --summary, --steps or --compare; of --near-misses --filter picks, too");
  if (options.compare.size() == 1)
    return fail(Code::UsageInvalid, "--compare needs two strategies or more", {},
                "--compare dominator,dp");
  if (!options.compare.empty())
    TRY_VOID(refuse_switches(options.model, std::array{"--strategy"},
                             "a comparison, which names its own strategies",
                             "name it among those of --compare, or leave it out"));
  if (options.edge && options.sort)
    return fail(Code::UsageInvalid, "--edge is one edge, which has no order", "--sort",
                "leave one of them out");
  const bool looks_at_one =
      selects || options.summary || options.explain || options.near_misses || options.steps;
  if (options.measure)
    TRY_VOID(refuse_gate(options.gate, "plans beside each other", "leave it out"));
  if (options.measure && (!compares || looks_at_one))
    return fail(Code::UsageInvalid, "--measure compares plans", {},
                "use it with --compare, or with --force, --forbid, --edits or --edit alone");
  return {};
}

Result<Exit> show(const FuseOptions& options, Session& session) {
  if (!options.compare.empty()) return compare_strategies(options, session);
  if (options.near_misses) return show_near_misses(options, session);
  if (options.steps) return show_steps(options, session);
  if (options.summary) return show_summary(options, session);
  if (options.explain || options.edge || options.filter || options.sort)
    return explain_plan(options, session);
  // What is held to bounds is one plan, not two beside each other.
  return asks_for_plan(options.model) && !options.gate.asks() ? show_what_if(options, session)
                                                              : show_plan(options, session);
}

Result<Exit> act(const FuseOptions& options) {
  TRY_VOID(check(options));
  if (options.reasons) return list_reasons(options);
  const auto session = TRY(open_session(options.model));
  const Exit kept = note(TRY(judge_memory_limit(*session, options.model)));
  const Exit shown = TRY(show(options, *session));
  return shown == Exit::Good ? kept : shown;
}

void add_views(Command command, FuseOptions& options) {
  Command view = command.add_option_group(
      "Views",
      "instead of the groups; the plan asked for by hand stands beside the strategy's own");
  view.add_flag("--summary", options.summary, "the plan in a few lines");
  view.add_flag("--explain", options.explain,
                "every edge: fused or why not, by code, condition, numbers and a sentence");
  view.add_option("--near-misses", options.near_misses,
                  "edges not fused, each with the smallest change to the plan that would fuse it; "
                  "what takes no longer and stays in the cache first, then what saves most bytes")
      .expected(0, 1)
      .check(whole_number(1, 1000000))
      .type_name("[N]")
      .default_str("10");
  view.add_flag("--steps", options.steps, "how the strategy came to its plan, step by step");
  view.add_list("--compare", options.compare, "strategies side by side")
      .type_name("STRATEGY")
      .suggests(strategy_names);
  view.add_flag("--reasons", options.reasons,
                "the legend: every code and what it means, and how conditions are written");
  view.require_option(0, 1);
}

void add_selection(Command command, FuseOptions& options) {
  command
      .add_option("--edge", options.edge,
                  "explains this edge alone, with its loops, kinds, path, bytes, steps and the "
                  "smallest change; of operators that passes have replaced, what they are now")
      .type_name("A:B");
  command
      .add_option("--filter", options.filter,
                  "explains the edges, or lists the near misses, that a filter picks out: "
                  "SINK_KIND & bytes>1MiB, "
                  "apart & op=Conv, producer~layer3 (fused, apart and the codes of --reasons stand "
                  "alone; in quotes they are names)")
      .type_name("EXPR");
  std::vector<std::string> orders;
  for (const fusion::DecisionOrder order : fusion::decision_orders)
    orders.emplace_back(fusion::name(order));
  command.add_option("--sort", options.sort, "explains the edges in this order")
      .check(one_of(orders));
}

void add_measuring(Command command, FuseOptions& options) {
  const Option measure = command.add_flag(
      "--measure", options.measure, "times the plans that are compared, round by round in turns");
  command.add_option("--threads", options.threads, "to run on while measuring")
      .check(thread_count())
      .capture_default_str()
      .needs(measure);
  command.add_option("--rounds", options.rounds, "timed runs of each plan")
      .check(whole_number(1, 1000000))
      .capture_default_str()
      .needs(measure);
  add_seed(command, options.seed).needs(measure);
}

}  // namespace

void add_fuse(Command app, Action& chosen) {
  const auto [command, options] = declare<FuseOptions>(
      app, chosen, "fuse", "groups a model's operators into kernels and says why", act,
      "as JSON; what there is in it stands below");
  command.footer(json_forms);
  add_model(command, options->model);
  add_plan(command, options->model);
  add_views(command, *options);
  add_selection(command, *options);
  add_measuring(command, *options);
  add_gate(command, options->gate);
}

}  // namespace loopglass::app

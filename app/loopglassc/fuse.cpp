// loopglassc fuse: the groups a strategy makes of a model's operators, and everything there is to argue
// about them.
#include "app/loopglassc/fuse_views.h"
#include "app/loopglassc/plan_options.h"
#include "core/fusion/explain.h"

namespace loopglass::app {

namespace {

Result<Exit> act(const FuseOptions& options) {
  if (options.reasons) return list_reasons(options);
  if (options.model.model.empty()) return fail(Code::UsageInvalid, "which model? MODEL is missing", {}, "loopglassc fuse --help");
  const bool several = asks_for_plan(options.model) || !options.compare.empty();
  const bool explains = options.explain || !options.edge.empty() || !options.filter.empty() || !options.sort.empty();
  const bool looks_at_one = explains || options.near_misses || options.steps;
  if (options.measure && (!several || looks_at_one))
    return fail(Code::UsageInvalid, "--measure compares plans", {}, "use it with --compare, or with --force, --forbid, --edits or --edit alone");
  if (!options.compare.empty()) return compare_strategies(options);
  if (explains) return explain_plan(options);
  if (options.near_misses) return show_near_misses(options);
  if (options.steps) return show_steps(options);
  return several ? show_what_if(options) : show_plan(options);
}

}  // namespace

void add_fuse(CLI::App& app, Action& chosen) {
  const auto [command, options] =
      declare<FuseOptions>(app, chosen, "fuse", "groups a model's operators into kernels and says why", act,
                           "as JSON: kernels (their number), groups, decisions; or what the view shows");
  add_model(*command, options->model);
  add_plan(*command, options->model);
  CLI::Option_group* view = command->add_option_group("views", "instead of the groups; the plan asked for by hand stands beside the strategy's own");
  view->add_flag("--explain", options->explain, "every edge: fused or why not, by code, condition, numbers and a sentence");
  view->add_option("--near-misses", options->near_misses, "edges not fused, by bytes that fusing would save, each with the smallest change that helps")
      ->expected(0, 1)
      ->type_name("[N]")
      ->default_str("10");
  view->add_flag("--steps", options->steps, "how the strategy came to its plan, step by step");
  view->add_option("--compare", options->compare, "strategies side by side")->type_name("S1,S2")->allow_extra_args(false)->delimiter(',');
  view->add_flag("--reasons", options->reasons, "the legend: every code and what it means");
  view->require_option(0, 1);
  command->add_option("--edge", options->edge, "explains this edge alone")->type_name("A:B");
  command->add_option("--filter", options->filter, "explains the edges that a filter picks out: reason=SINK_KIND & bytes>1MiB")->type_name("EXPR");
  std::vector<std::string> orders;
  for (const fusion::DecisionOrder order : fusion::decision_orders) orders.emplace_back(fusion::name(order));
  command->add_option("--sort", options->sort, "explains the edges in this order")->check(CLI::IsMember(orders));
  command->add_flag("--measure", options->measure, "times the plans that are compared, round by round in turns");
  command->add_option("--threads", options->threads, "to compile and run on")->check(CLI::Range(1, 1024))->capture_default_str();
  command->add_option("--rounds", options->rounds, "timed runs of each plan")->check(CLI::Range(1, 1000000))->capture_default_str();
  command->add_option("--seed", options->seed, "of random inputs")->capture_default_str();
}

}  // namespace loopglass::app

// loopglassc fuse --compare, --force, --forbid, --edits: plans of the same graph beside one
// another.
#include "app/common/plan_options.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/loopglassc/fuse_views.h"
#include "app/loopglassc/inputs.h"
#include "app/loopglassc/turns_json.h"
#include "core/fusion/estimate_words.h"
#include "core/fusion/gain.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using debug::PlanOutcome;

struct Compared {
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const fusion::CostModel> cost;
  std::vector<std::string> titles;
  std::vector<PlanOutcome> outcomes;
};

Result<Compared> try_plans(const FuseOptions& options, Session& session,
                           const std::vector<debug::PlanVariant>& variants,
                           std::vector<std::string> titles) {
  Compared compared{TRY(session.graph()), session.cost_model(), std::move(titles), {}};
  if (options.measure) tell_of_stand_ins(*compared.graph);
  debug::WhatIfOptions how;
  how.cost = session.cost_model();
  how.measure = options.measure;
  how.threads = options.threads;
  how.rounds = options.rounds;
  how.inputs = debug::random_inputs(*compared.graph, options.seed);
  compared.outcomes = TRY(debug::what_if(session.toolchain(), compared.graph, variants, how));
  return compared;
}

// Whether the middle half of the rounds took about as long.
bool is_steady(const runtime::Statistics& time) {
  return time.upper_quartile_ms <= 1.25 * time.lower_quartile_ms;
}

// A difference between plans is none where rounds of the same plan differ as much.
void warn_of_noise(const Compared& compared) {
  for (std::size_t i = 0; i < compared.outcomes.size(); ++i) {
    const auto& time = compared.outcomes[i].time;
    if (!time || is_steady(*time)) continue;
    fmt::print(
        stderr,
        "note: the times of '{}' vary ({} to {}, {}): measure again, with "
        "more --rounds, fewer --threads or less else to do\n",
        compared.titles[i], readable_milliseconds(time->lower_quartile_ms),
        readable_milliseconds(time->upper_quartile_ms),
        runtime::trust_words(*time, compared.outcomes[i].load, compared.outcomes[i].threads));
  }
}

bool all_agree(const Compared& compared) {
  return std::all_of(compared.outcomes.begin(), compared.outcomes.end(),
                     [](const PlanOutcome& outcome) { return outcome.agrees; });
}

Json outcome_json(const PlanOutcome& outcome, const PlanOutcome& first, const std::string& title) {
  const fusion::PlanSummary& summary = outcome.summary;
  Json json{{"title", title},
            {"strategy", summary.strategy},
            {"optimality", fusion::name(summary.optimality)},
            {"operator_count", summary.operators},
            {"kernel_count", summary.kernels},
            {"fusion_rate", summary.fusion_rate},
            {"written_bytes", summary.written_bytes},
            {"read_bytes", summary.read_bytes},
            {"workspace_bytes", summary.workspace_bytes},
            {"never_written_bytes", summary.never_written_bytes},
            {"estimated_us", summary.estimated_microseconds},
            {"measured_kernel_count", summary.measured_kernels}};
  if (outcome.time)
    json.update({{"time", app::to_json(*outcome.time)},
                 {"against_first", app::to_json(*debug::times_in_turns(first, outcome))},
                 {"steady", is_steady(*outcome.time)},
                 {"agrees", outcome.agrees}});
  return json;
}

Json plans_json(const Compared& compared) {
  Json plans = Json::array();
  for (std::size_t i = 0; i < compared.outcomes.size(); ++i)
    plans.push_back(
        outcome_json(compared.outcomes[i], compared.outcomes.front(), compared.titles[i]));
  return plans;
}

Json edges_json(const Compared& compared, const std::vector<fusion::EdgeDifference>& edges) {
  Json rows = Json::array();
  for (const fusion::EdgeDifference& row : edges) {
    Json verdicts = Json::array();
    for (const fusion::Decision* decision : row.decisions)
      verdicts.push_back({{"fused", decision->fused},
                          {"reason", fusion::name(decision->reason)},
                          {"sentence", decision->sentence}});
    rows.push_back({{"producer", compared.graph->node(row.edge.producer).name},
                    {"consumer", compared.graph->node(row.edge.consumer).name},
                    {"bytes", compared.graph->value(row.decisions.front()->value).type.bytes()},
                    {"verdicts", verdicts}});
  }
  return rows;
}

// Where the estimates come from. Those for a machine that nobody measured are a guess.
void print_origin(const Compared& compared) {
  if (std::ranges::any_of(compared.outcomes, [](const PlanOutcome& outcome) {
        return outcome.summary.optimality == fusion::Optimality::ProvedOptimal;
      }))
    fmt::print(
        "Proved optimal is a plan by this cost model, of those whose kernels stay within the "
        "limits.\n");
  for (const std::string& note : compared.cost->notes()) fmt::print("{}\n", note);
}

// Times of a model that is calibrated, and whether they differ by more than it is wrong; else an
// order.
template <class Row>
void print_estimates(const Compared& compared, const Row& row) {
  if (!compared.cost->is_calibrated()) {
    std::vector<double> estimates;
    for (const PlanOutcome& outcome : compared.outcomes)
      estimates.push_back(outcome.summary.estimated_microseconds);
    const auto ranks = fusion::ranks(estimates);
    std::size_t next = 0;
    row("estimated to be the quickest", [&](const PlanOutcome&) { return ranks[next++]; });
    return;
  }
  row("estimated", [](const PlanOutcome& outcome) {
    return readable_time(Microseconds(outcome.summary.estimated_microseconds));
  });
  const PlanOutcome& first = compared.outcomes.front();
  row("  against the first", [&](const PlanOutcome& outcome) {
    return &outcome == &first
               ? std::string()
               : std::string(fusion::name(fusion::judge(*compared.cost, *first.plan, first.summary,
                                                        *outcome.plan, outcome.summary)));
  });
}

// Whether a plan is faster than the first, in a sentence.
void print_verdicts(const Compared& compared) {
  for (std::size_t i = 1; i < compared.outcomes.size(); ++i)
    if (const auto times = debug::times_in_turns(compared.outcomes.front(), compared.outcomes[i]))
      fmt::print("{}: {}; {}\n", compared.titles[i], runtime::ratio_words(*times),
                 runtime::chance_words(*times));
}

void print_summaries(const Compared& compared) {
  std::vector<Column> columns{Column::word("")};
  for (const std::string& title : compared.titles) columns.push_back(Column::number(title));
  Table table(std::move(columns));
  const auto row = [&](const char* name, auto text) {
    std::vector<Cell> cells{name};
    for (const PlanOutcome& outcome : compared.outcomes) cells.emplace_back(text(outcome));
    table.add(std::move(cells));
  };
  row("operators",
      [](const PlanOutcome& outcome) { return std::to_string(outcome.summary.operators); });
  row("kernels",
      [](const PlanOutcome& outcome) { return std::to_string(outcome.summary.kernels); });
  row("operators per kernel", [](const PlanOutcome& outcome) {
    return fmt::format("{:.3f}", outcome.summary.fusion_rate);
  });
  row("written between kernels",
      [](const PlanOutcome& outcome) { return readable_bytes(outcome.summary.written_bytes); });
  row("read between kernels",
      [](const PlanOutcome& outcome) { return readable_bytes(outcome.summary.read_bytes); });
  row("through workspaces",
      [](const PlanOutcome& outcome) { return readable_bytes(outcome.summary.workspace_bytes); });
  row("never written", [](const PlanOutcome& outcome) {
    return readable_bytes(outcome.summary.never_written_bytes);
  });
  print_estimates(compared, row);
  const bool some_measured =
      std::any_of(compared.outcomes.begin(), compared.outcomes.end(),
                  [](const PlanOutcome& outcome) { return outcome.summary.measured_kernels > 0; });
  if (some_measured)
    row("  kernels with a measured time", [](const PlanOutcome& outcome) {
      return std::to_string(outcome.summary.measured_kernels);
    });
  row("the plan is", [](const PlanOutcome& outcome) {
    return std::string(fusion::name(outcome.summary.optimality));
  });
  if (!compared.outcomes.front().time) {
    table.print();
    return print_origin(compared);
  }
  row("minimum time",
      [](const PlanOutcome& outcome) { return readable_milliseconds(outcome.time->minimum_ms); });
  row("median",
      [](const PlanOutcome& outcome) { return readable_milliseconds(outcome.time->median_ms); });
  row("lower quartile", [](const PlanOutcome& outcome) {
    return readable_milliseconds(outcome.time->lower_quartile_ms);
  });
  row("upper quartile", [](const PlanOutcome& outcome) {
    return readable_milliseconds(outcome.time->upper_quartile_ms);
  });
  row("same results", [](const PlanOutcome& outcome) {
    return outcome.agrees ? Cell("yes", Style::Good) : Cell("NO", Style::Bad);
  });
  table.print();
  for (std::size_t i = 0; i < compared.outcomes.size(); ++i)
    fmt::print("{} on {}: {}\n", compared.titles[i],
               counted(compared.outcomes[i].threads, "thread"),
               runtime::trust_words(*compared.outcomes[i].time, compared.outcomes[i].load,
                                    compared.outcomes[i].threads));
  print_verdicts(compared);
  print_origin(compared);
}

void print_edges(const Compared& compared, const std::vector<fusion::EdgeDifference>& edges) {
  if (edges.empty()) {
    fmt::print("\nno edge is judged differently\n");
    return;
  }
  fmt::print("\n{}:\n",
             edges.size() == 1 ? "1 edge differs" : fmt::format("{} edges differ", edges.size()));
  for (const fusion::EdgeDifference& row : edges) {
    fmt::print("  {} -> {}:", compared.graph->node(row.edge.producer).name,
               compared.graph->node(row.edge.consumer).name);
    for (std::size_t i = 0; i < row.decisions.size(); ++i)
      fmt::print("{} {} {}", i == 0 ? "" : ",", compared.titles[i],
                 fusion::name(row.decisions[i]->reason));
    fmt::print("\n");
  }
}

std::string members(const fusion::Group& group, const graph::Graph& graph) {
  return fmt::format("{}: {}", group.name, fmt::join(names_of(group.nodes, graph), ", "));
}

void print_groups(const Compared& compared, const fusion::PlanDifference& difference) {
  if (difference.empty()) return fmt::print("the plan is the same\n\n");
  for (const auto& [sign, groups, outcome] :
       {std::tuple('-', &difference.removed, &compared.outcomes.front()),
        std::tuple('+', &difference.added, &compared.outcomes.back())})
    for (const fusion::GroupId id : *groups)
      fmt::print("{} {}\n", sign, members(outcome->plan->group(id), *compared.graph));
  fmt::print("\n");
}

Json groups_json(const fusion::Plan& plan, const std::vector<fusion::GroupId>& groups,
                 const graph::Graph& graph) {
  Json list = Json::array();
  for (const fusion::GroupId id : groups)
    list.push_back(
        {{"name", plan.group(id).name}, {"operator_names", names_of(plan.group(id).nodes, graph)}});
  return list;
}

}  // namespace

Result<Exit> show_what_if(const FuseOptions& options, Session& session) {
  const auto edits = session.fusion_edits();
  const debug::PlanVariant before{edits ? edits->base : session.strategy(), {}, {}};
  const debug::PlanVariant after{session.strategy(), session.constraints(), edits};
  const Compared compared = TRY(try_plans(options, session, {before, after}, {"before", "after"}));
  const fusion::Plan &first = *compared.outcomes.front().plan,
                     &second = *compared.outcomes.back().plan;
  const auto groups = fusion::difference(first, second);
  const auto edges = fusion::differing_edges(*compared.graph, {&first, &second});
  if (options.json) {
    print_json(Schema::FuseCompare, session.model_name(),
               Json{{"calibrated", compared.cost->is_calibrated()},
                    {"costs", compared.cost->notes()},
                    {"plans", plans_json(compared)},
                    {"removed", groups_json(first, groups.removed, *compared.graph)},
                    {"added", groups_json(second, groups.added, *compared.graph)},
                    {"differing_edges", edges_json(compared, edges)}});
  } else {
    print_groups(compared, groups);
    print_summaries(compared);
    print_edges(compared, edges);
  }
  warn_of_noise(compared);
  return all_agree(compared) ? Exit::Good : Exit::Bad;
}

Result<Exit> compare_strategies(const FuseOptions& options, Session& session) {
  std::vector<debug::PlanVariant> variants;
  for (const std::string& strategy : options.compare)
    variants.push_back({strategy, session.constraints(), session.fusion_edits()});
  const Compared compared = TRY(try_plans(options, session, variants, options.compare));
  std::vector<const fusion::Plan*> plans;
  for (const PlanOutcome& outcome : compared.outcomes) plans.push_back(outcome.plan.get());
  const auto edges = fusion::differing_edges(*compared.graph, plans);
  if (options.json) {
    print_json(Schema::FuseCompare, session.model_name(),
               Json{{"calibrated", compared.cost->is_calibrated()},
                    {"costs", compared.cost->notes()},
                    {"plans", plans_json(compared)},
                    {"differing_edges", edges_json(compared, edges)}});
  } else {
    print_summaries(compared);
    print_edges(compared, edges);
  }
  warn_of_noise(compared);
  return all_agree(compared) ? Exit::Good : Exit::Bad;
}

}  // namespace loopglass::app

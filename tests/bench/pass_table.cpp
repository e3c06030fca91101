// What every graph pass does to every sample, as the README's tables: operators, arithmetic and
// peak memory as imported, what each pass of the default pipeline takes away, and what is left.
//
//   pass_table [SAMPLE...]
#include "core/graph/counts.h"
#include "passes/pipeline.h"
#include "tests/bench/bench_main.h"
#include "tests/samples/sample_names.h"

#include <map>

namespace loopglass {
namespace {

struct Numbers {
  double operators = 0, megaflops = 0, peak = 0;  // peak in KiB
};
constexpr double Numbers::*columns[]{&Numbers::operators, &Numbers::megaflops, &Numbers::peak};

struct Row {
  std::string sample;
  Numbers imported, optimised;
  std::map<std::string, Numbers> changes;  // by pass, summed over its applications
  double lower_bound = 0;                  // of the peak, in KiB
};

Result<Numbers> measure(const graph::Graph& graph, Session& session) {
  const auto memory = TRY(session.memory_plan());
  return Numbers{static_cast<double>(graph.nodes().size()),
                 static_cast<double>(graph::count(graph).flops) * 1e-6,
                 static_cast<double>(memory->arena_bytes) / 1024};
}

Result<Row> row_of(const samples::Sample& sample) {
  SessionOptions options;
  Session session(passes::toolchain(), options);
  TRY_VOID(session.open(TRY(samples::sample_path(sample))));
  const auto history = TRY(session.graph_history());
  Row row{sample.title, {}, {}, {}, 0};
  TRY_VOID(session.set_pipeline("none"));
  row.imported = row.optimised = TRY(measure(history->at(0), session));
  TRY_VOID(session.set_pipeline("default"));
  std::map<std::string, std::size_t> applications;
  for (std::size_t i = 1; i < history->steps.size(); ++i) {
    const auto& step = history->steps[i];
    const std::size_t application = ++applications[step.pass.name];
    if (!step.changed) continue;
    session.set_stop_after(pass::StopAfter{step.pass.name, application, pass::Report::all});
    const Numbers after = TRY(measure(*step.result, session));
    for (const auto column : columns)
      row.changes[step.pass.name].*column += after.*column - row.optimised.*column;
    row.optimised = after;
  }
  session.set_stop_after({});
  row.lower_bound = static_cast<double>(TRY(session.memory_plan())->lower_bound) / 1024;
  fmt::print(stderr, "{}: {} steps\n", sample.name, history->steps.size());
  return row;
}

void print_table(const char* title, const std::vector<Row>& rows, double Numbers::*column) {
  fmt::print("\n| {} |", title);
  for (const Row& row : rows) fmt::print(" {} |", row.sample);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < rows.size(); ++i) fmt::print("--:|");
  fmt::print("\n| as imported |");
  for (const Row& row : rows) fmt::print(" {:.0f} |", row.imported.*column);
  for (const pass::GraphPass& pass : passes::graph_passes(reference_machine())) {
    bool changes = false;
    for (const Row& row : rows)
      if (const auto found = row.changes.find(pass.info.name); found != row.changes.end())
        changes = changes || std::abs(found->second.*column) >= 0.5;
    if (!changes) continue;
    fmt::print("\n| {} |", pass.info.name);
    for (const Row& row : rows) {
      const auto found = row.changes.find(pass.info.name);
      const double change = found == row.changes.end() ? 0 : found->second.*column;
      if (std::abs(change) < 0.5) fmt::print(" |");
      else fmt::print(" {:+.0f} |", change);
    }
  }
  fmt::print("\n| optimised |");
  for (const Row& row : rows) fmt::print(" {:.0f} |", row.optimised.*column);
  fmt::print("\n");
}

struct Options {
  std::vector<std::string> samples;  // all, where none is named
};

void declare(CLI::App& app, Options& options) {
  app.add_option("samples", options.samples)->check(CLI::IsMember(test::sample_names()));
}

Result<void> print_tables(const Options& options) {
  std::vector<Row> rows;
  for (const samples::Sample& sample : samples::all_samples())
    if (options.samples.empty() || std::ranges::count(options.samples, sample.name) > 0)
      rows.push_back(TRY(row_of(sample)));
  print_table("operators", rows, &Numbers::operators);
  print_table("MFLOP a run", rows, &Numbers::megaflops);
  print_table("peak of intermediates, KiB", rows, &Numbers::peak);
  fmt::print("| lower bound of the last |");
  for (const Row& row : rows) fmt::print(" {:.0f} |", row.lower_bound);
  fmt::print("\n");
  return {};
}

}  // namespace
}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::Options>(count, arguments,
                                                   "what every graph pass does to every sample",
                                                   loopglass::declare, loopglass::print_tables);
}

#include "app/loopglassc/bench_lines.h"

#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/loopglassc/declare.h"
#include "core/runtime/timing_words.h"
#include "core/schedule/replayer.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string line;  // empty: before the first
  runtime::KernelTiming timing;
  int threads = 1;  // that it ran on
};

Result<Row> timed(Session& session, fusion::GroupId group, std::string line,
                  const runtime::BenchmarkOptions& options) {
  const runtime::BenchmarkReport report = TRY(session.benchmark(options));
  const auto found = std::ranges::find(report.kernels, group, &runtime::KernelTiming::group);
  if (found->missing) return std::unexpected(*found->missing);
  return Row{std::move(line), *found, report.threads};
}

Result<std::vector<Row>> rows_of(Session& session, fusion::GroupId group,
                                 const schedule::Trace& script,
                                 const runtime::BenchmarkOptions& options) {
  std::vector<Row> rows;
  schedule::Trace so_far;
  const auto add = [&](std::string line) -> Result<void> {
    session.set_schedule(group, so_far);
    rows.push_back(TRY(timed(session, group, std::move(line), options)));
    return {};
  };
  TRY_VOID(add(""));
  for (const schedule::Instruction& instruction : script.instructions) {
    so_far.instructions.push_back(instruction);
    if (!schedule::is_look_up(instruction.primitive)) TRY_VOID(add(to_script(instruction)));
  }
  return rows;
}

void print(const std::vector<Row>& rows, const std::string& kernel) {
  const std::string none = "(no line)";
  std::size_t width = none.size();
  for (const Row& row : rows) width = std::max(width, row.line.size());
  fmt::print("{} on {}, after each line of its schedule\n\n", kernel,
             counted(rows.front().threads, "thread"));
  fmt::print("{:<{}}{:>12}{:>10}{:>10}{:>8}\n", "line", width, "median", "quartiles", "GFLOP/s",
             "faster");
  double before = 0;
  for (const Row& row : rows) {
    const runtime::Statistics& time = row.timing.time;
    fmt::print(
        "{:<{}}{:>12}{:>9.0f}%{:>10.1f}{:>8}\n", row.line.empty() ? none : row.line, width,
        readable_time(Milliseconds(time.median_ms)), 100 * runtime::spread(time), row.timing.gflops,
        before > 0 && time.median_ms > 0 ? fmt::format("{:.2f}x", before / time.median_ms) : "");
    before = time.median_ms;
  }
}

Json to_json(const std::vector<Row>& rows, const std::string& kernel) {
  Json json{{"kernel", kernel}, {"threads", rows.front().threads}};
  json["lines"] = Json::array();
  for (const Row& row : rows)
    json["lines"].push_back({{"line", row.line},
                             {"median_ms", row.timing.time.median_ms},
                             {"lower_quartile_ms", row.timing.time.lower_quartile_ms},
                             {"upper_quartile_ms", row.timing.time.upper_quartile_ms},
                             {"gflops", row.timing.gflops}});
  return json;
}

}  // namespace

Result<void> bench_lines(Session& session, const std::string& kernel,
                         const runtime::BenchmarkOptions& options, bool json) {
  const fusion::Group* group = TRY(choose_kernel(*TRY(session.plan()), kernel, "--kernel"));
  const std::string name = group->name;
  const auto stages = TRY(session.kernel(group->id));
  const std::vector<Row> rows = TRY(rows_of(session, group->id, stages->trace, options));
  if (json) print_json(to_json(rows, name));
  else print(rows, name);
  return {};
}

}  // namespace loopglass::app

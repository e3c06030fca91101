#include "app/loopglassc/bench_lines.h"
#include "app/common/status_line.h"
#include "app/common/times_json.h"

#include "app/common/kernel_choice.h"
#include "app/common/limits_json.h"
#include "app/common/numbers.h"
#include "app/common/table.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/known_roofs.h"
#include "core/line_ceilings.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using measure::LineTime;

void print(const measure::ScriptTimes& times, const std::string& kernel) {
  const std::vector<LineTime>& lines = times.lines;
  const std::string none = "(no line)";
  fmt::print("{} by itself, on {}, after each line of its schedule\n\n", kernel,
             counted(lines.front().threads, "thread"));
  Table table({Column::name("line"), Column::number("median"), Column::number("quartiles"),
               Column::number("GFLOP/s"), Column::number("speed, by the line before"),
               Column::word("in the way")});
  double before = 0;
  for (const LineTime& line : lines) {
    const double median = line.time.median_ms;
    if (!line.not_compiled.empty()) {
      table.add({line.call, Cell("none", Style::Bad), "", "", "", line.not_compiled});
      continue;
    }
    table.add({line.call.empty() ? none : line.call, readable_time(Milliseconds(median)),
               fmt::format("{:.0f}%", 100 * runtime::spread(line.time)),
               fmt::format("{:.1f}", line.gflops),
               before > 0 && median > 0 ? Cell(fmt::format("{:.2f}x", before / median),
                                               before > median ? Style::Good : Style::Caution)
                                        : Cell(""),
               fmt::format("{}", fmt::join(line.limits |
                                               std::views::transform(&schedule::LimitRemark::text),
                                           "; "))});
    before = median;
  }
  table.print();
  if (times.load) fmt::print("\n{}\n", runtime::load_words(*times.load, lines.front().threads));
}

Json to_json(const measure::ScriptTimes& times, const std::string& kernel) {
  const int threads = times.lines.front().threads;
  Json json{{"kernel", kernel}, {"threads", threads}, {"load", app::to_json(times.load, threads)}};
  json["lines"] = Json::array();
  for (const LineTime& line : times.lines)
    json["lines"].push_back({{"line", line.call},
                             {"median_us", microseconds(line.time.median_ms)},
                             {"lower_quartile_us", microseconds(line.time.lower_quartile_ms)},
                             {"upper_quartile_us", microseconds(line.time.upper_quartile_ms)},
                             {"gflops", line.gflops},
                             {"limits", Json::parse(app::to_json(line.limits))},
                             {"not_compiled", line.not_compiled}});
  return json;
}

}  // namespace

Result<void> bench_lines(Session& session, const std::string& kernel,
                         const runtime::BenchmarkOptions& options, bool json) {
  const fusion::Group* group = TRY(choose_kernel(session, kernel, "--kernel"));
  const auto stages = TRY(session.kernel(group->id));
  measure::WorkerPool workers(own_worker());
  measure::ScriptAsked asked{stages->initial, schedule::to_script(stages->trace)};
  asked.extents = stages->program.extents;
  asked.machine = session.toolchain().machine;
  asked.threads = options.threads;
  asked.rounds_at_least = options.rounds;
  asked.warm_up = options.warm_up;
  StatusLine status;
  auto times = TRY(measure::time_script(asked, workers, status.progress()));
  status.end();
  const auto roofs = TRY(known_roofs(session, times.lines.front().threads));
  TRY_VOID(add_roofs(asked, session.toolchain(), roofs, times.lines));
  if (json) print_json(Schema::BenchPerLine, session.model_name(), to_json(times, group->name));
  else print(times, group->name);
  return {};
}

}  // namespace loopglass::app

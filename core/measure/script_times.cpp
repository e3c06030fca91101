#include "core/measure/script_times.h"

#include "core/loop/flops.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "core/script/replayer.h"
#include "core/support/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::measure {

namespace {

struct Prefix {
  int line = 0;
  std::string call, script;
  std::vector<schedule::LimitRemark> limits;
};

// The scripts that end with each line that changes the nest.
Result<std::vector<Prefix>> prefixes_of(const ScriptAsked& asked) {
  const schedule::Trace trace = TRY(schedule::parse_script(asked.script));
  const auto steps = TRY(schedule::replay(asked.nest, trace));
  std::vector<Prefix> prefixes{{0, "", "", schedule::limits(asked.nest, asked.machine)}};
  std::string so_far;
  auto step = steps.begin();
  for (const schedule::Instruction& instruction : trace.instructions) {
    const std::string line = to_script(instruction);
    so_far += line + "\n";
    if (schedule::is_look_up(instruction.primitive)) continue;
    prefixes.push_back(
        {instruction.line, line, so_far, schedule::limits((step++)->func, asked.machine)});
  }
  return prefixes;
}

// Seen in machine code, where counting only foresees it.
std::optional<schedule::LimitRemark> spilled(const codegen::Spills& spills) {
  if (spills.stores == 0) return std::nullopt;  // what is loaded alone are constants
  return schedule::LimitRemark{
      schedule::Limit::Registers,
      fmt::format("vector registers go to the stack in the innermost loops of the machine code: {} "
                  "and {}",
                  counted(static_cast<std::size_t>(spills.stores), "store"),
                  counted(static_cast<std::size_t>(spills.loads), "load"))};
}

void put_first(std::optional<schedule::LimitRemark> seen,
               std::vector<schedule::LimitRemark>& limits) {
  if (!seen) return;
  std::erase_if(limits, [&](const auto& foreseen) { return foreseen.limit == seen->limit; });
  // What is not in vectors at all needs that first.
  const bool is_scalar = !limits.empty() && limits.front().limit == schedule::Limit::Scalar;
  limits.insert(limits.begin() + (is_scalar ? 1 : 0), *std::move(seen));
}

}  // namespace

Result<ScriptTimes> time_script(const ScriptAsked& asked, WorkerPool& workers,
                                const Progress& progress, const Cancellation& cancellation,
                                const OnLines& on_lines) {
  auto prefixes = TRY(prefixes_of(asked));
  Request request{loop::to_text(asked.nest)};
  request.symbols = loop::symbol_values(asked.nest, asked.extents);
  const auto flops = static_cast<double>(loop::flops(asked.nest, request.symbols));
  request.machine = asked.machine;
  request.threads = asked.threads;
  request.rounds_at_least = asked.rounds_at_least;
  request.rounds_at_most = std::max(request.rounds_at_most, asked.rounds_at_least);
  request.warm_up = asked.warm_up;
  const LoadMeter meter;
  ScriptTimes times{std::vector<LineTime>(prefixes.size())};
  const std::size_t all = prefixes.size() * static_cast<std::size_t>(asked.turns);
  for (std::size_t turn = 0; turn < all; ++turn) {
    const std::size_t at = turn % prefixes.size();
    const Prefix& prefix = prefixes[at];
    if (progress)
      progress(prefix.call.empty() ? "without a line" : prefix.call,
               static_cast<double>(turn) / static_cast<double>(all));
    request.script = prefix.script;
    request.want_spills = turn < prefixes.size();  // once for each
    auto answer = workers.ask(request, cancellation);
    // In registers there is no room for a symbolic extent, until a later line leaves a part of it.
    if (!answer && answer.error().kind == FailureKind::NotCompiled && at + 1 < prefixes.size()) {
      times.lines[at] = {prefix.line, prefix.call, {}, 0, asked.threads, {}};
      times.lines[at].not_compiled = answer.error().diagnostic.what;
      continue;
    }
    if (!answer) {
      Diagnostic problem = std::move(answer.error().diagnostic);
      if (prefix.line > 0)
        problem.where = fmt::format("{}{}line {}: {}", problem.where,
                                    problem.where.empty() ? "" : ", ", prefix.line, prefix.call);
      return std::unexpected(std::move(problem));
    }
    LineTime& time = times.lines[at];
    if (request.want_spills) put_first(spilled(answer->spills), prefixes[at].limits);
    if (turn >= prefixes.size() && time.time.median_ms <= answer->time.median_ms) continue;
    const double median = answer->time.median_ms;
    time = {prefix.line,
            prefix.call,
            answer->time,
            median > 0 ? flops / median / 1e6 : 0,
            answer->threads,
            prefix.limits,
            {}};
    times.load = meter.read();
    if (on_lines) on_lines(times);
  }
  return times;
}

}  // namespace loopglass::measure

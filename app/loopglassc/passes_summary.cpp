#include "app/loopglassc/passes_summary.h"
#include "app/common/times_json.h"

#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using Counts = std::map<std::string, std::size_t>;

struct StepRow {
  std::string pass;
  std::size_t rewrites = 0, operators = 0;
  double ms = 0;
  bool changed = false;
  Counts rules, remarks;
};

StepRow row_of(const auto& step) {
  StepRow row{step.pass.name,
              step.rewrites.size(),
              step.result->nodes().size(),
              std::chrono::duration<double, std::milli>(step.duration).count(),
              step.changed,
              {},
              {}};
  for (const pass::Rewrite& rewrite : step.rewrites) ++row.rules[rewrite.rule];
  for (const pass::Remark& remark : step.remarks) ++row.remarks[remark.code];
  return row;
}

// The most frequent first; what comes after the first few is left to the whole list.
std::string in_words(const Counts& counts) {
  constexpr std::size_t shown = 4;
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (const auto& [name, count] : sorted)
    if (words.size() < shown) words.push_back(fmt::format("{} x{}", name, count));
  if (sorted.size() > shown) words.push_back(fmt::format("{} more", sorted.size() - shown));
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_rows(const std::vector<StepRow>& rows) {
  Table table({Column::name("pass"), Column::number("rewrites"), Column::number("operators"),
               Column::number("time"), Column::word("rules")});
  Counts remarks;
  std::set<std::string> busy;
  for (const StepRow& row : rows) {
    for (const auto& [code, count] : row.remarks) remarks[code] += count;
    if (!row.changed) continue;
    busy.insert(row.pass);
    table.add({row.pass, row.rewrites, row.operators, readable_time(Milliseconds(row.ms)),
               in_words(row.rules)});
  }
  table.print();
  std::vector<std::string> idle;  // however often they ran
  for (const StepRow& row : rows)
    if (busy.insert(row.pass).second) idle.push_back(row.pass);
  if (!idle.empty()) fmt::print("nothing to do for {}\n", fmt::join(idle, ", "));
  if (!remarks.empty()) fmt::print("remarks: {}\n", in_words(remarks));
}

}  // namespace

void print_passes_summary(const pass::GraphHistory& history, const std::string& model, bool json) {
  const std::size_t before = history.steps.front().result->nodes().size(),
                    after = history.steps.back().result->nodes().size();
  std::vector<StepRow> rows;
  std::size_t rewrites = 0;
  double ms = 0;
  for (std::size_t i = 1; i < history.steps.size(); ++i) {
    rows.push_back(row_of(history.steps[i]));
    rewrites += rows.back().rewrites;
    ms += rows.back().ms;
  }
  if (!json) {
    fmt::print("graph passes: {} became {}, by {} in {}\n", counted(before, "operator"), after,
               counted(rewrites, "rewrite"), readable_time(Milliseconds(ms)));
    return print_rows(rows);
  }
  Json passes = Json::array();
  for (const StepRow& row : rows)
    passes.push_back({{"pass", row.pass},
                      {"changed", row.changed},
                      {"rewrite_count", row.rewrites},
                      {"operator_count", row.operators},
                      {"time_us", microseconds(row.ms)},
                      {"rules", row.rules},
                      {"remarks", row.remarks}});
  print_json(Schema::PassesSummary, model,
             Json{{"operator_count_before", before},
                  {"operator_count_after", after},
                  {"rewrite_count", rewrites},
                  {"time_us", microseconds(ms)},
                  {"steps", passes}});
}

}  // namespace loopglass::app

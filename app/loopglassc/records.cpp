// loopglassc records: what tuning has measured, listed, merged, and as scripts.
#include "app/common/model_argument.h"
#include "app/common/numbers.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/common/tuning_records.h"
#include "app/loopglassc/declare.h"
#include "core/support/counted.h"
#include "core/support/printable.h"
#include "core/support/readable_time.h"
#include "core/support/whole_file.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using tune::Record;
using tune::Records;

struct RecordsOptions {
  std::vector<std::string> files;
  std::string merge, script, workload;
  std::vector<std::string> symbols;  // "n=1000"
  bool trials = false;
  bool json = false;
};

// One workload under one set of conditions.
struct RecordRow {
  const Record* best = nullptr;   // null: all failed
  const Record* usual = nullptr;  // the default schedule's
  std::size_t trials = 0;
  std::map<std::string, int> failures;
  std::string workload, kernel;
  tune::Conditions conditions;
};

std::vector<RecordRow> rows_of(const Records& records) {
  std::vector<RecordRow> rows;
  for (const Record& record : records.records) {
    const tune::Conditions& conditions = record.conditions;
    auto row = std::ranges::find_if(rows, [&](const RecordRow& known) {
      return known.workload == record.workload && known.conditions.is_like(conditions);
    });
    if (row == rows.end()) {
      rows.push_back({nullptr, nullptr, 0, {}, record.workload, record.kernel, conditions});
      row = rows.end() - 1;
      row->best = tune::best_of(records, record.workload, conditions);
    }
    if (record.is_withdrawn) continue;
    if (record.is_final) {
      if (record.trial == 0 && record.time) row->usual = &record;
      continue;
    }
    // As tune counts them: what was tried, and could be.
    if (record.trial > 0 && record.failure != name(measure::FailureKind::Illegal)) ++row->trials;
    if (!record.failure.empty()) ++row->failures[record.failure];
    if (record.trial == 0 && record.time && (!row->usual || !row->usual->is_final))
      row->usual = &record;
  }
  // Of several times of the default schedule one is not faster than another.
  for (RecordRow& row : rows)
    if (row.best && row.best->trial == 0) row.usual = row.best;
  return rows;
}

double gflops(const Record& record) { return record.flops / record.time->median_ms * 1e-6; }

// "m=128 n=64"; empty: it has no symbols.
std::string extents_words(const tune::Conditions& conditions) {
  std::vector<std::string> words;
  for (const auto& [symbol, extent] : conditions.symbols)
    words.push_back(fmt::format("{}={}", symbol, extent));
  return fmt::format("{}", fmt::join(words, " "));
}

void print(const std::vector<RecordRow>& rows) {
  Table table({Column::word("workload"), Column::name("kernel"), Column::word("extents"),
               Column::number("threads"), Column::number("trials"), Column::number("failed"),
               Column::number("default"), Column::number("best"), Column::number("GFLOP/s"),
               Column::word("machine")});
  for (const RecordRow& row : rows) {
    int failed = 0;
    for (const auto& [kind, count] : row.failures) failed += count;
    const auto time = [](const Record* record) {
      return record ? readable_time(Milliseconds(record->time->median_ms)) : std::string("none");
    };
    table.add({row.workload, row.kernel, extents_words(row.conditions), row.conditions.threads,
               row.trials, Cell(failed, failed > 0 ? Style::Caution : Style::Plain),
               time(row.usual), time(row.best),
               row.best ? fmt::format("{:.1f}", gflops(*row.best)) : "",
               fmt::format("{}, {}", row.conditions.processor, row.conditions.target)});
  }
  table.print();
}

// "softmax with m=128 (912329d93dd3125c): construct, droplet, trees-stores, seed 1", which a run is
// of.
std::string run_words(const Record& record) {
  const std::string extents = extents_words(record.conditions);
  return fmt::format("{}{} ({}), {}: {}, {}, {}{}, seed {}", record.kernel,
                     extents.empty() ? "" : " with " + extents, record.workload,
                     counted(record.conditions.threads, "thread"), record.space, record.search,
                     record.cost_model, record.layout.empty() ? "" : ", " + record.layout,
                     record.seed);
}

void print_trials(const Records& records) {
  fmt::print("*: once more, in turns with the fastest; <: left early, being slower\n");
  std::vector<std::vector<const Record*>> runs;  // of a kernel
  for (const Record& record : records.records) {
    const auto same = [&](const std::vector<const Record*>& run) {
      return run[0]->run == record.run && run[0]->workload == record.workload;
    };
    const auto run = std::ranges::find_if(runs, same);
    if (run == runs.end()) runs.push_back({&record});
    else run->push_back(&record);
  }
  for (const std::vector<const Record*>& run : runs) {
    fmt::print("\n{}\n", printable(run_words(*run[0])));
    Table table({Column::number("trial"), Column::number("median"), Column::number("rounds"),
                 Column::name("how"), Column::name("knobs, or why it failed")});
    for (const Record* record : run)
      table.add({fmt::format("{}{}", record->trial, record->is_final ? "*" : ""),
                 record->time ? Cell(readable_time(Milliseconds(record->time->median_ms)))
                              : Cell(record->failure, Style::Bad),
                 record->time
                     ? fmt::format("{}{}", record->time->rounds, record->left_early ? "<" : "")
                     : "",
                 record->is_withdrawn ? "slower in the network: withdrawn" : record->how,
                 record->time ? record->words : record->reason});
    table.print();
  }
}

Json to_json(const std::vector<RecordRow>& rows) {
  Json json = Json::array();
  for (const RecordRow& row : rows)
    json.push_back(
        {{"workload", row.workload},
         {"name", row.kernel},
         {"processor", row.conditions.processor},
         {"target", row.conditions.target},
         {"threads", row.conditions.threads},
         {"symbols", row.conditions.symbols},
         {"trial_count", row.trials},
         {"failures", row.failures},
         {"default_us", row.usual ? Json(app::microseconds(row.usual->time->median_ms)) : Json()},
         {"best_us", row.best ? Json(app::microseconds(row.best->time->median_ms)) : Json()},
         {"best_gflops", row.best ? Json(gflops(*row.best)) : Json()},
         {"schedule", row.best ? Json(row.best->script) : Json()}});
  return json;
}

// What the file has already stays in it.
Result<Records> with_those_of(const std::string& file, Records records) {
  std::error_code unseen;
  if (std::filesystem::is_fifo(file, unseen) || std::filesystem::is_socket(file, unseen))
    return fail(Code::RecordsUnwritable, "records are a file, and this is a pipe or a socket",
                file);
  if (!std::filesystem::is_regular_file(file, unseen)) return records;
  Records there = TRY(tune::read_records(file));
  print_passed_over(there, file);
  if (there.records.empty() && there.nests.empty() && !there.passed_over.empty())
    return fail(Code::RecordsUnwritable, "there is such a file, and it has no records", file,
                "name a new file, or one with records");
  there.add(std::move(records));
  return tune::parse_records(tune::to_text(there));
}

Result<Exit> show(const RecordsOptions& options) {
  if (options.json && options.trials)
    return fail(Code::UsageInvalid, "a file of records is JSON itself, a line each", "--trials",
                "leave --json out");
  if (!options.merge.empty() && (options.json || options.trials || !options.script.empty()))
    return fail(Code::UsageInvalid, "records are written, and nothing is listed", "--merge",
                "leave --json, --trials and --save-schedule out");
  if (!options.script.empty() && (options.json || options.trials))
    return fail(Code::UsageInvalid, "a schedule is written, and nothing is listed",
                "--save-schedule", "leave --json and --trials out");
  Records records;
  for (const std::string& file : options.files) {
    Records read = TRY(tune::read_records(file));
    print_passed_over(read, file);
    records.add(std::move(read));
  }
  // What stands there twice counts once.
  records = TRY(tune::parse_records(tune::to_text(records)));
  if (!options.workload.empty()) {
    std::erase_if(records.records, [&](const Record& record) {
      return record.workload != options.workload && record.kernel != options.workload;
    });
    std::erase_if(records.nests, [&](const auto& nest) {
      return std::ranges::none_of(
          records.records, [&](const Record& record) { return record.workload == nest.first; });
    });
    if (records.records.empty())
      return fail(Code::UsageInvalid, fmt::format("there are no records of '{}'", options.workload),
                  "--kernel", "loopglassc records FILE lists kernels and workloads");
  }
  const auto symbols = TRY(parse_symbols(options.symbols));
  std::erase_if(records.records, [&](const Record& record) {
    return std::ranges::any_of(symbols, [&](const auto& symbol) {
      const auto extent = record.conditions.symbols.find(symbol.first);
      return extent == record.conditions.symbols.end() || extent->second != symbol.second;
    });
  });
  if (!symbols.empty() && records.records.empty())
    return fail(Code::UsageInvalid, "there are no records with such extents", "--set",
                "loopglassc records FILE lists those that there are");
  if (!options.merge.empty()) {
    records = TRY(with_those_of(options.merge, std::move(records)));
    TRY_VOID(write_file(options.merge, tune::to_text(records),
                        {Code::RecordsUnwritable, "the records"}));
    fmt::print(stderr, "note: {} in {}\n", counted(records.records.size(), "record"),
               options.merge);
    return Exit::Good;
  }
  const std::vector<RecordRow> rows = rows_of(records);
  if (!options.script.empty()) {
    if (rows.size() != 1) {
      const bool is_one = !rows.empty() && std::ranges::all_of(rows, [&](const RecordRow& row) {
        return row.workload == rows[0].workload;
      });
      return fail(Code::UsageInvalid,
                  is_one ? fmt::format("it was measured in {} ways: with other extents, on other "
                                       "machines or threads",
                                       rows.size())
                         : fmt::format("a script is of one kernel, and these are {}", rows.size()),
                  "--save-schedule",
                  is_one ? "--set SYMBOL=EXTENT tells extents apart" : "name it: --kernel");
    }
    if (!rows[0].best)
      return fail(Code::UsageInvalid, "no schedule of it could be measured", "--save-schedule");
    if (records.nests.contains(rows[0].workload)) TRY(tune::schedule_of(records, *rows[0].best));
    else TRY(schedule::parse_script(rows[0].best->script));
    TRY_VOID(write_file(options.script,
                        fmt::format("// {}\n{}", rows[0].kernel, rows[0].best->script),
                        {Code::FileUnwritable, "the schedule"}));
    return Exit::Good;
  }
  if (options.json) print_json(Schema::Records, Json{{"kernels", to_json(rows)}});
  else if (options.trials) print_trials(records);
  else print(rows);
  return Exit::Good;
}

}  // namespace

void add_records(Command app, Action& chosen) {
  const auto [command, options] = declare<RecordsOptions>(
      app, chosen, "records", "what tune has measured: lists, merges, exports", show,
      "as JSON: a row for each kernel and machine, with its fastest schedule");
  command.add_option("files", options->files, "files that tune has written")
      .required()
      .type_name("FILE");
  command.add_option("--kernel", options->workload, "of one kernel, by its name or workload")
      .check(not_blank())
      .type_name("NAME");
  command
      .add_list("--set", options->symbols, "of runs with this extent of a symbol",
                Entries::Bindings)
      .check(not_blank())
      .type_name("SYMBOL=EXTENT");
  command.add_flag("--trials", options->trials, "every trial, in its order");
  command
      .add_option("--merge", options->merge,
                  "adds all records to a file, each once; damaged lines are left out")
      .check(not_blank())
      .type_name("FILE");
  command
      .add_option("--save-schedule", options->script,
                  "writes the fastest schedule, as --schedule takes it")
      .check(not_blank())
      .type_name("FILE");
}

}  // namespace loopglass::app

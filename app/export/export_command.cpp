#include "app/export/export_command.h"

#include "app/common/export_options.h"
#include "app/common/kernel_choice.h"
#include "app/common/print_json.h"
#include "app/common/session_options.h"
#include "app/common/worker.h"
#include "app/export/drawings.h"
#include "app/export/page.h"
#include "core/network_roofline.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/fault.h"
#include "core/support/readable_bytes.h"
#include "views/text.h"
#include "views/theme.h"

#include <QApplication>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>

namespace loopglass::app {
namespace {

using Json = nlohmann::ordered_json;

struct Timed {
  std::shared_ptr<const runtime::BenchmarkReport> report;
  std::vector<double> rounds;  // milliseconds
};
Result<Timed> time_rounds(Session& session, const ExportOptions& options) {
  Timed timed;
  runtime::BenchmarkOptions benchmark;
  const bool is_model = options.color == views::measure_key(views::Measure::Model);
  benchmark.threads = options.threads > 0 ? options.threads
                      : is_model          ? 1  // as is estimated
                                          : runtime::hardware_threads();
  benchmark.rounds = options.rounds.value_or(ExportOptions::usual_rounds);
  benchmark.on_round = [&](int, double milliseconds) { timed.rounds.push_back(milliseconds); };
  timed.report =
      std::make_shared<const runtime::BenchmarkReport>(TRY(session.benchmark(benchmark)));
  if (!timed.report->shortage.empty()) fmt::print(stderr, "note: {}\n", timed.report->shortage);
  fmt::print(
      stderr, "note: measured on {}: {}\n", counted(timed.report->threads, "thread"),
      runtime::trust_words(timed.report->network, timed.report->load, timed.report->threads));
  return timed;
}

Result<GraphLook> look_of(Session& session, const ExportOptions& options) {
  GraphLook look;
  SavedFolds folds;
  folds.by = options.fold;
  look.fold = views::folded_by(folds);
  look.kernels = options.fold == "kernels";
  look.columns = !options.no_columns;
  look.steady = options.steady;
  for (const views::Measure measure : views::all_measures)
    if (options.color == views::measure_key(measure)) look.colors = measure;
  if (views::is_timed(look.colors)) look.timings = TRY(time_rounds(session, options)).report;
  return look;
}

Result<Picture> roofline_of(Session& session, const ExportOptions& options) {
  measure::WorkerPool workers(own_worker());
  RooflineRequest request{{}, std::max(1, options.threads), !options.kernel.empty()};
  request.kernels = TRY(choose_kernels(session, options.kernel));
  NetworkRoofline network = TRY(network_roofline(session, request, workers));
  for (const std::string& problem : network.left_out) fmt::print(stderr, "note: {}\n", problem);
  return roofline_picture(views::text(session.model_name()), std::move(network));
}

Result<Picture> picture_of(Session& session, Exported what, const ExportOptions& options) {
  const QString model = views::text(session.model_name());
  switch (what) {
    case Exported::Graph:
      return graph_picture(session, options.step, TRY(look_of(session, options)));
    case Exported::Dominators:
      return dominator_picture(
          session, options.step,
          options.post ? graph::Direction::PostDominators : graph::Direction::Dominators);
    case Exported::Memory:
      return memory_picture(model, TRY(session.memory_plan()), TRY(session.graph()),
                            TRY(session.plan()));
    case Exported::Rounds: {
      Timed timed = TRY(time_rounds(session, options));
      return rounds_picture(model, std::move(timed.rounds), *timed.report);
    }
    case Exported::Roofline: return roofline_of(session, options);
    case Exported::Page: break;
  }
  return fail(Code::UsageInvalid, "a page is no picture");
}

Result<void> write(Session& session, Exported what, FileFormat format,
                   const ExportOptions& options) {
  if (what != Exported::Page)
    return write_picture(TRY(picture_of(session, what, options)), format, options.file);
  PageRequest request;
  request.place = options.step;
  if (options.time) request.report = TRY(time_rounds(session, options)).report;
  return write_page(session, request, options.file);
}

Result<Exit> perform(const ExportOptions& options) {
  const Exported what = exported(options.what);
  TRY_VOID(check_export_options(options));
  const FileFormat format = TRY(file_format(what, options.file));
  const auto session = TRY(open_session(options.model));
  TRY_VOID(write(*session, what, format, options));
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(options.file, error));
  if (options.json)
    print_json(Schema::Export, session->model_name(),
               Json{{"file", options.file},
                    {"what", options.what},
                    {"bytes", error ? Json(nullptr) : Json(bytes)}});
  else fmt::print("{}: {}\n", options.file, error ? "written" : readable_bytes(bytes));
  return Exit::Good;
}

Result<Exit> parse_and_perform(int argc, char** argv) {
  ExportOptions options;
  CLI::App app{"writes drawings (SVG, PDF, PNG), or a session as a page for a browser",
               "loopglassc export"};
  app.add_flag("--json", options.json, "says as JSON what was written");
  add_export_options(Command(app), options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    std::ostringstream help, ignored;
    if (app.exit(problem, help, ignored) != 0)
      return fail(Code::UsageInvalid, problem.what(), {}, "loopglassc export --help explains it");
    fmt::print("{}", help.str());
    return Exit::Good;
  }
  // Fonts and charts want an application, and an application a display: this one needs none.
  qputenv("QT_QPA_PLATFORM", "offscreen");
  int one = 1;
  const QApplication application(one, argv);
  TRY_VOID(take_session(options.model));
  return perform(options);
}

}  // namespace

Exit run_export(int argc, char** argv) {
  try {
    const auto done = parse_and_perform(argc, argv);
    return done ? *done : refused(done.error(), asks_for_json(argc, argv));
  } catch (...) {
    return refused(diagnose_current_exception(), asks_for_json(argc, argv));
  }
}

}  // namespace loopglass::app

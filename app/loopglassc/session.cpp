// loopglassc session: what is in a session's file, with the commands that ask the same; without a
// file the sessions that windows keep by themselves.
#include "app/common/kept_sessions.h"
#include "app/loopglassc/declare.h"
#include "core/saved_session.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"
#include "core/support/shell_word.h"
#include "passes/pipeline.h"

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct SessionCommandOptions {
  std::string file;
  bool json = false;
};

std::string or_default(const std::string& name, const auto& table) {
  return name.empty() && !table.empty() ? table.front().name : name;
}

// What the second canvas shows against the first; nullopt: the place that it is compared with, or
// none.
std::optional<std::string> beside_command(const SavedSession& session, const std::string& model,
                                          const std::string& words) {
  using Kind = SavedBeside::Kind;
  const SavedBeside& beside = session.beside;
  const Request& request = session.asked.request;
  switch (beside.kind) {
    case Kind::Step:
      return fmt::format("loopglassc diff {} {} {}{}", model, shell_word(beside.what),
                         shell_word(session.place.at.empty() ? "last" : session.place.at), words);
    case Kind::Strategy:
      return fmt::format(
          "loopglassc fuse {}{} --compare {}", model, words,
          shell_word(or_default(request.uses_edits() ? request.edits.base : request.strategy,
                                passes::toolchain().strategies) +
                     "," + beside.what));
    case Kind::Passes:
      return fmt::format("loopglassc compare {}{} --against {}", model, words,
                         shell_word(beside.what));
    case Kind::Nothing:
    case Kind::StepBefore:
    case Kind::Compared: return {};
  }
  __builtin_unreachable();
}

// Passes with what stops at breakpoints, the place beside what it is compared with, and the plan.
std::vector<std::string> commands(const SavedSession& session, const std::string& file) {
  const Request request = in_short(session.asked.request, passes::toolchain());
  const std::string model = shell_word(request.model), words = graph_words(request);
  std::string passes = "loopglassc passes " + model + words;
  for (const pass::Breakpoint& breakpoint : session.asked.breakpoints)
    if (breakpoint.enabled) passes += " --break " + shell_word(to_text(breakpoint));
  std::vector<std::string> commands{std::move(passes)};
  if (!session.place.at.empty())
    commands.push_back(
        fmt::format("loopglassc diff {} {} {}{}", model,
                    shell_word(session.compared_with.empty() ? "input" : session.compared_with),
                    shell_word(session.place.at), words));
  commands.push_back(fuse_command(request));
  if (!session.asked.schedules.empty())
    commands.push_back(fmt::format("loopglassc bench {}{}{} --schedule {}", model, words,
                                   plan_words(request), shell_word(file)));
  for (const SavedGraph& graph : session.others) {
    Request other = graph.asked.request;
    other.model = request.model;
    other.inputs = request.inputs;
    commands.push_back(fuse_command(in_short(std::move(other), passes::toolchain())));
  }
  if (auto beside = beside_command(session, model, words)) commands.push_back(*std::move(beside));
  return commands;
}

void print_line(std::string_view title, const std::string& text) {
  if (!text.empty()) fmt::print("{:<12}{}\n", title, text);
}

std::string folded_words(const SavedFolds& folds) {
  std::vector<std::string> words;
  if (!folds.by.empty()) words.push_back("by " + folds.by);
  if (folds.kernels) words.push_back("kernels are boxes");
  if (!folds.open.empty() || !folds.shown_once.empty())
    words.push_back(fmt::format("{} opened", folds.open.size() + folds.shown_once.size()));
  return fmt::format("{}", fmt::join(words, ", "));
}

// "loop1.body: strategy dp, 2 edges, 1 edit": another one of the model's.
std::string other_graph_words(const SavedGraph& graph, const Toolchain& toolchain) {
  const Request& request = graph.asked.request;
  std::vector<std::string> words{"strategy " + or_default(request.strategy, toolchain.strategies)};
  const std::size_t edges = request.forced.size() + request.forbidden.size();
  if (edges > 0) words.push_back(counted(edges, "edge"));
  if (request.uses_edits()) words.push_back(counted(request.edits.edits.size(), "edit"));
  return fmt::format("{}: {}", request.subgraph.empty() ? "the model's own" : request.subgraph,
                     fmt::join(words, ", "));
}

// "conv1, 12 lines": a person's own.
std::string schedule_words(const SavedSchedule& schedule) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(schedule.script, '\n')) +
                     (schedule.script.ends_with('\n') ? 0 : 1);
  return fmt::format("{}, {}", schedule.kernel, counted(lines, "line"));
}

std::string times_words(const SavedTimes& times, const std::vector<SavedSchedule>& schedules) {
  return fmt::format(
      "{} on {}, on {}{}", readable_time(Milliseconds(times.report.network.median_ms)),
      counted(times.report.threads, "thread"), times.when,
      times.of.schedules == schedules_digest(schedules) ? "" : ", with other schedules");
}

std::string roofline_words(const SavedRoofline& roofline) {
  return fmt::format("{} under the roofs, on {}, on {}", counted(roofline.kernels.size(), "kernel"),
                     counted(roofline.threads, "thread"), roofline.when);
}

void print(const SavedSession& session, const std::string& file) {
  const Request& request = session.asked.request;
  const Toolchain toolchain = passes::toolchain();
  print_line("model", request.model);
  for (const std::string& words : onnx::words_of(request.inputs)) print_line("input", words);
  print_line("subgraph", request.subgraph);
  print_line("passes", or_default(request.pipeline, toolchain.presets));
  if (request.memory_limit) print_line("limit", readable_bytes(*request.memory_limit));
  print_line("strategy", or_default(request.strategy, toolchain.strategies));
  for (const std::string& edge : request.forced) print_line("force", edge);
  for (const std::string& edge : request.forbidden) print_line("forbid", edge);
  if (!request.edits.edits.empty())
    print_line("edits of", or_default(request.edits.base, toolchain.strategies) +
                               (request.uses_edits() ? "" : " (not in use)"));
  for (const fusion::Edit& edit : request.edits.edits) print_line("edit", fusion::to_text(edit));
  for (const SavedSchedule& schedule : session.asked.schedules)
    print_line("schedule", schedule_words(schedule));
  for (const SavedSchedule& draft : session.drafts)
    print_line("draft", schedule_words(draft) + " (not in use)");
  print_line("place", session.place.at);
  print_line("beside", session.compared_with);
  print_line("other view", in_words(session.beside));
  print_line("selected", fmt::format("{}", fmt::join(session.place.selected.names, ", ")));
  print_line("kernel", session.kernel);
  print_line("folded", folded_words(session.folds));
  print_line("colours", session.colors);
  print_line("workspace", session.workspace);
  for (const SavedGraph& graph : session.others)
    print_line("graph", other_graph_words(graph, toolchain));
  if (session.times) print_line("measured", times_words(*session.times, session.asked.schedules));
  if (session.roofline) print_line("judged", roofline_words(*session.roofline));
  for (const pass::Breakpoint& breakpoint : session.asked.breakpoints)
    print_line("breakpoint", to_text(breakpoint) + (breakpoint.enabled ? "" : " (off)"));
  for (const Bookmark& bookmark : session.asked.bookmarks)
    print_line("bookmark", bookmark.name + " (" +
                               (bookmark.subgraph.empty() ? "" : bookmark.subgraph + ", ") +
                               bookmark.place.at + ")");
  fmt::print("\nthe same, asked by commands:\n");
  for (const std::string& command : commands(session, file)) fmt::print("  {}\n", command);
}

Result<Exit> show(const SessionCommandOptions& options) {
  const SavedSession session = TRY(read_session(options.file));
  if (!options.json) {
    print(session, options.file);
    return Exit::Good;
  }
  Json json{{"session", Json::parse(to_text(session))}};
  json["commands"] = Json::array();
  for (const std::string& command : commands(session, options.file))
    json["commands"].push_back(command);
  print_json(Schema::Session, session.asked.request.model, json);
  return Exit::Good;
}

Result<Exit> list(const SessionCommandOptions& options) {
  Json rows = Json::array();
  for (const KeptSession& kept : kept_sessions()) {
    const auto session = read_session(kept.file);
    const auto written = std::chrono::time_point_cast<std::chrono::seconds>(
        std::chrono::file_clock::to_sys(kept.written));
    Json row{
        {"file", kept.file.string()},
        {"written", fmt::format("{:%Y-%m-%d %H:%M:%S}",
                                fmt::localtime(std::chrono::system_clock::to_time_t(written)))},
        {"in_use", kept.in_use}};
    if (session) {
      row["model"] = session->asked.request.model;
      row["position"] = session->place.at;
      row["by_hand"] = by_hand_words(session->asked);
    } else {
      row["problem"] = session.error().what;
    }
    rows.push_back(std::move(row));
  }
  if (options.json) {
    print_json(Schema::SessionList, Json{{"sessions", std::move(rows)}});
    return Exit::Good;
  }
  for (const Json& row : rows) {
    fmt::print("{}  {}\n", row["written"].get<std::string>(), row["file"].get<std::string>());
    std::string what = row.value("problem", "");
    if (what.empty()) {
      what = row["model"].get<std::string>() + " at " + row["position"].get<std::string>();
      if (const auto by_hand = row["by_hand"].get<std::string>(); !by_hand.empty())
        what += ", " + by_hand;
    }
    fmt::print("{:21}{}{}\n", "", what, row["in_use"].get<bool>() ? ", open in a window" : "");
  }
  if (rows.empty()) fmt::print("no session has been kept\n");
  return Exit::Good;
}

Result<Exit> act(const SessionCommandOptions& options) {
  return options.file.empty() ? list(options) : show(options);
}

}  // namespace

void add_session(Command app, Action& chosen) {
  const auto [command, options] = declare<SessionCommandOptions>(
      app, chosen, "session",
      "what is in a session that the window saved, and the commands that ask the "
      "same; without FILE the "
      "sessions that windows have kept by themselves",
      act, "as JSON: what the file holds, and commands");
  command.add_option("file", options->file, "NAME.loopglass").type_name("FILE");
}

}  // namespace loopglass::app

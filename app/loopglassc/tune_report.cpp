#include "app/loopglassc/tune_report.h"

#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/loopglassc/turns_json.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "core/tune/winner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using tune::Tuning;

double gflops_of(const Tuning& tuning, double milliseconds) {
  return milliseconds > 0 ? tune::flops_of(tuning.task()) / milliseconds * 1e-6 : 0;
}

std::string failure_words(const std::map<std::string, int>& failures) {
  std::vector<std::string> words;
  for (const auto& [kind, count] : failures) words.push_back(fmt::format("{} {}", count, kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

// "0.62, finds 3 of 5 of the best", of the model's scores.
std::string quality_words(const tune::ModelQuality& quality) {
  if (quality.trials < 2) return "";
  if (std::isnan(quality.correlation)) return "none";
  return fmt::format("{:.2f} ({:.0f} %)", quality.correlation, 100 * quality.recall_of_best);
}

std::vector<const Tuning*> slowest_first(const tune::NetworkTuning& tuning) {
  std::vector<const Tuning*> order;
  for (const auto& each : tuning.tunings()) order.push_back(each.get());
  std::ranges::stable_sort(order, std::greater(), [](const Tuning* each) {
    return each->task().times * each->default_ms();
  });
  return order;
}

// "1.04x", of the default schedule's speed.
std::string times_faster(const Tuning& tuning, double milliseconds) {
  return fmt::format("{:.2f}x", tuning.default_ms() / milliseconds);
}

// What came nearest, where the default schedule stays: another script's code, which is not its own.
void print_nearest(const Tuning& tuning) {
  const tune::Trial* nearest = nullptr;
  for (const tune::Trial& trial : tuning.trials())
    if (trial.number > 0 && !trial.outcome.left_early && !trial.outcome.same_code &&
        std::isfinite(trial.outcome.milliseconds()) &&
        (!nearest || trial.outcome.milliseconds() < nearest->outcome.milliseconds()))
      nearest = &trial;
  if (!nearest) {
    if (tuning.measured() > 0)
      fmt::print(
          "what was tried is clearly slower, or failed, or is the default schedule's code\n");
    return;
  }
  const double ms = nearest->outcome.milliseconds();
  const std::string what =
      fmt::format("trial {}, {} ({}){}{}", nearest->number, readable_milliseconds(ms),
                  times_faster(tuning, ms), nearest->words.empty() ? "" : ": ", nearest->words);
  if (ms < tuning.default_ms())
    fmt::print(
        "the default schedule stays: a schedule has to be faster by {:.0f} %; nearest is {}\n",
        100 * (1 - tune::worth_it), what);
  else fmt::print("nothing was faster than the default schedule; nearest is {}\n", what);
}

// How scripts of a person's own did; of a kernel among several.
void print_own(const Tuning& tuning, bool is_one_of_several) {
  std::size_t scripts = tuning.task().own_scripts.size();
  for (const tune::Trial& trial : tuning.trials()) {
    if (trial.point || trial.number == 0 || scripts == 0) continue;
    --scripts;
    const double ms = trial.outcome.milliseconds();
    fmt::print("your script{}, trial {}: {}\n",
               is_one_of_several ? " for " + tuning.task().kernel : "", trial.number,
               trial.outcome.failure
                   ? fmt::format("{}: {}", name(trial.outcome.failure->kind),
                                 trial.outcome.failure->diagnostic.what)
                   : fmt::format("{}{} ({}){}", trial.outcome.left_early ? "> " : "",
                                 readable_milliseconds(ms), times_faster(tuning, ms),
                                 trial.outcome.left_early ? ", left early as clearly slower" : ""));
  }
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

void print(const TuneReport& report) {
  const auto order = slowest_first(report.tuning);
  if (order.empty()) {
    fmt::print("nothing was measured\n");
    return;
  }
  Table table({Column::name("kernel"), Column::number("times"), Column::number("default"),
               Column::number("best"), Column::number("faster"), Column::number("GFLOP/s"),
               Column::number("trials"), Column::word("model's rank"), Column::word("failed")});
  double before = 0, after = 0;
  for (const Tuning* each : order) {
    before += each->task().times * each->default_ms();
    after += each->task().times * each->best_ms();
    const double times_faster = each->default_ms() / each->best_ms();
    table.add(
        {each->task().kernel, each->task().times, readable_milliseconds(each->default_ms()),
         readable_milliseconds(each->best_ms()),
         Cell(fmt::format("{:.2f}x", times_faster), times_faster > 1 ? Style::Good : Style::Plain),
         fmt::format("{:.1f}", gflops_of(*each, each->best_ms())), each->measured(),
         quality_words(each->quality()), failure_words(each->failures())});
  }
  table.print();
  for (const auto& [kernel, what] : report.wrong)
    fmt::print("{}: its results are WRONG: {}\n", kernel, what);
  const auto left_for = [&](tune::NetworkTuning::Left::Why why) {
    return std::ranges::count(report.tuning.left(), why, &tune::NetworkTuning::Left::why);
  };
  if (const auto count = left_for(tune::NetworkTuning::Left::Why::NothingToChoose); count > 0)
    fmt::print("{} more {} nothing to choose in this space\n", count, count == 1 ? "has" : "have");
  if (const auto count = left_for(tune::NetworkTuning::Left::Why::NoTime); count > 0)
    fmt::print("for {} more there was no time\n", count);
  fmt::print("\n{} on {}: the kernels {} before, {} now ({:.2f}x), after {} in {}", report.model,
             counted(report.threads, "thread"), readable_milliseconds(before),
             readable_milliseconds(after), after > 0 ? before / after : 1,
             counted(report.tuning.measured(), "trial"),
             readable_milliseconds(1000 * report.tuning.seconds()));
  if (report.tuning.measured() > 0)
    fmt::print(", {} each", readable_milliseconds(1000 * report.tuning.seconds() /
                                                  static_cast<double>(report.tuning.measured())));
  fmt::print("{}\n", report.was_cancelled && report.tuning.is_over()
                         ? "; stopped before the network had run with what was found"
                     : report.was_cancelled ? "; stopped before its end"
                                            : "");
  if (report.was_cancelled && !report.tuning.is_over())
    fmt::print(
        "each was measured once: the fastest did not run in turns with the default schedules\n");
  // Beside the kernel, another schedule is compiled.
  if (report.load && is_busy(*report.load, report.threads + 1))
    fmt::print("{}; what was measured once may be off, the times above were taken in turns\n",
               runtime::load_words(*report.load, report.threads + 1));
  if (order.size() == 1 && order[0]->is_exhausted())
    fmt::print("the search had nothing left to propose\n");
  if (report.network) {
    const auto with_quartiles = [](const runtime::Statistics& time) {
      return fmt::format("{} (quartiles {} to {})", readable_milliseconds(time.median_ms),
                         readable_milliseconds(time.lower_quartile_ms),
                         readable_milliseconds(time.upper_quartile_ms));
    };
    fmt::print("the network, in turns: {} before, {} now", with_quartiles(report.network->untuned),
               with_quartiles(report.network->tuned));
    const runtime::TimesInTurns& turns = report.network->turns;
    if (turns.turns > 0)
      fmt::print(": {}; {}", runtime::ratio_words(turns), runtime::chance_words(turns));
    fmt::print("\n");
  }
  if (!report.withdrawn.empty())
    fmt::print("faster alone and slower in the network, so that the default schedule stays: {}\n",
               fmt::join(report.withdrawn, ", "));
  if (order.size() == 1 && order[0]->best_trial().number == 0 && report.withdrawn.empty())
    print_nearest(*order[0]);
  for (const Tuning* each : order) print_own(*each, order.size() > 1);
  if (order.size() == 1)
    fmt::print("\n{}\n\n{}",
               order[0]->best_trial().words.empty() ? order[0]->best_trial().how
                                                    : order[0]->best_trial().words,
               order[0]->best_trial().script);
}

Json to_json(const TuneReport& report) {
  double before = 0, after = 0;
  std::map<std::string, int> failed;
  Json kernels = Json::array();
  for (const auto& each : report.tuning.tunings()) {
    before += each->task().times * each->default_ms();
    after += each->task().times * each->best_ms();
    for (const auto& [kind, count] : each->failures()) failed[kind] += count;
    const tune::ModelQuality quality = each->quality();
    const std::string& kernel = each->task().kernel;
    Json row{{"name", kernel},
             {"workload", tune::workload_of(each->task())},
             {"times", each->task().times},
             {"default_us", number(microseconds(each->default_ms()))},
             {"best_us", number(microseconds(each->best_ms()))},
             {"default_gflops", gflops_of(*each, each->default_ms())},
             {"best_gflops", gflops_of(*each, each->best_ms())},
             {"trial_count", each->measured()},
             {"failures", each->failures()},
             {"point_count", each->space().size()},
             {"model_rank_correlation", number(quality.correlation)},
             {"model_recall_of_best", quality.trials > 0 ? number(quality.recall_of_best) : Json()},
             {"knobs", each->best_trial().words},
             {"schedule", each->best_trial().script}};
    if (const auto checked = report.checked.find(kernel); checked != report.checked.end())
      row["checked_against"] = checked->second;
    if (const auto wrong = report.wrong.find(kernel); wrong != report.wrong.end())
      row["wrong"] = wrong->second;
    if (std::ranges::find(report.withdrawn, kernel) != report.withdrawn.end())
      row["withdrawn"] = true;
    row["best_so_far"] = Json::array();
    double best = 0;
    for (const tune::Trial& trial : each->trials()) {
      const double ms = trial.outcome.left_early ? 0 : trial.outcome.milliseconds();
      if (ms > 0 && std::isfinite(ms) && (best == 0 || ms < best)) {
        best = ms;
        row["best_so_far"].push_back({{"trial", trial.number},
                                      {"elapsed_us", trial.seconds * 1e6},
                                      {"time_us", microseconds(ms)}});
      }
    }
    kernels.push_back(std::move(row));
  }
  Json json{{"threads", report.threads},
            {"default_us", kernels.empty() ? Json() : Json(microseconds(before))},
            {"best_us", kernels.empty() ? Json() : Json(microseconds(after))},
            {"trial_count", report.tuning.measured()},
            {"failures", failed},
            {"elapsed_us", report.tuning.seconds() * 1e6},
            {"load", app::to_json(report.load, report.threads + 1)},
            {"cancelled", report.was_cancelled}};
  if (report.network)
    json["network"] = {{"default_us", microseconds(report.network->untuned.median_ms)},
                       {"best_us", microseconds(report.network->tuned.median_ms)},
                       {"against_default", to_json(report.network->turns)}};
  json["kernels"] = std::move(kernels);
  json["nothing_to_choose"] = json["no_time"] = Json::array();
  for (const auto& left : report.tuning.left())
    json[left.why == tune::NetworkTuning::Left::Why::NoTime ? "no_time" : "nothing_to_choose"]
        .push_back(left.task.kernel);
  return json;
}

namespace {

constexpr int sampled_points = 64;

struct Refused {
  int tried = 0;
  std::map<std::string, int> reasons;
};

// Why points cannot be written, by trying some.
Refused refused_points(const tune::Space& space) {
  Refused refused;
  tune::Random random(1);
  for (; refused.tried < sampled_points; ++refused.tried)
    if (const auto script = space.script(space.random(random)); !script)
      ++refused.reasons[script.error().what];
  return refused;
}

std::string points(double count) {
  return fmt::format("{:.0f} point{}", count, count == 1 ? "" : "s");
}

// What each decides, once, whichever sketches have it.
void print_knobs(const tune::Space& space) {
  std::vector<std::pair<std::string, std::string>> docs;  // as they come
  for (const tune::Sketch& sketch : space.sketches)
    for (const tune::Knob& knob : sketch.knobs)
      if (std::ranges::find(docs, std::pair(knob.name, knob.doc)) == docs.end())
        docs.emplace_back(knob.name, knob.doc);
  if (docs.empty()) return;
  fmt::print("\nwhat the knobs decide\n");
  for (const auto& [name, doc] : docs) fmt::print("  {:<12} {}\n", name, doc);
}

}  // namespace

void print(const tune::Space& space, const tune::Task& task) {
  const std::size_t sketches = space.sketches.size();
  fmt::print("{}, of {}: {} in {} {}\n", space.name, task.kernel, points(space.size()), sketches,
             sketches == 1 ? "sketch" : "sketches");
  for (const tune::Sketch& sketch : space.sketches) {
    fmt::print("\n{}: {}\n  {}\n", sketch.name, points(sketch.size()), sketch.rules);
    for (const tune::Knob& knob : sketch.knobs) {
      constexpr std::size_t most = 12;
      std::vector<std::string> values = knob.values;
      if (values.size() > most) {
        values.resize(most - 1);
        values.push_back(fmt::format("... ({} in all)", knob.values.size()));
      }
      fmt::print("  {:<12} {}\n", knob.name, fmt::join(values, "  "));
    }
  }
  print_knobs(space);
  for (const Diagnostic& refused : space.refused)
    fmt::print("\na sketch that cannot be written: {} ({})\n", refused.what, refused.where);
  if (space.empty()) return;
  const Refused refused = refused_points(space);
  int count = 0;
  for (const auto& [reason, times] : refused.reasons) count += times;
  fmt::print("\nof {} points at random, {} cannot be written\n", refused.tried, count);
  for (const auto& [reason, times] : refused.reasons) fmt::print("  {:>3}  {}\n", times, reason);
}

Json to_json(const tune::Space& space, const tune::Task& task) {
  Json json{{"name", task.kernel}, {"space", space.name}, {"point_count", space.size()}};
  json["sketches"] = Json::array();
  for (const tune::Sketch& sketch : space.sketches) {
    Json knobs = Json::array();
    for (const tune::Knob& knob : sketch.knobs)
      knobs.push_back({{"name", knob.name}, {"decides", knob.doc}, {"values", knob.values}});
    json["sketches"].push_back({{"name", sketch.name},
                                {"rules", sketch.rules},
                                {"point_count", sketch.size()},
                                {"knobs", std::move(knobs)}});
  }
  json["sketches_refused"] = Json::array();
  for (const Diagnostic& refused : space.refused) json["sketches_refused"].push_back(refused.what);
  if (space.empty()) return json;
  const Refused refused = refused_points(space);
  json["tried_count"] = refused.tried;
  json["refused"] = refused.reasons;
  return json;
}

void TuneProgress::trial(const tune::NetworkTuning& all, const Tuning& tuning,
                         const tune::Trial& trial, double seconds_asked) {
  if (trial.number == 0) return;
  const double spent = all.seconds();
  const auto done = static_cast<double>(all.measured());
  const double left = seconds_asked > 0 ? seconds_asked - spent
                      : done > 0        ? spent / done * (static_cast<double>(all.trials()) - done)
                                        : 0;
  line_.update(fmt::format(
      "{}: {} {}trials, best {} ({:.2f}x), {:.1f} a second, {}", tuning.task().kernel,
      all.measured(), all.trials() > 0 ? fmt::format("of {} ", all.trials()) : "",
      readable_milliseconds(tuning.best_trial().outcome.milliseconds()),
      tuning.default_trial().outcome.milliseconds() / tuning.best_trial().outcome.milliseconds(),
      spent > 0 ? done / spent : 0, time_left(std::max(0.0, left))));
}

}  // namespace loopglass::app

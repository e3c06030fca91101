#include "core/tune/tuning.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "core/support/suggestion.h"
#include "core/tune/models/ranking.h"
#include "core/tune/winner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

namespace loopglass::tune {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t leaders = 8;  // that are measured once more
constexpr int turns = 5;
constexpr double worth_learning = 1.2;  // as many examples as the model has seen

// `otherwise`: what else may stand there.
template <class Kinds>
Result<void> check_name(const Kinds& kinds, const std::string& name, const char* option,
                        std::string_view otherwise = "") {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  if (std::ranges::find(names, name) != names.end()) return {};
  return fail(
      Code::UsageInvalid, fmt::format("there is no '{}'", name), option,
      did_you_mean(name, names, fmt::format("one of {}{}", fmt::join(names, ", "), otherwise)));
}

Result<Space> space_for(const Task& task, const TuneSettings& settings) {
  if (!settings.written_space.empty())
    return written_space(task, settings.written_space, settings.space);
  return find_space_kind(settings.space)->make(task);
}

}  // namespace

Result<void> check(const TuneSettings& settings) {
  if (settings.written_space.empty())
    TRY_VOID(check_name(all_space_kinds(), settings.space, "--space",
                        "; or a file with a script that samples"));
  TRY_VOID(check_name(all_search_kinds(), settings.search, "--search"));
  return check_name(all_cost_model_kinds(), settings.cost_model, "--cost-model");
}

Tuning::Tuning(Task task, const TuneSettings& settings, Measurer& measurer, OnTrial on_trial)
    : task_(std::move(task)),
      settings_(settings),
      measurer_(measurer),
      on_trial_(std::move(on_trial)) {}

Result<std::unique_ptr<Tuning>> Tuning::begin(Task task, const TuneSettings& settings,
                                              Measurer& measurer, OnTrial on_trial,
                                              const Cancellation& cancellation) {
  TRY_VOID(check(settings));
  std::unique_ptr<Tuning> tuning(
      new Tuning(std::move(task), settings, measurer, std::move(on_trial)));
  tuning->space_ = TRY(space_for(tuning->task_, settings));
  const bool is_wished_for = !tuning->task_.rules.empty() || !tuning->task_.own_scripts.empty();
  if (tuning->space_.empty() && is_wished_for)
    return fail(Code::UsageInvalid,
                fmt::format("the space '{}' has nothing to choose in '{}', of which a knob or a "
                            "script is said",
                            settings.space, tuning->task_.kernel),
                tuning->task_.kernel, "take that back, or choose another space");
  if (tuning->space_.empty())
    return fail(
        Code::NothingToTune,
        fmt::format("the space '{}' has nothing to choose in '{}'", settings.space,
                    tuning->task_.kernel),
        tuning->task_.kernel,
        "spaces are of sums whose loops may be tiled, 'construct' also of rows of vectors; another "
        "--space, or one of your own (a script with sample lines)");
  tuning->judge_ =
      std::make_unique<Judge>(tuning->task_, tuning->space_,
                              find_cost_model_kind(settings.cost_model)->make(settings.seed));
  if (auto steered = tuning->steer(tuning->task_.rules); !steered) {
    Diagnostic problem = std::move(steered).error();
    problem.where = fmt::format("{} of {}", problem.where, tuning->task_.kernel);
    return std::unexpected(std::move(problem));
  }
  std::vector<Foreign> own;
  for (const std::string& script : tuning->task_.own_scripts) {
    const schedule::Trace trace = TRY(schedule::parse_script(script));
    TRY(schedule::settled(tuning->task_.nest, trace));
    own.push_back({script, "a script of one's own"});
  }
  Trial usual;
  usual.how = "the default schedule";
  usual.script = schedule::to_script(
      TRY(schedule::default_schedule(tuning->task_.nest, tuning->task_.machine)));
  usual.outcome =
      measurer.measure(tuning->task_, usual.script, std::vector{usual.script}, 0, cancellation, {})
          .front();
  if (usual.outcome.failure) {
    Diagnostic problem = usual.outcome.failure->diagnostic;
    problem.where = fmt::format("{} by the default schedule{}{}", tuning->task_.kernel,
                                problem.where.empty() ? "" : ": ", problem.where);
    return std::unexpected(std::move(problem));
  }
  usual.judged_ms = usual.outcome.milliseconds();
  tuning->outcomes_[usual.script] = usual.outcome;
  tuning->outcomes_[usual.script].same_code = true;
  TRY_VOID(tuning->add(std::move(usual)));
  if (!own.empty()) TRY(tuning->try_scripts(own, cancellation));
  return tuning;
}

Result<void> Tuning::steer(std::vector<KnobRule> rules) {
  auto steered = std::make_unique<SteeredSpace>(TRY(SteeredSpace::make(space_, rules)));
  steered_ = std::move(steered);
  rules_ = std::move(rules);
  search_ = find_search_kind(settings_.search)
                ->make(steered_->space(), {settings_.seed, settings_.trials});
  tell(known_);
  return {};
}

void Tuning::tell(std::span<const Observation> observations) {
  std::vector<Observation> steered;
  for (const Observation& observation : observations)
    if (auto point = steered_->steered(observation.point))
      steered.push_back({*std::move(point), observation.milliseconds});
  if (!steered.empty()) search_->learn(steered);
}

void Tuning::learn(const Records& records, const Conditions& conditions) {
  std::vector<Observation> observations;
  const std::string workload = workload_of(task_);
  for (const Record& record : records.records) {
    if (record.workload != workload || record.is_final || !record.conditions.is_like(conditions))
      continue;
    const auto point = space_.named(record.words);
    if (!point) continue;
    const double ms = record.time ? record.time->median_ms : infinity;
    observations.push_back({*point, ms});
    if (!judge_->has_model()) continue;
    const auto& judged = (*judge_)(*point);
    if (!judged.scheduled) continue;
    examples_.push_back({judged.features, 0});
    example_ms_.push_back(ms);
  }
  tell(observations);
  known_.insert(known_.end(), observations.begin(), observations.end());
  if (!examples_.empty()) train();
}

Layout Tuning::layout_now() const {
  if (!settings_.layout) return Layout::None;
  return layout_at(*settings_.layout,
                   static_cast<double>(measured_) /
                       static_cast<double>(std::max<std::size_t>(1, settings_.trials)));
}

void Tuning::settle_layout(Prepared& prepared) const {
  prepared.laid_out = settings_.layout ? laid_out(prepared.as_it_is) : prepared.as_it_is;
  prepared.judged_script = schedule::to_script(prepared.as_it_is.trace);
  prepared.kept_script = schedule::to_script(prepared.laid_out.trace);
}

Tuning::Prepared Tuning::prepare(const Proposal& proposal, std::optional<double> predicted) {
  Prepared prepared{proposal.point, proposal.how, {}, predicted};
  for (const Point& parent : proposal.parents)
    if (const auto number = numbers_.find(parent); number != numbers_.end())
      prepared.parents.push_back(number->second);
  const Judge::Judged& judged = (*judge_)(proposal.point);
  if (judged.refusal) {
    prepared.refusal = judged.refusal;
    return prepared;
  }
  prepared.features = judged.features;
  prepared.as_it_is = *judged.scheduled;
  settle_layout(prepared);
  return prepared;
}

Result<std::size_t> Tuning::try_scripts(std::span<const Foreign> scripts,
                                        const Cancellation& cancellation) {
  std::vector<Prepared> prepared;
  for (const auto& [script, how] : scripts) {
    auto trace = schedule::parse_script(script);
    if (!trace) continue;
    auto plain = schedule::settled(task_.nest, *trace);
    if (!plain) continue;
    Prepared each{std::nullopt, how, {}, std::nullopt};
    each.features = judge_->describe(plain->func);
    each.as_it_is = *std::move(plain);
    settle_layout(each);
    prepared.push_back(std::move(each));
  }
  const std::size_t legal = prepared.size();
  TRY_VOID(measure(std::move(prepared), layout_now(), cancellation));
  return scripts.size() - legal;
}

Result<std::size_t> Tuning::transfer(const Records& records, const Conditions& conditions,
                                     const Cancellation& cancellation) {
  constexpr std::size_t most = 8;
  const std::string own = workload_of(task_);
  std::set<std::string> workloads, seen{default_script()};
  std::vector<Foreign> foreign;
  for (const Record& record : records.records) {
    if (!workloads.insert(record.workload).second) continue;
    const Record* best = best_of(records, record.workload, conditions);
    if (!best || best->trial == 0 || !seen.insert(best->script).second) continue;
    const auto trace = schedule::parse_script(best->script);
    if (!trace || !schedule::replay(task_.nest, *trace)) continue;
    foreign.push_back({best->script, record.workload == own
                                         ? "the fastest of the records"
                                         : fmt::format("as {} was fastest", best->kernel)});
    if (foreign.size() == most) break;
  }
  return try_scripts(foreign, cancellation);
}

Result<bool> Tuning::round(std::size_t count, const Cancellation& cancellation) {
  SteeredForesight foresight(*steered_, *judge_);
  std::vector<Proposal> proposals = search_->propose(count, foresight);
  is_exhausted_ = proposals.empty();
  if (is_exhausted_) return false;
  for (Proposal& proposal : proposals) {
    proposal.point = steered_->full(proposal.point);
    for (Point& parent : proposal.parents) parent = steered_->full(parent);
  }
  ++round_;
  std::vector<Point> points;
  for (const Proposal& proposal : proposals) points.push_back(proposal.point);
  const std::vector<double> scores =
      judge_->knows() ? judge_->scores(points) : std::vector<double>();
  std::vector<Prepared> prepared;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const bool has_score = !scores.empty() && std::isfinite(scores[i]);
    prepared.push_back(prepare(proposals[i], has_score ? std::optional(scores[i]) : std::nullopt));
    if (cancellation.requested()) return fail(Code::Cancelled, "tuning was cancelled");
  }
  const std::size_t before = trials_.size();
  TRY_VOID(measure(std::move(prepared), layout_now(), cancellation));
  std::vector<Observation> observations;
  for (std::size_t t = before; t < trials_.size(); ++t)
    if (trials_[t].point) observations.push_back({*trials_[t].point, trials_[t].judged_ms});
  tell(observations);
  known_.insert(known_.end(), observations.begin(), observations.end());
  if (static_cast<double>(examples_.size()) >= worth_learning * static_cast<double>(learned_))
    train();
  return true;
}

void Tuning::train() {
  double best = infinity;
  for (const double ms : example_ms_) best = std::min(best, ms);
  for (std::size_t e = 0; e < examples_.size(); ++e)
    examples_[e].throughput = std::isfinite(example_ms_[e]) ? best / example_ms_[e] : 0;
  judge_->learn(examples_);
  learned_ = examples_.size();
}

// What it takes to lay the constants out that the nest wants so, when it is run.
double Tuning::layout_ms(const loop::Func& func, const Cancellation& cancellation) {
  double sum = 0;
  for (loop::Func& kernel : layout_kernels(func)) {
    const std::string text = loop::to_text(kernel);
    const auto [known, is_new] = layout_times_.try_emplace(text, 0);
    if (is_new) {
      Task task{kernel.name, std::move(kernel), task_.symbols, task_.machine, task_.threads};
      const auto script = schedule::default_schedule(task.nest, task.machine);
      const std::string lines = script ? schedule::to_script(*script) : "";
      known->second = measurer_.measure(task, lines, std::vector{lines}, 0, cancellation, {})
                          .front()
                          .milliseconds();
    }
    sum += known->second;
  }
  return sum;
}

Result<void> Tuning::measure(std::vector<Prepared> prepared, Layout layout,
                             const Cancellation& cancellation) {
  // What has to be run: programs as they are, or laid out, or both; none twice.
  std::vector<std::string> scripts;
  const auto want = [&](const std::string& script) {
    if (!outcomes_.contains(script) && std::ranges::find(scripts, script) == scripts.end())
      scripts.push_back(script);
  };
  for (const Prepared& each : prepared) {
    if (each.refusal) continue;
    if (layout == Layout::None) want(each.judged_script);
    want(each.kept_script);
  }
  std::map<std::string, Outcome> fresh;
  std::optional<Diagnostic> problem;
  std::size_t next = 0;
  // Trials in the order of the proposals, each as soon as all is known that it takes.
  const auto settle = [&] {
    for (; next < prepared.size() && !problem; ++next) {
      Prepared& each = prepared[next];
      Trial trial;
      trial.point = each.point;
      trial.how = each.how;
      trial.parents = each.parents;
      if (each.point) trial.words = space_.words(*each.point);
      trial.predicted = each.predicted;
      trial.layout = layout;
      if (each.refusal) {
        trial.outcome.failure = measure::Failure{measure::FailureKind::Illegal, *each.refusal};
        trial.judged_ms = infinity;
      } else {
        const auto known = [&](const std::string& script) -> Outcome* {
          if (const auto found = fresh.find(script); found != fresh.end()) return &found->second;
          const auto before = outcomes_.find(script);
          return before == outcomes_.end() ? nullptr : &before->second;
        };
        Outcome* kept = known(each.kept_script);
        const Outcome* judged = layout == Layout::None ? known(each.judged_script) : kept;
        if (!kept || !judged) return;
        trial.script = each.kept_script;
        trial.outcome = *kept;
        kept->same_code = true;  // whose proposal comes to it once more
        trial.judged_ms = judged->milliseconds();
        if (layout == Layout::AtRunTime)
          trial.judged_ms += layout_ms(each.laid_out.func, cancellation);
      }
      if (trial.outcome.failure && trial.outcome.failure->kind == measure::FailureKind::Cancelled)
        continue;
      if (judge_->has_model() && !each.refusal) {
        examples_.push_back({std::move(each.features), 0});
        example_ms_.push_back(trial.judged_ms);
      }
      if (auto added = add(std::move(trial)); !added) problem = std::move(added).error();
    }
  };
  settle();
  measurer_.measure(task_, default_script(), scripts, best_trial().outcome.milliseconds(),
                    cancellation, [&](std::size_t place, const Outcome& outcome) {
                      fresh[scripts[place]] = outcome;
                      settle();
                    });
  settle();
  std::erase_if(fresh, [](const auto& entry) {
    return entry.second.failure && entry.second.failure->kind == measure::FailureKind::Cancelled;
  });
  outcomes_.merge(fresh);
  if (problem) return std::unexpected(*std::move(problem));
  if (cancellation.requested()) return fail(Code::Cancelled, "tuning was cancelled");
  return {};
}

Result<void> Tuning::add(Trial trial) {
  trial.number = static_cast<int>(trials_.size());
  trial.round = round_;
  trial.seconds = begun_.milliseconds() / 1000;
  if (trial.point) numbers_[*trial.point] = trial.number;
  const bool was_refused =
      trial.outcome.failure && trial.outcome.failure->kind == measure::FailureKind::Illegal;
  const bool is_default = trials_.empty();
  const double ms = trial.outcome.left_early ? infinity : trial.outcome.milliseconds();
  trials_.push_back(std::move(trial));
  if (!was_refused && !is_default) ++measured_;
  if (ms < trials_[best_].outcome.milliseconds()) {
    best_ = trials_.size() - 1;
    best_at_ = measured_;
  }
  return on_trial_ ? on_trial_(*this, trials_.back(), false) : Result<void>();
}

Result<void> Tuning::finish(const Cancellation& cancellation) {
  std::vector<std::size_t> by_time;
  for (std::size_t t = 1; t < trials_.size(); ++t)
    if (std::isfinite(trials_[t].outcome.milliseconds()) && !trials_[t].outcome.left_early)
      by_time.push_back(t);
  std::ranges::stable_sort(by_time, {},
                           [&](std::size_t t) { return trials_[t].outcome.milliseconds(); });
  std::vector<std::size_t> order = {0};  // of those that share their code the first
  for (const std::size_t t : by_time)
    if (order.size() <= leaders && std::ranges::none_of(order, [&](std::size_t other) {
          return is_same_code(trials_[other].outcome.told(), trials_[t].outcome.told());
        }))
      order.push_back(t);
  if (order.size() == 1) return {};
  std::vector<std::string> scripts;
  for (const std::size_t t : order) scripts.push_back(trials_[t].script);
  const std::vector<Outcome> outcomes =
      measurer_.measure_in_turns(task_, default_script(), scripts, turns, cancellation);
  if (cancellation.requested()) return fail(Code::Cancelled, "tuning was cancelled");
  std::vector<FinalTime> times;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Trial& trial = trials_[order[i]];
    trial.outcome.time = outcomes[i].time;
    trial.outcome.failure = outcomes[i].failure;
    times.push_back({trial.number, outcomes[i].milliseconds()});
    in_turns_[trial.number] = times.back().milliseconds;
  }
  if (const auto place = winner(times)) best_ = order[*place];
  if (on_trial_)
    for (const std::size_t t : order) TRY_VOID(on_trial_(*this, trials_[t], true));
  return {};
}

double Tuning::default_ms() const {
  const auto again = in_turns_.find(0);
  return again == in_turns_.end() ? trials_.front().outcome.milliseconds() : again->second;
}

double Tuning::best_ms() const {
  const auto again = in_turns_.find(trials_[best_].number);
  return again == in_turns_.end() ? trials_[best_].outcome.milliseconds() : again->second;
}

std::map<std::string, int> Tuning::failures() const {
  std::map<std::string, int> counts;
  for (const Trial& trial : trials_)
    if (trial.outcome.failure) ++counts[std::string(name(trial.outcome.failure->kind))];
  return counts;
}

ModelQuality Tuning::quality() const {
  std::vector<double> scores, speeds;
  for (const Trial& trial : trials_) {
    if (!trial.predicted) continue;
    scores.push_back(*trial.predicted);
    speeds.push_back(std::isfinite(trial.judged_ms) ? 1 / trial.judged_ms : 0);
  }
  return {scores.size(), rank_correlation(scores, speeds), recall_of_best(scores, speeds, 0.05)};
}

Record record_of(const Tuning& tuning, const Trial& trial, bool is_final,
                 const Conditions& conditions, const std::string& run) {
  const TuneSettings& settings = tuning.settings();
  Record record;
  record.workload = workload_of(tuning.task());
  record.kernel = tuning.task().kernel;
  record.conditions = conditions;
  record.run = run;
  record.space = settings.space;
  record.search = settings.search;
  record.cost_model = settings.cost_model;
  record.layout = settings.layout ? std::string(name(trial.layout)) : "";
  record.seed = settings.seed;
  record.trial = trial.number;
  record.round = trial.round;
  record.is_final = is_final;
  record.how = trial.how;
  record.words = trial.words;
  record.parents = trial.parents;
  record.script = trial.script;
  record.predicted = trial.predicted;
  if (!trial.outcome.failure) record.time = trial.outcome.time;
  record.left_early = trial.outcome.left_early;
  record.same_code = trial.outcome.same_code;
  record.flops = flops_of(tuning.task());
  if (trial.outcome.failure) {
    record.failure = name(trial.outcome.failure->kind);
    record.reason = trial.outcome.failure->diagnostic.what;
  }
  record.seconds = trial.seconds;
  record.worker = trial.outcome.worker;
  return record;
}

Record withdrawal_of(const Tuning& tuning, const Conditions& conditions, const std::string& run) {
  Record record = record_of(tuning, tuning.default_trial(), true, conditions, run);
  record.is_withdrawn = true;
  return record;
}

}  // namespace loopglass::tune

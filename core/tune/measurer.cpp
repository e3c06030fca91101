#include "core/tune/measurer.h"

#include "core/loop/blocks.h"
#include "core/loop/text.h"
#include "core/support/hash.h"
#include "core/support/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>

namespace loopglass::tune {

namespace {

constexpr std::size_t most_waiting = 4;  // compiled, and not yet measured
constexpr int rounds = 10, rounds_in_turns = 10;
constexpr double budget_milliseconds = 25;
constexpr std::size_t most_outcomes_kept = 20'000;
// A kernel has ten times as long as the best takes, and seconds more for whatever is made ready.
constexpr std::chrono::milliseconds preparing_limit(20'000);

measure::Request request_for(const Task& task, const std::string& reference, double best_ms) {
  const Tolerance tolerance = tolerance_of(task.nest);
  measure::Request request;
  request.machine = task.machine;
  request.symbols = task.symbols;
  request.threads = task.threads;
  request.reference = measure::Reference{loop::to_text(task.nest), reference, tolerance.absolute,
                                         tolerance.relative};
  request.best_milliseconds = best_ms;
  request.rounds_at_least = rounds;
  request.budget_milliseconds = budget_milliseconds;
  request.time_limit =
      preparing_limit + std::chrono::milliseconds(static_cast<std::int64_t>(20 * rounds * best_ms));
  return request;
}

}  // namespace

bool is_same_code(ToldTime a, ToldTime b) {
  return (a.same_code || b.same_code) && a.milliseconds == b.milliseconds;
}

double Outcome::milliseconds() const {
  if (failure || !time) return std::numeric_limits<double>::infinity();
  return time->median_ms;
}

Tolerance tolerance_of(const loop::Func& nest) {
  double terms = 1;
  bool is_half = false;
  for (const loop::Buffer& parameter : nest.parameters)
    is_half |= parameter.type == DataType::Float16;
  for (const loop::Block* block : loop::blocks_of(nest.body)) {
    double own = 1;
    for (const loop::IterVar& iter : block->iters)
      if (iter.reduction) own *= static_cast<double>(expr::as_integer(iter.extent).value_or(1000));
    terms = std::max(terms, own);
  }
  // Numbers are of [-1, 1): a sum of n products is about sqrt(n) large, and each addition rounds.
  const double rounding = is_half ? 1e-3 : 1.2e-7;
  return {std::max(1e-6, 4 * rounding * terms), 100 * rounding};
}

struct LocalMeasurer::Compiled {
  std::size_t place = 0;
  measure::Answer answer;
  double milliseconds = 0;
};

// Scripts in their order, compiled by a thread that is a few ahead. It ends with whoever takes
// them, however that ends.
class LocalMeasurer::CompiledAhead {
 public:
  CompiledAhead(std::size_t count, std::function<Compiled(std::size_t place)> compile)
      : thread_([this, count, compile = std::move(compile)] {
          for (std::size_t place = 0; place < count; ++place) {
            Compiled compiled = compile(place);
            compiled.place = place;
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return waiting_.size() < most_waiting || is_over_; });
            if (is_over_) return;
            waiting_.push_back(std::move(compiled));
            changed_.notify_all();
          }
        }) {}
  ~CompiledAhead() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  CompiledAhead(const CompiledAhead&) = delete;

  // Waits for it; as often as there are scripts.
  Compiled next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_.empty(); });
    Compiled compiled = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return compiled;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Compiled> waiting_;
  bool is_over_ = false;
  std::thread thread_;  // last: the others are there when it begins
};

LocalMeasurer::Compiled LocalMeasurer::compile(const measure::Request& request,
                                               const std::string& script,
                                               const Cancellation& cancellation) {
  measure::Request compiled = request;
  compiled.nest = request.reference->nest;
  compiled.script = script;
  compiled.reference.reset();
  compiled.only_compile = true;
  const Stopwatch spent;
  measure::Answer answer = compiling_.ask(compiled, cancellation);
  return {0, std::move(answer), spent.milliseconds()};
}

Outcome LocalMeasurer::time(measure::Request request, Compiled compiled,
                            const Cancellation& cancellation) {
  Outcome outcome;
  outcome.compiling_ms = compiled.milliseconds;
  if (!compiled.answer) {
    outcome.failure = std::move(compiled.answer).error();
    return outcome;
  }
  Hasher hasher;
  hasher.text(compiled.answer->code->bytes).text(request.reference->nest);
  hasher.value(request.threads).text(compiled.answer->code->workspace.text());
  const std::uint64_t key = hasher.digest();
  if (const auto known = known_.find(key); known != known_.end()) {
    Outcome same = known->second;
    same.compiling_ms = compiled.milliseconds;
    same.measuring_ms = 0;
    same.same_code = true;
    return same;
  }
  request.nest = std::move(compiled.answer->nest);
  request.code = std::move(compiled.answer->code);
  const Stopwatch spent;
  measure::Answer answer = timing_.ask(request, cancellation);
  // Nobody knows why: asked once more, it may be known.
  if (!answer && answer.error().kind == measure::FailureKind::Lost)
    answer = timing_.ask(request, cancellation);
  outcome.measuring_ms = spent.milliseconds();
  if (!answer) {
    outcome.failure = std::move(answer).error();
  } else {
    outcome.time = answer->time;
    outcome.left_early = answer->left_early;
  }
  const bool may_change =
      outcome.failure && (outcome.failure->kind == measure::FailureKind::Lost ||
                          outcome.failure->kind == measure::FailureKind::Cancelled);
  if (known_.size() > most_outcomes_kept) known_.clear();
  if (!may_change) known_.emplace(key, outcome);
  return outcome;
}

std::vector<Outcome> LocalMeasurer::measure(const Task& task, const std::string& reference,
                                            std::span<const std::string> scripts, double best_ms,
                                            const Cancellation& cancellation,
                                            const OnOutcome& on_outcome) {
  measure::Request request = request_for(task, reference, best_ms);
  std::vector<Outcome> outcomes(scripts.size());
  const auto timed = [&](Compiled compiled) {
    const std::size_t place = compiled.place;
    Outcome& outcome = outcomes[place] = time(request, std::move(compiled), cancellation);
    // The next are held to what has been found meanwhile.
    if (outcome.time && !outcome.left_early && request.best_milliseconds > 0)
      request.best_milliseconds = std::min(request.best_milliseconds, outcome.milliseconds());
    if (on_outcome) on_outcome(place, outcome);
  };
  const auto compiled_at = [&](std::size_t place) {
    Compiled compiled = compile(request, scripts[place], cancellation);
    compiled.place = place;
    return compiled;
  };
  if (task.machine.cores <= task.threads) {
    for (std::size_t place = 0; place < scripts.size(); ++place) timed(compiled_at(place));
    return outcomes;
  }
  CompiledAhead ahead(
      scripts.size(), [this, compiling = request, scripts, cancellation](std::size_t place) {
        return compile(compiling, scripts[place], cancellation);  // `request` changes meanwhile
      });
  for (std::size_t place = 0; place < scripts.size(); ++place) timed(ahead.next());
  return outcomes;
}

std::vector<Outcome> LocalMeasurer::measure_in_turns(const Task& task, const std::string& reference,
                                                     std::span<const std::string> scripts,
                                                     int turns, const Cancellation& cancellation) {
  measure::Request request = request_for(task, reference, 0);
  request.rounds_at_least = rounds_in_turns;
  std::vector<Outcome> outcomes(scripts.size());
  std::vector<std::optional<codegen::ObjectCode>> code(scripts.size());
  std::vector<std::string> nests(scripts.size());
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    Compiled compiled = compile(request, scripts[i], cancellation);
    outcomes[i].compiling_ms = compiled.milliseconds;
    if (!compiled.answer) {
      outcomes[i].failure = std::move(compiled.answer).error();
    } else {
      code[i] = std::move(compiled.answer->code);
      nests[i] = std::move(compiled.answer->nest);
    }
  }
  std::vector<std::vector<runtime::Statistics>> times(scripts.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      if (outcomes[i].failure) continue;
      request.nest = nests[i];
      request.code = code[i];
      measure::Answer answer = timing_.ask(request, cancellation);
      if (!answer) outcomes[i].failure = std::move(answer).error();
      else times[i].push_back(answer->time);
    }
  // Of the turns each keeps its median: all have been in the same weather.
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    if (times[i].empty() || outcomes[i].failure) continue;
    std::ranges::sort(times[i], {}, &runtime::Statistics::median_ms);
    outcomes[i].time = times[i][times[i].size() / 2];
    outcomes[i].time->rounds *= static_cast<int>(times[i].size());
    outcomes[i].time->minimum_ms =
        std::ranges::min(times[i], {}, &runtime::Statistics::minimum_ms).minimum_ms;
  }
  return outcomes;
}

}  // namespace loopglass::tune

#include "core/roofline/verdict.h"

#include "core/default_schedule/inner_loop.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/text.h"
#include "core/loop/walk.h"
#include "core/support/ceil_div.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"
#include "core/te/flops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopglass::roofline {

namespace {

// What an experiment has to leave of the time for its subject to be what binds.
constexpr double is_relief = 0.85;
// What an experiment leaves where its subject is the smaller part of what binds.
constexpr double is_most = 0.6;
// What a level has to be asked for at the least to bind.
constexpr double worth_a_level = 0.15;
// Of what is computed, to speak of it.
constexpr double vain = 0.1;

std::string ms(double milliseconds) { return readable_time(Milliseconds(milliseconds)); }

// The parallel loop's iterations, as they are dealt out; nullopt: there is none.
std::optional<std::int64_t> pieces(const loop::Func& func) {
  std::optional<std::int64_t> count;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    const auto* node = loop::as<loop::For>(stmt);
    if (!count && node && node->kind == loop::ForKind::Parallel)
      count = expr::as_integer(node->extent);
  });
  return count;
}

bool has_functions(const loop::Func& func) {
  bool found = false;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    const auto* store = loop::as<loop::Store>(stmt);
    found = found || (store && te::functions(store->value) > 0);
  });
  return found;
}

class Judging {
 public:
  Judging(const Asked& asked, const Roofs& roofs, measure::WorkerPool& workers,
          const Cancellation& cancellation)
      : asked_(asked), roofs_(roofs), workers_(workers), cancellation_(cancellation) {}

  Result<Verdict> operator()() {
    measure::Request request = as_it_is();
    request.want_spills = true;
    auto answer = workers_.ask(request, cancellation_);
    if (!answer) return std::unexpected(std::move(answer).error().diagnostic);
    spills_ = answer->spills;
    verdict_.threads = answer->threads;
    verdict_.traffic = traffic_of(asked_.lowered, asked_.initial, asked_.symbols, asked_.machine);
    take(answer->time.minimum_ms);
    TRY_VOID(judge());
    name_what_is_next();
    tell_of_constants();
    return std::move(verdict_);
  }

 private:
  measure::Request as_it_is() const {
    return request_for(loop::to_text(asked_.initial), asked_.script);
  }

  // The least that was measured: what others want of the machine only adds to it.
  void take(double milliseconds) {
    verdict_.milliseconds = milliseconds;
    raise_ceilings();
  }

  measure::Request request_for(std::string nest, std::string script) const {
    measure::Request request{std::move(nest)};
    request.script = std::move(script);
    request.machine = asked_.machine;
    request.symbols = asked_.symbols;
    request.threads = asked_.threads;
    request.rounds_at_least = 7;
    request.budget_milliseconds = 30;
    return request;
  }

  void raise_ceilings() {
    verdict_.ceilings = ceilings_of(verdict_.traffic, roofs_, verdict_.milliseconds);
  }

  double ceiling(Bound bound) const {
    const auto found = std::ranges::find(verdict_.ceilings, bound, &Ceiling::bound);
    return found == verdict_.ceilings.end() ? 0 : found->milliseconds;
  }

  void bind(Bound bound, std::string sentence) {
    verdict_.bound = bound;
    verdict_.sentence = std::move(sentence);
  }

  std::string roof_words(const Ceiling& roof) const {
    return roofline::roof_words(roof, verdict_.traffic, roofs_, verdict_.milliseconds);
  }

  Result<void> judge() {
    if (is_short()) return {};
    is_computed_in_vain();
    if (verdict_.bound == Bound::Tail || is_unbalanced() || is_at_a_roof()) return {};
    if (TRY(is_far_from_its_data())) return {};
    if (is_scalar() || TRY(is_slow_to_compute()) || spills() || sums_functions() || gathers() ||
        foreseen(Bound::Latency) || converts() || TRY(is_slow_to_load()) ||
        foreseen(Bound::Gathers) || foreseen(Bound::Loads) || moves_lanes())
      return {};
    // Measured once more, beside an experiment, it may have come nearer.
    if (is_at_a_roof()) return {};
    if (partly_far_) {
      bind(partly_far_->first, partly_far_->second);
      return {};
    }
    bind(
        Bound::Unexplained,
        verdict_.ceilings.empty()
            ? "it computes nothing and moves nothing that is counted"
            : fmt::format("the nearest roof asks for {}, {:.0f} % of what it takes",
                          ms(verdict_.ceilings[0].milliseconds), 100 * verdict_.ceilings[0].share));
    return {};
  }

  bool is_short() {
    const double calling = ceiling(Bound::Launch);
    if (calling < verdict_.milliseconds) return false;
    bind(Bound::Launch,
         fmt::format("it takes {}, and to call a kernel {}: {:.0f} % of both together",
                     ms(verdict_.milliseconds), ms(calling),
                     100 * calling / (calling + verdict_.milliseconds)));
    return true;
  }

  // What lies beyond an extent that tiles do not divide.
  void is_computed_in_vain() {
    const Traffic& traffic = verdict_.traffic;
    if (traffic.flops <= 0 || traffic.useful_flops <= 0) return;
    const double share = 1 - traffic.useful_flops / traffic.flops;
    if (share < vain) return;
    const std::string words =
        fmt::format("{:.0f} % of what it computes is never wanted", 100 * share);
    const bool is_at_peak = ceiling(Bound::Compute) > near_a_roof * verdict_.milliseconds;
    if (is_at_peak) bind(Bound::Tail, words + ", at " + roof_words(*compute_roof()));
    else
      verdict_.notes.push_back(fmt::format(
          "{:.0f} % of what it computes is not asked for: what lies beyond extents that "
          "tiles do not divide, or sums of partial sums",
          100 * share));
  }

  // Timed by itself, a kernel finds its constants where it left them. In a network others have been
  // there meanwhile.
  void tell_of_constants() {
    constexpr double worth_telling = 0.1;
    if (roofs_.levels.empty()) return;
    std::int64_t bytes = 0;
    for (const loop::Buffer& parameter : asked_.initial.parameters) {
      if (parameter.role != loop::Role::Constant) continue;
      auto all = static_cast<std::int64_t>(byte_size(parameter.type));
      for (const auto& extent : parameter.shape) all *= expr::as_integer(extent).value_or(0);
      bytes += all;
    }
    const LevelRoof& memory = roofs_.levels.back();
    const double taken = static_cast<double>(bytes) / memory.gigabytes_per_second * 1e-6;
    if (verdict_.traffic.memory >= static_cast<double>(bytes) ||
        taken < worth_telling * verdict_.milliseconds)
      return;
    verdict_.notes.push_back(fmt::format(
        "by itself it finds its {} of constants in a cache; in a network they may come from "
        "memory, which by itself takes {}: bench times it there",
        readable_bytes(bytes), ms(taken)));
  }

  const Ceiling* compute_roof() const {
    return &*std::ranges::find(verdict_.ceilings, Bound::Compute, &Ceiling::bound);
  }

  bool is_unbalanced() {
    const auto count = pieces(asked_.scheduled);
    if (verdict_.threads < 2) return false;
    if (!count) {
      verdict_.notes.push_back("no loop is parallel: it runs on one thread");
      return false;
    }
    const std::int64_t turns = ceil_div(*count, static_cast<std::int64_t>(verdict_.threads));
    const double waiting =
        1 - static_cast<double>(*count) / static_cast<double>(turns * verdict_.threads);
    if (waiting < vain) return false;
    bind(Bound::Imbalance,
         fmt::format("{} for {}: {:.0f} % of their time they wait",
                     counted(static_cast<std::size_t>(*count), "piece"),
                     counted(static_cast<std::size_t>(verdict_.threads), "thread"), 100 * waiting));
    return true;
  }

  bool is_at_a_roof() {
    if (verdict_.ceilings.empty()) return false;
    const Ceiling& roof = verdict_.ceilings.front();
    if (roof.share < near_a_roof) return false;
    if (roof.share > beyond_a_roof) {
      bind(Bound::Unexplained, above_words(roof));
      return true;
    }
    const std::string above = above_words(roof);
    bind(roof.bound, above.empty() ? roof_words(roof) : roof_words(roof) + "; " + above);
    return true;
  }

  // nullopt: it does not change the nest, or does not run.
  Result<std::optional<double>> tried(Experiment experiment) {
    // Threads that all go to the same lines wait for each other.
    if (verdict_.threads > 1) return std::optional<double>();
    const auto func = changed_for(experiment, asked_.scheduled, asked_.machine);
    if (!func) return std::optional<double>();
    measure::Request request = request_for(loop::to_text(*func), "");
    request.symbols.clear();
    const auto answer = workers_.ask(request, cancellation_);
    if (cancellation_.requested()) return fail(Code::Cancelled, "the verdict was cancelled");
    if (!answer) {
      verdict_.notes.push_back(fmt::format("the experiment {} did not run: {}", name(experiment),
                                           answer.error().diagnostic.what));
      return std::optional<double>();
    }
    const double took = answer->time.minimum_ms;
    // All its multiply-adds are still there: what is faster than these is another nest.
    constexpr double less_than_measured = 0.97;
    if (experiment != Experiment::NoArithmetic &&
        took < less_than_measured * ceiling(Bound::Compute)) {
      verdict_.notes.push_back(
          fmt::format("the experiment {} took {}, less than its multiply-adds do at the peak: its "
                      "machine code leaves some of them out",
                      name(experiment), ms(took)));
      return std::optional<double>();
    }
    verdict_.trials.push_back({experiment, took});
    // Once more as it is, beside it: others may have had the machine before.
    if (took < is_relief * verdict_.milliseconds)
      if (const auto again = workers_.ask(as_it_is(), cancellation_);
          again && again->time.minimum_ms < verdict_.milliseconds)
        take(again->time.minimum_ms);
    return std::optional(took);
  }

  Result<bool> is_far_from_its_data() {
    const auto near = TRY(tried(Experiment::NearData));
    if (!near || *near > is_relief * verdict_.milliseconds) return false;
    Ceiling farthest{Bound::L2, 0, 0};
    for (const Ceiling& roof : verdict_.ceilings)
      if ((roof.bound == Bound::L2 || roof.bound == Bound::L3 || roof.bound == Bound::Memory) &&
          roof.milliseconds > farthest.milliseconds)
        farthest = roof;
    // Near data may leave machine code less to do.
    if (farthest.share < worth_a_level) {
      verdict_.notes.push_back(fmt::format(
          "with all data in the first cache it would take {}, but it asks too little of "
          "any level ({}): it may do something else there",
          ms(*near), roof_words(farthest)));
      return false;
    }
    std::string sentence =
        fmt::format("with all data in the first cache it would take {} instead of {}; {}",
                    ms(*near), ms(verdict_.milliseconds), roof_words(farthest));
    if (farthest.share < 0.4)
      verdict_.notes.push_back(
          "the order in which it reads does not reach what the level can hand on");
    // Most of the time would be left: something else is looked for first.
    if (*near > is_most * verdict_.milliseconds) {
      partly_far_ = {farthest.bound, std::move(sentence)};
      return false;
    }
    bind(farthest.bound, std::move(sentence));
    return true;
  }

  bool is_scalar() {
    if (schedule::runs_in_vectors(asked_.scheduled)) return false;
    const auto code = asked_.code ? asked_.code() : std::nullopt;
    if (code && 4 * code->on_vectors > code->all) {
      verdict_.notes.push_back(
          fmt::format("{}: {} of {} instructions of its innermost loops are on vectors",
                      schedule::scalar_words, code->on_vectors, code->all));
      return false;
    }
    bind(Bound::Scalar, schedule::scalar_words);
    return true;
  }

  bool spills() {
    if (spills_.stores == 0) return false;  // what is loaded alone are constants
    bind(
        Bound::Spills,
        fmt::format("the innermost loops of its machine code put vector registers on the stack: {} "
                    "and {}",
                    counted(static_cast<std::size_t>(spills_.stores), "store"),
                    counted(static_cast<std::size_t>(spills_.loads), "load")));
    return true;
  }

  // What the innermost loop is by counting, the gravest first.
  std::optional<std::pair<Bound, std::string>> foreseen() const {
    for (const schedule::LimitRemark& limit : schedule::limits(asked_.scheduled, asked_.machine)) {
      if (limit.limit == schedule::Limit::Latency) return std::pair(Bound::Latency, limit.text);
      if (limit.limit == schedule::Limit::Gathers) return std::pair(Bound::Gathers, limit.text);
      if (limit.limit == schedule::Limit::Loads) return std::pair(Bound::Loads, limit.text);
    }
    return std::nullopt;
  }

  // Each term of the sum takes more than a multiplication.
  bool sums_functions() {
    const auto inner = schedule::inner_loop(asked_.scheduled, asked_.machine);
    const auto path = inner ? loop::find_block(asked_.scheduled, inner->block)
                            : Result<loop::Path>(fail(Code::ScheduleHandleUnknown, "no sum"));
    const loop::Store* store = path ? loop::only_store(path->block()) : nullptr;
    if (!store || te::functions(store->value) == 0) return false;
    bind(Bound::Functions, "each term that it adds up takes a function or a division");
    return true;
  }

  bool foreseen(Bound bound) {
    auto found = foreseen();
    if (!found || found->first != bound) return false;
    bind(found->first, std::move(found->second));
    return true;
  }

  bool moves_lanes() {
    const auto code = asked_.code ? asked_.code() : std::nullopt;
    if (!code || code->all == 0 || 4 * code->moving_lanes < code->all) return false;
    bind(Bound::Shuffles, fmt::format("{} of {} instructions of its innermost loops move lanes",
                                      code->moving_lanes, code->all));
    return true;
  }

  bool gathers() {
    const auto code = asked_.code ? asked_.code() : std::nullopt;
    constexpr int of_a_gather = 8;  // instructions take its time, at the least
    if (!code || code->gathering == 0 || 2 * of_a_gather * code->gathering < code->all)
      return false;
    bind(Bound::Gathers, fmt::format("{} of {} instructions of its innermost loops gather, each "
                                     "for as long as many others take",
                                     code->gathering, code->all));
    return true;
  }

  bool converts() {
    const auto code = asked_.code ? asked_.code() : std::nullopt;
    constexpr int of_all = 3;  // a third
    if (!code || code->all == 0 || of_all * code->converting < code->all) return false;
    bind(Bound::Conversions,
         fmt::format("{} of {} instructions of its innermost loops unpack and convert numbers",
                     code->converting, code->all));
    return true;
  }

  Result<bool> is_slow_to_load() {
    const auto fewer = TRY(tried(Experiment::FewLoads));
    if (!fewer || *fewer > is_relief * verdict_.milliseconds) return false;
    std::string sentence = fmt::format("without its loads it would take {} instead of {}",
                                       ms(*fewer), ms(verdict_.milliseconds));
    if (const auto counted = foreseen(); counted && counted->first == Bound::Loads)
      sentence += "; " + counted->second;
    bind(Bound::Loads, std::move(sentence));
    return true;
  }

  Result<bool> is_slow_to_compute() {
    // What machine code of plain sums leaves out beside its arithmetic are its spills, too.
    if (!has_functions(asked_.scheduled)) return false;
    const auto plain = TRY(tried(Experiment::NoArithmetic));
    if (!plain || *plain > is_relief * verdict_.milliseconds) return false;
    bind(Bound::Functions,
         fmt::format("without what it computes element by element it would take {} "
                     "instead of {}: functions such as exp, "
                     "and divisions, take many multiply-adds' time",
                     ms(*plain), ms(verdict_.milliseconds)));
    return true;
  }

  // The next ceiling, or what an experiment left.
  void name_what_is_next() {
    for (const Ceiling& roof : verdict_.ceilings)
      if (roof.bound != verdict_.bound &&
          !(verdict_.bound == Bound::Tail && roof.bound == Bound::Compute)) {
        verdict_.otherwise_ms = roof.milliseconds;
        break;
      }
    if (verdict_.bound == Bound::Tail)
      verdict_.otherwise_ms =
          std::max(verdict_.otherwise_ms,
                   verdict_.milliseconds * verdict_.traffic.useful_flops / verdict_.traffic.flops);
    // Roofs are what could be; an experiment is what this code would do.
    for (const Trial& trial : verdict_.trials)
      if ((trial.experiment == Experiment::NearData &&
           std::ranges::find(levels, verdict_.bound) != levels.end()) ||
          (trial.experiment == Experiment::FewLoads && verdict_.bound == Bound::Loads) ||
          (trial.experiment == Experiment::NoArithmetic && verdict_.bound == Bound::Functions))
        verdict_.otherwise_ms = std::max(verdict_.otherwise_ms, trial.milliseconds);
    // What is wanted has to be computed, at the peak at best.
    if (const double peak = roofs_.gflops(verdict_.traffic.type);
        peak > 0 && verdict_.bound != Bound::Functions) {
      const Traffic& traffic = verdict_.traffic;
      verdict_.otherwise_ms = std::max(verdict_.otherwise_ms,
                                       std::min(traffic.flops, traffic.useful_flops) / peak * 1e-6);
    }
    verdict_.otherwise_ms = std::min(verdict_.otherwise_ms, verdict_.milliseconds);
  }

  const Asked& asked_;
  const Roofs& roofs_;
  measure::WorkerPool& workers_;
  const Cancellation& cancellation_;
  codegen::Spills spills_;
  // A level that takes a part of the time, with its sentence, if nothing else is found.
  std::optional<std::pair<Bound, std::string>> partly_far_;
  Verdict verdict_;
};

}  // namespace

std::string words(const Trial& trial, const Verdict& verdict) {
  constexpr double slower = 1.05;
  const std::string changes(doc(trial.experiment));
  if (trial.milliseconds < slower * verdict.milliseconds) return changes;
  return changes + " Slower than the kernel: it is other code, and tells nothing here.";
}

Result<Verdict> verdict_of(const Asked& asked, const Roofs& roofs, measure::WorkerPool& workers,
                           const Cancellation& cancellation) {
  return Judging(asked, roofs, workers, cancellation)();
}

}  // namespace loopglass::roofline

// Finds the first guilty rewrite between a good and a bad position of a history: a binary search
// over steps, then over the rewrites of the guilty step.
#pragma once

#include "core/debug/lens.h"

namespace loopglass::debug {

// What a predicate says of one position.
struct Verdict {
  bool bad = false;
  std::vector<std::pair<std::string, double>> numbers;  // it decided by
  std::string text;                                     // one sentence
};
using Predicate = std::function<Result<Verdict>(const pass::Position&,
                                                const std::shared_ptr<const graph::Graph>&)>;

// Bad: some output of the network differs from that of `reference` beyond the tolerance.
// `evaluator` must outlive the predicate.
Predicate results_differ(Evaluator& evaluator, std::shared_ptr<const graph::Graph> reference,
                         Inputs inputs, const Tolerance& tolerance = {},
                         const Control& control = {});

struct SlowdownOptions {
  double factor = 1.1;  // bad: the median is at least so many times that of the reference
  int rounds = 9, warm_up = 2, threads = runtime::hardware_threads();
  std::string strategy;  // of fusion; empty: the toolchain's first
  Inputs inputs = {};    // by name; what is not there is random
};
// Compiled with fusion; rounds of the two networks alternate, so that the machine's moods fall on
// both.
Result<Predicate> is_slower(const Toolchain& toolchain,
                            std::shared_ptr<const graph::Graph> reference,
                            const SlowdownOptions& options = {}, const Control& control = {});

enum class BisectOutcome : std::uint8_t {
  Found,
  NoDisagreement,  // the bad end is not bad
  BadFromTheStart  // the good end is bad already
};
std::string_view name(BisectOutcome outcome);  // "found", "no-disagreement", "bad-from-the-start"

struct Probe {
  pass::Position position;
  Verdict verdict;
};

// The change after which the answer is bad.
struct Culprit {
  pass::Position before, after;  // neighbours: good, bad
  std::string pass;
  std::optional<pass::Rewrite> rewrite;  // none: the step changes the graph beside its rewrites
  std::size_t number = 0;                // of the rewrite in its step, counted from 1; 0 where none
  std::vector<std::string> consumed,
      made;  // names of its operators, where the graphs around it have them
  Verdict verdict_before, verdict_after;
  // The pass changes results on purpose, as far as the model says they may be changed.
  bool is_allowed = false;
};

struct BisectReport {
  BisectOutcome outcome = BisectOutcome::NoDisagreement;
  std::optional<Culprit> culprit;  // when Found
  std::vector<Probe> probes;       // every position asked, in order
  // A later position that is good again (thorough only): then more than one change is at work, and
  // the culprit is the first.
  std::vector<pass::Position> good_again;
};

struct BisectOptions {
  // Asks every step instead of halving, so that the culprit is the first one even where good and
  // bad take turns.
  bool thorough = false;
  Control control;
};

// Either order of `good` and `bad` will do: the earlier is taken as good. UsageInvalid when they
// are the same. Positions whose graph is the same are asked once.
Result<BisectReport> bisect(Session& session, pass::Position good, pass::Position bad,
                            const Predicate& predicate, const BisectOptions& options = {});

}  // namespace loopglass::debug

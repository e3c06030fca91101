// Passes and what they report. A pass is a function IR -> IR plus its description; it neither logs,
// counts, times nor verifies. The runner does, for all (runner.h).
#pragma once

#include "core/pass/word.h"
#include "core/support/cancellation.h"
#include "core/support/origin.h"
#include "core/support/result.h"

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::pass {

// One rewrite inside a pass: the rule's name, entities consumed and made (graph: NodeId values;
// loop nests: by name), and a sentence.
struct Rewrite {
  std::string rule;
  std::vector<std::uint32_t> consumed, made;
  std::string detail;
  std::chrono::nanoseconds duration{0};  // since the rewrite before it; Report sets it
};

enum class RemarkKind : std::uint8_t { Applied, Missed, Note };

// What a pass decided about one entity and the numbers it decided by.
struct Remark {
  RemarkKind kind = RemarkKind::Note;
  std::string code;    // stable, e.g. "FOLD_TOO_LARGE"
  std::string entity;  // name of the node, block, ...
  std::vector<std::pair<std::string, double>> numbers;
  std::string text;  // one sentence
};

// What a person sets for all passes of a pipeline.
struct Settings {
  // Bytes that the intermediates may take; none: as they come.
  std::optional<std::int64_t> memory_limit;
  friend bool operator==(const Settings&, const Settings&) = default;
};

// Where a pass reports, and what bounds it.
class Report {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  explicit Report(Settings settings = {}, Cancellation cancellation = {},
                  std::size_t rewrite_limit = all)
      : settings(std::move(settings)),
        cancellation(std::move(cancellation)),
        rewrite_limit_(rewrite_limit) {}

  // Whether one more rewrite may be made. A pass asks before each; when the answer is no, it stops
  // and returns what it has. That is how a history is shown in the middle of a pass: passes are
  // deterministic, so the first k rewrites are the same every time.
  bool may_rewrite() const { return rewrites.size() < rewrite_limit_; }
  void rewrite(Rewrite rewrite);
  void remark(Remark remark) { remarks.push_back(std::move(remark)); }

  std::vector<Rewrite> rewrites;
  std::vector<Remark> remarks;
  const Settings settings;
  const Cancellation cancellation;

 private:
  std::size_t rewrite_limit_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// What a pass may change of the numbers that a network computes.
enum class Numerics : std::uint8_t {
  Exact,          // nothing, but perhaps the sign of a zero
  Reassociating,  // equal in real arithmetic; floating point rounds differently
  FiniteOnly,     // equal unless an operand is infinite or not a number
  AsAllowed,      // as far apart as the model says that results may be
};

struct PassInfo {
  std::string name;    // "fold-constants"
  std::string doc;     // one sentence, what it does
  std::string reason;  // why it stands where it stands in the pipeline
  Numerics numerics = Numerics::Exact;
};

template <class IR>
struct Pass {
  PassInfo info;
  std::function<Result<IR>(const IR&, Report&)> run;
  // Of its rewrites and remarks, but for a rule that is called like the pass; null: none.
  Words (*words)() = nullptr;
};

// One recorded application.
template <class IR>
struct Step {
  PassInfo pass;  // step 0 of a history has the name "input"
  std::shared_ptr<const IR> result;
  std::vector<Rewrite> rewrites;
  std::vector<Remark> remarks;
  std::chrono::nanoseconds duration{0};
  bool changed = false;
  std::size_t entry = 0;  // of the pipeline, counted from 0
  int round = 1;          // how often the entry's fixed point has gone round, this time included
};

template <class IR>
struct History {
  std::vector<Step<IR>> steps;  // steps[0] is the input
  const IR& at(std::size_t step) const { return *steps[step].result; }
  const IR& last() const { return *steps.back().result; }
};

}  // namespace loopglass::pass

// Passes and what they report. A pass is a function IR -> IR plus its description; it neither logs,
// counts, times nor verifies. The runner does, for all (runner.h).
#pragma once

#include "core/support/cancellation.h"
#include "core/support/origin.h"
#include "core/support/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopglass::pass {

// One rewrite inside a pass: the rule's name, entities consumed and made (graph: NodeId values; loop
// nests: by name), and a sentence.
struct Rewrite {
  std::string rule;
  std::vector<std::uint32_t> consumed, made;
  std::string detail;
};

enum class RemarkKind : std::uint8_t { Applied, Missed, Note };

// What a pass decided about one entity and the numbers it decided by.
struct Remark {
  RemarkKind kind = RemarkKind::Note;
  std::string code;    // stable, e.g. "FOLD_TOO_LARGE"
  std::string entity;  // name of the node, block, ...
  std::vector<std::pair<std::string, double>> numbers;
  std::string text;    // one sentence
};

class Report {
 public:
  void rewrite(Rewrite rewrite) { rewrites.push_back(std::move(rewrite)); }
  void remark(Remark remark) { remarks.push_back(std::move(remark)); }
  std::vector<Rewrite> rewrites;
  std::vector<Remark> remarks;
  Cancellation cancellation;
};

struct PassInfo {
  std::string name;    // "fold-constants"
  std::string doc;     // one sentence, what it does
  std::string reason;  // why it stands where it stands in the pipeline
};

template <class IR>
struct Pass {
  PassInfo info;
  std::function<Result<IR>(const IR&, Report&)> run;
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
};

template <class IR>
struct History {
  std::vector<Step<IR>> steps;  // steps[0] is the input
  const IR& at(std::size_t step) const { return *steps[step].result; }
  const IR& last() const { return *steps.back().result; }
};

}  // namespace loopglass::pass

// Cost models: which of two scripts is the faster, before either is run. Each describes a scheduled
// nest by what it goes by, learns from what was measured, and gives scores.
#pragma once

#include "core/tune/features/features.h"
#include "core/tune/task.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopglass::tune {

// A script that was measured.
struct Example {
  Features features;
  double throughput = 0;  // the best's time over its own: 1 is the best there is, 0 a failure
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  // What it goes by, of a nest after its schedule.
  virtual Features describe(const loop::Func& scheduled, const Task& task) const = 0;
  // All examples so far. Throughputs change with the best.
  virtual void learn(std::span<const Example> examples) = 0;
  // Whether scores say anything yet.
  virtual bool can_predict() const = 0;
  // Greater is faster.
  virtual std::vector<double> predict(std::span<const Features* const> subjects) const = 0;
};

struct CostModelKind {
  std::string name;
  std::string doc;  // one sentence
  // Null: none, and what was measured is all that a search goes by.
  std::function<std::unique_ptr<CostModel>(std::uint64_t seed)> make;
};
const std::vector<CostModelKind>& all_cost_model_kinds();
const CostModelKind* find_cost_model_kind(std::string_view name);

}  // namespace loopglass::tune

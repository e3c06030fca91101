// Small kernels that tuning is tried on, and measuring that needs no machine.
#pragma once

#include "core/tune/measurer.h"

#include <string_view>

namespace loopglass::tune {

// Of a machine with AVX2's registers, whatever this one has.
Task task_of(std::string_view nest, int threads = 1);
Task product();      // 24 x 32 x 48
Task convolution();  // 3 x 3 with a border, bias and ReLU, channels last
Task row_sums();     // 12 rows of 96

// Times that follow from the scripts alone: the same for the same text.
class FakeMeasurer : public Measurer {
 public:
  std::vector<Outcome> measure(const Task& task, const std::string& reference,
                               std::span<const std::string> scripts, double best_ms,
                               const Cancellation& cancellation,
                               const OnOutcome& on_outcome) override;
  std::vector<Outcome> measure_in_turns(const Task& task, const std::string& reference,
                                        std::span<const std::string> scripts, int turns,
                                        const Cancellation& cancellation) override;

  int asked = 0;                   // scripts, each time
  std::set<std::string> measured;  // texts
  // What becomes of a script; by default it takes 1 to 2 ms.
  std::function<Outcome(const std::string& script)> outcome;
};

Outcome took(double milliseconds);
Outcome failed(measure::FailureKind kind);

}  // namespace loopglass::tune

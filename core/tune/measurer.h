// Measuring scripts in processes of their own: one compiles the next while the other runs the last,
// where the machine has a processor more than the kernel has threads; never two runs at once.
#pragma once

#include "core/measure/worker_pool.h"
#include "core/tune/trial.h"

#include <functional>
#include <map>
#include <span>

namespace loopglass::tune {

// Told of each script as it is known, by its place among those that were asked.
using OnOutcome = std::function<void(std::size_t place, const Outcome&)>;

class Measurer {
 public:
  virtual ~Measurer() = default;
  // In the order of the scripts. `best_ms`: what is clearly slower than that is left early; 0:
  // nothing is. What results must be: those of the nest by `reference`, a script. Cancelled ones
  // have FailureKind::Cancelled.
  virtual std::vector<Outcome> measure(const Task& task, const std::string& reference,
                                       std::span<const std::string> scripts, double best_ms,
                                       const Cancellation& cancellation,
                                       const OnOutcome& on_outcome) = 0;
  // The same scripts over and over in turns, so that the machine's moods fall on all.
  virtual std::vector<Outcome> measure_in_turns(const Task& task, const std::string& reference,
                                                std::span<const std::string> scripts, int turns,
                                                const Cancellation& cancellation) = 0;
};

class LocalMeasurer : public Measurer {
 public:
  // `program`: one that serves on its standard streams.
  explicit LocalMeasurer(const measure::Program& program) : compiling_(program), timing_(program) {}

  std::vector<Outcome> measure(const Task& task, const std::string& reference,
                               std::span<const std::string> scripts, double best_ms,
                               const Cancellation& cancellation,
                               const OnOutcome& on_outcome) override;
  std::vector<Outcome> measure_in_turns(const Task& task, const std::string& reference,
                                        std::span<const std::string> scripts, int turns,
                                        const Cancellation& cancellation) override;

 private:
  struct Compiled;
  class CompiledAhead;
  Compiled compile(const measure::Request& request, const std::string& script,
                   const Cancellation& cancellation);
  Outcome time(measure::Request request, Compiled compiled, const Cancellation& cancellation);

  measure::WorkerPool compiling_, timing_;
  // By what was asked and the code that came of it: the same code is not measured twice.
  std::map<std::uint64_t, Outcome> known_;
};

// How far results may be from those of another order of the same additions.
struct Tolerance {
  double absolute = 0, relative = 0;
};
Tolerance tolerance_of(const loop::Func& nest);

}  // namespace loopglass::tune

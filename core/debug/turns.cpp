#include "core/debug/turns.h"

#include <chrono>

namespace loopglass::debug {

namespace {

Result<double> milliseconds(const Contestant& contestant, std::vector<Tensor>& outputs,
                            runtime::ThreadPool& pool) {
  const auto start = std::chrono::steady_clock::now();
  TRY_VOID(contestant.executor->run_into(outputs, contestant.inputs, pool));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

Result<std::vector<runtime::Statistics>> time_in_turns(const std::vector<Contestant>& contestants,
                                                       runtime::ThreadPool& pool,
                                                       const TurnOptions& options) {
  std::vector<std::vector<double>> times(contestants.size());
  std::vector<std::vector<Tensor>> outputs;
  for (const Contestant& contestant : contestants)
    outputs.push_back(TRY(contestant.executor->allocate_outputs()));
  for (int round = -options.warm_up; round < options.rounds; ++round) {
    if (options.control.cancellation.requested())
      return fail(Code::Cancelled, "the comparison was cancelled");
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const double time = TRY(milliseconds(contestants[i], outputs[i], pool));
      if (round >= 0) times[i].push_back(time);
    }
    if (round >= 0 && options.control.progress)
      options.control.progress(
          "timing the networks in turns",
          static_cast<double>(round + 1) / static_cast<double>(options.rounds));
  }
  std::vector<runtime::Statistics> statistics;
  for (std::vector<double>& of_one : times)
    statistics.push_back(runtime::summarise(std::move(of_one)));
  return statistics;
}

}  // namespace loopglass::debug

#include "core/measure/networks.h"

#include "core/measure/network_request.h"
#include "core/measure/shared_bytes.h"
#include "core/measure/worker_pool.h"
#include "core/runtime/benchmark.h"

#include <algorithm>
#include <atomic>
#include <map>

namespace loopglass::measure {
namespace {

using runtime::CompiledNetwork;

Result<runtime::TurnTimes> time_here(const NetworksAsked& asked) {
  std::vector<std::unique_ptr<runtime::Executor>> executors;
  std::vector<runtime::Contestant> contestants;
  for (std::size_t i = 0; i < asked.networks.size(); ++i) {
    executors.push_back(TRY(runtime::Executor::create(*asked.networks[i])));
    contestants.push_back({&executors.back()->loaded(), asked.inputs[i]});
  }
  runtime::ThreadPool pool(asked.threads);
  return runtime::time_in_turns(contestants, pool, asked.options);
}

// A request and the memory that its tensors come through.
struct Handed {
  NetworksRequest request;
  std::optional<SharedBytes> memory;
  SharedBytes enough;
};

// What is handed over, each once.
class Tensors {
 public:
  std::size_t place_of(runtime::WiredConstant tensor) {
    const auto [place, is_new] = known_.emplace(runtime::key_of(tensor), list_.size());
    if (is_new) list_.push_back(std::move(tensor));
    return place->second;
  }
  const std::vector<runtime::WiredConstant>& list() const { return list_; }

 private:
  std::vector<runtime::WiredConstant> list_;
  std::map<std::string, std::size_t> known_;
};

Result<Handed> hand_over(const NetworksAsked& asked) {
  NetworksRequest request;
  Tensors tensors;
  for (std::size_t i = 0; i < asked.networks.size(); ++i) {
    const CompiledNetwork& network = *asked.networks[i];
    runtime::WiredNetwork wired = runtime::wire(network);
    NetworksRequest::Network handed{std::move(wired.wiring), {}, {}, {}};
    for (const runtime::KernelInstance& kernel : network.kernels)
      if (kernel.code) handed.code.push_back(codegen::code_of(*kernel.code));
    for (runtime::WiredConstant& constant : wired.constants)
      handed.constants.push_back(tensors.place_of(std::move(constant)));
    for (const Tensor& input : asked.inputs[i])
      handed.inputs.push_back(tensors.place_of({input, std::nullopt}));
    request.networks.push_back(std::move(handed));
  }
  for (const runtime::WiredConstant& tensor : tensors.list()) {
    request.tensors.push_back({runtime::type_of(tensor), request.memory_bytes});
    const auto bytes = static_cast<std::size_t>(request.tensors.back().type.bytes());
    request.memory_bytes += (bytes + Tensor::alignment - 1) / Tensor::alignment * Tensor::alignment;
  }
  // Each network alone, as where it is run here; what both need is there once.
  for (const CompiledNetwork* network : asked.networks)
    TRY_VOID(runtime::check_memory_to_run(*network->plan,
                                          static_cast<std::int64_t>(request.memory_bytes)));
  SharedBytes memory = TRY(SharedBytes::create(request.memory_bytes));
  TRY_VOID(runtime::for_each_packed(tensors.list(), [&](std::size_t i, const Tensor& packed) {
    std::copy_n(packed.data(), packed.bytes(), memory.data() + request.tensors[i].offset);
  }));
  request.memory = memory.path();
  SharedBytes enough = TRY(SharedBytes::create(1));
  request.enough = enough.path();
  request.threads = asked.threads;
  request.warm_up = asked.options.warm_up;
  request.rounds = asked.options.rounds;
  request.want_outputs = asked.options.want_outputs;
  return Handed{std::move(request), std::move(memory), std::move(enough)};
}

// The slowest code that anybody waits for.
std::chrono::milliseconds patience_with(const NetworksAsked& asked) {
  constexpr double least_seconds = 30, flops_per_second = 2e8, bytes_per_second = 1e8,
                   most_seconds = 1e6;
  double seconds = least_seconds;
  for (const CompiledNetwork* network : asked.networks)
    for (const runtime::KernelInstance& kernel : network->kernels)
      seconds +=
          static_cast<double>(kernel.flops) / flops_per_second +
          static_cast<double>(runtime::distinct_bytes(kernel, *network->graph)) / bytes_per_second;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(1e3 * std::min(seconds, most_seconds)));
}

bool has_outside_kernels(const NetworksAsked& asked) {
  return std::ranges::any_of(asked.networks, [](const CompiledNetwork* network) {
    return std::ranges::any_of(network->kernels, [](const runtime::KernelInstance& kernel) {
      return kernel.outside != nullptr;
    });
  });
}

Result<runtime::TurnTimes> time_there(const NetworksAsked& asked, WorkerPool& workers) {
  Handed handed = TRY(hand_over(asked));
  const auto hear = [&](const Frame& frame) {
    const auto progress = networks_progress_from(frame);
    if (!progress) return;
    if (progress->has_tensors) handed.memory.reset();
    if (progress->round >= 0 && asked.options.on_round)
      asked.options.on_round(progress->round, progress->milliseconds);
    if (asked.options.is_enough && asked.options.is_enough())
      std::atomic_ref(*handed.enough.data()).store(std::byte{1});
  };
  const auto answer =
      workers.ask(to_frame(std::move(handed.request)), asked.silence.value_or(patience_with(asked)),
                  asked.options.cancellation, hear);
  if (!answer) return std::unexpected(WorkerPool::diagnose(answer.error()));
  return turn_times_from(*answer);
}

}  // namespace

Result<runtime::TurnTimes> time_networks(const NetworksAsked& asked, WorkerPool* workers) {
  return workers && !has_outside_kernels(asked) ? time_there(asked, *workers) : time_here(asked);
}

}  // namespace loopglass::measure

#include "core/measure/network_job.h"

#include "core/measure/shared_bytes.h"
#include "core/support/concurrently.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace loopglass::measure {
namespace {

using runtime::LoadedNetwork;

// Of this process's own, aligned as kernels expect it.
Result<std::vector<Tensor>> copy_tensors(const NetworksRequest& request) {
  const SharedBytes shared = TRY(SharedBytes::open(request.memory, request.memory_bytes));
  std::vector<Tensor> tensors(request.tensors.size());
  std::atomic<std::size_t> next = 0;
  try {
    // Taking memory takes as long as filling it.
    run_on_threads(runtime::hardware_threads(), [&] {
      for (std::size_t i = next++; i < tensors.size(); i = next++) {
        tensors[i] = Tensor(request.tensors[i].type);
        std::copy_n(shared.data() + request.tensors[i].offset, tensors[i].bytes(),
                    tensors[i].data());
      }
    });
  } catch (const std::bad_alloc&) {
    return fail(Code::OutOfMemory, "there is not enough memory for the constants of the network");
  }
  return tensors;
}

std::vector<Tensor> chosen(const std::vector<Tensor>& tensors,
                           const std::vector<std::size_t>& places) {
  std::vector<Tensor> list;
  for (const std::size_t place : places) list.push_back(tensors[place]);
  return list;
}

Result<std::unique_ptr<LoadedNetwork>> load(const NetworksRequest::Network& network,
                                            const std::vector<Tensor>& tensors) {
  std::vector<std::shared_ptr<const codegen::CompiledKernel>> code;
  auto next = network.code.begin();
  for (const runtime::Wiring::Kernel& kernel : network.wiring.kernels)
    code.push_back(kernel.has_code ? TRY(codegen::load(*next++)) : nullptr);
  return LoadedNetwork::create(network.wiring, std::move(code), chosen(tensors, network.constants));
}

Result<runtime::TurnTimes> run(const NetworksRequest& request, const Tell& tell) {
  std::vector<std::unique_ptr<LoadedNetwork>> networks;
  std::vector<runtime::Contestant> contestants;
  {
    const std::vector<Tensor> tensors = TRY(copy_tensors(request));
    tell(to_frame(NetworksProgress{true, -1, {}}));
    for (const NetworksRequest::Network& network : request.networks) {
      networks.push_back(TRY(load(network, tensors)));
      contestants.push_back({networks.back().get(), chosen(tensors, network.inputs)});
    }
  }
  const SharedBytes enough = TRY(SharedBytes::open(request.enough, 1));
  runtime::TurnOptions options{.warm_up = request.warm_up, .rounds = request.rounds};
  options.is_enough = [&] { return std::atomic_ref(*enough.data()).load() != std::byte{0}; };
  options.want_outputs = request.want_outputs;
  options.works_for = ::getppid();
  options.on_round = [&](int round, std::span<const double> milliseconds) {
    tell(to_frame(NetworksProgress{true, round, {milliseconds.begin(), milliseconds.end()}}));
  };
  runtime::ThreadPool pool(request.threads);
  return runtime::time_in_turns(contestants, pool, options);
}

}  // namespace

Frame run_networks(const Frame& frame, const Tell& tell) {
  const auto request = networks_request_from(frame);
  return to_frame(request ? run(*request, tell) : std::unexpected(request.error()));
}

}  // namespace loopglass::measure

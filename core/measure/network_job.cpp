#include "core/measure/network_job.h"

#include "core/measure/shared_bytes.h"
#include "core/support/concurrently.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace loopglass::measure {
namespace {

using runtime::LoadedNetwork;

// Of this process's own, aligned as kernels expect it.
Result<std::vector<Tensor>> copy_constants(const NetworksRequest& request) {
  const SharedBytes shared = TRY(SharedBytes::open(request.memory, request.memory_bytes));
  std::vector<Tensor> constants;
  for (const NetworksRequest::Constant& constant : request.constants)
    constants.push_back(TRY(Tensor::allocate(constant.type)));
  std::atomic<std::size_t> next = 0;
  run_on_threads(runtime::hardware_threads(), [&] {
    for (std::size_t i = next++; i < constants.size(); i = next++)
      std::copy_n(shared.data() + request.constants[i].offset, constants[i].bytes(),
                  constants[i].data());
  });
  return constants;
}

Result<std::unique_ptr<LoadedNetwork>> load(const NetworksRequest::Network& network,
                                            const std::vector<Tensor>& constants) {
  std::vector<std::shared_ptr<const codegen::CompiledKernel>> code;
  auto next = network.code.begin();
  for (const runtime::Wiring::Kernel& kernel : network.wiring.kernels)
    code.push_back(kernel.has_code ? TRY(codegen::load(*next++)) : nullptr);
  std::vector<Tensor> own;
  for (const std::size_t i : network.constants) own.push_back(constants[i]);
  return LoadedNetwork::create(network.wiring, std::move(code), std::move(own));
}

Result<runtime::TurnTimes> run(const NetworksRequest& request, const Tell& tell) {
  std::vector<std::unique_ptr<LoadedNetwork>> networks;
  {
    const std::vector<Tensor> constants = TRY(copy_constants(request));
    tell(to_frame(NetworksProgress{true, -1, {}}));
    for (const NetworksRequest::Network& network : request.networks)
      networks.push_back(TRY(load(network, constants)));
  }
  std::vector<runtime::Contestant> contestants;
  for (std::size_t i = 0; i < networks.size(); ++i)
    contestants.push_back({networks[i].get(), request.networks[i].inputs});
  runtime::TurnOptions options{request.warm_up,      request.rounds, {}, {},
                               request.want_outputs, ::getppid()};
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

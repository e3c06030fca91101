#include "core/runtime/loaded_network.h"

#include "core/support/check.h"
#include "core/support/huge_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace loopglass::runtime {
namespace {

Result<Tensor> allocate_bytes(std::int64_t bytes) {
  return Tensor::allocate(TensorType{DataType::UInt8, {std::max<std::int64_t>(bytes, 1)}});
}

}  // namespace

Result<std::unique_ptr<LoadedNetwork>> LoadedNetwork::create(
    Wiring wiring, std::vector<std::shared_ptr<const codegen::CompiledKernel>> code,
    std::vector<Tensor> constants, std::vector<std::shared_ptr<OutsideKernel>> outside) {
  CHECK(code.size() == wiring.kernels.size() && constants.size() == wiring.constants,
        "code and constants of another network");
  outside.resize(code.size());
  for (std::size_t k = 0; k < code.size(); ++k)
    CHECK((code[k] != nullptr) == wiring.kernels[k].has_code, "code of another network");
  std::unique_ptr<LoadedNetwork> network(new LoadedNetwork);
  network->wiring_ = std::move(wiring);
  network->code_ = std::move(code);
  network->outside_ = std::move(outside);
  network->constants_ = std::move(constants);
  network->arena_ = TRY(allocate_bytes(network->wiring_.arena_bytes));
  network->workspace_ = TRY(allocate_bytes(network->wiring_.workspace_bytes));
  network->bind_arguments();
  return network;
}

void LoadedNetwork::bind_arguments() {
  addresses_.resize(wiring_.kernels.size());
  for (std::size_t k = 0; k < wiring_.kernels.size(); ++k)
    for (std::size_t a = 0; a < wiring_.kernels[k].arguments.size(); ++a) {
      const Wiring::Place& place = wiring_.kernels[k].arguments[a];
      std::byte* address = nullptr;
      switch (place.memory) {
        // Kernels only read what is constant.
        case Wiring::Memory::Constant:
          address = constants_[place.index].data() + place.offset;
          break;
        case Wiring::Memory::Arena: address = arena_.data() + place.offset; break;
        case Wiring::Memory::Input:
          input_patches_.push_back({k, a, place.index, place.offset});
          break;
        case Wiring::Memory::Output:
          output_patches_.push_back({k, a, place.index, place.offset});
          break;
      }
      addresses_[k].push_back(address);
    }
}

void LoadedNetwork::stand_in(std::size_t kernel) const {
  for (const Wiring::StandIn& numbers : wiring_.kernels[kernel].stand_ins)
    std::copy_n(constants_[numbers.constant].data(), numbers.bytes,
                static_cast<std::byte*>(addresses_[kernel][numbers.argument]));
}

Result<void> LoadedNetwork::check_inputs(std::span<const Tensor> inputs) const {
  if (inputs.size() != wiring_.inputs.size())
    return fail(Code::InputMismatch, fmt::format("the network takes {} inputs and was given {}",
                                                 wiring_.inputs.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& [name, type] = wiring_.inputs[i];
    if (!inputs[i].defined() || inputs[i].type() != type)
      return fail(Code::InputMismatch,
                  fmt::format("input '{}' is {} and was given {}", name, to_string(type),
                              inputs[i].defined() ? to_string(inputs[i].type()) : "nothing"));
  }
  return {};
}

Result<std::vector<Tensor>> LoadedNetwork::allocate_outputs() const {
  std::vector<Tensor> outputs;
  for (const TensorType& type : wiring_.outputs) outputs.push_back(TRY(Tensor::allocate(type)));
  return outputs;
}

void LoadedNetwork::settle_memory(const std::function<bool()>& is_enough) const {
  std::vector<std::span<const std::byte>> memory;
  const auto add = [&](const Tensor& tensor) {
    if (tensor.defined()) memory.emplace_back(tensor.data(), tensor.bytes());
  };
  for (const Tensor& constant : constants_) add(constant);
  add(arena_);
  constexpr std::chrono::seconds longest{3};
  const auto start = std::chrono::steady_clock::now();
  move_into_huge_pages(
      memory, [&] { return std::chrono::steady_clock::now() - start > longest || is_enough(); });
}

Result<std::vector<Tensor>> LoadedNetwork::run(std::span<const Tensor> inputs, ThreadPool& pool) {
  TRY_VOID(check_inputs(inputs));
  std::vector<Tensor> outputs = TRY(allocate_outputs());
  TRY_VOID(run_into(outputs, inputs, pool));
  return outputs;
}

Result<void> LoadedNetwork::run_into(std::span<Tensor> outputs, std::span<const Tensor> inputs,
                                     ThreadPool& pool, std::vector<std::int64_t>* nanoseconds) {
  TRY_VOID(check_inputs(inputs));
  CHECK(outputs.size() == wiring_.outputs.size(), "as many tensors as the network has outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i)
    CHECK(outputs[i].defined() && outputs[i].type() == wiring_.outputs[i],
          "a tensor of the output's type");
  // Kernels only read what they are given as inputs.
  for (const Patch& patch : input_patches_)
    addresses_[patch.kernel][patch.argument] =
        const_cast<std::byte*>(inputs[patch.index].data()) + patch.offset;
  for (const Patch& patch : output_patches_)
    addresses_[patch.kernel][patch.argument] = outputs[patch.index].data() + patch.offset;

  using Clock = std::chrono::steady_clock;
  if (nanoseconds) nanoseconds->assign(code_.size(), 0);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const bool is_missing = wiring_.kernels[k].is_missing;
    if (!code_[k] && !outside_[k] && !is_missing) continue;
    Clock::time_point start = nanoseconds ? Clock::now() : Clock::time_point{};
    if (is_missing) stand_in(k);
    else if (outside_[k]) TRY_VOID(outside_[k]->run(addresses_[k]));
    else
      code_[k]->entry()(addresses_[k].data(), wiring_.kernels[k].extents.data(), workspace_.data(),
                        pool.parallel_runtime());
    if (nanoseconds) (*nanoseconds)[k] = std::chrono::nanoseconds(Clock::now() - start).count();
  }
  for (const Wiring::Copy& copy : wiring_.copies) {
    const Tensor& source = copy.from.memory == Wiring::Memory::Constant
                               ? constants_[copy.from.index]
                           : copy.from.memory == Wiring::Memory::Input ? inputs[copy.from.index]
                                                                       : outputs[copy.from.index];
    std::copy_n(source.data(), outputs[copy.output].bytes(), outputs[copy.output].data());
  }
  return {};
}

}  // namespace loopglass::runtime

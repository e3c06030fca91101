#include "core/runtime/executor.h"

#include "core/runtime/memory_budget.h"
#include "core/runtime/packing.h"
#include "core/support/check.h"
#include "core/support/concurrently.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <set>

namespace loopglass::runtime {
namespace {

bool writes(const loop::Buffer& parameter) {
  return parameter.role == loop::Role::Output || parameter.role == loop::Role::Intermediate;
}

Result<Tensor> allocate_bytes(std::int64_t bytes) {
  return Tensor::allocate(TensorType{DataType::UInt8, {std::max<std::int64_t>(bytes, 1)}});
}

// Runs work(0), ..., work(count - 1) on all processors.
template <class Work>
void for_each_concurrently(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  run_on_threads(std::min<int>(hardware_threads(), static_cast<int>(count)), [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  });
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<const graph::Graph> graph,
                                                   std::vector<KernelInstance> kernels,
                                                   std::shared_ptr<const MemoryPlan> plan) {
  TRY_VOID(
      check_memory("running the network", {{"intermediates", plan->arena_bytes},
                                           {"inputs", plan->input_bytes},
                                           {"outputs", plan->output_bytes},
                                           {"scratch memory of kernels", plan->workspace_bytes},
                                           {"packed constants", plan->packed_bytes}}));
  std::unique_ptr<Executor> executor(new Executor);
  executor->graph_ = std::move(graph);
  executor->kernels_ = std::move(kernels);
  executor->plan_ = std::move(plan);
  for (const KernelInstance& kernel : executor->kernels_)
    CHECK(kernel.use.arguments.size() == kernel.use.parameters.size(),
          "arguments of " + kernel.name);
  try {
    executor->pack_constants();
    executor->make_stand_ins();
  } catch (const std::bad_alloc&) {
    return fail(Code::OutOfMemory, "there is not enough memory for the constants of the network");
  }
  executor->arena_ =
      TRY(allocate_bytes(executor->plan_->arena_bytes + executor->plan_->margin_bytes));
  executor->workspace_ = TRY(allocate_bytes(executor->plan_->workspace_bytes));
  executor->check_order();
  executor->bind_arguments();
  return executor;
}

void Executor::pack_constants() {
  struct Job {
    const loop::Buffer* parameter;
    const Tensor* constant;
    Tensor packed;
  };
  std::map<std::string, Job> jobs;
  constants_.resize(kernels_.size());
  auto each_constant = [&](auto&& visit) {
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const KernelInstance& kernel = kernels_[k];
      constants_[k].resize(kernel.use.arguments.size());
      for (std::size_t a = 0; a < kernel.use.arguments.size(); ++a) {
        const graph::Value& value = graph_->value(kernel.use.arguments[a]);
        if (value.is_constant()) visit(value.constant, kernel.use.parameters[a], constants_[k][a]);
      }
    }
  };
  each_constant([&](const Tensor& constant, const loop::Buffer& parameter, Tensor& place) {
    if (parameter.packing)
      jobs.try_emplace(packing_key(constant, parameter), Job{&parameter, &constant, {}});
    else place = constant;
  });
  std::vector<Job*> list;
  for (auto& [key, job] : jobs) list.push_back(&job);
  for_each_concurrently(list.size(), [&](std::size_t i) {
    list[i]->packed = pack_constant(*list[i]->parameter, *list[i]->constant);
  });
  each_constant([&](const Tensor& constant, const loop::Buffer& parameter, Tensor& place) {
    if (parameter.packing) place = jobs.at(packing_key(constant, parameter)).packed;
  });
}

void Executor::make_stand_ins() {
  stand_ins_.resize(kernels_.size());
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    if (!kernels_[k].missing) continue;
    stand_ins_[k].resize(kernels_[k].use.arguments.size());
    for (std::size_t a = 0; a < stand_ins_[k].size(); ++a)
      if (writes(kernels_[k].use.parameters[a]))
        stand_ins_[k][a] = stand_in_for(graph_->value(kernels_[k].use.arguments[a]));
  }
}

void Executor::stand_in(std::size_t kernel) const {
  for (std::size_t a = 0; a < stand_ins_[kernel].size(); ++a) {
    const Tensor& numbers = stand_ins_[kernel][a];
    if (numbers.defined())
      std::copy_n(numbers.data(), numbers.bytes(), static_cast<std::byte*>(addresses_[kernel][a]));
  }
}

// Every value is there when it is read, and one kernel alone makes it.
void Executor::check_order() const {
  std::set<graph::ValueId> made;
  for (const KernelInstance& kernel : kernels_) {
    std::set<graph::ValueId> own(kernel.use.handed_on.begin(), kernel.use.handed_on.end());
    for (std::size_t a = 0; a < kernel.use.arguments.size(); ++a) {
      const graph::Value& value = graph_->value(kernel.use.arguments[a]);
      if (writes(kernel.use.parameters[a])) own.insert(value.id);
      else
        CHECK(!value.producer.valid() || made.contains(value.id),
              kernel.name + " reads " + value.name + " before it is computed");
    }
    for (const graph::ValueId id : own)
      CHECK(made.insert(id).second, "two kernels compute " + graph_->value(id).name);
  }
  for (graph::ValueId id : graph_->outputs())
    CHECK(!graph_->value(id).producer.valid() || made.contains(id),
          "no kernel computes " + graph_->value(id).name);
}

void Executor::bind_arguments() {
  std::map<graph::ValueId, std::int64_t> offsets;
  for (const PlannedBuffer& buffer : plan_->buffers) offsets.emplace(buffer.value, buffer.offset);
  std::map<graph::ValueId, std::size_t> inputs, outputs;
  for (std::size_t i = 0; i < graph_->inputs().size(); ++i) inputs.emplace(graph_->inputs()[i], i);
  for (std::size_t i = 0; i < graph_->outputs().size(); ++i)
    outputs.emplace(graph_->outputs()[i], i);
  addresses_.resize(kernels_.size());
  for (std::size_t k = 0; k < kernels_.size(); ++k)
    for (std::size_t a = 0; a < kernels_[k].use.arguments.size(); ++a) {
      const placement::Place place = kernels_[k].use.place(a);
      const graph::Value& buffer = graph_->value(place.buffer);
      std::byte* address = nullptr;
      // Kernels only read what is constant.
      if (constants_[k][a].defined()) address = constants_[k][a].data();
      else if (buffer.is_constant())
        address = const_cast<std::byte*>(buffer.constant.data()) + place.offset;
      else if (auto offset = offsets.find(buffer.id); offset != offsets.end())
        address = arena_.data() + offset->second + place.offset;
      else if (auto input = inputs.find(buffer.id); input != inputs.end())
        input_patches_.push_back({k, a, input->second, place.offset});
      else output_patches_.push_back({k, a, outputs.at(buffer.id), place.offset});
      addresses_[k].push_back(address);
    }
}

Result<void> Executor::check_inputs(std::span<const Tensor> inputs) const {
  const auto& expected = graph_->inputs();
  if (inputs.size() != expected.size())
    return fail(Code::InputMismatch, fmt::format("the network takes {} inputs and was given {}",
                                                 expected.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& value = graph_->value(expected[i]);
    if (!inputs[i].defined() || inputs[i].type() != value.type)
      return fail(
          Code::InputMismatch,
          fmt::format("input '{}' is {} and was given {}", value.name, to_string(value.type),
                      inputs[i].defined() ? to_string(inputs[i].type()) : "nothing"));
  }
  return {};
}

Result<std::vector<Tensor>> Executor::allocate_outputs() const {
  std::vector<Tensor> outputs;
  for (graph::ValueId id : graph_->outputs())
    outputs.push_back(TRY(Tensor::allocate(graph_->value(id).type)));
  return outputs;
}

Result<std::vector<Tensor>> Executor::run(std::span<const Tensor> inputs, ThreadPool& pool) {
  TRY_VOID(check_inputs(inputs));
  std::vector<Tensor> outputs = TRY(allocate_outputs());
  TRY_VOID(run_into(outputs, inputs, pool));
  return outputs;
}

Result<void> Executor::run_into(std::span<Tensor> outputs, std::span<const Tensor> inputs,
                                ThreadPool& pool, std::vector<std::int64_t>* nanoseconds) {
  TRY_VOID(check_inputs(inputs));
  CHECK(outputs.size() == graph_->outputs().size(), "as many tensors as the network has outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i)
    CHECK(outputs[i].defined() && outputs[i].type() == graph_->value(graph_->outputs()[i]).type,
          "a tensor of the output's type");
  // Kernels only read what they are given as inputs.
  for (const Patch& patch : input_patches_)
    addresses_[patch.kernel][patch.argument] =
        const_cast<std::byte*>(inputs[patch.index].data()) + patch.offset;
  for (const Patch& patch : output_patches_)
    addresses_[patch.kernel][patch.argument] = outputs[patch.index].data() + patch.offset;

  using Clock = std::chrono::steady_clock;
  if (nanoseconds) nanoseconds->assign(kernels_.size(), 0);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    if (!kernels_[k].code && !kernels_[k].missing) continue;
    Clock::time_point start = nanoseconds ? Clock::now() : Clock::time_point{};
    if (kernels_[k].missing) stand_in(k);
    else
      kernels_[k].code->entry()(addresses_[k].data(), kernels_[k].extents.data(), workspace_.data(),
                                pool.parallel_runtime());
    if (nanoseconds) (*nanoseconds)[k] = std::chrono::nanoseconds(Clock::now() - start).count();
  }
  copy_other_outputs(outputs, inputs);
  return {};
}

// Outputs that no kernel writes: constants, inputs, and what an earlier output already holds.
void Executor::copy_other_outputs(std::span<Tensor> outputs, std::span<const Tensor> inputs) const {
  const auto position = [](const std::vector<graph::ValueId>& in, graph::ValueId id) {
    return static_cast<std::size_t>(std::find(in.begin(), in.end(), id) - in.begin());
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const graph::ValueId id = graph_->outputs()[i];
    const graph::Value& value = graph_->value(id);
    const std::size_t first = position(graph_->outputs(), id);
    const Tensor* source = nullptr;
    if (value.is_constant()) source = &value.constant;
    else if (!value.producer.valid()) source = &inputs[position(graph_->inputs(), id)];
    else if (first != i) source = &outputs[first];
    if (source) std::copy_n(source->data(), source->bytes(), outputs[i].data());
  }
}

}  // namespace loopglass::runtime

#include "core/runtime/network.h"

#include "core/loop/buffers.h"
#include "core/runtime/executor.h"
#include "core/runtime/memory_budget.h"
#include "core/runtime/packing.h"
#include "core/support/check.h"
#include "core/support/concurrently.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <set>

namespace loopglass::runtime {
namespace {

void check_order(const CompiledNetwork& network) {
  const graph::Graph& graph = *network.graph;
  std::set<graph::ValueId> made;
  for (const KernelInstance& kernel : network.kernels) {
    std::set<graph::ValueId> own(kernel.use.handed_on.begin(), kernel.use.handed_on.end());
    for (std::size_t a = 0; a < kernel.use.arguments.size(); ++a) {
      const graph::Value& value = graph.value(kernel.use.arguments[a]);
      if (loop::is_written(kernel.use.parameters[a])) own.insert(value.id);
      else
        CHECK(!value.producer.valid() || made.contains(value.id),
              kernel.name + " reads " + value.name + " before it is computed");
    }
    for (const graph::ValueId id : own)
      CHECK(made.insert(id).second, "two kernels compute " + graph.value(id).name);
  }
  for (graph::ValueId id : graph.outputs())
    CHECK(!graph.value(id).producer.valid() || made.contains(id),
          "no kernel computes " + graph.value(id).name);
}

class Wirer {
 public:
  explicit Wirer(const CompiledNetwork& network) : graph_(*network.graph), plan_(*network.plan) {
    for (const PlannedBuffer& buffer : plan_.buffers) offsets_.emplace(buffer.value, buffer.offset);
    for (const graph::ValueId id : graph_.inputs()) {
      inputs_.emplace(id, inputs_.size());
      result_.wiring.inputs.push_back({graph_.value(id).name, graph_.value(id).type});
    }
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      outputs_.emplace(graph_.outputs()[i], i);
      result_.wiring.outputs.push_back(graph_.value(graph_.outputs()[i]).type);
    }
    result_.wiring.arena_bytes = plan_.arena_bytes + plan_.margin_bytes;
    result_.wiring.workspace_bytes = plan_.workspace_bytes;
  }

  void add(const KernelInstance& instance) {
    CHECK(instance.use.arguments.size() == instance.use.parameters.size(),
          "arguments of " + instance.name);
    Wiring::Kernel kernel{
        instance.code != nullptr, instance.missing.has_value(), {}, {}, instance.extents};
    for (std::size_t a = 0; a < instance.use.arguments.size(); ++a) {
      const graph::Value& value = graph_.value(instance.use.arguments[a]);
      const loop::Buffer& parameter = instance.use.parameters[a];
      kernel.arguments.push_back(value.is_constant() ? place_of(value.constant, &parameter)
                                                     : place_of(instance.use.place(a)));
      if (kernel.is_missing && loop::is_written(parameter)) {
        const Tensor numbers = stand_in_for(value);
        kernel.stand_ins.push_back(
            {a, place_of(numbers).index, static_cast<std::int64_t>(numbers.bytes())});
      }
    }
    result_.wiring.kernels.push_back(std::move(kernel));
  }

  WiredNetwork finish() && {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const graph::ValueId id = graph_.outputs()[i];
      const graph::Value& value = graph_.value(id);
      const auto first = static_cast<std::size_t>(std::ranges::find(graph_.outputs(), id) -
                                                  graph_.outputs().begin());
      if (value.is_constant()) result_.wiring.copies.push_back({i, place_of(value.constant)});
      else if (!value.producer.valid())
        result_.wiring.copies.push_back({i, {Wiring::Memory::Input, inputs_.at(id), 0}});
      else if (first != i) result_.wiring.copies.push_back({i, {Wiring::Memory::Output, first, 0}});
    }
    result_.wiring.constants = result_.constants.size();
    return std::move(result_);
  }

 private:
  // One that several kernels read in the same way is there once.
  Wiring::Place place_of(const Tensor& constant, const loop::Buffer* parameter = nullptr) {
    WiredConstant wanted{constant, std::nullopt};
    if (parameter && parameter->packing) wanted.parameter = *parameter;
    const auto [known, is_new] = constants_.emplace(key_of(wanted), result_.constants.size());
    if (is_new) result_.constants.push_back(std::move(wanted));
    return {Wiring::Memory::Constant, known->second, 0};
  }

  Wiring::Place place_of(const placement::Place& place) {
    const graph::Value& buffer = graph_.value(place.buffer);
    Wiring::Place found;
    if (buffer.is_constant()) found = place_of(buffer.constant);
    else if (const auto offset = offsets_.find(buffer.id); offset != offsets_.end())
      found = {Wiring::Memory::Arena, 0, offset->second};
    else if (const auto input = inputs_.find(buffer.id); input != inputs_.end())
      found = {Wiring::Memory::Input, input->second, 0};
    else found = {Wiring::Memory::Output, outputs_.at(buffer.id), 0};
    found.offset += place.offset;
    return found;
  }

  const graph::Graph& graph_;
  const MemoryPlan& plan_;
  std::map<graph::ValueId, std::int64_t> offsets_;
  std::map<graph::ValueId, std::size_t> inputs_, outputs_;
  std::map<std::string, std::size_t> constants_;
  WiredNetwork result_;
};

}  // namespace

Result<void> check_memory_to_run(const MemoryPlan& plan, std::int64_t handed_over) {
  return check_memory("running the network",
                      {{"intermediates", plan.arena_bytes},
                       {"inputs", plan.input_bytes},
                       {"outputs", plan.output_bytes},
                       {"scratch memory of kernels", plan.workspace_bytes},
                       {"packed constants", plan.packed_bytes},
                       {"constants that are handed to the measuring process", handed_over}});
}

WiredNetwork wire(const CompiledNetwork& network) {
  check_order(network);
  Wirer wirer(network);
  for (const KernelInstance& kernel : network.kernels) wirer.add(kernel);
  return std::move(wirer).finish();
}

TensorType type_of(const WiredConstant& constant) {
  if (!constant.parameter) return constant.tensor.type();
  return {constant.parameter->type, te::concrete(constant.parameter->shape)};
}

std::string key_of(const WiredConstant& constant) {
  return constant.parameter ? packing_key(constant.tensor, *constant.parameter)
                            : fmt::format("{} {}", static_cast<const void*>(constant.tensor.data()),
                                          constant.tensor.bytes());
}

Result<void> for_each_packed(const std::vector<WiredConstant>& constants,
                             const std::function<void(std::size_t, const Tensor&)>& visit) {
  std::atomic<std::size_t> next = 0;
  try {
    run_on_threads(std::min<int>(hardware_threads(), static_cast<int>(constants.size())), [&] {
      for (std::size_t i = next++; i < constants.size(); i = next++)
        visit(i, constants[i].parameter
                     ? pack_constant(*constants[i].parameter, constants[i].tensor)
                     : constants[i].tensor);
    });
  } catch (const std::bad_alloc&) {
    return fail(Code::OutOfMemory, "there is not enough memory for the constants of the network");
  }
  return {};
}

}  // namespace loopglass::runtime

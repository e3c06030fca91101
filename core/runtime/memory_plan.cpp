#include "core/runtime/memory_plan.h"

#include "core/runtime/memory_budget.h"
#include "core/runtime/packing.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::runtime {
namespace {

using graph::ValueId;

bool is_intermediate(const graph::Graph& graph, ValueId id) {
  return graph.value(id).producer.valid() && !graph.is_output(id);
}

// In the order in which they are written; `index` says where each stands.
struct Lifetimes {
  std::vector<PlannedBuffer> buffers;
  std::map<ValueId, std::size_t> index;
};

Result<Lifetimes> lifetimes(const graph::Graph& graph, std::span<const KernelUse> kernels) {
  Lifetimes result;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (const ValueId id : kernels[k].arguments) {
      if (!is_intermediate(graph, id)) continue;
      const auto position = static_cast<int>(k);
      const auto [place, is_new] = result.index.try_emplace(id, result.buffers.size());
      if (!is_new) {
        result.buffers[place->second].last = position;
        continue;
      }
      const graph::Value& value = graph.value(id);
      result.buffers.push_back(
          {id, value.name, TRY(bytes_of(value.type)), position, position, 0, {}});
    }
  return result;
}

// Gives each result that may be written over an operand that dies in its kernel the first such
// operand.
void write_in_place(Lifetimes& live, std::span<const KernelUse> kernels) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::set<std::size_t> taken;
    for (const schedule::InPlace& pair : kernels[k].in_place) {
      const auto read = live.index.find(kernels[k].arguments[pair.read]);
      const auto written = live.index.find(kernels[k].arguments[pair.written]);
      if (read == live.index.end() || written == live.index.end()) continue;
      const PlannedBuffer& operand = live.buffers[read->second];
      PlannedBuffer& result = live.buffers[written->second];
      if (operand.last != static_cast<int>(k) || operand.bytes != result.bytes ||
          result.in_place_of.valid())
        continue;
      if (taken.insert(read->second).second) result.in_place_of = operand.value;
    }
  }
}

// Buffers written over one another share one range from the first's birth to the last's death.
struct Ranges {
  std::vector<LiveRange> ranges;
  std::vector<std::size_t> range_of;  // per buffer
};

Ranges ranges_of(const Lifetimes& live, bool in_place) {
  Ranges result;
  for (const PlannedBuffer& buffer : live.buffers) {
    if (in_place && buffer.in_place_of.valid()) {
      const std::size_t range = result.range_of[live.index.at(buffer.in_place_of)];
      result.ranges[range].last = std::max(result.ranges[range].last, buffer.last);
      result.range_of.push_back(range);
    } else {
      result.range_of.push_back(result.ranges.size());
      result.ranges.push_back({buffer.bytes, buffer.first, buffer.last});
    }
  }
  return result;
}

Result<void> add_constants(MemoryPlan& plan, const graph::Graph& graph,
                           std::span<const KernelUse> kernels) {
  std::set<ValueId> constants;
  std::set<std::string> packings;
  for (const KernelUse& kernel : kernels)
    for (std::size_t a = 0; a < kernel.arguments.size(); ++a) {
      const graph::Value& value = graph.value(kernel.arguments[a]);
      if (!value.is_constant()) continue;
      if (constants.insert(value.id).second)
        plan.constant_bytes =
            TRY(add_bytes(plan.constant_bytes, static_cast<std::int64_t>(value.constant.bytes())));
      const loop::Buffer& parameter = kernel.parameters[a];
      if (parameter.packing && packings.insert(packing_key(value.constant, parameter)).second)
        plan.packed_bytes = TRY(add_bytes(
            plan.packed_bytes, TRY(bytes_of({parameter.type, te::concrete(parameter.shape)}))));
    }
  return {};
}

Result<std::int64_t> total_bytes(const graph::Graph& graph, const std::vector<ValueId>& values) {
  std::int64_t total = 0;
  for (const ValueId id : values)
    total = TRY(add_bytes(total, TRY(bytes_of(graph.value(id).type))));
  return total;
}

}  // namespace

const PlannedBuffer* MemoryPlan::find(ValueId value) const {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const PlannedBuffer& b) { return b.value == value; });
  return found == buffers.end() ? nullptr : &*found;
}

int MemoryPlan::peak_kernel() const {
  if (buffers.empty()) return -1;
  return static_cast<int>(std::max_element(live.begin(), live.end()) - live.begin());
}

Result<MemoryPlan> plan_memory(const graph::Graph& graph, std::span<const KernelUse> kernels) {
  MemoryPlan plan;
  plan.kernels = kernels.size();
  Lifetimes live = TRY(lifetimes(graph, kernels));
  for (const PlannedBuffer& buffer : live.buffers)
    plan.separate_bytes = TRY(add_bytes(plan.separate_bytes, aligned(buffer.bytes)));
  for (const KernelUse& kernel : kernels)
    plan.workspace_bytes = std::max(plan.workspace_bytes, kernel.workspace_bytes);
  plan.input_bytes = TRY(total_bytes(graph, graph.inputs()));
  plan.output_bytes = TRY(total_bytes(graph, graph.outputs()));
  TRY_VOID(add_constants(plan, graph, kernels));

  const Ranges apart = ranges_of(live, false);
  const ArenaLayout separate = lay_out(apart.ranges);
  plan.live_peak = separate.lower_bound;
  write_in_place(live, kernels);
  const Ranges merged = ranges_of(live, true);
  const ArenaLayout shared = lay_out(merged.ranges);
  plan.lower_bound = shared.lower_bound;
  plan.live = live_bytes(merged.ranges, kernels.size());
  // Longer lifetimes may leave gaps that separate ones would fill.
  const bool in_place = shared.bytes <= separate.bytes;
  const Ranges& ranges = in_place ? merged : apart;
  const ArenaLayout& layout = in_place ? shared : separate;
  plan.arena_bytes = layout.bytes;
  plan.buffers = std::move(live.buffers);
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    plan.buffers[b].offset = layout.offsets[ranges.range_of[b]];
    if (!in_place) plan.buffers[b].in_place_of = {};
  }
  return plan;
}

Result<void> check_memory_of_operators(const graph::Graph& graph) {
  std::int64_t all = 0;
  for (const graph::ValuePtr& value : graph.values())
    all = TRY(add_bytes(all, TRY(bytes_of(value->type))));
  std::vector<LiveRange> ranges;
  for (const graph::NodePtr& node : graph.nodes())
    for (const ValueId output : node->outputs) {
      const auto first = static_cast<int>(graph.position(node->id));
      const auto& uses = graph.uses(output);
      const auto last = uses.empty() ? first : static_cast<int>(graph.position(uses.back().node));
      if (!graph.is_output(output))
        ranges.push_back({graph.value(output).type.bytes(), first, last});
    }
  const std::vector<std::int64_t> live = live_bytes(ranges, graph.nodes().size());
  return check_memory(
      "running the network",
      {{"intermediates", live.empty() ? 0 : *std::max_element(live.begin(), live.end())},
       {"inputs", TRY(total_bytes(graph, graph.inputs()))},
       {"outputs", TRY(total_bytes(graph, graph.outputs()))}});
}

}  // namespace loopglass::runtime

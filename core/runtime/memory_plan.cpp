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
    for (std::size_t a = 0; a < kernels[k].arguments.size(); ++a) {
      const ValueId id = kernels[k].place(a).buffer;
      if (!is_intermediate(graph, id)) continue;
      const auto position = static_cast<int>(k);
      const auto [place, is_new] = result.index.try_emplace(id, result.buffers.size());
      if (!is_new) {
        result.buffers[place->second].last = position;
        continue;
      }
      const graph::Value& value = graph.value(id);
      const std::int64_t bytes = TRY(bytes_of(value.type));
      result.buffers.push_back({id, value.name, bytes, position, position, 0, {}});
    }
  return result;
}

// The buffer that an argument, and no other of its kernel, is the whole of; nullopt: it shares one.
std::optional<std::size_t> whole_buffer(const Lifetimes& live, const KernelUse& kernel,
                                        std::size_t argument) {
  const placement::Place place = kernel.place(argument);
  const auto found = live.index.find(place.buffer);
  if (found == live.index.end() || place.offset != 0) return std::nullopt;
  for (std::size_t other = 0; other < kernel.arguments.size(); ++other)
    if (other != argument && kernel.place(other).buffer == place.buffer) return std::nullopt;
  const loop::Buffer& parameter = kernel.parameters[argument];
  const TensorType type{parameter.type, te::concrete(parameter.shape)};
  return type.bytes() == live.buffers[found->second].bytes ? std::optional(found->second)
                                                           : std::nullopt;
}

// Gives each result that may be written over an operand that dies in its kernel the first such
// operand.
void write_in_place(Lifetimes& live, std::span<const KernelUse> kernels) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::set<std::size_t> taken;
    for (const schedule::InPlace& pair : kernels[k].in_place) {
      const auto read = whole_buffer(live, kernels[k], pair.read);
      const auto written = whole_buffer(live, kernels[k], pair.written);
      if (!read || !written || *read == *written) continue;
      const PlannedBuffer& operand = live.buffers[*read];
      PlannedBuffer& result = live.buffers[*written];
      if (operand.last != static_cast<int>(k) || result.first != static_cast<int>(k) ||
          operand.bytes != result.bytes || result.in_place_of.valid())
        continue;
      if (taken.insert(*read).second) result.in_place_of = operand.value;
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

// How far rows with gaps reach beyond the arena.
Result<std::int64_t> margin(const MemoryPlan& plan, const Lifetimes& live,
                            std::span<const KernelUse> kernels) {
  std::int64_t most = 0;
  for (const KernelUse& kernel : kernels)
    for (std::size_t a = 0; a < kernel.places.size(); ++a) {
      const auto found = live.index.find(kernel.places[a].buffer);
      if (found == live.index.end()) continue;
      const loop::Buffer& parameter = kernel.parameters[a];
      const std::int64_t begin =
          TRY(add_bytes(plan.buffers[found->second].offset, kernel.places[a].offset));
      const std::int64_t end =
          TRY(add_bytes(begin, TRY(bytes_of({parameter.type, te::concrete(parameter.shape)}))));
      most = std::max(most, end - plan.arena_bytes);
    }
  return most;
}

}  // namespace

KernelUse use_of_missing(const graph::Graph& graph, const placement::PlacedKernel& placed) {
  KernelUse use;
  use.places = placed.places;
  const auto add = [&](ValueId id, loop::Role role) {
    const graph::Value& value = graph.value(id);
    std::vector<expr::Expr> shape(value.type.shape.begin(), value.type.shape.end());
    use.arguments.push_back(id);
    use.parameters.push_back(
        {value.name, value.type.type, std::move(shape), loop::Scope::Global, role, {}});
  };
  for (const ValueId id : placed.kernel.inputs) add(id, loop::Role::Input);
  for (const ValueId id : placed.kernel.outputs) add(id, loop::Role::Output);
  return use;
}

const PlannedBuffer* MemoryPlan::find(ValueId value) const {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const PlannedBuffer& b) { return b.value == value; });
  return found == buffers.end() ? nullptr : &*found;
}

int MemoryPlan::peak_kernel() const {
  if (buffers.empty()) return -1;
  return static_cast<int>(std::max_element(live.begin(), live.end()) - live.begin());
}

Result<MemoryPlan> plan_memory(const graph::Graph& graph, std::span<const KernelUse> kernels,
                               std::vector<placement::SharedValue> shared) {
  MemoryPlan plan;
  plan.shared = std::move(shared);
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
  const ArenaLayout together = lay_out(merged.ranges);
  plan.lower_bound = together.lower_bound;
  plan.live = live_bytes(merged.ranges, kernels.size());
  // Longer lifetimes may leave gaps that separate ones would fill.
  const bool in_place = together.bytes <= separate.bytes;
  const Ranges& ranges = in_place ? merged : apart;
  const ArenaLayout& layout = in_place ? together : separate;
  plan.arena_bytes = layout.bytes;
  plan.buffers = live.buffers;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    plan.buffers[b].offset = layout.offsets[ranges.range_of[b]];
    if (!in_place) plan.buffers[b].in_place_of = {};
  }
  plan.margin_bytes = TRY(margin(plan, live, kernels));
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
  const std::int64_t inputs = TRY(total_bytes(graph, graph.inputs()));
  const std::int64_t outputs = TRY(total_bytes(graph, graph.outputs()));
  return check_memory(
      "running the network",
      {{"intermediates", live.empty() ? 0 : *std::max_element(live.begin(), live.end())},
       {"inputs", inputs},
       {"outputs", outputs}});
}

}  // namespace loopglass::runtime

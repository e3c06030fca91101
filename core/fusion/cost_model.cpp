#include "core/fusion/cost_model.h"

#include "core/support/hash.h"

#include <algorithm>
#include <set>

namespace loopglass::fusion {

namespace {

double microseconds(double gigas, double per_second) { return gigas / per_second * 1e6; }

double efficiency(const MachineConstants& machine, const graph::Node& node, PatternKind kind) {
  if (node.op->family == ops::Family::Convolution) return machine.convolution_efficiency;
  if (node.op->family == ops::Family::MatrixProduct) return machine.matrix_efficiency;
  return kind >= PatternKind::CommReduce ? machine.reduction_efficiency : machine.elementwise_efficiency;
}

// Of the level that all of it fits into.
double bandwidth(const MachineConstants& machine, double bytes) {
  for (const auto* level : {&machine.l1, &machine.l2, &machine.l3})
    if (bytes <= static_cast<double>(level->bytes)) return level->gigabytes_per_second;
  return machine.memory_gigabytes_per_second;
}

// What each nest of a block computes and moves.
class NestCosts {
 public:
  NestCosts(const MachineConstants& machine, const BlockRules& rules, std::span<const std::size_t> nodes)
      : machine_(machine), rules_(rules), nodes_(nodes), nests_(rules.nests(nodes)) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (rules.mapping(nodes[i]) == MappingType::ManyToMany) has_reduction_.insert(nests_.nest[i]);
    for (std::size_t i = 0; i < nodes.size(); ++i) count(i);
  }

  Cost cost(const CostModel& model) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nest(i).compute += model.arithmetic(rules_, nodes_[i]) + again(model, i);
    Cost cost;
    cost.nests = each_.size();
    for (const auto& [number, nest] : each_) {
      const double memory = microseconds((nest.bytes + nest.strided * (machine_.strided_penalty - 1)) * 1e-9,
                                         bandwidth(machine_, nest.bytes));
      cost.compute += nest.compute;
      cost.memory += memory;
      cost.total += std::max(nest.compute, memory);
    }
    cost.launch = machine_.launch_microseconds;
    cost.total += cost.launch;
    return cost;
  }

 private:
  struct Nest {
    double compute = 0;                // microseconds
    double bytes = 0, strided = 0;     // that it moves; of these, what is read in jumps
    std::set<graph::ValueId> read;
  };
  Nest& nest(std::size_t i) { return each_[nests_.nest[i]]; }

  // Position in nodes_ of a value's producer, if it is a member.
  std::optional<std::size_t> member(graph::ValueId value) const {
    const graph::NodeId producer = rules_.graph().value(value).producer;
    if (!producer) return std::nullopt;
    const std::size_t position = rules_.graph().position(producer);
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), position);
    if (found == nodes_.end() || *found != position) return std::nullopt;
    return static_cast<std::size_t>(found - nodes_.begin());
  }

  bool is_written(std::size_t i, std::size_t output) const {
    const BlockRules::Output& written = rules_.outputs(nodes_[i])[output];
    return nests_.kept[i][output] || written.readers.empty() || BlockRules::escapes(written, nodes_);
  }
  bool is_written(std::size_t i, graph::ValueId value) const {
    const auto& outputs = rules_.outputs(nodes_[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o].value == value) return is_written(i, o);
    return false;
  }

  void count(std::size_t i) {
    Nest& own = nest(i);
    for (const graph::ValueId input : rules_.graph().nodes()[nodes_[i]]->inputs) {
      if (!input) continue;
      const auto producer = member(input);
      if (producer && (nests_.nest[*producer] == nests_.nest[i] || !is_written(*producer, input))) continue;
      if (!own.read.insert(input).second) continue;
      const double bytes = static_cast<double>(rules_.graph().value(input).type.bytes());
      own.bytes += bytes;
      // Reads of a transposed operand in a reduction's inner loop jump.
      if (has_reduction_.contains(nests_.nest[i]) && rules_.mapping(nodes_[i]) == MappingType::Shuffle) own.strided += bytes;
    }
    const auto& outputs = rules_.outputs(nodes_[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (is_written(i, o)) own.bytes += static_cast<double>(outputs[o].bytes);
  }

  // A result that a reader takes many times over is computed as often, or kept aside: whichever is
  // cheaper.
  double again(const CostModel& model, std::size_t i) const {
    double most = 0;
    const auto& outputs = rules_.outputs(nodes_[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (is_written(i, o)) continue;
      const double bytes = static_cast<double>(outputs[o].bytes);
      const double kept = microseconds(2e-9 * bytes, bandwidth(machine_, bytes));
      for (const std::size_t reader : outputs[o].readers) {
        if (rules_.mapping(reader) != MappingType::OneToMany || rules_.outputs(reader).empty()) continue;
        const double repeats = static_cast<double>(rules_.outputs(reader).front().elements) /
                               static_cast<double>(std::max<std::int64_t>(outputs[o].elements, 1));
        most = std::max(most, std::min(kept, model.arithmetic(rules_, nodes_[i]) * std::max(repeats - 1, 0.0)));
      }
    }
    return most;
  }

  const MachineConstants& machine_;
  const BlockRules& rules_;
  std::span<const std::size_t> nodes_;
  BlockRules::Nests nests_;
  std::set<std::size_t> has_reduction_;
  std::map<std::size_t, Nest> each_;  // by the number of the nest
};

}  // namespace

double CostModel::arithmetic(const BlockRules& rules, std::size_t node) const {
  const double speed = constants_.peak_gflops * efficiency(constants_, *rules.graph().nodes()[node], rules.kind(node));
  return microseconds(static_cast<double>(rules.flops(node)) * 1e-9, speed);
}

Cost CostModel::cost(const BlockRules& rules, std::span<const std::size_t> nodes) const {
  if (!measured_.empty())
    if (const auto known = measured_.find(structural_hash(rules.graph(), nodes)); known != measured_.end()) {
      Cost cost;
      cost.measured = true;
      cost.total = known->second;
      return cost;
    }
  return NestCosts(constants_, rules, nodes).cost(*this);
}

std::uint64_t CostModel::structural_hash(const graph::Graph& graph, std::span<const std::size_t> nodes) {
  Hasher hasher;
  std::map<graph::ValueId, std::size_t> numbered;  // in order of appearance, so that names do not count
  const auto number = [&](graph::ValueId id) {
    const auto [known, fresh] = numbered.emplace(id, numbered.size());
    hasher.value(known->second);
    if (!fresh) return;
    const TensorType& type = graph.value(id).type;
    hasher.value(type.type).value(type.shape.size()).value(graph.value(id).is_constant());
    for (const std::int64_t extent : type.shape) hasher.value(extent);
  };
  for (const std::size_t position : nodes) {
    const graph::Node& node = *graph.nodes()[position];
    hasher.text(node.op->name).value(node.inputs.size()).value(node.outputs.size());
    for (const auto& [key, attribute] : node.attributes.all()) {
      hasher.text(key);
      if (const auto* tensor = std::get_if<Tensor>(&attribute)) hasher.value(tensor->content_hash());
      else hasher.text(ops::to_string(attribute));
    }
    for (const graph::ValueId input : node.inputs)
      if (input) number(input);
    for (const graph::ValueId output : node.outputs) {
      number(output);
      // What escapes must be written.
      const auto& uses = graph.uses(output);
      const bool escapes = graph.is_output(output) || std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
        return !std::binary_search(nodes.begin(), nodes.end(), graph.position(use.node));
      });
      hasher.value(escapes);
    }
  }
  return hasher.digest();
}

}  // namespace loopglass::fusion

#include "core/fusion/cost_model.h"

#include "core/fusion/heaviest_sum.h"
#include "core/graph/program.h"
#include "core/support/check.h"
#include "core/support/hash.h"

#include <algorithm>

namespace loopglass::fusion {

namespace {

double microseconds(double gigas, double per_second) { return gigas / per_second * 1e6; }

KernelClass class_of(const BlockRules& rules, std::size_t node) {
  const ops::Family family = rules.graph().nodes()[node]->op->family;
  if (family == ops::Family::Convolution) return KernelClass::Convolution;
  if (family == ops::Family::MatrixProduct) return KernelClass::MatrixProduct;
  if (family == ops::Family::Kernel)
    if (const auto program = graph::program_of(rules.graph(), *rules.graph().nodes()[node]))
      switch (heaviest_sum(*program)) {
        case HeaviestSum::Products: return KernelClass::MatrixProduct;
        case HeaviestSum::WindowProducts: return KernelClass::Convolution;
        case HeaviestSum::Other: break;
      }
  return rules.kind(node) >= PatternKind::CommReduce ? KernelClass::Reduction
                                                     : KernelClass::Elementwise;
}

// Of what is done with elements but for functions and divisions: operations that are no
// multiply-adds, each a half of one.
constexpr double element_efficiency = 0.5;

double efficiency(const Machine& machine, KernelClass kind) {
  switch (kind) {
    case KernelClass::Convolution: return machine.convolution_efficiency;
    case KernelClass::MatrixProduct: return machine.matrix_efficiency;
    case KernelClass::Reduction: return machine.reduction_efficiency;
    case KernelClass::Elementwise: return element_efficiency;
  }
  throw InternalError("class of a kernel outside its enumeration");
}

// Of the level that all of it fits into.
double bandwidth(const Machine& machine, double bytes) {
  for (const auto* level : {&machine.l1, &machine.l2, &machine.l3})
    if (bytes <= static_cast<double>(level->bytes)) return level->gigabytes_per_second;
  return machine.memory_gigabytes_per_second;
}

// What each nest of a block computes and moves.
class NestCosts {
 public:
  NestCosts(const Machine& machine, const BlockRules& rules, std::span<const std::size_t> nodes)
      : machine_(machine),
        rules_(rules),
        nodes_(nodes),
        nests_(rules.nests(nodes)),
        ready_(rules.lying_ready(nodes)),
        each_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (ready_[i]) continue;
      nest(i).is_there = true;
      if (rules.mapping(nodes[i]) == MappingType::ManyToMany) nest(i).has_reduction = true;
      count_writes(i);
    }
    count_reads();
  }

  Cost cost(const CostModel& model) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      nest(i).compute += model.arithmetic(rules_, nodes_[i]) + again(model, i);
    Cost cost;
    cost.nests = 0;
    for (const Nest& nest : each_) {
      if (!nest.is_there) continue;
      const double memory =
          microseconds((nest.bytes + nest.strided * (machine_.strided_penalty - 1)) * 1e-9,
                       bandwidth(machine_, nest.bytes));
      ++cost.nests;
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
    bool is_there = false, has_reduction = false;
    double compute = 0;             // microseconds
    double bytes = 0, strided = 0;  // that it moves; of these, what is read in jumps
  };
  Nest& nest(std::size_t i) { return each_[nests_.nest[i]]; }

  void count_reads() {
    for (const BlockRules::NestRead& read : rules_.nest_reads(nodes_, nests_)) {
      Nest& own = nest(read.member);
      if (!own.is_there) continue;  // of views alone
      const double bytes =
          static_cast<double>(rules_.graph().value(read.input->value).type.bytes());
      own.bytes += bytes;
      // Reads of a transposed operand in a reduction's inner loop jump.
      if (own.has_reduction && rules_.mapping(nodes_[read.member]) == MappingType::Shuffle)
        own.strided += bytes;
    }
  }

  void count_writes(std::size_t i) {
    const auto& outputs = rules_.outputs(nodes_[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (is_written(i, o)) nest(i).bytes += static_cast<double>(outputs[o].bytes);
  }

  // To memory.
  bool is_written(std::size_t i, std::size_t o) const {
    const BlockRules::Output& output = rules_.outputs(nodes_[i])[o];
    return nests_.kept[i][o] || output.readers.empty() || BlockRules::escapes(output, nodes_);
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
        if (rules_.mapping(reader) != MappingType::OneToMany || rules_.outputs(reader).empty())
          continue;
        const double repeats = static_cast<double>(rules_.outputs(reader).front().elements) /
                               static_cast<double>(std::max<std::int64_t>(outputs[o].elements, 1));
        most = std::max(
            most, std::min(kept, model.arithmetic(rules_, nodes_[i]) * std::max(repeats - 1, 0.0)));
      }
    }
    return most;
  }

  const Machine& machine_;
  const BlockRules& rules_;
  std::span<const std::size_t> nodes_;
  BlockRules::Nests nests_;
  std::vector<bool> ready_;  // members that are views of what is in memory
  std::vector<Nest> each_;   // by the number of the nest
};

}  // namespace

double CostModel::arithmetic(const BlockRules& rules, std::size_t node) const {
  const KernelClass kind = class_of(rules, node);
  const auto time = [&](std::int64_t operations, double efficiency) {
    return microseconds(static_cast<double>(operations) * 1e-9, machine_.peak_gflops * efficiency);
  };
  // What a sum reaches has its functions in it.
  const std::int64_t functions = kind == KernelClass::Elementwise ? rules.functions(node) : 0;
  return time(rules.flops(node) - functions, efficiency(machine_, kind)) +
         time(functions, machine_.function_efficiency);
}

Cost CostModel::estimate(const BlockRules& rules, std::span<const std::size_t> nodes) const {
  if (rules.needs_no_code(nodes)) return {.nests = 0};
  return NestCosts(machine_, rules, nodes).cost(*this);
}

Cost CostModel::cost(const BlockRules& rules, std::span<const std::size_t> nodes) const {
  if (measured_.empty()) return estimate(rules, nodes);
  const auto known = measured_.find(structural_hash(rules.graph(), nodes));
  if (known != measured_.end()) {
    Cost cost;
    cost.measured = true;
    cost.total = known->second.microseconds;
    cost.spread = known->second.spread;
    return cost;
  }
  Cost cost = estimate(rules, nodes);
  cost.scale = scale(kernel_class(rules, nodes)).factor;
  for (double* part : {&cost.compute, &cost.memory, &cost.launch, &cost.total}) *part *= cost.scale;
  return cost;
}

KernelClass CostModel::kernel_class(const BlockRules& rules,
                                    std::span<const std::size_t> nodes) const {
  std::size_t heaviest = nodes.front();
  for (const std::size_t node : nodes)
    if (arithmetic(rules, node) > arithmetic(rules, heaviest)) heaviest = node;
  return class_of(rules, heaviest);
}

std::uint64_t CostModel::structural_hash(const graph::Graph& graph,
                                         std::span<const std::size_t> nodes) {
  Hasher hasher;
  // In order of appearance, so that names do not count.
  std::map<graph::ValueId, std::size_t> numbered;
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
      if (const auto* tensor = std::get_if<Tensor>(&attribute))
        hasher.value(tensor->content_hash());
      else hasher.text(ops::to_string(attribute));
    }
    for (const graph::ValueId input : node.inputs) {
      hasher.value(static_cast<bool>(input));  // which of the optional operands are there
      if (input) number(input);
    }
    for (const graph::ValueId output : node.outputs) {
      number(output);
      // What escapes must be written.
      const auto& uses = graph.uses(output);
      const bool escapes =
          graph.is_output(output) || std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
            return !std::binary_search(nodes.begin(), nodes.end(), graph.position(use.node));
          });
      hasher.value(escapes);
    }
  }
  return hasher.digest();
}

}  // namespace loopglass::fusion

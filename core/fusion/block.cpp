#include "core/fusion/block.h"

#include "core/graph/program.h"
#include "core/te/flops.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace loopglass::fusion {

namespace {

void sort_out(std::vector<std::size_t>& positions) {
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

}  // namespace

BlockRules::BlockRules(const graph::Graph& graph, BlockLimits limits)
    : graph_(graph), limits_(limits), successors_(graph.nodes().size()), predecessors_(graph.nodes().size()) {
  for (const graph::NodePtr& node : graph.nodes()) {
    const auto program = program_of(graph, *node);
    // What cannot be computed here fuses with nothing; lowering will say why.
    kinds_.push_back(program ? pattern_kind(*program) : PatternKind::Opaque);
    mappings_.push_back(program ? mapping_type(*program) : MappingType::ManyToMany);
    flops_.push_back(program ? te::flops(*program) : 0);
    computable_.push_back(program.has_value());
  }
  outputs_.resize(graph.nodes().size());
  for (std::size_t i = 0; i < graph.nodes().size(); ++i)
    for (const graph::ValueId id : graph.nodes()[i]->outputs) {
      const TensorType& type = graph.value(id).type;
      Output output{id, type.bytes(), element_count(type.shape), graph.is_output(id), {}};
      for (const graph::Graph::Use& use : graph.uses(id)) output.readers.push_back(graph.position(use.node));
      sort_out(output.readers);
      for (const std::size_t reader : output.readers) {
        successors_[i].push_back(reader);
        predecessors_[reader].push_back(i);
      }
      outputs_[i].push_back(std::move(output));
    }
  for (auto* edges : {&successors_, &predecessors_})
    for (std::vector<std::size_t>& list : *edges) sort_out(list);
}

bool BlockRules::escapes(const Output& output, std::span<const std::size_t> nodes) {
  return output.leaves_graph || std::any_of(output.readers.begin(), output.readers.end(), [&](std::size_t reader) {
           return !std::binary_search(nodes.begin(), nodes.end(), reader);
         });
}

namespace {

// One pass in topological order. A member's time is that of the last many-to-many member that must be
// done before it; a sum can be taken from registers only at its own time.
class NestFinder {
 public:
  NestFinder(const BlockRules& rules, std::span<const std::size_t> nodes)
      : rules_(rules), nodes_(nodes), time_(nodes.size(), 0), carries_(nodes.size(), false), joined_(nodes.size()) {
    std::iota(joined_.begin(), joined_.end(), 0);
    for (const std::size_t node : nodes) kept_.emplace_back(rules.outputs(node).size(), false);
  }

  BlockRules::Nests operator()() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) place(i);
    BlockRules::Nests nests{{}, std::move(kept_)};
    for (std::size_t i = 0; i < nodes_.size(); ++i) nests.nest.push_back(root(i));
    return nests;
  }

 private:
  struct Read {
    std::size_t producer, output;  // a member, and which of its results
    bool in_place;                 // element for element
  };

  bool is_sum(std::size_t i) const { return rules_.mapping(nodes_[i]) == MappingType::ManyToMany; }

  std::vector<Read> reads_of(std::size_t i) const {
    const auto& own = rules_.outputs(nodes_[i]);
    std::vector<Read> reads;
    for (const std::size_t position : rules_.predecessors(nodes_[i])) {
      const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), position);
      if (found == nodes_.end() || *found != position) continue;
      const auto& outputs = rules_.outputs(position);
      for (std::size_t o = 0; o < outputs.size(); ++o)
        if (std::binary_search(outputs[o].readers.begin(), outputs[o].readers.end(), nodes_[i]))
          reads.push_back({static_cast<std::size_t>(found - nodes_.begin()), o,
                           rules_.mapping(nodes_[i]) != MappingType::Shuffle && own.size() == 1 &&
                               own.front().elements == outputs[o].elements});
    }
    return reads;
  }

  void place(std::size_t i) {
    const std::vector<Read> reads = reads_of(i);
    for (const Read& read : reads) time_[i] = std::max(time_[i], time_[read.producer]);
    for (const Read& read : reads) {
      const BlockRules::Output& output = rules_.outputs(nodes_[read.producer])[read.output];
      if (!is_taken_directly(i, read, output)) {
        // What leaves the kernel is written in any case.
        if (!BlockRules::escapes(output, nodes_)) kept_[read.producer][read.output] = true;
      } else if (carries_[read.producer]) {
        carries_[i] = true;
        joined_[root(i)] = root(read.producer);
      }
    }
    // Prologues, each into the nest that reads it first.
    for (const Read& read : reads) {
      const bool alone = root(read.producer) == read.producer && !carries_[read.producer];
      if (alone && read.producer != root(i) &&
          is_taken_directly(i, read, rules_.outputs(nodes_[read.producer])[read.output]))
        joined_[read.producer] = root(i);
    }
    if (!is_sum(i)) return;
    time_[i] = ++clock_;
    carries_[i] = true;
  }

  bool is_taken_directly(std::size_t i, const Read& read, const BlockRules::Output& output) const {
    if (carries_[read.producer]) return !is_sum(i) && read.in_place && time_[i] == time_[read.producer];
    // A reduction that reads each element once computes it on the way.
    return !is_sum(i) || (rules_.kind(nodes_[i]) <= PatternKind::CommReduce && output.readers.size() == 1);
  }

  std::size_t root(std::size_t i) const {
    while (joined_[i] != i) i = joined_[i];
    return i;
  }

  const BlockRules& rules_;
  std::span<const std::size_t> nodes_;
  std::vector<std::size_t> time_;
  std::vector<bool> carries_;  // a sum, in registers
  std::vector<std::size_t> joined_;
  std::vector<std::vector<bool>> kept_;
  std::size_t clock_ = 0;
};

}  // namespace

BlockRules::Nests BlockRules::nests(std::span<const std::size_t> nodes) const { return NestFinder(*this, nodes)(); }

std::int64_t BlockRules::workspace(std::span<const std::size_t> nodes) const {
  if (nodes.size() < 2) return 0;
  const Nests found = nests(nodes);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t o = 0; o < found.kept[i].size(); ++o)
      if (found.kept[i][o]) bytes += outputs_[nodes[i]][o].bytes;
  return bytes;
}

std::size_t BlockRules::anchors(std::span<const std::size_t> nodes) const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](std::size_t node) { return mappings_[node] == MappingType::ManyToMany; }));
}

std::optional<Refusal> BlockRules::refuse(std::span<const std::size_t> nodes) const {
  // Searches ask very often: the cheapest question first.
  if (auto refusal = refuse_anchors(nodes)) return refusal;
  if (auto refusal = refuse_workspace(nodes)) return refusal;
  if (auto refusal = refuse_shape(nodes)) return refusal;
  return refuse_size(nodes);
}

std::optional<Refusal> BlockRules::refuse_size(std::span<const std::size_t> nodes) const {
  if (nodes.size() > limits_.operators)
    return Refusal{Reason::MaxOperators, fmt::format("{} <= {}", nodes.size(), limits_.operators),
                   fmt::format("The kernel would hold {} operators, more than the limit of {}.", nodes.size(), limits_.operators),
                   {{"operators", static_cast<double>(nodes.size())}, {"limit", static_cast<double>(limits_.operators)}}};
  std::set<graph::ValueId> inputs;
  for (const std::size_t node : nodes)
    for (const graph::ValueId input : graph_.nodes()[node]->inputs) {
      if (!input) continue;
      const graph::NodeId producer = graph_.value(input).producer;
      if (!producer || !std::binary_search(nodes.begin(), nodes.end(), graph_.position(producer))) inputs.insert(input);
    }
  if (inputs.size() > limits_.inputs)
    return Refusal{Reason::MaxInputs, fmt::format("{} <= {}", inputs.size(), limits_.inputs),
                   fmt::format("The kernel would read {} tensors, more than the limit of {}.", inputs.size(), limits_.inputs),
                   {{"inputs", static_cast<double>(inputs.size())}, {"limit", static_cast<double>(limits_.inputs)}}};
  return std::nullopt;
}

// Connected, and with no way out and back in: a kernel cannot wait for another that waits for it.
std::optional<Refusal> BlockRules::refuse_shape(std::span<const std::size_t> nodes) const {
  const auto inside = [&](std::size_t node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
  std::set<std::size_t> reached{nodes.front()};
  std::vector<std::size_t> stack{nodes.front()};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const auto* edges : {&successors_, &predecessors_})
      for (const std::size_t other : (*edges)[node])
        if (inside(other) && reached.insert(other).second) stack.push_back(other);
  }
  if (reached.size() != nodes.size())
    return Refusal{Reason::External, "connected(block)", "The operators do not feed one another.", {}};
  std::set<std::size_t> outside;  // that depend on the block
  for (std::size_t node = nodes.front(); node <= nodes.back(); ++node) {
    const bool member = inside(node);
    for (const std::size_t producer : predecessors_[node]) {
      if (member && outside.contains(producer))
        return Refusal{Reason::WouldCycle, fmt::format("convex(block) through {}", graph_.nodes()[producer]->name),
                       fmt::format("{} needs {}, which runs outside and needs what the kernel computes: each would wait for the other.",
                                   graph_.nodes()[node]->name, graph_.nodes()[producer]->name),
                       {}};
      if (!member && (inside(producer) || outside.contains(producer))) outside.insert(node);
    }
  }
  return std::nullopt;
}

std::optional<Refusal> BlockRules::refuse_anchors(std::span<const std::size_t> nodes) const {
  if (nodes.size() > 1)
    for (const std::size_t node : nodes)
      if (!computable_[node])
        return Refusal{Reason::LoweringUnsupported, fmt::format("computable({})", graph_.nodes()[node]->name),
                       fmt::format("{} has no loop nest here that others could join.", graph_.nodes()[node]->name), {}};
  const std::size_t found = anchors(nodes);
  if (found <= limits_.anchors) return std::nullopt;
  return Refusal{Reason::SecondAnchor, fmt::format("anchors(block) = {} <= {}", found, limits_.anchors),
                 fmt::format("{} operators would each need a loop nest of their own, more than the limit of {}.", found, limits_.anchors),
                 {{"anchors", static_cast<double>(found)}, {"limit", static_cast<double>(limits_.anchors)}}};
}

// Loop nests of one kernel hand on tensors through the cache, or gain nothing by being one.
std::optional<Refusal> BlockRules::refuse_workspace(std::span<const std::size_t> nodes) const {
  const std::int64_t bytes = workspace(nodes);
  if (bytes <= limits_.workspace_bytes) return std::nullopt;
  const Nests found = nests(nodes);
  std::size_t largest = nodes.front();  // the node that hands on the most
  std::int64_t most = -1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t o = 0; o < found.kept[i].size(); ++o)
      if (found.kept[i][o] && outputs_[nodes[i]][o].bytes > most) {
        most = outputs_[nodes[i]][o].bytes;
        largest = nodes[i];
      }
  return Refusal{Reason::WorkingSet, fmt::format("workspace(block) = {} <= {}", bytes, limits_.workspace_bytes),
                 fmt::format("The kernel's loop nests would hand on {:.0f} KiB ({} alone {:.0f} KiB), more than the {} KiB that "
                             "surely stay in the cache.",
                             static_cast<double>(bytes) / 1024, graph_.nodes()[largest]->name, static_cast<double>(most) / 1024,
                             limits_.workspace_bytes / 1024),
                 {{"workspace bytes", static_cast<double>(bytes)}, {"cache", static_cast<double>(limits_.workspace_bytes)}}};
}

}  // namespace loopglass::fusion

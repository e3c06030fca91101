#include "core/fusion/block.h"

#include "core/fusion/cost_model.h"
#include "core/fusion/decide.h"
#include "core/fusion/member_set.h"
#include "core/fusion/operand_read.h"
#include "core/graph/program.h"
#include "core/te/copies.h"
#include "core/te/flops.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <unordered_map>

namespace loopglass::fusion {

namespace {

void sort_out(std::vector<std::size_t>& positions) {
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

std::vector<std::optional<PatternKind>> operand_kinds_of(const graph::Node& node,
                                                         const Result<te::Program>& program) {
  std::vector<std::optional<PatternKind>> kinds;
  const auto reads = program ? std::optional<OperandReads>(*program) : std::nullopt;
  std::size_t given = 0;  // operands that are left out are no inputs of the program
  for (const graph::ValueId input : node.inputs)
    kinds.push_back(!input  ? std::nullopt
                    : reads ? reads->kind(program->inputs[given++].name)
                            : PatternKind::Opaque);
  return kinds;
}

}  // namespace

BlockRules::BlockRules(const graph::Graph& graph, BlockLimits limits)
    : graph_(graph),
      limits_(limits),
      outputs_(graph.nodes().size()),
      reads_(graph.nodes().size()),
      inputs_(graph.nodes().size()),
      successors_(graph.nodes().size()),
      predecessors_(graph.nodes().size()) {
  describe_nodes();
  connect_nodes();
  find_views();
  row_chains_ = fusion::row_chains(graph, kinds_);
}

void BlockRules::describe_nodes() {
  // Networks repeat themselves: operators of the same structure are the same computation.
  std::unordered_map<std::uint64_t, std::size_t> described;
  for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
    const auto [known, fresh] =
        described.emplace(CostModel::structural_hash(graph_, std::array{i}), i);
    if (!fresh) {
      kinds_.push_back(kinds_[known->second]);
      mappings_.push_back(mappings_[known->second]);
      flops_.push_back(flops_[known->second]);
      functions_.push_back(functions_[known->second]);
      computable_.push_back(computable_[known->second]);
      only_places_.push_back(only_places_[known->second]);
      operand_kinds_.push_back(operand_kinds_[known->second]);
      continue;
    }
    const auto program = program_of(graph_, *graph_.nodes()[i]);
    // What cannot be computed here fuses with nothing; lowering will say why.
    kinds_.push_back(program ? pattern_kind(*program) : PatternKind::Opaque);
    mappings_.push_back(program ? mapping_type(*program) : MappingType::ManyToMany);
    flops_.push_back(program ? te::flops(*program) : 0);
    functions_.push_back(program ? te::functions(*program) : 0);
    computable_.push_back(program.has_value());
    only_places_.push_back(program && flops_.back() == 0 && te::only_places(*program));
    operand_kinds_.push_back(operand_kinds_of(*graph_.nodes()[i], program));
  }
}

void BlockRules::connect_nodes() {
  const auto& nodes = graph_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const graph::ValueId id : nodes[i]->outputs) {
      const TensorType& type = graph_.value(id).type;
      Output output{id, type.bytes(), element_count(type.shape), graph_.is_output(id), {}};
      for (const graph::Graph::Use& use : graph_.uses(id))
        output.readers.push_back(graph_.position(use.node));
      sort_out(output.readers);
      for (const std::size_t reader : output.readers) {
        successors_[i].push_back(reader);
        predecessors_[reader].push_back(i);
      }
      outputs_[i].push_back(std::move(output));
    }
    for (const graph::ValueId input : nodes[i]->inputs) {
      if (!input) continue;
      const graph::NodeId producer = graph_.value(input).producer;
      inputs_[i].push_back(
          {input, producer ? std::optional(graph_.position(producer)) : std::nullopt});
    }
  }
  for (auto* edges : {&successors_, &predecessors_})
    for (std::vector<std::size_t>& list : *edges) sort_out(list);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t o = 0; o < outputs_[i].size(); ++o)
      for (const std::size_t reader : outputs_[i][o].readers) {
        const auto& own = outputs_[reader];
        std::optional<PatternKind> kind;
        for (std::size_t k = 0; k < nodes[reader]->inputs.size(); ++k)
          if (nodes[reader]->inputs[k] == outputs_[i][o].value)
            kind = std::max(kind, operand_kinds_[reader][k]);
        const bool in_place = kind && own.size() == 1 &&
                              reads_in_order(*kind, outputs_[i][o].elements, own.front().elements);
        reads_[reader].push_back({i, o, kind, in_place});
      }
}

PatternKind BlockRules::relay_kind(std::size_t position) const {
  const PatternKind kind = kinds_[position];
  return kind == PatternKind::Opaque ? kind
                                     : graph_.nodes()[position]->op->relay_kind.value_or(kind);
}

bool BlockRules::escapes(const Output& output, std::span<const std::size_t> nodes) {
  return output.leaves_graph ||
         std::any_of(output.readers.begin(), output.readers.end(), [&](std::size_t reader) {
           return !std::binary_search(nodes.begin(), nodes.end(), reader);
         });
}

std::size_t BlockRules::anchors(std::span<const std::size_t> nodes) const {
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [&](std::size_t node) {
    return mappings_[node] == MappingType::ManyToMany;
  }));
}

// Searches ask very often: the cheapest question first.
std::optional<Refusal> BlockRules::refuse(std::span<const std::size_t> nodes) const {
  if (auto refusal = refuse_contents(nodes)) return refusal;
  if (auto refusal = refuse_workspace(nodes)) return refusal;
  if (auto refusal = refuse_disconnected(nodes)) return refusal;
  return refuse_concave(nodes);
}

std::optional<Refusal> BlockRules::refuse_contents(std::span<const std::size_t> nodes) const {
  if (auto refusal = refuse_operators(nodes)) return refusal;
  if (auto refusal = refuse_anchors(nodes)) return refusal;
  return refuse_inputs(nodes);
}

std::optional<Refusal> BlockRules::refuse_operators(std::span<const std::size_t> nodes) const {
  if (nodes.size() <= limits_.operators) return std::nullopt;
  return Refusal{
      Reason::MaxOperators,
      fmt::format("operators(block) = {}, must be <= {}", nodes.size(), limits_.operators),
      fmt::format("The kernel would hold {} operators, more than the limit of {}.", nodes.size(),
                  limits_.operators),
      {{"operators", static_cast<double>(nodes.size())},
       {"limit", static_cast<double>(limits_.operators)}}};
}

std::optional<Refusal> BlockRules::refuse_inputs(std::span<const std::size_t> nodes) const {
  std::size_t operands = 0;
  for (const std::size_t node : nodes) operands += inputs_[node].size();
  if (operands <= limits_.inputs) return std::nullopt;
  const MemberSet members(nodes);
  std::vector<graph::ValueId> read;
  for (const std::size_t node : nodes)
    for (const Input& input : inputs_[node])
      if (!input.producer || !members.contains(*input.producer)) read.push_back(input.value);
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  if (read.size() <= limits_.inputs) return std::nullopt;
  return Refusal{Reason::MaxInputs,
                 fmt::format("inputs(block) = {}, must be <= {}", read.size(), limits_.inputs),
                 fmt::format("The kernel would read {} tensors, more than the limit of {}.",
                             read.size(), limits_.inputs),
                 {{"inputs", static_cast<double>(read.size())},
                  {"limit", static_cast<double>(limits_.inputs)}}};
}

std::optional<Refusal> BlockRules::refuse_disconnected(std::span<const std::size_t> nodes) const {
  const MemberSet members(nodes);
  std::vector<bool> reached(nodes.size(), false);
  std::vector<std::size_t> found{nodes.front()};
  reached.front() = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto* edges : {&successors_, &predecessors_})
      for (const std::size_t other : (*edges)[found[i]])
        if (members.contains(other) && !reached[members.index(other)]) {
          reached[members.index(other)] = true;
          found.push_back(other);
        }
  if (found.size() == nodes.size()) return std::nullopt;
  return Refusal{Reason::External,
                 "connected(block) = no, must be yes",
                 "The operators do not feed one another.",
                 {}};
}

// There must be no way out and back in: a kernel cannot wait for another that waits for it.
std::optional<Refusal> BlockRules::refuse_concave(std::span<const std::size_t> nodes) const {
  const MemberSet members(nodes);
  MemberSet seen = members;  // with what depends on them, up to the last
  std::vector<std::size_t> stack(nodes.begin(), nodes.end());
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const std::size_t reader : successors_[node])
      if (reader < nodes.back() && seen.insert(reader)) stack.push_back(reader);
  }
  for (const std::size_t node : nodes)
    for (const std::size_t producer : predecessors_[node])
      if (!members.contains(producer) && seen.contains(producer))
        return Refusal{
            Reason::WouldCycle,
            fmt::format("convex(block) = no (through {}), must be yes",
                        graph_.nodes()[producer]->name),
            fmt::format("{} needs {}, which runs outside and needs what the kernel computes: each "
                        "would wait for the other.",
                        graph_.nodes()[node]->name, graph_.nodes()[producer]->name),
            {}};
  return std::nullopt;
}

std::optional<Refusal> BlockRules::refuse_anchors(std::span<const std::size_t> nodes) const {
  if (nodes.size() > 1)
    for (const std::size_t node : nodes) {
      if (is_opaque(*graph_.nodes()[node])) return refuse_opaque(*graph_.nodes()[node]);
      if (!computable_[node])
        return Refusal{Reason::LoweringUnsupported,
                       fmt::format("computable({}) = no, must be yes", graph_.nodes()[node]->name),
                       fmt::format("{} has no loop nest here that others could join.",
                                   graph_.nodes()[node]->name),
                       {}};
    }
  const std::size_t found = anchors(nodes);
  if (found <= limits_.anchors) return std::nullopt;
  return Refusal{
      Reason::SecondAnchor,
      fmt::format("anchors(block) = {}, must be <= {}", found, limits_.anchors),
      fmt::format(
          "{} operators would each need a loop nest of their own, more than the limit of {}.",
          found, limits_.anchors),
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
  return Refusal{
      Reason::WorkingSet,
      fmt::format("workspace(block) = {}, must be <= {}", bytes, limits_.workspace_bytes),
      fmt::format("The kernel's loop nests would hand on {:.0f} KiB ({} alone {:.0f} "
                  "KiB), more than the {} KiB that "
                  "surely stay in the cache.",
                  static_cast<double>(bytes) / 1024, graph_.nodes()[largest]->name,
                  static_cast<double>(most) / 1024, limits_.workspace_bytes / 1024),
      {{"workspace bytes", static_cast<double>(bytes)},
       {"cache", static_cast<double>(limits_.workspace_bytes)}}};
}

}  // namespace loopglass::fusion

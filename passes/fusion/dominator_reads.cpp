// How the reader of an edge that TVM's rules refuse (DominatorPhases) reads the value, and of which
// kind it is, in words. The rules know one kind of an operator, for all its operands, and that by
// what Relay registers; what is said of an edge is to be true of what the loops do.
#include "core/fusion/operand_read.h"
#include "core/graph/program.h"
#include "core/ops/layout_forms.h"
#include "passes/fusion/dominator_phases.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

using fusion::Reason;
using fusion::Refusal;

namespace {

// How a vertex reads what another computes, whatever else it reads.
struct Reading {
  bool in_order = true;    // element k of the result is made of element k
  bool same_shape = true;  // which then have the same indices
};

Reading reading_of(const DominatorGraph& graph, std::size_t from, std::size_t reader) {
  if (graph.is_tuple(from) || graph.is_tuple(reader)) return {false, false};
  Reading reading;
  for (const fusion::BlockRules::Read& read : graph.rules().reads(graph.position(reader))) {
    if (read.producer != graph.position(from)) continue;
    reading.in_order = reading.in_order && read.in_place;
    reading.same_shape = reading.same_shape && read.kind == fusion::PatternKind::Elementwise;
  }
  return reading;
}

// How often the reader's loops read an element of it; nothing: not known.
std::optional<std::int64_t> most_reads(const DominatorGraph& graph, std::size_t from,
                                       std::size_t reader) {
  if (graph.is_tuple(from) || graph.is_tuple(reader)) return std::nullopt;
  const graph::Graph& network = graph.rules().graph();
  const graph::Node& node = network.node(graph.node(reader));
  const auto program = program_of(network, node);
  if (!program) return std::nullopt;
  const fusion::OperandReads operands(*program);
  std::int64_t most = 0, of_one = 0;
  std::size_t given = 0;  // operands that are left out are no inputs of the program
  for (const graph::ValueId input : node.inputs) {
    if (!input) continue;
    const std::string& name = program->inputs[given++].name;
    if (network.value(input).producer != graph.node(from)) continue;
    const auto reads = operands.most(name);
    if (!reads) return std::nullopt;
    most += *reads;
    of_one = std::max(of_one, *reads);
  }
  return of_one > 1 ? most : of_one;
}

// Why an operator is of a higher kind than it reads this one of its operands.
std::string why_higher(const DominatorGraph& graph, std::size_t from, std::size_t reader) {
  const fusion::BlockRules& rules = graph.rules();
  const std::size_t position = graph.position(reader);
  const graph::Node& node = *rules.graph().nodes()[position];
  if (rules.kind(position) < rules.relay_kind(position))
    return fmt::format(" (as TVM registers {})", node.op->name);
  const auto& kinds = rules.operand_kinds(position);
  const auto greatest = std::max_element(kinds.begin(), kinds.end());
  const graph::Value& value =
      rules.graph().value(node.inputs[static_cast<std::size_t>(greatest - kinds.begin())]);
  return *greatest && value.producer != graph.node(from)
             ? fmt::format(", since it reads %{} in another way", value.name)
             : "";
}

}  // namespace

Refusal DominatorPhases::refused_read(std::size_t source, std::size_t sink, std::size_t from,
                                      const DominatorGraph::Edge& edge) const {
  const std::size_t reader = edge.consumer;
  const std::string name = graph_.name(from), reading = graph_.name(reader);
  const bool is_anchor = groups_.own_kind(source) == Kind::OutElementwiseFusable;
  if (is_anchor && (edge.kind == Kind::OutElementwiseFusable || edge.kind == Kind::CommReduce))
    return {Reason::SecondAnchor, {}, two_anchors(source, reader), {}};
  if (edge.kind == Kind::Opaque && reader == sink)
    return {Reason::SinkKind, {}, fmt::format("{}, and takes nothing in.", with_kind(reader)), {}};
  if (from != source && reader != sink)
    return {Reason::PathTooComplex,
            {},
            fmt::format("{}, on the path from {} to {}, is {}, and cannot be taken along.", reading,
                        graph_.name(source), graph_.name(sink), fusion::name(edge.kind)),
            {}};
  if (const Reading how = reading_of(graph_, from, reader); how.in_order)
    return {reader == sink ? Reason::SinkKind : Reason::PathTooComplex,
            {},
            fmt::format("{} reads {} {}. But the rules go by the operator as a whole, which is "
                        "{}{}.",
                        reading, name,
                        how.same_shape ? "element by element" : "in its order, under another shape",
                        fusion::name(edge.kind), why_higher(graph_, from, reader)),
            {}};
  if (is_anchor)
    return {Reason::EdgeNotElementwise,
            {},
            fmt::format("{} does not read {} element by element, and only what does can end a "
                        "kernel of {}.{}",
                        reading, name, in_its_kernel(source), moves_layout(reader)),
            {}};
  const auto reads = most_reads(graph_, from, reader);
  if (reads.value_or(0) > 1)
    return {Reason::EdgeNotElementwise,
            {},
            fmt::format("{}, and reads elements of {} up to {} times each: fusing would compute "
                        "them again every time.",
                        with_kind(reader), name, *reads),
            {{"reads of an element", static_cast<double>(*reads)}}};
  return {Reason::EdgeNotElementwise,
          {},
          fmt::format("{}, and TVM's rules put nothing in front of what is, however it reads {}.",
                      with_kind(reader), name),
          {}};
}

// Why elements lie elsewhere than one would expect of the network.
std::string DominatorPhases::moves_layout(std::size_t vertex) const {
  const graph::Node& node = graph_.rules().graph().node(graph_.node(vertex));
  const auto move = ops::layout_move_of(*node.op, node.attributes);
  return move ? fmt::format(" It moves the elements from {} to {}.", move->from.text(),
                            move->to.text())
              : "";
}

std::string DominatorPhases::two_anchors(std::size_t one, std::size_t other) const {
  const auto has_sums = [&](std::size_t vertex) {
    const std::size_t anchor = groups_.anchor(vertex) == none ? vertex : groups_.anchor(vertex);
    return graph_.rules().kind(graph_.position(anchor)) >= Kind::CommReduce;
  };
  const std::string first = in_its_kernel(one), second = in_its_kernel(other);
  if (has_sums(one) && has_sums(other))
    return fmt::format("{} and {} each need a loop nest of their own.", first, second);
  return fmt::format("TVM registers both {} and {} as anchors, of which a kernel has one.", first,
                     second);
}

// What TVM registers, where that is not what the loops say.
std::string DominatorPhases::with_kind(std::size_t vertex) const {
  const std::string text =
      fmt::format("{} is {}", graph_.name(vertex), fusion::name(graph_.kind(vertex)));
  if (graph_.is_tuple(vertex)) return text;
  const std::size_t position = graph_.position(vertex);
  const Kind by_loops = graph_.rules().kind(position);
  return by_loops == graph_.kind(vertex)
             ? text
             : fmt::format("{} (as TVM registers {}; by its loops it is {})", text,
                           graph_.rules().graph().nodes()[position]->op->name,
                           fusion::name(by_loops));
}

}  // namespace loopglass::passes

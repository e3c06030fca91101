// What may be one kernel: a set of nodes, looked at as a block. Every strategy asks here before it
// makes a group, so that what a plan holds is what the lowering can produce.
#pragma once

#include "core/fusion/mapping_type.h"
#include "core/fusion/pattern_kind.h"
#include "core/fusion/plan.h"
#include "core/fusion/row_chain.h"

#include <span>

namespace loopglass::fusion {

// A kernel may run several loop nests, one after another, as long as what they hand on stays in a
// core's own cache: beyond that it would be two kernels under one name.
struct BlockLimits {
  std::size_t operators = 64;
  std::size_t inputs = 48;  // tensors read from outside
  std::size_t anchors = 8;  // many-to-many operators, each with a nest of its own
  // Intermediates that no register holds: three quarters of a second-level cache of 1 MiB; weights
  // stream through the rest.
  std::int64_t workspace_bytes = 768 << 10;
};

// What is known of a graph once and asked many times.
class BlockRules {
 public:
  explicit BlockRules(const graph::Graph& graph, BlockLimits limits = {});

  const graph::Graph& graph() const { return graph_; }
  PatternKind kind(std::size_t position) const { return kinds_[position]; }  // by the loops
  // As Relay has it, which TVM's rules go by. What is no single loop nest stays Opaque.
  PatternKind relay_kind(std::size_t position) const;
  MappingType mapping(std::size_t position) const { return mappings_[position]; }
  const std::vector<PatternKind>& kinds() const { return kinds_; }
  // Arithmetic operations of a node, on its own (te::flops); 0 where it cannot be computed here.
  std::int64_t flops(std::size_t position) const { return flops_[position]; }
  std::int64_t functions(std::size_t position) const { return functions_[position]; }  // of these
  // Whether it is a view: its results are copies that keep their order (te::only_places: Concat,
  // Split, Reshape) and need neither memory nor code of their own, because they are read where the
  // operands lie, or these are written where the result has them. Where a kernel copies all the
  // same, for reasons of memory alone, placement/placement.h says why.
  bool is_view(std::size_t position) const { return is_view_[position]; }
  // The members of a block whose results lie ready like that: views of what is in memory anyway, be
  // it other kernels' or this one's results. A block of nothing else needs no code.
  std::vector<bool> lying_ready(std::span<const std::size_t> nodes) const;
  bool needs_no_code(std::span<const std::size_t> nodes) const;
  // Positions of the nodes that read a node's results, and of those whose results it reads;
  // ascending.
  const std::vector<std::size_t>& successors(std::size_t position) const {
    return successors_[position];
  }
  const std::vector<std::size_t>& predecessors(std::size_t position) const {
    return predecessors_[position];
  }

  // Why these nodes (positions, ascending) cannot be one kernel: not connected, not convex
  // (WouldCycle), too many, an opaque or second anchor that the lowering has no nest for, ...
  // Nothing: they can.
  std::optional<Refusal> refuse(std::span<const std::size_t> nodes) const;
  // Parts of that answer. The first is for nodes that are known to be connected and convex, and
  // leaves out the second, which is a matter of profit.
  std::optional<Refusal> refuse_contents(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_workspace(std::span<const std::size_t> nodes) const;
  // How many loop nests of its own the block needs: its reductions that cannot be folded into
  // another.
  std::size_t anchors(std::span<const std::size_t> nodes) const;
  const BlockLimits& limits() const { return limits_; }
  const std::vector<RowChain>& row_chains() const { return row_chains_; }

  // A result of a node and who reads it.
  struct Output {
    graph::ValueId value;
    std::int64_t bytes = 0, elements = 0;
    bool leaves_graph = false;
    std::vector<std::size_t> readers;  // positions, ascending
    // Whether it is written into a result of the network, itself or as a view that is one.
    bool in_result = false;
  };
  const std::vector<Output>& outputs(std::size_t position) const { return outputs_[position]; }
  // How a node reads each of its inputs; nothing: no element of it.
  const std::vector<std::optional<PatternKind>>& operand_kinds(std::size_t position) const {
    return operand_kinds_[position];
  }
  // A result that a node reads, however often.
  struct Read {
    std::size_t producer, output;  // a position, and which of its results
    // Of all operands that are this result; nothing: no data is read.
    std::optional<PatternKind> kind;
    bool in_place;  // element for element
  };
  const std::vector<Read>& reads(std::size_t position) const { return reads_[position]; }
  // All operands of a node that are there, and where they are computed.
  struct Input {
    graph::ValueId value;
    std::optional<std::size_t> producer;  // none: a graph input or a constant
  };
  const std::vector<Input>& inputs(std::size_t position) const { return inputs_[position]; }
  // Whether someone outside the block needs it.
  static bool escapes(const Output& output, std::span<const std::size_t> nodes);

  // The loop nests that the lowering makes of a block, by member. Each many-to-many operator begins
  // one; elementwise readers go on from its registers, at its own places; prologues are computed
  // where they are read. What cannot be handed on so is kept: one nest writes it, and another reads
  // it back; from the workspace, or, where it leaves the kernel as well, from its place outside.
  struct Nests {
    std::vector<std::size_t> nest;        // numbers without gaps do not matter: equal or not
    std::vector<std::vector<bool>> kept;  // by output
  };
  Nests nests(std::span<const std::size_t> nodes) const;
  // What the nests take from memory: from outside the block, or what another nest keeps. Each value
  // once a nest, with the first member that reads it.
  struct NestRead {
    std::size_t member;  // index into the nodes
    const Input* input;
    const Output* kept;  // of another nest; null: from outside
  };
  std::vector<NestRead> nest_reads(std::span<const std::size_t> nodes, const Nests& nests) const;
  // Bytes of what a nest of the block keeps for another that lie in the workspace at a time: a
  // band of what goes through a chain of rows that the block holds all of.
  std::int64_t kept_bytes(std::size_t position, const Output& output,
                          std::span<const std::size_t> nodes) const;
  // Of all that is kept: they must stay in the cache from one nest to the next.
  std::int64_t workspace(std::span<const std::size_t> nodes) const;

 private:
  void describe_nodes();
  void connect_nodes();
  void find_views();
  bool lies_in_result(std::size_t position) const;
  bool may_be_written_for_caller(std::size_t position) const;
  std::optional<Refusal> refuse_operators(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_inputs(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_disconnected(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_concave(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_anchors(std::span<const std::size_t> nodes) const;
  // That hands on what the node computes, band by band, within the block; null: none does.
  const RowChain* chain_within(std::size_t position, std::span<const std::size_t> nodes) const;

  const graph::Graph& graph_;
  BlockLimits limits_;
  std::vector<PatternKind> kinds_;
  std::vector<MappingType> mappings_;
  std::vector<std::int64_t> flops_, functions_;
  std::vector<bool> computable_, only_places_, is_view_;
  std::vector<std::vector<std::optional<PatternKind>>> operand_kinds_;  // of all inputs
  std::vector<std::vector<Output>> outputs_;
  std::vector<std::vector<Read>> reads_;
  std::vector<std::vector<Input>> inputs_;
  std::vector<std::vector<std::size_t>> successors_, predecessors_;
  std::vector<RowChain> row_chains_;
};

}  // namespace loopglass::fusion

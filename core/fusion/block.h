// What may be one kernel: a set of nodes, looked at as a block. Every strategy asks here before it
// makes a group, so that what a plan holds is what the lowering can produce.
#pragma once

#include "core/fusion/mapping_type.h"
#include "core/fusion/pattern_kind.h"
#include "core/fusion/plan.h"

#include <span>

namespace loopglass::fusion {

// A kernel may run several loop nests, one after another, as long as what they hand on stays in a
// core's own cache: beyond that it would be two kernels under one name.
struct BlockLimits {
  std::size_t operators = 64;
  std::size_t inputs = 48;                   // tensors read from outside
  std::size_t anchors = 8;                   // many-to-many operators, each with a nest of its own
  std::int64_t workspace_bytes = 512 << 10;  // intermediates that no register holds: half a second-level cache
};

// What is known of a graph once and asked many times.
class BlockRules {
 public:
  explicit BlockRules(const graph::Graph& graph, BlockLimits limits = {});

  const graph::Graph& graph() const { return graph_; }
  PatternKind kind(std::size_t position) const { return kinds_[position]; }
  MappingType mapping(std::size_t position) const { return mappings_[position]; }
  const std::vector<PatternKind>& kinds() const { return kinds_; }
  // Arithmetic operations of a node, on its own (te::flops); 0 where it cannot be computed here.
  std::int64_t flops(std::size_t position) const { return flops_[position]; }
  // Positions of the nodes that read a node's results, and of those whose results it reads; ascending.
  const std::vector<std::size_t>& successors(std::size_t position) const { return successors_[position]; }
  const std::vector<std::size_t>& predecessors(std::size_t position) const { return predecessors_[position]; }

  // Why these nodes (positions, ascending) cannot be one kernel: not connected, not convex
  // (WouldCycle), too many, an opaque or second anchor that the lowering has no nest for, ... Nothing:
  // they can.
  std::optional<Refusal> refuse(std::span<const std::size_t> nodes) const;
  // How many loop nests of its own the block needs: its reductions that cannot be folded into another.
  std::size_t anchors(std::span<const std::size_t> nodes) const;
  const BlockLimits& limits() const { return limits_; }

  // A result of a node and who reads it.
  struct Output {
    graph::ValueId value;
    std::int64_t bytes = 0, elements = 0;
    bool leaves_graph = false;
    std::vector<std::size_t> readers;  // positions, ascending
  };
  const std::vector<Output>& outputs(std::size_t position) const { return outputs_[position]; }
  // Whether someone outside the block needs it.
  static bool escapes(const Output& output, std::span<const std::size_t> nodes);

  // The loop nests that the lowering makes of a block, by member. Each many-to-many operator begins
  // one; elementwise readers go on from its registers, at its own places; prologues are computed where
  // they are read. What cannot be handed on so is kept: written to the workspace, and read from there.
  struct Nests {
    std::vector<std::size_t> nest;        // numbers without gaps do not matter: equal or not
    std::vector<std::vector<bool>> kept;  // by output
  };
  Nests nests(std::span<const std::size_t> nodes) const;
  // Bytes of all that is kept.
  std::int64_t workspace(std::span<const std::size_t> nodes) const;

 private:
  std::optional<Refusal> refuse_size(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_shape(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_anchors(std::span<const std::size_t> nodes) const;
  std::optional<Refusal> refuse_workspace(std::span<const std::size_t> nodes) const;

  const graph::Graph& graph_;
  BlockLimits limits_;
  std::vector<PatternKind> kinds_;
  std::vector<MappingType> mappings_;
  std::vector<std::int64_t> flops_;
  std::vector<bool> computable_;
  std::vector<std::vector<Output>> outputs_;
  std::vector<std::vector<std::size_t>> successors_, predecessors_;
};

}  // namespace loopglass::fusion

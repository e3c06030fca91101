// A partition that grows by merging: blocks of nodes, kept legal one by one (BlockRules) and free of
// cycles among them.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::fusion {

class PartitionBuilder {
 public:
  // Every node in a block of its own.
  explicit PartitionBuilder(const BlockRules& rules);
  // As it is: by node, a number of its block; equal or not is all that counts.
  PartitionBuilder(const BlockRules& rules, const std::vector<std::size_t>& blocks);

  std::size_t block_of(std::size_t node) const { return block_[node]; }
  const std::vector<std::size_t>& nodes_of(std::size_t block) const { return members_[block]; }  // ascending
  std::vector<std::size_t> joined(std::size_t a, std::size_t b) const;  // the nodes of both blocks, ascending
  // Nodes outside the block that read from it, or that it reads from; ascending.
  std::vector<std::size_t> successors(std::size_t block) const;
  std::vector<std::size_t> predecessors(std::size_t block) const;

  // Why two blocks cannot be one: what BlockRules says of their union, or a way from one to the other
  // through a third block (WouldCycle).
  std::optional<Refusal> refuse(std::size_t a, std::size_t b) const;
  // Returns the number of the joined block.
  std::size_t merge(std::size_t a, std::size_t b);

  // Joins the ends of forced edges, whatever a strategy thinks of them; PlanInvalid with the reason
  // where they cannot be one kernel or a forbidden edge says otherwise.
  Result<void> force(const Constraints& constraints);
  // Whether merging would put both ends of a forbidden edge into one block.
  bool is_forbidden(std::size_t a, std::size_t b, const Constraints& constraints) const;

  const BlockRules& rules() const { return rules_; }
  // For plan_of_partition.
  const std::vector<std::size_t>& blocks() const { return block_; }

 private:
  std::vector<std::size_t> neighbours(std::size_t block, bool forward) const;
  // A block on a way of more than one step from `from` to `to`.
  std::optional<std::size_t> detour(std::size_t from, std::size_t to) const;
  // No block that can be reached from `node` on begins before the answer.
  std::size_t earliest_after(std::size_t node) const;

  const BlockRules& rules_;
  std::vector<std::size_t> block_;                 // by node
  std::vector<std::vector<std::size_t>> members_;  // by block; empty once merged into another
  // By position: the first node of all blocks that reach so far back in the graph or beyond.
  std::vector<std::size_t> lowest_;
};

}  // namespace loopglass::fusion

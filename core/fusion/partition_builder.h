// A partition that grows by merging: blocks of nodes, kept legal one by one (BlockRules) and free
// of cycles among them.
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
  const std::vector<std::size_t>& nodes_of(std::size_t block) const {
    return members_[block];
  }  // ascending
  std::vector<std::size_t> joined(std::size_t a,
                                  std::size_t b) const;  // the nodes of both blocks, ascending
  // Nodes outside the block that read from it, or that it reads from; ascending.
  std::vector<std::size_t> successors(std::size_t block) const;
  std::vector<std::size_t> predecessors(std::size_t block) const;

  // Why two blocks cannot be one: what BlockRules says of their union, or a way from one to the
  // other through a third block (WouldCycle).
  std::optional<Refusal> refuse(std::size_t a, std::size_t b) const;
  // The same of what is asked for by hand: too large a workspace is a matter of profit, and whoever
  // asks wants to see.
  std::optional<Refusal> refuse_forced(std::size_t a, std::size_t b) const;
  // Returns the number of the joined block.
  std::size_t merge(std::size_t a, std::size_t b);

  // Joins the ends of forced edges, whatever a strategy thinks of them; PlanInvalid with the reason
  // where they cannot be one kernel or a forbidden edge says otherwise.
  Result<void> force(const Constraints& constraints);
  // A forbidden edge whose ends merging would put into one block.
  const Edge* forbidden_between(std::size_t a, std::size_t b, const Constraints& constraints) const;
  bool is_forbidden(std::size_t a, std::size_t b, const Constraints& constraints) const {
    return forbidden_between(a, b, constraints) != nullptr;
  }

  const BlockRules& rules() const { return rules_; }
  // For plan_of_partition.
  const std::vector<std::size_t>& blocks() const { return block_; }

 private:
  using Blocks = std::vector<std::size_t>;

  Blocks neighbours(std::size_t block, bool forward) const;
  bool are_adjacent(std::size_t a, std::size_t b) const;
  std::optional<Refusal> refuse_order(std::size_t a, std::size_t b) const;
  // A block on a way of more than one step between the two.
  std::optional<std::size_t> detour(std::size_t a, std::size_t b) const;
  // Blocks that `from` leads to (or that lead to it), the two left out, as far as they stand
  // between the two in the order.
  Blocks reached(std::size_t from, std::size_t to, bool forward) const;
  bool mark(std::size_t block) const;  // true: it was not marked before
  void sort_blocks();

  const BlockRules& rules_;
  std::vector<std::size_t> block_;                 // by node
  std::vector<std::vector<std::size_t>> members_;  // by block; empty once merged into another
  // By block: a place in an order in which the blocks can run, kept up as they merge (Pearce and
  // Kelly 2006), so that a search for a way looks at no block outside of what lies between its
  // ends.
  std::vector<std::size_t> place_;
  mutable std::vector<std::size_t> marks_;  // by block: the search that came by last
  mutable std::size_t searches_ = 0;
};

}  // namespace loopglass::fusion

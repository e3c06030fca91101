// The smallest change to a plan that would fuse an edge, and what it would save.
#pragma once

#include "core/fusion/near_miss.h"
#include "core/fusion/partition_builder.h"
#include "core/fusion/saving.h"

namespace loopglass::fusion {

class SmallestChange {
 public:
  SmallestChange(const BlockRules& rules, const Plan& plan, const CostModel& cost);

  // Of a decision that is not fused; all of the miss but its index.
  NearMiss operator()(const Decision& decision) const;

 private:
  // Kernels that go, and those that come instead.
  struct Exchange {
    std::vector<Nodes> removed, added;
  };
  struct Found {
    Change change;
    Exchange exchange;
  };

  const std::string& name(graph::NodeId id) const { return graph_.node(id).name; }
  std::string name(const Edge& edge) const;
  std::string names(const std::vector<graph::NodeId>& ids) const;
  std::size_t block(graph::NodeId id) const { return partition_.block_of(graph_.position(id)); }
  // Readers of the value that one kernel of both ends would still have to write it for.
  std::vector<graph::NodeId> other_readers(const Decision& decision) const;

  Found change(const Decision& decision) const;
  Found allow(const std::vector<Edge>& forbidden, Exchange exchange) const;
  Found take_back(const Decision& decision) const;
  Found overrule(const Decision& decision) const;
  Found take_along(const Decision& decision) const;
  std::optional<Found> split_first(const Decision& decision) const;
  Found none(const Decision& decision, const std::string& why) const;

  // The two kernels as one.
  Exchange join(const Decision& decision) const;
  // Both, and all on a way from the first to the second.
  Exchange join_with_between(const Decision& decision) const;
  std::set<std::size_t> reached(std::size_t from, bool forward) const;
  // Forbidden edges whose ends the kernel would hold.
  std::vector<Edge> forbidden_in(const Nodes& nodes) const;
  Saving saving_of(const Exchange& exchange) const;
  std::vector<Cost> costs(const std::vector<Nodes>& kernels) const;
  double time(const std::vector<Nodes>& kernels) const;
  // What the sentence of every change ends in.
  std::string effects(const Decision& decision, const Exchange& exchange) const;
  void add_times(Found& found) const;

  const BlockRules& rules_;
  const graph::Graph& graph_;
  const Plan& plan_;
  const CostModel& cost_;
  PartitionBuilder partition_;  // as the plan has it
  std::vector<Edge> forbidden_;
};

// The smallest change that would fuse the edge; nullopt: it is fused, or an end of it is not known.
std::optional<NearMiss> near_miss_of(const Decision& decision, const Plan& plan,
                                     const BlockRules& rules, const CostModel& cost);

}  // namespace loopglass::fusion

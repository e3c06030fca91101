// What a plan would cost with one edge decided otherwise: for the verdicts of a search, which
// weighs whole plans and never single edges.
//
// The kernels of both ends, and of what lies between, are cut anew, and all others stay as they
// are. Of the ways to do so the obvious ones are tried: joining the kernels whole, and giving the
// one what the other must or may let go of. The cheapest that is legal stands for all. Edges are
// best asked about producer by producer: what one leads to is then found once.
#pragma once

#include "core/fusion/cost_model.h"
#include "core/fusion/pieces.h"

namespace loopglass::passes {

class EdgeCosts {
 public:
  using Nodes = fusion::Nodes;

  // All are kept; the plan without decisions.
  EdgeCosts(const fusion::BlockRules& rules, const fusion::CostModel& cost,
            const fusion::Constraints& constraints, const fusion::Plan& plan);

  // Of the kernels that are cut anew, in microseconds.
  struct Change {
    Nodes kernel;  // that holds both ends, if they are joined
    double before = 0, after = 0;
    // What forbids to join the kernels whole, where that would be cheaper than they are.
    std::optional<fusion::Refusal> whole_refused;
    double whole = 0;
  };
  // Why no kernel may hold both ends, whatever else it holds; positions. Nothing: one may.
  std::optional<fusion::Refusal> refuse(std::size_t producer, std::size_t consumer);
  // Of an edge between two kernels; nothing: however they are cut, kernels would wait for one
  // another.
  std::optional<Change> joined(std::size_t producer, std::size_t consumer);
  // Of an edge within a kernel.
  Change parted(std::size_t producer, std::size_t consumer) const;

  // Positions of the nodes of the kernel that holds a node, ascending.
  const Nodes& kernel_of(std::size_t node) const { return kernels_[kernel_[node]]; }

 private:
  // Marks what the producer leads to, as far as its last reader.
  void follow(std::size_t producer);
  Nodes hull(std::size_t producer, std::size_t consumer);
  std::optional<fusion::Refusal> refuse_block(const Nodes& nodes) const;
  std::vector<Nodes> cuts(const Nodes& hull, const Nodes& first, const Nodes& second,
                          const Nodes& all) const;
  std::optional<std::vector<Nodes>> rest_of(const Nodes& kernels, const Nodes& taken) const;
  bool is_as_asked(const std::vector<Nodes>& pieces) const;
  bool can_run(const Nodes& kernels, const std::vector<Nodes>& pieces) const;
  double total(const std::vector<Nodes>& blocks) const;

  const fusion::BlockRules& rules_;
  const fusion::CostModel& cost_;
  const fusion::Constraints& constraints_;
  std::vector<std::size_t> kernel_;  // by node; kernels in an order in which they can run
  std::vector<Nodes> kernels_;
  std::vector<double> microseconds_;
  std::vector<Nodes> node_readers_, kernel_readers_;  // kernels that read it, ascending
  // By node: the search that came by last, for what a producer leads to, and for a hull.
  std::vector<std::size_t> follows_, seen_;
  std::size_t searches_ = 0;
  std::size_t followed_, following_ = 0;  // the producer that was followed last, and that search
};

}  // namespace loopglass::passes

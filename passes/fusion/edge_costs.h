// What a plan would cost with one edge decided otherwise: for the verdicts of a search, which weighs
// whole plans and never single edges.
//
// The kernels of both ends, and of what lies between, are cut anew, and all others stay as they are.
// Of the ways to do so the obvious ones are tried: joining the kernels whole, and giving the one what
// the other must or may let go of. The cheapest that is legal stands for all.
#pragma once

#include "core/fusion/cost_model.h"

namespace loopglass::passes {

class EdgeCosts {
 public:
  // All are kept; the plan without decisions.
  EdgeCosts(const fusion::BlockRules& rules, const fusion::CostModel& cost,
            const fusion::Constraints& constraints, const fusion::Plan& plan);

  // Of the kernels that are cut anew, in microseconds.
  struct Change {
    std::vector<std::size_t> kernel;  // that holds both ends, if they are joined: positions, ascending
    double before = 0, after = 0;
  };
  // Why no kernel may hold both ends, whatever else it holds; positions. Nothing: one may.
  std::optional<fusion::Refusal> refuse(std::size_t producer, std::size_t consumer) const;
  // Of an edge between two kernels; nothing: however they are cut, kernels would wait for one another.
  std::optional<Change> joined(std::size_t producer, std::size_t consumer) const;
  // Of an edge within a kernel.
  Change parted(std::size_t producer, std::size_t consumer) const;

  // Positions of the nodes of the kernel that holds a node, ascending.
  const std::vector<std::size_t>& kernel_of(std::size_t node) const {
    return kernels_[kernel_[node]];
  }

 private:
  using Nodes = std::vector<std::size_t>;  // positions, ascending

  Nodes hull(std::size_t producer, std::size_t consumer) const;
  Nodes within(const Nodes& all, const Nodes& begin, bool forward) const;
  std::vector<Nodes> components(const Nodes& nodes) const;
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
};

}  // namespace loopglass::passes

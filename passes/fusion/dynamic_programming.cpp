#include "passes/fusion/dynamic_programming.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"
#include "core/fusion/pieces.h"
#include "core/support/hash.h"
#include "passes/fusion/ideal_search.h"
#include "passes/fusion/mapping.h"
#include "passes/fusion/search_steps.h"
#include "passes/fusion/search_verdicts.h"

#include <algorithm>
#include <limits>
#include <map>

namespace loopglass::passes {

namespace {

class DynamicProgramming {
 public:
  DynamicProgramming(const graph::Graph& graph, const fusion::PlanOptions& options)
      : graph_(graph),
        options_(options),
        rules_(graph),
        cost_(options.cost ? options.cost : std::make_shared<const fusion::CostModel>()) {}

  Result<fusion::Plan> operator()() {
    // Contraction nearly always keeps a cheapest plan, but not where arithmetic hides under traffic
    // in two kernels and would not in one, nor where times were measured: no proof rests on it.
    const bool contract = graph_.nodes().size() > largest_region;
    const Units units = TRY(make_units(rules_, options_.constraints, contract));
    // A greedy plan is where the search has to get below.
    fusion::PlanOptions greedy = options_;
    greedy.cost = cost_;
    greedy.record_events = false;
    const fusion::Plan known = TRY(fuse_by_mapping(graph_, greedy));
    double known_cost = 0;
    for (const fusion::Group& group : known.groups)
      known_cost += cost_->cost(rules_, fusion::positions(graph_, group)).total;

    const std::vector<Region> regions = regions_of(units);
    known_cost_ = known_cost;
    SearchSteps steps(rules_, units, *cost_, known_cost, options_.record_events);
    const auto deadline = std::chrono::steady_clock::now() + options_.time_budget;
    std::vector<std::size_t> part(graph_.nodes().size());
    double found_cost = 0;
    bool proved = regions.size() == 1 && !contract;
    std::size_t blocks = 0;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const auto now = std::chrono::steady_clock::now();
      const auto until = now + (deadline - now) / static_cast<std::int64_t>(regions.size() - r);
      steps.begin_region(r, regions.size(), regions[r].first, regions[r].last);
      const RegionPlan planned = TRY(plan_region(
          units, regions, r, regions.size() == 1 ? known_cost : unbounded, until, steps));
      found_cost += planned.cost;
      proved = proved && planned.proved;
      for (const auto& block : planned.blocks) {
        for (const std::size_t unit : block)
          for (const std::size_t node : units.members[unit]) part[node] = blocks;
        ++blocks;
      }
      if (options_.progress)
        options_.progress("planning",
                          static_cast<double>(r + 1) / static_cast<double>(regions.size()));
    }
    const bool is_greedy = found_cost > known_cost * (1 + 1e-9);  // it is better, or the only one
    if (is_greedy)
      for (const fusion::Group& group : known.groups)
        for (const graph::NodeId id : group.nodes) part[graph_.position(id)] = group.id.value;
    if (regions.size() > 1) part = join_across(units, regions, part);
    fusion::Plan plan = TRY(fusion::plan_of_partition(graph_, "dp", part, rules_.kinds()));
    plan.events = steps.of(plan, *cost_, options_.constraints.forced, known_cost, is_greedy);
    plan.optimality = proved ? fusion::Optimality::ProvedOptimal : fusion::Optimality::BestInBeam;
    SearchVerdicts verdicts(rules_, units, *cost_, options_.constraints, plan);
    fusion::record_decisions(
        plan, graph_, options_, [&](const fusion::Edge& edge) { return verdicts.why_not(edge); },
        [&](const fusion::Edge& edge) { return verdicts.why(edge); });
    return plan;
  }

 private:
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  // Units that are planned together; beyond this a search would take too long.
  static constexpr std::size_t largest_region = 320;

  struct Region {
    std::size_t first, last;  // units [first, last)
  };
  struct RegionPlan {
    std::vector<std::vector<std::size_t>> blocks;  // of units; empty: no plan below the bound
    double cost = unbounded;
    bool proved = false;
  };

  // Runs of the topological order, cut where the fewest values cross.
  static std::vector<Region> regions_of(const Units& units) {
    std::vector<std::size_t> crossing(units.count() + 1, 0);  // edges over the place before a unit
    for (std::size_t unit = 0; unit < units.count(); ++unit)
      for (const std::size_t reader : units.successors[unit]) {
        ++crossing[unit + 1];
        --crossing[reader + 1];  // wraps around, and back in the sum
      }
    for (std::size_t place = 1; place < crossing.size(); ++place)
      crossing[place] += crossing[place - 1];
    std::vector<Region> regions;
    std::size_t first = 0;
    while (units.count() - first > largest_region) {
      std::size_t cut = first + largest_region;
      for (std::size_t place = cut; place >= first + largest_region / 2; --place)
        if (crossing[place] < crossing[cut]) cut = place;
      regions.push_back({first, cut});
      first = cut;
    }
    regions.push_back({first, units.count()});
    return regions;
  }

  // Wider and wider beams: each gives the next an upper bound to prune by. Of a structure that has
  // been planned before, the same plan. Where nothing will be proved anyway, a wider beam that
  // finds nothing better is the last.
  Result<RegionPlan> plan_region(const Units& units, const std::vector<Region>& regions,
                                 std::size_t number, double bound,
                                 std::chrono::steady_clock::time_point until, SearchSteps& steps) {
    const Region& region = regions[number];
    const bool is_part = regions.size() > 1;
    const std::uint64_t structure = structure_of(units, region);
    if (const auto same = planned_.find(structure);
        same != planned_.end() && options_.constraints.empty()) {
      const auto& [earlier, known] = same->second;
      steps.same_as(earlier);
      RegionPlan plan = known;
      for (auto& block : plan.blocks)
        for (std::size_t& unit : block) unit = unit - regions[earlier].first + region.first;
      return plan;
    }
    struct Effort {
      std::size_t beam, begins, blocks;  // 0: all
    };
    RegionPlan best;
    best.cost = bound;
    BlockMemo memo;
    for (const Effort effort : {Effort{1, 4, 64}, Effort{8, 0, 128}, Effort{32, 0, 256},
                                Effort{128, 0, 1024}, Effort{1024, 0, 0}, Effort{0, 0, 0}}) {
      // The first is quick, and there must be some plan.
      const bool first = effort.beam == 1;
      IdealSearchOptions search;
      search.beam = effort.beam;
      search.begins_per_ideal = effort.begins;
      search.blocks_per_ideal = effort.blocks;
      search.first = region.first;
      search.last = region.last;
      search.upper_bound = best.cost;
      search.deadline = first ? std::chrono::steady_clock::time_point::max() : until;
      search.record_events = options_.record_events;
      search.whole = known_cost_;
      IdealSearchResult found = TRY(search_ideals(rules_, units, *cost_, options_.constraints,
                                                  search, options_.cancellation, &memo));
      const bool better = found.cost < best.cost * (1 - 1e-9);
      steps.round(search, found);
      if (!found.blocks.empty() && (best.blocks.empty() || found.cost < best.cost)) {
        best.cost = found.cost;
        best.blocks = std::move(found.blocks);
      }
      best.proved = found.complete;
      if (found.complete || found.out_of_time || (is_part && !better)) break;
    }
    steps.end_region();
    if (best.blocks.empty()) best.cost = unbounded;
    planned_.emplace(structure, std::pair(number, best));
    return best;
  }

  std::uint64_t structure_of(const Units& units, const Region& region) const {
    std::vector<std::size_t> nodes;
    Hasher hasher;
    for (std::size_t unit = region.first; unit < region.last; ++unit) {
      nodes.insert(nodes.end(), units.members[unit].begin(), units.members[unit].end());
      hasher.value(units.members[unit].size());
    }
    std::sort(nodes.begin(), nodes.end());
    // Where in this order each unit's members stand.
    for (std::size_t unit = region.first; unit < region.last; ++unit)
      for (const std::size_t node : units.members[unit])
        hasher.value(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
    return hasher.value(fusion::CostModel::structural_hash(graph_, nodes)).digest();
  }

  // Blocks that a border between regions keeps apart become one where that is legal and pays.
  std::vector<std::size_t> join_across(const Units& units, const std::vector<Region>& regions,
                                       const std::vector<std::size_t>& part) const {
    fusion::PartitionBuilder partition(rules_, part);
    for (std::size_t r = 1; r < regions.size(); ++r)
      for (std::size_t unit = regions[r].first; unit < regions[r].last; ++unit)
        for (const std::size_t producer : units.predecessors[unit]) {
          if (producer >= regions[r].first) continue;
          const std::size_t a = partition.block_of(units.members[producer].front());
          const std::size_t b = partition.block_of(units.members[unit].front());
          if (a == b || partition.is_forbidden(a, b, options_.constraints) ||
              partition.refuse(a, b))
            continue;
          const double apart = cost_->cost(rules_, partition.nodes_of(a)).total +
                               cost_->cost(rules_, partition.nodes_of(b)).total;
          if (cost_->cost(rules_, partition.joined(a, b)).total < apart) partition.merge(a, b);
        }
    return partition.blocks();
  }

  const graph::Graph& graph_;
  const fusion::PlanOptions& options_;
  fusion::BlockRules rules_;
  std::shared_ptr<const fusion::CostModel> cost_;
  double known_cost_ = 0;  // of the greedy plan
  // By structure: the number of the region that had it first, and its plan.
  std::map<std::uint64_t, std::pair<std::size_t, RegionPlan>> planned_;
};

}  // namespace

Result<fusion::Plan> fuse_by_dynamic_programming(const graph::Graph& graph,
                                                 const fusion::PlanOptions& options) {
  return DynamicProgramming(graph, options)();
}

}  // namespace loopglass::passes

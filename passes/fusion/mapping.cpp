#include "passes/fusion/mapping.h"

#include "core/fusion/cost_model.h"
#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace loopglass::passes {

namespace {

using fusion::MappingType;
using fusion::PlanEvent;
using fusion::Profit;
using fusion::Reason;
using fusion::Refusal;

class MappingFusion {
 public:
  MappingFusion(const graph::Graph& graph, const fusion::PlanOptions& options)
      : graph_(graph), options_(options), rules_(graph), partition_(rules_),
        cost_(options.cost ? options.cost : std::make_shared<const fusion::CostModel>()) {}

  Result<fusion::Plan> operator()() {
    TRY_VOID(partition_.force(options_.constraints));
    for (const std::size_t seed : seeds()) {
      if (options_.cancellation.requested()) return fail(Code::Cancelled, "fusion was cancelled");
      if (partition_.nodes_of(partition_.block_of(seed)).size() > 1) continue;
      record(PlanEvent::Kind::Seed, {seed}, Reason::Fused,
             fmt::format("{} is the one-to-one operator with the smallest result left.", name(seed)));
      grow(seed, true);
      grow(seed, false);
    }
    fusion::Plan plan = TRY(fusion::plan_of_partition(graph_, "mapping", partition_.blocks(), rules_.kinds()));
    plan.events = std::move(events_);
    fusion::record_decisions(plan, graph_, options_, [&](const fusion::Edge& edge) { return why_not(edge); });
    return plan;
  }

 private:
  const std::string& name(std::size_t node) const { return graph_.nodes()[node]->name; }

  // One-to-one operators by the bytes of their results; ties in topological order.
  std::vector<std::size_t> seeds() const {
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    for (std::size_t node = 0; node < graph_.nodes().size(); ++node) {
      if (rules_.mapping(node) != MappingType::OneToOne) continue;
      std::int64_t bytes = 0;
      for (const graph::ValueId output : graph_.nodes()[node]->outputs) bytes += graph_.value(output).type.bytes();
      found.emplace_back(bytes, node);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> order;
    for (const auto& [bytes, node] : found) order.push_back(node);
    return order;
  }

  // The type of a block: its operators' types folded in topological order.
  MappingType type_of(std::size_t block) const {
    const auto& nodes = partition_.nodes_of(block);
    MappingType type = rules_.mapping(nodes.front());
    for (std::size_t i = 1; i < nodes.size(); ++i) type = fusion::combine(type, rules_.mapping(nodes[i])).result;
    return type;
  }

  // Takes in neighbours, then theirs, until none may join.
  void grow(std::size_t seed, bool forward) {
    for (bool grown = true; grown;) {
      grown = false;
      const std::size_t block = partition_.block_of(seed);
      for (const std::size_t node : forward ? partition_.successors(block) : partition_.predecessors(block)) {
        const std::size_t other = partition_.block_of(node);
        if (other == partition_.block_of(seed)) continue;  // came in with an earlier one
        const auto refusal = refuse(forward ? block : other, forward ? other : block);
        record(refusal ? PlanEvent::Kind::Refuse : PlanEvent::Kind::Merge, {node, seed},
               refusal ? refusal->reason : Reason::Fused,
               refusal ? refusal->sentence : fmt::format("{} joins the kernel of {}.", name(node), name(seed)));
        if (refusal) continue;
        partition_.merge(partition_.block_of(seed), other);
        grown = true;
        break;  // the neighbours are others now
      }
    }
  }

  // Why `first` and the block `second` that reads it do not become one.
  std::optional<Refusal> refuse(std::size_t first, std::size_t second) const {
    if (partition_.is_forbidden(first, second, options_.constraints))
      return Refusal{Reason::ForcedApart, "forbidden by hand", "Two of their operators were asked to stay apart.", {}};
    const MappingType before = type_of(first), after = type_of(second);
    const fusion::Combination combination = fusion::combine(before, after);
    const std::string pair = fmt::format("{} then {}", fusion::name(before), fusion::name(after));
    if (combination.profit == Profit::Never)
      return Refusal{Reason::NeverProfitable, fmt::format("combine({}) != never", pair),
                     fmt::format("{}: each element would be computed again for every one that reads it.", pair), {}};
    if (auto refusal = partition_.refuse(first, second)) return refusal;
    if (combination.profit == Profit::Always) return std::nullopt;
    const double apart = cost_->cost(rules_, partition_.nodes_of(first)).total + cost_->cost(rules_, partition_.nodes_of(second)).total;
    const double together = cost_->cost(rules_, partition_.joined(first, second)).total;
    if (together <= apart) return std::nullopt;
    return Refusal{Reason::NotWorthIt, fmt::format("cost(fused) = {:.2f} us <= {:.2f} us = cost(apart)", together, apart),
                   fmt::format("{}: one kernel would take {:.2f} us longer than two.", pair, together - apart),
                   {{"microseconds fused", together}, {"microseconds apart", apart}}};
  }

  Refusal why_not(const fusion::Edge& edge) const {
    const std::size_t first = partition_.block_of(graph_.position(edge.producer));
    const std::size_t second = partition_.block_of(graph_.position(edge.consumer));
    if (auto refusal = refuse(first, second)) return *refusal;
    return {Reason::AlreadyFused, "one of both is a seed's",
            fmt::format("Neither {} nor {} grew from a one-to-one seed that reached the other.", graph_.node(edge.producer).name,
                        graph_.node(edge.consumer).name),
            {}};
  }

  void record(PlanEvent::Kind kind, const std::vector<std::size_t>& nodes, Reason reason, std::string sentence) {
    if (!options_.record_events) return;
    PlanEvent event{kind, {}, reason, std::move(sentence), {}};
    for (const std::size_t node : nodes) event.nodes.push_back(graph_.nodes()[node]->id);
    events_.push_back(std::move(event));
  }

  const graph::Graph& graph_;
  const fusion::PlanOptions& options_;
  fusion::BlockRules rules_;
  fusion::PartitionBuilder partition_;
  std::shared_ptr<const fusion::CostModel> cost_;
  std::vector<PlanEvent> events_;
};

}  // namespace

Result<fusion::Plan> fuse_by_mapping(const graph::Graph& graph, const fusion::PlanOptions& options) {
  return MappingFusion(graph, options)();
}

}  // namespace loopglass::passes

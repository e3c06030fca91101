#include "passes/fusion/mapping.h"

#include "core/fusion/cost_model.h"
#include "core/fusion/decide.h"
#include "core/fusion/estimate_words.h"
#include "core/fusion/join_history.h"
#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <set>

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
      : graph_(graph),
        options_(options),
        rules_(graph),
        partition_(rules_),
        cost_(options.cost ? options.cost : std::make_shared<const fusion::CostModel>()),
        history_(graph.nodes().size()),
        seed_of_(graph.nodes().size()) {}

  Result<fusion::Plan> operator()() {
    TRY_VOID(begin_with_forced());
    for (const std::size_t seed : seeds()) {
      if (options_.cancellation.requested()) return fail(Code::Cancelled, "fusion was cancelled");
      if (partition_.nodes_of(partition_.block_of(seed)).size() > 1) continue;
      record(
          PlanEvent::Kind::Seed, {seed},
          {Reason::Fused,
           {},
           fmt::format("{} is the one-to-one operator with the smallest result left.", name(seed)),
           {}});
      grow(seed, true);
      grow(seed, false);
    }
    fusion::Plan plan =
        TRY(fusion::plan_of_partition(graph_, "mapping", partition_.blocks(), rules_.kinds()));
    plan.events = std::move(events_);
    fusion::record_decisions(
        plan, graph_, options_, [&](const fusion::Edge& edge) { return why_not(edge); },
        [&](const fusion::Edge& edge) {
          return merges_[*history_.joined_by(graph_.position(edge.producer),
                                             graph_.position(edge.consumer))];
        });
    return plan;
  }

 private:
  const std::string& name(std::size_t node) const { return graph_.nodes()[node]->name; }

  // "relu1", or "the kernel of conv1, relu1 and 3 more"
  std::string kernel_name(std::size_t block) const {
    constexpr std::size_t shown = 3;
    const auto& nodes = partition_.nodes_of(block);
    if (nodes.size() == 1) return name(nodes.front());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) names.push_back(name(nodes[i]));
    const std::string more =
        nodes.size() > shown ? fmt::format(" and {} more", nodes.size() - shown) : "";
    return fmt::format("the kernel of {}{}", fmt::join(names, ", "), more);
  }

  Result<void> begin_with_forced() {
    TRY_VOID(partition_.force(options_.constraints));
    const std::set<fusion::Edge>& forced = options_.constraints.forced;
    if (options_.record_events) events_ = fusion::tell_forced(graph_, forced);
    for (const fusion::Edge& edge : forced) {
      history_.join(graph_.position(edge.producer), graph_.position(edge.consumer), merges_.size());
      merges_.push_back(
          {Reason::Fused,
           "forced by hand = yes",
           fmt::format("{} and {} were asked to share a kernel.", graph_.node(edge.producer).name,
                       graph_.node(edge.consumer).name),
           {}});
    }
    return {};
  }

  // One-to-one operators by the bytes of their results; ties in topological order.
  std::vector<std::size_t> seeds() const {
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    for (std::size_t node = 0; node < graph_.nodes().size(); ++node) {
      if (rules_.mapping(node) != MappingType::OneToOne) continue;
      std::int64_t bytes = 0;
      for (const graph::ValueId output : graph_.nodes()[node]->outputs)
        bytes += graph_.value(output).type.bytes();
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
    for (std::size_t i = 1; i < nodes.size(); ++i)
      type = fusion::combine(type, rules_.mapping(nodes[i])).result;
    return type;
  }

  // Takes in neighbours, then theirs, as far as any may join.
  void grow(std::size_t seed, bool forward) {
    std::set<std::size_t> candidates;
    const auto add_neighbours = [&](std::size_t block) {
      for (const std::size_t member : partition_.nodes_of(block)) {
        const auto& others = forward ? rules_.successors(member) : rules_.predecessors(member);
        candidates.insert(others.begin(), others.end());
      }
    };
    add_neighbours(partition_.block_of(seed));
    while (!candidates.empty()) {
      const std::size_t node = *candidates.begin();
      candidates.erase(candidates.begin());
      const std::size_t block = partition_.block_of(seed), other = partition_.block_of(node);
      if (other == block) continue;
      // The rest would be told the same.
      if (!options_.record_events && partition_.nodes_of(block).size() >= rules_.limits().operators)
        return;
      const std::size_t first = forward ? block : other, second = forward ? other : block;
      Refusal verdict = judge(first, second);
      const bool merges = verdict.reason == Reason::Fused;
      record(merges ? PlanEvent::Kind::Merge : PlanEvent::Kind::Refuse, {node, seed}, verdict);
      if (!merges) {
        remember(first, second, verdict);
        continue;
      }
      add_neighbours(other);
      for (const std::size_t b : {block, other})
        for (const std::size_t member : partition_.nodes_of(b)) seed_of_[member] = seed;
      history_.join(node, seed, merges_.size());
      merges_.push_back(std::move(verdict));
      partition_.merge(block, other);
    }
  }

  // Whether `first` and the block `second` that reads it become one, and why.
  Refusal judge(std::size_t first, std::size_t second) const {
    const std::string a = kernel_name(first), b = kernel_name(second);
    if (partition_.is_forbidden(first, second, options_.constraints))
      return {Reason::ForcedApart,
              "forbidden by hand = yes, must be no",
              fmt::format("Operators of {} and of {} were asked not to be fused.", a, b),
              {}};
    const MappingType before = type_of(first), after = type_of(second);
    const fusion::Combination combination = fusion::combine(before, after);
    const std::string pair =
        fmt::format("{} is {} and {} is {}", a, fusion::name(before), b, fusion::name(after));
    const std::string condition =
        fmt::format("combine({} then {}) = ", fusion::name(before), fusion::name(after));
    if (combination.profit == Profit::Never)
      return {Reason::NeverProfitable,
              condition + "never, must be always, or by cost",
              fmt::format("{}, and the table of mapping types says that fusing such two never "
                          "pays.",
                          pair),
              {}};
    if (auto refusal = partition_.refuse(first, second)) {
      refusal->sentence = fmt::format("Of {} and {}: {}", a, b, refusal->sentence);
      return *std::move(refusal);
    }
    if (combination.profit == Profit::Always)
      return {Reason::Fused,
              condition + "always",
              fmt::format("{}, which always pays: the result is {}.", pair,
                          fusion::name(combination.result)),
              {}};
    const double apart = cost_->cost(rules_, partition_.nodes_of(first)).total +
                         cost_->cost(rules_, partition_.nodes_of(second)).total;
    const double together = cost_->cost(rules_, partition_.joined(first, second)).total;
    const bool pays = together <= apart;
    const fusion::EstimateWords words(*cost_, apart);
    const auto [one, two] = words.both(together, apart);
    return {pays ? Reason::Fused : Reason::NotWorthIt,
            fmt::format("{}by cost; cost(fused) = {}, must be <= {} = cost(apart)", condition, one,
                        two),
            pays ? fmt::format("{}, where the cost decides: one kernel takes {} less than two.",
                               pair, words(apart - together))
                 : fmt::format("{}, where the cost decides: one kernel would take {} longer than "
                               "two.",
                               pair, words(together - apart)),
            {{"microseconds fused", together}, {"microseconds apart", apart}}};
  }

  // Of all edges between the two; what is said last counts.
  void remember(std::size_t first, std::size_t second, const Refusal& refusal) {
    for (const std::size_t producer : partition_.nodes_of(first))
      for (const std::size_t reader : rules_.successors(producer))
        if (partition_.block_of(reader) == second) refused_[{producer, reader}] = refusal;
  }

  Refusal why_not(const fusion::Edge& edge) const {
    const std::size_t producer = graph_.position(edge.producer);
    const std::size_t consumer = graph_.position(edge.consumer);
    if (const auto known = refused_.find({producer, consumer}); known != refused_.end())
      return known->second;
    // Nobody asked. What would have stood against it in any case is the better answer.
    Refusal verdict = judge(partition_.block_of(producer), partition_.block_of(consumer));
    if (verdict.reason != Reason::Fused) return verdict;
    if (const auto seed = seed_of_[producer])
      return {Reason::AlreadyFused,
              fmt::format("kernel({}) = that of {}, must be none yet", name(producer), name(*seed)),
              fmt::format("{} had gone into the kernel that grew backwards from {}, and from there "
                          "none grows forwards again to {}.",
                          name(producer), name(*seed), name(consumer)),
              {}};
    const auto type = [&](std::size_t node) { return fusion::name(rules_.mapping(node)); };
    return {Reason::NoSeed,
            fmt::format("mapping({}) = {}, mapping({}) = {}; one must be one-to-one",
                        name(producer), type(producer), name(consumer), type(consumer)),
            fmt::format("Kernels grow from one-to-one operators: neither {} ({}) nor {} ({}) is "
                        "one, and no kernel that grew came by.",
                        name(producer), type(producer), name(consumer), type(consumer)),
            {}};
  }

  void record(PlanEvent::Kind kind, const std::vector<std::size_t>& nodes, const Refusal& why) {
    if (!options_.record_events) return;
    PlanEvent event{kind, {}, why.reason, why.sentence, why.numbers};
    event.condition = why.condition;
    if (kind == PlanEvent::Kind::Merge)
      event.sentence = fmt::format("{} joins the kernel of {}: {}", name(nodes[0]), name(nodes[1]),
                                   event.sentence);
    for (const std::size_t node : nodes) event.nodes.push_back(graph_.nodes()[node]->id);
    events_.push_back(std::move(event));
  }

  const graph::Graph& graph_;
  const fusion::PlanOptions& options_;
  fusion::BlockRules rules_;
  fusion::PartitionBuilder partition_;
  std::shared_ptr<const fusion::CostModel> cost_;
  std::vector<Refusal> merges_;                      // why they were made
  fusion::JoinHistory history_;                      // of operators, by index into merges_
  std::vector<std::optional<std::size_t>> seed_of_;  // from which an operator's kernel grew
  std::map<std::pair<std::size_t, std::size_t>, Refusal> refused_;  // by edge, as kernels grew
  std::vector<PlanEvent> events_;
};

}  // namespace

Result<fusion::Plan> fuse_by_mapping(const graph::Graph& graph,
                                     const fusion::PlanOptions& options) {
  return MappingFusion(graph, options)();
}

}  // namespace loopglass::passes

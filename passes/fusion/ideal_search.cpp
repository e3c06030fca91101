#include "passes/fusion/ideal_search.h"

#include "core/support/hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

namespace loopglass::passes {

namespace {

// A set of units.
class Ideal {
 public:
  explicit Ideal(std::size_t units) : words_((units + 63) / 64, 0) {}
  bool contains(std::size_t unit) const { return words_[unit / 64] >> (unit % 64) & 1; }
  void insert(std::size_t unit) { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
  friend bool operator==(const Ideal&, const Ideal&) = default;
  struct Hash {
    std::size_t operator()(const Ideal& ideal) const {
      Hasher hasher;
      for (const std::uint64_t word : ideal.words_) hasher.value(word);
      return hasher.digest();
    }
  };

 private:
  std::vector<std::uint64_t> words_;
};

using Block = std::vector<std::size_t>;  // units, ascending

// The cheapest way to an ideal.
struct Way {
  double cost;
  double rest;               // what is left costs at least this
  const Ideal* from;         // null at the beginning
  Block block;               // the last step
};

class IdealSearch {
 public:
  IdealSearch(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
              const fusion::Constraints& constraints, const IdealSearchOptions& options, const Cancellation& cancellation)
      : rules_(rules), units_(units), cost_(cost), options_(options), cancellation_(cancellation),
        levels_(units.count() + 1), least_(units.count()) {
    for (std::size_t unit = 0; unit < units.count(); ++unit)
      for (const std::size_t node : units.members[unit]) {
        least_[unit] += cost.arithmetic(rules, node);
        // No two anchors share a kernel, so each of them starts one.
        if (rules.mapping(node) == fusion::MappingType::ManyToMany) least_[unit] += cost.constants().launch_microseconds;
      }
    for (const fusion::Edge& edge : constraints.forbidden)
      forbidden_.emplace(units.unit_of[rules.graph().position(edge.producer)], units.unit_of[rules.graph().position(edge.consumer)]);
  }

  Result<IdealSearchResult> operator()() {
    double rest = 0;
    for (const double least : least_) rest += least;
    levels_[0].emplace(Ideal(units_.count()), Way{0, rest, nullptr, {}});
    for (std::size_t size = 0; size < units_.count(); ++size) {
      if (cancellation_.requested()) return fail(Code::Cancelled, "fusion was cancelled");
      if (std::chrono::steady_clock::now() > options_.deadline) {
        result_.out_of_time = true;
        result_.complete = false;
        break;
      }
      for (const auto* state : most_promising(levels_[size])) expand(state->first, state->second);
    }
    collect();
    return std::move(result_);
  }

 private:
  using Level = std::unordered_map<Ideal, Way, Ideal::Hash>;

  std::vector<const Level::value_type*> most_promising(const Level& level) {
    std::vector<const Level::value_type*> states;
    for (const auto& state : level) states.push_back(&state);
    if (options_.beam == 0 || states.size() <= options_.beam) return states;
    // Equal promises are told apart by their blocks, so that every run keeps the same ones.
    std::sort(states.begin(), states.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->second.cost + a->second.rest, a->second.block) < std::tuple(b->second.cost + b->second.rest, b->second.block);
    });
    for (std::size_t i = options_.beam; i < states.size(); ++i)
      record(fusion::PlanEvent::Kind::Prune, states[i]->second.block, fusion::Reason::OutsideBeam,
             fmt::format("{} ways of this size looked more promising.", options_.beam), states[i]->second);
    result_.outside_beam += states.size() - options_.beam;
    result_.complete = false;
    states.resize(options_.beam);
    return states;
  }

  void expand(const Ideal& ideal, const Way& way) {
    ++result_.ideals;
    record(fusion::PlanEvent::Kind::Expand, way.block, fusion::Reason::Fused, "The cheapest way to this set of operators.", way);
    std::set<Block> seen;
    for (std::size_t unit = 0; unit < units_.count(); ++unit) {
      if (ideal.contains(unit) || !needs_met(ideal, unit)) continue;
      grow(ideal, way, {unit}, seen);
    }
  }

  bool needs_met(const Ideal& ideal, std::size_t unit) const {
    return std::all_of(units_.predecessors[unit].begin(), units_.predecessors[unit].end(),
                       [&](std::size_t need) { return ideal.contains(need); });
  }

  // Takes the block as a step, then every block that is this one, a reader, and what the reader
  // still lacks. Every connected block that leads to an ideal is reached so.
  void grow(const Ideal& ideal, const Way& way, Block first, std::set<Block>& seen) {
    std::vector<Block> stack{std::move(first)};
    while (!stack.empty()) {
      Block block = std::move(stack.back());
      stack.pop_back();
      if (!seen.insert(block).second) continue;
      const std::vector<std::size_t> nodes = nodes_of(block);
      ++result_.blocks_tried;
      const auto refusal = refuse(block, nodes);
      if (!refusal) step(ideal, way, block, nodes);
      else if (stays_refused(*refusal)) continue;
      for (const std::size_t unit : block)
        for (const std::size_t reader : units_.successors[unit])
          if (!std::binary_search(block.begin(), block.end(), reader)) stack.push_back(with_needs(ideal, block, reader));
    }
  }

  // A larger block has no fewer operators or anchors. (A cycle may close, and inputs become inner.)
  static bool stays_refused(fusion::Reason reason) {
    return reason == fusion::Reason::MaxOperators || reason == fusion::Reason::SecondAnchor || reason == fusion::Reason::ForcedApart;
  }

  std::optional<fusion::Reason> refuse(const Block& block, const std::vector<std::size_t>& nodes) {
    for (const auto& [producer, consumer] : forbidden_)
      if (std::binary_search(block.begin(), block.end(), producer) && std::binary_search(block.begin(), block.end(), consumer))
        return fusion::Reason::ForcedApart;
    const auto [known, fresh] = refusals_.try_emplace(block);
    if (fresh)
      if (const auto refusal = nodes.size() > 1 ? rules_.refuse(nodes) : std::nullopt) known->second = refusal->reason;
    return known->second;
  }

  Block with_needs(const Ideal& ideal, const Block& block, std::size_t reader) const {
    std::set<std::size_t> units(block.begin(), block.end());
    std::vector<std::size_t> stack{reader};
    while (!stack.empty()) {
      const std::size_t unit = stack.back();
      stack.pop_back();
      if (ideal.contains(unit) || !units.insert(unit).second) continue;
      stack.insert(stack.end(), units_.predecessors[unit].begin(), units_.predecessors[unit].end());
    }
    return {units.begin(), units.end()};
  }

  std::vector<std::size_t> nodes_of(const Block& block) const {
    std::vector<std::size_t> nodes;
    for (const std::size_t unit : block) nodes.insert(nodes.end(), units_.members[unit].begin(), units_.members[unit].end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  void step(const Ideal& ideal, const Way& way, const Block& block, const std::vector<std::size_t>& nodes) {
    const auto [known, fresh] = costs_.try_emplace(block, 0.0);
    if (fresh) known->second = cost_.cost(rules_, nodes).total;
    double rest = way.rest;
    for (const std::size_t unit : block) rest -= least_[unit];
    const Way next{way.cost + known->second, rest, &ideal, block};
    // Sums in another order differ in their last digits, which must not cut off the best plan.
    if (next.cost + std::max(rest, 0.0) > options_.upper_bound * (1 + 1e-9)) {
      ++result_.pruned_by_bound;
      record(fusion::PlanEvent::Kind::Prune, block, fusion::Reason::PrunedByBound,
             fmt::format("Whatever follows, it costs more than the {:.2f} us of a plan that is known.", options_.upper_bound), next);
      return;
    }
    Ideal reached = ideal;
    std::size_t size = 0;
    for (const std::size_t unit : block) reached.insert(unit);
    for (std::size_t unit = 0; unit < units_.count(); ++unit) size += reached.contains(unit);
    auto [state, first] = levels_[size].try_emplace(std::move(reached), next);
    if (!first && std::tie(next.cost, next.block) < std::tie(state->second.cost, state->second.block)) state->second = next;
  }

  void collect() {
    const Level& last = levels_.back();
    if (last.empty()) return;
    const Way* way = &last.begin()->second;
    result_.cost = way->cost;
    while (way->from != nullptr) {
      result_.blocks.push_back(way->block);
      std::size_t size = 0;
      for (std::size_t unit = 0; unit < units_.count(); ++unit) size += way->from->contains(unit);
      way = &levels_[size].at(*way->from);
    }
    std::reverse(result_.blocks.begin(), result_.blocks.end());
  }

  void record(fusion::PlanEvent::Kind kind, const Block& block, fusion::Reason reason, std::string sentence, const Way& way) {
    if (!options_.record_events) return;
    fusion::PlanEvent event{kind, {}, reason, std::move(sentence), {{"cost", way.cost}, {"bound", way.cost + std::max(way.rest, 0.0)}}};
    for (const std::size_t node : nodes_of(block)) event.nodes.push_back(rules_.graph().nodes()[node]->id);
    result_.events.push_back(std::move(event));
  }

  const fusion::BlockRules& rules_;
  const Units& units_;
  const fusion::CostModel& cost_;
  const IdealSearchOptions& options_;
  const Cancellation& cancellation_;
  std::vector<Level> levels_;   // by number of units
  std::vector<double> least_;   // by unit: no plan spends less on it
  std::set<std::pair<std::size_t, std::size_t>> forbidden_;
  std::map<Block, std::optional<fusion::Reason>> refusals_;
  std::map<Block, double> costs_;
  IdealSearchResult result_;
};

}  // namespace

Result<IdealSearchResult> search_ideals(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
                                        const fusion::Constraints& constraints, const IdealSearchOptions& options,
                                        const Cancellation& cancellation) {
  return IdealSearch(rules, units, cost, constraints, options, cancellation)();
}

}  // namespace loopglass::passes

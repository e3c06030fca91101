#include "passes/fusion/ideal_search.h"

#include "passes/fusion/ideal_events.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace loopglass::passes {

namespace {

using BlockSet = std::unordered_set<Block, BlockMemo::Hash>;

class IdealSearch {
 public:
  IdealSearch(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
              const fusion::Constraints& constraints, const IdealSearchOptions& options,
              const Cancellation& cancellation, BlockMemo& memo)
      : rules_(rules),
        units_(units),
        cost_(cost),
        options_(options),
        cancellation_(cancellation),
        memo_(memo),
        events_(rules, units, cost, options),
        first_(options.first),
        last_(std::min(options.last, units.count())),
        levels_(last_ - first_ + 1),
        least_(units.count()) {
    // Of the anchors that a kernel may hold, each pays its share of the launch.
    const double share = cost.machine().launch_microseconds /
                         static_cast<double>(std::max<std::size_t>(rules.limits().anchors, 1));
    for (std::size_t unit = first_; unit < last_; ++unit)
      for (const std::size_t node : units.members[unit]) {
        // Measured kernels may be faster than any estimate.
        if (cost.measurements().empty()) least_[unit] += cost.arithmetic(rules, node);
        if (rules.mapping(node) == fusion::MappingType::ManyToMany && cost.measurements().empty())
          least_[unit] += share;
      }
    for (const fusion::Edge& edge : constraints.forbidden)
      forbidden_.emplace(units.unit_of[rules.graph().position(edge.producer)],
                         units.unit_of[rules.graph().position(edge.consumer)]);
  }

  Result<IdealSearchResult> operator()() {
    double rest = 0;
    for (const double least : least_) rest += least;
    levels_[0].emplace(Ideal(last_ - first_), Way{0, rest, nullptr, {}});
    for (std::size_t size = 0; size + 1 < levels_.size() && !result_.out_of_time; ++size)
      for (const auto* state : most_promising(levels_[size])) {
        if (must_stop()) break;
        expand(state->first, state->second);
      }
    if (cancellation_.requested()) return fail(Code::Cancelled, "fusion was cancelled");
    collect();
    result_.events = events_.take();
    return std::move(result_);
  }

 private:
  bool must_stop() {
    if (!cancellation_.requested() && std::chrono::steady_clock::now() <= options_.deadline)
      return result_.out_of_time;
    result_.out_of_time = true;
    result_.complete = false;
    return true;
  }

  std::vector<const Level::value_type*> most_promising(const Level& level) {
    std::vector<const Level::value_type*> states;
    for (const auto& state : level) states.push_back(&state);
    if (options_.beam == 0 || states.size() <= options_.beam) return states;
    // Equal promises are told apart by their blocks, so that every run keeps the same ones.
    std::sort(states.begin(), states.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->second.cost + a->second.rest, a->second.block) <
             std::tuple(b->second.cost + b->second.rest, b->second.block);
    });
    for (std::size_t i = options_.beam; i < states.size(); ++i)
      events_.outside_beam(states[i]->first, states[i]->second);
    result_.outside_beam += states.size() - options_.beam;
    result_.complete = false;
    states.resize(options_.beam);
    return states;
  }

  void expand(const Ideal& ideal, const Way& way) {
    ++result_.ideals;
    events_.followed(ideal, way);
    BlockSet seen;
    std::size_t begun = 0;
    for (std::size_t unit = first_; unit < last_; ++unit) {
      if (is_done(ideal, unit) || !needs_met(ideal, unit)) continue;
      if (result_.out_of_time) return;
      if (options_.begins_per_ideal != 0 && ++begun > options_.begins_per_ideal) {
        ++result_.ideals_cut_short;
        result_.complete = false;
        return;
      }
      grow(ideal, way, {unit}, seen);
    }
  }

  bool is_done(const Ideal& ideal, std::size_t unit) const {
    return unit < first_ || ideal.contains(unit - first_);
  }

  bool needs_met(const Ideal& ideal, std::size_t unit) const {
    return std::all_of(units_.predecessors[unit].begin(), units_.predecessors[unit].end(),
                       [&](std::size_t need) { return is_done(ideal, need); });
  }

  // Takes the block as a step, then every block that is this one, a reader, and what the reader
  // still lacks. Every connected block that leads to an ideal is reached so.
  void grow(const Ideal& ideal, const Way& way, Block first, BlockSet& seen) {
    std::vector<Block> queue{std::move(first)};
    std::size_t tried = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Block block = queue[next];
      if (!seen.insert(block).second) continue;
      if (options_.blocks_per_ideal != 0 && ++tried > options_.blocks_per_ideal) {
        ++result_.ideals_cut_short;
        result_.complete = false;
        return;
      }
      // From one ideal there may be very many blocks.
      if (++result_.blocks_tried % 64 == 0 && must_stop()) return;
      const BlockMemo::Known& known = look_up(block);
      if (!known.refused) step(ideal, way, block, known.cost);
      else if (stays_refused(*known.refused)) continue;
      for (const std::size_t unit : block)
        for (const std::size_t reader : units_.successors[unit])
          if (reader < last_ && !std::binary_search(block.begin(), block.end(), reader))
            queue.push_back(with_needs(ideal, block, reader));
    }
  }

  // A larger block has no fewer operators or anchors and hands on no less. (A cycle may close, and
  // inputs become inner.)
  static bool stays_refused(fusion::Reason reason) {
    using enum fusion::Reason;
    return reason == MaxOperators || reason == SecondAnchor || reason == WorkingSet ||
           reason == LoweringUnsupported || reason == Opaque || reason == ForcedApart;
  }

  const BlockMemo::Known& look_up(const Block& block) {
    const auto [known, fresh] = memo_.blocks.try_emplace(block);
    if (!fresh) return known->second;
    for (const auto& [producer, consumer] : forbidden_)
      if (std::binary_search(block.begin(), block.end(), producer) &&
          std::binary_search(block.begin(), block.end(), consumer))
        known->second.refused = fusion::Reason::ForcedApart;
    const std::vector<std::size_t> nodes = units_.nodes_of(block);
    // A unit by itself was found good, or asked for.
    if (!known->second.refused && block.size() > 1) known->second.refused = why_refused(nodes);
    if (!known->second.refused) known->second.cost = cost_.cost(rules_, nodes).total;
    return known->second;
  }

  // What leads from one ideal to another is convex, and grew along edges.
  std::optional<fusion::Reason> why_refused(const std::vector<std::size_t>& nodes) const {
    if (const auto refusal = rules_.refuse_contents(nodes)) return refusal->reason;
    if (const auto refusal = rules_.refuse_workspace(nodes)) return refusal->reason;
    return std::nullopt;
  }

  Block with_needs(const Ideal& ideal, const Block& block, std::size_t reader) const {
    Block added{reader};
    for (std::size_t i = 0; i < added.size(); ++i)
      for (const std::size_t need : units_.predecessors[added[i]])
        if (!is_done(ideal, need) && !std::binary_search(block.begin(), block.end(), need) &&
            std::find(added.begin(), added.end(), need) == added.end())
          added.push_back(need);
    std::sort(added.begin(), added.end());
    Block units;
    units.reserve(block.size() + added.size());
    std::merge(block.begin(), block.end(), added.begin(), added.end(), std::back_inserter(units));
    return units;
  }

  void step(const Ideal& ideal, const Way& way, const Block& block, double cost) {
    double rest = way.rest;
    for (const std::size_t unit : block) rest -= least_[unit];
    const Way next{way.cost + cost, rest, &ideal, block, cost};
    // Sums in another order differ in their last digits, which must not cut off the best plan.
    if (next.bound() > options_.upper_bound * (1 + 1e-9)) {
      ++result_.pruned_by_bound;
      events_.pruned_by_bound(next);
      return;
    }
    Ideal reached = ideal;
    for (const std::size_t unit : block) reached.insert(unit - first_);
    const std::size_t size = reached.size();
    auto [state, first] = levels_[size].try_emplace(std::move(reached), next);
    if (!first &&
        std::tie(next.cost, next.block) < std::tie(state->second.cost, state->second.block))
      state->second = next;
  }

  void collect() {
    const Level& last = levels_.back();
    if (last.empty()) return;
    const Way* way = &last.begin()->second;
    result_.cost = way->cost;
    while (way->from != nullptr) {
      result_.blocks.push_back(way->block);
      way = &levels_[way->from->size()].at(*way->from);
    }
    std::reverse(result_.blocks.begin(), result_.blocks.end());
  }

  const fusion::BlockRules& rules_;
  const Units& units_;
  const fusion::CostModel& cost_;
  const IdealSearchOptions& options_;
  const Cancellation& cancellation_;
  BlockMemo& memo_;
  IdealEvents events_;
  std::size_t first_, last_;   // of the range that is planned
  std::vector<Level> levels_;  // by number of units
  std::vector<double> least_;  // by unit: no plan spends less on it
  std::set<std::pair<std::size_t, std::size_t>> forbidden_;
  IdealSearchResult result_;
};

}  // namespace

std::size_t BlockMemo::Hash::operator()(const std::vector<std::size_t>& units) const {
  Hasher hasher;
  for (const std::size_t unit : units) hasher.value(unit);
  return hasher.digest();
}

Result<IdealSearchResult> search_ideals(const fusion::BlockRules& rules, const Units& units,
                                        const fusion::CostModel& cost,
                                        const fusion::Constraints& constraints,
                                        const IdealSearchOptions& options,
                                        const Cancellation& cancellation, BlockMemo* memo) {
  BlockMemo own;
  return IdealSearch(rules, units, cost, constraints, options, cancellation,
                     memo != nullptr ? *memo : own)();
}

}  // namespace loopglass::passes

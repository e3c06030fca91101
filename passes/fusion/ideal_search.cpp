#include "passes/fusion/ideal_search.h"

#include "core/support/hash.h"
#include "passes/fusion/search_steps.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>

namespace loopglass::passes {

namespace {

// A set of units, numbered from the first of the range.
class Ideal {
 public:
  explicit Ideal(std::size_t units) : words_((units + 63) / 64, 0) {}
  bool contains(std::size_t unit) const { return words_[unit / 64] >> (unit % 64) & 1; }
  void insert(std::size_t unit) { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
  std::size_t size() const {
    std::size_t size = 0;
    for (const std::uint64_t word : words_) size += static_cast<std::size_t>(std::popcount(word));
    return size;
  }
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
using BlockSet = std::unordered_set<Block, BlockMemo::Hash>;

// The cheapest way to an ideal.
struct Way {
  double cost;
  double rest;        // what is left costs at least this
  const Ideal* from;  // null at the beginning
  Block block;        // the last step
  double own = 0;     // what that costs
};

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
        first_(options.first),
        last_(std::min(options.last, units.count())),
        levels_(last_ - first_ + 1),
        least_(units.count()) {
    // Of the anchors that a kernel may hold, each pays its share of the launch.
    const double share = cost.constants().launch_microseconds /
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
    return std::move(result_);
  }

 private:
  using Level = std::unordered_map<Ideal, Way, Ideal::Hash>;

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
    for (std::size_t i = options_.beam; i < states.size(); ++i) record_outside(*states[i]);
    result_.outside_beam += states.size() - options_.beam;
    result_.complete = false;
    states.resize(options_.beam);
    return states;
  }

  void expand(const Ideal& ideal, const Way& way) {
    ++result_.ideals;
    record_expansion(ideal, way);
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
      if (!known.refused)
        step(ideal, way, block, known.cost);
      else if (stays_refused(*known.refused))
        continue;
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
           reason == LoweringUnsupported || reason == ForcedApart;
  }

  const BlockMemo::Known& look_up(const Block& block) {
    const auto [known, fresh] = memo_.blocks.try_emplace(block);
    if (!fresh) return known->second;
    for (const auto& [producer, consumer] : forbidden_)
      if (std::binary_search(block.begin(), block.end(), producer) &&
          std::binary_search(block.begin(), block.end(), consumer))
        known->second.refused = fusion::Reason::ForcedApart;
    const std::vector<std::size_t> nodes = nodes_of(block);
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

  std::vector<std::size_t> nodes_of(const Block& block) const {
    std::vector<std::size_t> nodes;
    for (const std::size_t unit : block)
      nodes.insert(nodes.end(), units_.members[unit].begin(), units_.members[unit].end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  void step(const Ideal& ideal, const Way& way, const Block& block, double cost) {
    double rest = way.rest;
    for (const std::size_t unit : block) rest -= least_[unit];
    const Way next{way.cost + cost, rest, &ideal, block, cost};
    // Sums in another order differ in their last digits, which must not cut off the best plan.
    if (next.cost + std::max(rest, 0.0) > options_.upper_bound * (1 + 1e-9)) {
      ++result_.pruned_by_bound;
      record_pruned(next);
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

  void record(fusion::PlanEvent::Kind kind, fusion::Reason reason, std::string sentence,
              const Way& way) {
    fusion::PlanEvent event{kind, {}, reason, std::move(sentence),
                            {{"cost", way.cost}, {"bound", bound(way)}}};
    for (const std::size_t node : nodes_of(way.block))
      event.nodes.push_back(rules_.graph().nodes()[node]->id);
    result_.events.push_back(std::move(event));
  }

  static double bound(const Way& way) { return way.cost + std::max(way.rest, 0.0); }
  std::string names(const Block& block) const {
    return names_of(rules_.graph(), nodes_of(block));
  }

  void record_pruned(const Way& way) {
    if (!options_.record_events) return;
    record(fusion::PlanEvent::Kind::Prune, fusion::Reason::PrunedByBound,
           fmt::format("Not followed: the kernel of {} ({:.3f} us), after the {} executed before. "
                       "Whatever comes then, all take {:.3f} us at least, and a plan of {:.3f} us "
                       "is known.",
                       names(way.block), way.own, way.from->size(), bound(way),
                       options_.upper_bound),
           way);
  }

  void record_outside(const Level::value_type& state) {
    if (!options_.record_events) return;
    const Way& way = state.second;
    record(fusion::PlanEvent::Kind::Prune, fusion::Reason::OutsideBeam,
           fmt::format("Not followed: the {} executed that end with the kernel of {}. All take "
                       "{:.3f} us at least, and {} sets of this size promise no more.",
                       state.first.size(), names(way.block), bound(way), options_.beam),
           way);
  }

  // The last kernel on the way, then what else has been executed.
  void record_expansion(const Ideal& ideal, const Way& way) {
    if (!options_.record_events) return;
    std::string sentence =
        way.from == nullptr
            ? fmt::format("Nothing is executed; all {} units take {:.3f} us at least.",
                          last_ - first_, bound(way))
            : fmt::format("{} of {} units are executed. The cheapest way here takes {:.3f} us and "
                          "ends with the kernel of {} ({:.3f} us); with the rest it is {:.3f} us "
                          "at least.",
                          ideal.size(), last_ - first_, way.cost, names(way.block), way.own,
                          bound(way));
    record(fusion::PlanEvent::Kind::Expand, fusion::Reason::Fused, std::move(sentence), way);
    fusion::PlanEvent& event = result_.events.back();
    event.numbers.emplace_back("operators in the last kernel", event.nodes.size());
    Block rest;
    for (std::size_t unit = first_; unit < last_; ++unit)
      if (ideal.contains(unit - first_) && !std::ranges::binary_search(way.block, unit))
        rest.push_back(unit);
    for (const std::size_t node : nodes_of(rest))
      event.nodes.push_back(rules_.graph().nodes()[node]->id);
    event.numbers.emplace_back("operators executed", event.nodes.size());
  }

  const fusion::BlockRules& rules_;
  const Units& units_;
  const fusion::CostModel& cost_;
  const IdealSearchOptions& options_;
  const Cancellation& cancellation_;
  BlockMemo& memo_;
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

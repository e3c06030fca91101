// Folding by repetition: stretches of items, in topological order, that come several times in a
// row. Such stretches lie side by side, so folding them never makes a cycle.
#include "core/graph/folding_parts.h"
#include "core/support/check.h"
#include "core/support/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace loopglass::graph {
namespace {

// Periods looked at in a stretch, those that occur most first, and how many items of the same kind
// before an item its distance is counted to. Networks have a handful.
constexpr std::size_t most_periods = 48;
constexpr std::size_t most_looks_back = 8;
constexpr std::size_t least_alone = 4;  // a run of single items is worth a fold from here on

struct Stretch {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

// `begin` and what follows repeat with a period as far as `end`.
struct Repetition {
  Stretch where;
  std::size_t period;
  std::size_t covered() const { return where.size() / period * period; }
  bool is_run() const {
    return where.size() >= 2 * period && (period > 1 || where.size() >= least_alone);
  }
};

// The more it covers the better; of those that cover as much the smallest block.
struct Less {
  bool operator()(const Repetition& a, const Repetition& b) const {
    if (a.covered() != b.covered()) return a.covered() < b.covered();
    if (a.period != b.period) return a.period > b.period;
    return a.where.begin > b.where.begin;
  }
};

struct Run {
  std::size_t begin, period, count;
  std::vector<Run> inside;  // the first block
};

class BlockFolds {
 public:
  BlockFolds(const ItemGraph& graph, const Graph& operators)
      : graph_(graph), operators_(operators) {
    count_crossings();
    count_shared_parts();
  }

  std::vector<Fold> make() {
    for (const Run& run : runs({0, graph_.items.size()})) add(run, 0, -1, 0);
    return std::move(folds_);
  }

 private:
  std::uint64_t likeness(std::size_t item) const { return graph_.items[item].likeness; }

  // Results of earlier items that items from each place on still read.
  void count_crossings() {
    const std::size_t items = graph_.items.size();
    std::vector<std::size_t> last(items, 0);
    for (std::size_t i = 0; i < items; ++i)
      for (const std::uint32_t read : graph_.reads[i]) last[read] = i;
    std::vector<int> change(items + 2, 0);
    for (std::size_t i = 0; i < items; ++i)
      if (last[i] > i) {
        ++change[i + 1];
        --change[last[i] + 1];
      }
    crossings_.assign(items + 1, 0);
    for (std::size_t i = 1; i <= items; ++i) crossings_[i] = crossings_[i - 1] + change[i];
  }

  std::vector<std::size_t> periods(Stretch where) const {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> seen;
    std::map<std::size_t, std::size_t> votes;
    for (std::size_t i = where.begin; i < where.end; ++i) {
      std::vector<std::size_t>& places = seen[likeness(i)];
      const std::size_t looks = std::min(places.size(), most_looks_back);
      for (std::size_t k = 1; k <= looks; ++k) ++votes[i - places[places.size() - k]];
      places.push_back(i);
    }
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (const auto& [period, count] : votes)
      if (2 * period <= where.size()) ranked.emplace_back(count, period);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (ranked.size() > most_periods) ranked.resize(most_periods);
    std::vector<std::size_t> periods;
    for (const auto& [count, period] : ranked) periods.push_back(period);
    return periods;
  }

  std::vector<Run> runs(Stretch where) const {
    std::priority_queue<Repetition, std::vector<Repetition>, Less> candidates;
    const auto offer = [&](Repetition repetition) {
      if (repetition.is_run()) candidates.push(repetition);
    };
    for (const std::size_t period : periods(where)) {
      std::size_t begin = where.begin;
      for (std::size_t i = where.begin; i + period <= where.end; ++i) {
        const bool repeats = i + period < where.end && likeness(i) == likeness(i + period);
        if (repeats) continue;
        if (i > begin) offer({{begin, i + period}, period});
        begin = i + 1;
      }
    }
    std::map<std::size_t, Run> chosen;  // by where they begin
    while (!candidates.empty()) {
      const Repetition best = candidates.top();
      candidates.pop();
      const std::vector<Stretch> free = not_taken(best.where, chosen);
      if (free.size() != 1 || free.front().size() != best.where.size()) {
        for (const Stretch& part : free) offer({part, best.period});
        continue;
      }
      const Run run = in_phase(best);
      const std::size_t alike = count_alike(run);
      const std::size_t end = run.begin + alike * run.period;
      if (alike >= 2 && (run.period > 1 || alike >= least_alone)) {
        Run& added = chosen[run.begin] = {run.begin, run.period, alike, {}};
        // A block of a run is not a run of smaller ones, or these would be the run.
        if (run.period >= 4) added.inside = runs({run.begin, run.begin + run.period});
      }
      offer({{end, best.where.end}, best.period});
    }
    std::vector<Run> result;
    for (auto& [begin, run] : chosen) result.push_back(std::move(run));
    return result;
  }

  static std::vector<Stretch> not_taken(Stretch where, const std::map<std::size_t, Run>& chosen) {
    std::vector<Stretch> free;
    std::size_t from = where.begin;
    auto run = chosen.upper_bound(where.begin);
    if (run != chosen.begin()) --run;
    for (; run != chosen.end() && run->first < where.end; ++run) {
      const std::size_t end = run->first + run->second.period * run->second.count;
      if (end <= from) continue;
      if (run->first > from) free.push_back({from, run->first});
      from = std::max(from, end);
    }
    if (from < where.end) free.push_back({from, where.end});
    return free;
  }

  // A repetition can be cut into blocks at every place of its first period: there where the fewest
  // results go from one block to the next, of these where names say so, and of these where it makes
  // most blocks.
  Run in_phase(const Repetition& repetition) const {
    const std::size_t period = repetition.period;
    std::optional<Run> best;
    std::tuple<int, int, std::int64_t> least;
    for (std::size_t phase = 0; phase < period; ++phase) {
      const Run run{
          repetition.where.begin + phase, period, (repetition.where.size() - phase) / period, {}};
      if (run.count < 2) break;
      // The first block may be the last that has a name of its own.
      const int named = shared_parts(block(run, 0)) + shared_parts(block(run, run.count - 1));
      const std::tuple cost(crossings_[run.begin + period], -named,
                            -static_cast<std::int64_t>(run.count));
      if (best && cost >= least) continue;
      best = run;
      least = cost;
    }
    CHECK(best, "a repetition of less than two blocks");
    return *best;
  }

  static Stretch block(const Run& run, std::size_t which) {
    return {run.begin + which * run.period, run.begin + (which + 1) * run.period};
  }

  // Items may be alike and read differently: how many blocks, from the first, are wired alike
  // inside.
  std::size_t count_alike(const Run& run) const {
    const auto inside = [&](std::size_t block, std::size_t item) {
      const auto begin = static_cast<std::int64_t>(run.begin + block * run.period);
      std::vector<ItemGraph::Operand> operands =
          graph_.operands[static_cast<std::size_t>(begin) + item];
      for (ItemGraph::Operand& operand : operands)
        operand = operand.item >= begin
                      ? ItemGraph::Operand{operand.item - begin, operand.node, operand.output}
                      : ItemGraph::Operand{-1};  // from before the block
      return operands;
    };
    for (std::size_t block = 1; block < run.count; ++block)
      for (std::size_t item = 0; item < run.period; ++item)
        if (inside(block, item) != inside(0, item)) return block;
    return run.count;
  }

  // `shift`: in a later block than the one in which the run was found.
  void add(const Run& run, std::size_t shift, int parent, int depth) {
    const std::size_t begin = run.begin + shift;
    const int fold = static_cast<int>(folds_.size());
    const std::uint64_t key = key_of(run, depth);
    folds_.push_back({title({begin, begin + run.count * run.period}, run.period),
                      key,
                      items({begin, begin + run.count * run.period}),
                      parent,
                      {},
                      static_cast<int>(run.count)});
    if (run.period == 1) return;
    for (std::size_t block = 0; block < run.count; ++block) {
      const Stretch where{begin + block * run.period, begin + (block + 1) * run.period};
      const int child = static_cast<int>(folds_.size());
      folds_.push_back({title(where, run.period),
                        Hasher().text("block").value(key).digest(),
                        items(where),
                        fold,
                        {},
                        1});
      for (const Run& inner : run.inside) add(inner, shift + block * run.period, child, depth + 1);
    }
  }

  // Alike in every block of a run around it, and after passes that give operators other names or
  // put others before them: by the first ONNX node that its first block comes from. Of several runs
  // of one node, each by its place among them.
  std::uint64_t key_of(const Run& run, int depth) {
    std::optional<std::uint32_t> first;
    for (std::size_t item = run.begin; item < run.begin + run.period; ++item)
      for (const NodeId node : graph_.items[item].nodes)
        if (const auto& sources = operators_.node(node).origin.sources; !sources.empty())
          first = std::min(first.value_or(sources.front()), sources.front());
    Hasher key;
    key.text("run").value(depth);
    if (!first) return key.text(graph_.items[run.begin].name).digest();
    std::vector<std::size_t>& begins = runs_of_origin_[{*first, depth}];
    const auto known = std::ranges::find(begins, run.begin);
    const auto place = known - begins.begin();
    if (known == begins.end()) begins.push_back(run.begin);
    return key.value(*first).value(place).digest();
  }

  static std::vector<std::uint32_t> items(Stretch where) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = where.begin; i < where.end; ++i)
      all.push_back(static_cast<std::uint32_t>(i));
    return all;
  }

  // What the names have in common, by whole parts; else the commonest operators of one block.
  std::string title(Stretch where, std::size_t period) const {
    const int shared = shared_parts(where);
    const std::string& first = graph_.items[where.begin].name;
    // What all names have in common tells one stretch from another only where it is all there is.
    const bool is_all = where.size() * 10 >= graph_.items.size() * 9;
    if (shared > (is_all ? 0 : common_parts_))
      return first.substr(0, name_parts(first)[static_cast<std::size_t>(shared) - 1]);
    return operators({where.begin, where.begin + period});
  }

  // How many parts all names begin with, the last of a name being the item's own: the least of
  // those that neighbours share.
  int shared_parts(Stretch where) const {
    if (where.size() == 1) return own_parts_[where.begin];
    const std::size_t pairs = where.size() - 1;
    const auto level = static_cast<std::size_t>(std::bit_width(pairs)) - 1;
    return std::min(least_shared_[level][where.begin],
                    least_shared_[level][where.begin + pairs - (std::size_t{1} << level)]);
  }

  // Of every item and its neighbour, of every two such pairs, every four, ...
  void count_shared_parts() {
    common_parts_ = static_cast<int>(common_parts(graph_.items));
    const std::size_t items = graph_.items.size();
    std::vector<int> pairs;
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < items; ++i) {
      const std::string& name = graph_.items[i].name;
      std::vector<std::size_t> parts = name_parts(name);
      if (!parts.empty()) parts.pop_back();
      own_parts_.push_back(static_cast<int>(parts.size()));
      if (i > 0) {
        const std::string& before = graph_.items[i - 1].name;
        const auto differ =
            std::mismatch(name.begin(), name.end(), before.begin(), before.end()).first;
        const auto alike = static_cast<std::size_t>(differ - name.begin());
        int shared = 0;
        while (static_cast<std::size_t>(shared) < std::min(parts.size(), ends.size()) &&
               parts[static_cast<std::size_t>(shared)] < alike)
          ++shared;  // with the separator behind it
        pairs.push_back(shared);
      }
      ends = std::move(parts);
    }
    least_shared_.push_back(std::move(pairs));
    for (std::size_t width = 1; 2 * width < items; width *= 2) {
      const std::vector<int>& narrow = least_shared_.back();
      std::vector<int> wide;
      for (std::size_t i = 0; i + width < narrow.size(); ++i)
        wide.push_back(std::min(narrow[i], narrow[i + width]));
      least_shared_.push_back(std::move(wide));
    }
  }

  std::string operators(Stretch where) const {
    constexpr std::size_t most = 3;
    std::map<std::string, int> counts;
    for (std::size_t i = where.begin; i < where.end; ++i)
      for (const NodeId node : graph_.items[i].nodes)
        ++counts[operator_name(operators_.node(node))];
    std::vector<std::pair<int, std::string>> ranked;
    for (const auto& [name, count] : counts) ranked.emplace_back(-count, name);
    std::sort(ranked.begin(), ranked.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) {
      if (i > 0) text += ", ";
      text += ranked[i].first < -1 ? fmt::format("{} {}", -ranked[i].first, ranked[i].second)
                                   : ranked[i].second;
    }
    return ranked.size() > most ? text + ", ..." : text;
  }

  const ItemGraph& graph_;
  const Graph& operators_;
  int common_parts_ = 0;  // that tell nothing
  std::vector<int> crossings_, own_parts_;
  std::vector<std::vector<int>> least_shared_;  // by the logarithm of how many pairs
  std::vector<Fold> folds_;
  // Where the runs begin whose first blocks come from an ONNX node, at a depth.
  std::map<std::pair<std::uint32_t, int>, std::vector<std::size_t>> runs_of_origin_;
};

}  // namespace

std::vector<Fold> fold_by_blocks(const ItemGraph& graph, const Graph& operators) {
  return BlockFolds(graph, operators).make();
}

}  // namespace loopglass::graph

// What the machine leaves, constructed rather than searched for (after Roller, Zhu et al., OSDI
// 2022): of the default schedule's tiles those that fit its registers and come near to its peak by
// counting, and around each what counting does not decide. Without a tile, how many vectors at a
// time.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/annotations.h"
#include "core/loop/path.h"
#include "core/tune/spaces/spaces.h"
#include "core/tune/spaces/vectors_sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace loopglass::tune {

namespace {

using schedule::BlockAnalysis;
using schedule::TileChoice;
using schedule::TilePlan;

// A tile that counting thinks so much slower than the best is not looked at; and not more of them.
constexpr double slower = 1.6;
constexpr std::size_t most_tiles = 48;
constexpr std::size_t most_sketches = 6;

// The tiled reduction that takes most of the work, as it stands when the rules come to it.
std::optional<BlockAnalysis> tiled_block_of(const Task& task) {
  std::optional<BlockAnalysis> anchor;
  const auto work = [](const BlockAnalysis& block) {
    return static_cast<double>(block.spatial_points) * static_cast<double>(block.reduction_points);
  };
  schedule::TileChooser watcher;
  watcher.choose = [&](const BlockAnalysis& block) -> std::optional<TileChoice> {
    if (!anchor || work(block) > work(*anchor)) anchor = block;
    return std::nullopt;
  };
  if (!schedule::schedule_by_default(task.nest, task.machine, watcher)) return std::nullopt;
  return anchor;
}

// What the nest calls the axis' loops.
std::string axis_words(const Task& task, const BlockAnalysis& block,
                       const std::optional<std::size_t>& axis) {
  if (!axis) return "nothing";
  const auto path = loop::find_block(task.nest, block.name);
  std::vector<std::string> names;
  for (const std::size_t iter : block.axes[*axis].iters)
    names.push_back(path && iter < path->loops().size() ? path->loops()[iter]->variable
                                                        : block.iter_names[iter]);
  return fmt::format("{}", fmt::join(names, " "));
}

// All tiles whose lanes and repeats run along the same two axes, and divide these or do not.
struct Family {
  bool merged = true;
  bool whole = true;
  std::vector<TilePlan> plans;  // by vectors, then by repeats
  double best_cycles = 0;
};

std::vector<Family> families_of(const BlockAnalysis& merged, const BlockAnalysis& apart,
                                const Machine& machine) {
  struct Ranked {
    bool merged;
    TilePlan plan;
  };
  const auto divides = [](const BlockAnalysis& block, const TilePlan& plan) {
    return (!plan.vector_axis || block.axes[*plan.vector_axis].extent % plan.vector_length == 0) &&
           (!plan.repeat_axis || block.axes[*plan.repeat_axis].extent % plan.repeats == 0);
  };
  std::vector<Ranked> ranked;
  const bool differs = merged.axes.size() != apart.axes.size();
  for (const TilePlan& plan : tile_plans(apart, machine)) ranked.push_back({false, plan});
  if (differs && !merged.asks_where_it_is)
    for (const TilePlan& plan : tile_plans(merged, machine)) ranked.push_back({true, plan});
  std::ranges::stable_sort(ranked, {}, [](const Ranked& r) { return r.plan.cycles; });
  std::vector<Family> families;
  std::size_t taken = 0;
  for (const auto& [is_merged, plan] : ranked) {
    if (plan.cycles > slower * ranked.front().plan.cycles || taken >= most_tiles) break;
    const bool is_whole = divides(is_merged ? merged : apart, plan);
    const auto same = [&](const Family& family) {
      return family.merged == is_merged && family.whole == is_whole &&
             family.plans[0].vector_axis == plan.vector_axis &&
             family.plans[0].repeat_axis == plan.repeat_axis;
    };
    auto family = std::ranges::find_if(families, same);
    if (family == families.end()) {
      if (families.size() >= most_sketches) continue;
      families.push_back({is_merged, is_whole, {}, plan.cycles});
      family = families.end() - 1;
    }
    family->plans.push_back(plan);
    ++taken;
  }
  const auto size = [](const TilePlan& plan) {
    return std::pair(plan.vector_length, plan.repeats);
  };
  for (Family& family : families) {
    std::ranges::stable_sort(family.plans, {}, size);
    const auto again = std::ranges::unique(family.plans, {}, size);
    family.plans.erase(again.begin(), again.end());
  }
  return families;
}

struct Choices {
  std::vector<std::int64_t> runs, groups;
  std::vector<int> unrolls{0, 1, 2, 4};
};

// Tiles that stand out beyond an edge are not grouped: whether a group does too, and by how much,
// is more than legality is judged by.
Choices choices_of(const BlockAnalysis& block, const Family& family) {
  Choices choices{{0}, {1}};
  const bool has_two_sides = family.plans[0].vector_axis && family.plans[0].repeat_axis;
  if (family.whole && has_two_sides) choices.groups = {1, 2, 4, 8};
  for (const std::int64_t run : {64, 128, 256})
    if (2 * run <= block.reduction_points) choices.runs.push_back(run);
  return choices;
}

template <class T>
std::vector<std::string> words_of(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(fmt::format("{}", value));
  return words;
}

// The default schedule with this choice for the block.
Result<schedule::Scheduled> script_with(const Task& task, const std::string& block,
                                        const TileChoice& choice) {
  std::optional<Result<void>> written;
  schedule::TileChooser chooser;
  chooser.choose = [&](const BlockAnalysis& asked) -> std::optional<TileChoice> {
    return asked.name == block ? std::optional(choice) : std::nullopt;
  };
  chooser.told = [&](const std::string&, const Result<void>& result) {
    if (!written || !*written) written = result;
  };
  auto scheduled = TRY(schedule::schedule_by_default(task.nest, task.machine, chooser));
  if (!written)
    return fail(Code::ScheduleIllegal, fmt::format("'{}' is not reached by this tile", block));
  if (!*written) return std::unexpected(written->error());
  return scheduled;
}

// Of the innermost loop of the sum, where nobody chooses; 0: it is left to LLVM.
int usual_copies(const Task& task, const std::string& block, const TileChoice& choice) {
  const auto scheduled = script_with(task, block, choice);
  if (!scheduled) return 0;
  int copies = 0;
  for (const schedule::Instruction& line : scheduled->trace.instructions)
    if (line.primitive == "annotate" && line.arguments.size() == 3)
      if (const auto* key = std::get_if<std::string>(&line.arguments[1]),
          *value = std::get_if<std::string>(&line.arguments[2]);
          key && value && *key == loop::unroll_annotation)
        copies = std::atoi(value->c_str());
  return copies;
}

Sketch family_sketch(const Task& task, const BlockAnalysis& block, const Family& family,
                     std::int64_t lanes) {
  const TilePlan& first = family.plans[0];
  Choices choices = choices_of(block, family);
  // What is usual is not tried twice.
  const int usual = usual_copies(task, block.name, {family.merged, first});
  std::erase(choices.unrolls, usual);
  Sketch sketch;
  // Where axes are one, tiles reach from row to row.
  sketch.name = fmt::format(
      "lanes along {}, repeats along {}{}{}", axis_words(task, block, first.vector_axis),
      axis_words(task, block, first.repeat_axis), family.merged ? ", across rows" : "",
      family.whole ? "" : ", smaller at the edge");
  sketch.rules =
      fmt::format("{} tiles of up to {} registers, at best {:.3g} cycles by counting",
                  family.plans.size(), task.machine.vector_registers.value, family.best_cycles);
  Knob tile{"tile", {}, "repeats x vectors: the sums that stay in registers"};
  for (const TilePlan& plan : family.plans)
    tile.values.push_back(plan.vector_length % lanes == 0 || plan.vector_length == 1
                              ? fmt::format("{}x{}", plan.repeats,
                                            std::max<std::int64_t>(1, plan.vector_length / lanes))
                              : fmt::format("{}x{} lanes", plan.repeats, plan.vector_length));
  sketch.knobs.push_back(std::move(tile));
  sketch.knobs.push_back({"outer",
                          {"as counted", "the other"},
                          "whose tiles turn slower, the lanes' or the repeats'"});
  sketch.knobs.push_back(
      {"run", words_of(choices.runs),
       "terms that are summed in the tile before they are added to the sums so far"});
  sketch.knobs.back().values[0] = "usual";
  sketch.knobs.push_back(
      {"group", words_of(choices.groups),
       "tiles of the slower side that are taken together inside the other side's loops"});
  sketch.knobs.push_back({"unroll", words_of(choices.unrolls),
                          fmt::format("copies of the body of the innermost loop of the sum{}",
                                      usual > 0 ? fmt::format("; usual: {}", usual) : "")});
  sketch.knobs.back().values[0] = "usual";
  sketch.script = [task, name = block.name, family, choices](std::span<const int> at) {
    const auto place = [&](std::size_t knob) { return static_cast<std::size_t>(at[knob]); };
    TileChoice choice{family.merged, family.plans[place(0)]};
    if (at[1] == 1) {
      choice.plan.vector_outside = !choice.plan.vector_outside;
      choice.plan.around = 0;
    }
    choice.run = choices.runs[place(2)];
    choice.group = choices.groups[place(3)];
    choice.unroll = choices.unrolls[place(4)];
    return script_with(task, name, choice);
  };
  return sketch;
}

}  // namespace

Result<Space> construct_space(const Task& task) {
  Space space{"construct", {}};
  const auto merged = tiled_block_of(task);
  if (!merged) {
    if (auto sketch = vectors_sketch(task)) space.sketches.push_back(*std::move(sketch));
    return space;
  }
  const BlockAnalysis apart = unmerged(*merged);
  const std::int64_t lanes = task.machine.lanes(merged->widest_bytes);
  const std::vector<Family> families = families_of(*merged, apart, task.machine);
  std::vector<std::pair<double, Point>> promising;
  for (std::size_t f = 0; f < families.size(); ++f) {
    const Family& family = families[f];
    space.sketches.push_back(family_sketch(task, family.merged ? *merged : apart, family, lanes));
    // Each tile as counting would have the rest.
    for (std::size_t tile = 0; tile < family.plans.size(); ++tile)
      promising.push_back({family.plans[tile].cycles,
                           Point{static_cast<int>(f), {static_cast<int>(tile), 0, 0, 0, 0}}});
  }
  std::ranges::stable_sort(promising, {}, [](const auto& entry) { return entry.first; });
  for (auto& [cycles, point] : promising) space.promising.push_back(std::move(point));
  // A nest may be other than the one that tiles were counted for: with symbols, these stood for
  // numbers.
  constexpr std::size_t tried = 12;
  std::optional<Diagnostic> refusal;
  for (std::size_t i = 0; i < std::min(tried, space.promising.size()); ++i) {
    const auto script = space.script(space.promising[i]);
    if (script) return space;
    refusal = script.error();
  }
  Space none{"construct", {}};
  if (refusal) none.refused.push_back(*std::move(refusal));
  return none;
}

}  // namespace loopglass::tune

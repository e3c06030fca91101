#include "core/tune/spaces/vectors_sketch.h"

#include "core/default_schedule/default_schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::tune {

namespace {

constexpr std::size_t most_blocks = 8;  // four values each

struct Walked {
  std::string block;
  int most;  // vectors
};

std::vector<Walked> blocks_of(const Task& task) {
  std::vector<Walked> blocks;
  schedule::TileChooser watcher;
  watcher.vectors = [&](const schedule::BlockAnalysis& block, int counted, int most) {
    if (std::ranges::find(blocks, block.name, &Walked::block) == blocks.end())
      blocks.push_back({block.name, most});
    return counted;
  };
  if (!schedule::schedule_by_default(task.nest, task.machine, watcher)) return {};
  if (blocks.size() > most_blocks) blocks.resize(most_blocks);
  return blocks;
}

}  // namespace

std::optional<Sketch> vectors_sketch(const Task& task) {
  const std::vector<Walked> blocks = blocks_of(task);
  if (blocks.empty()) return std::nullopt;
  Sketch sketch{"along memory", "no tile; rows, and sums of rows, by vectors", {}, {}};
  for (const Walked& block : blocks) {
    Knob knob{block.block, {}, fmt::format("vectors that '{}' takes at a time", block.block)};
    for (int vectors = 1; vectors <= block.most; vectors *= 2)
      knob.values.push_back(fmt::format("{}", vectors));
    sketch.knobs.push_back(std::move(knob));
  }
  sketch.script = [task, blocks](std::span<const int> choices) {
    schedule::TileChooser chooser;
    chooser.vectors = [&](const schedule::BlockAnalysis& block, int counted, int) {
      const auto known = std::ranges::find(blocks, block.name, &Walked::block);
      return known == blocks.end() ? counted
                                   : 1 << choices[static_cast<std::size_t>(known - blocks.begin())];
    };
    return schedule::schedule_by_default(task.nest, task.machine, chooser);
  };
  return sketch;
}

}  // namespace loopglass::tune

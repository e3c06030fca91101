#include "core/default_schedule/tile_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace loopglass::schedule {

namespace {

using Names = std::vector<std::string>;

Names names_of(const Axis& axis, const BlockAnalysis& block) {
  Names names;
  for (const std::size_t iter : axis.iters) names.push_back(block.iter_names[iter]);
  return names;
}

std::string as_one(const Names& names) {
  return names.size() > 1 ? fmt::format("({})", fmt::join(names, " ")) : names.front();
}

std::optional<std::string> map_of(const Names& names, const Names& terms) {
  if (names == terms) return std::nullopt;
  return fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(terms, " "));
}

}  // namespace

std::optional<std::string> layout_of_sums(const BlockAnalysis& block, const TilePlan& plan,
                                          const std::string& first) {
  Names names, terms;
  if (!first.empty()) names = terms = {first};
  std::string repeats, lanes;
  for (std::size_t a = 0; a < block.axes.size(); ++a) {
    const Names part = names_of(block.axes[a], block);
    names.insert(names.end(), part.begin(), part.end());
    if (a == plan.vector_axis) lanes = as_one(part);
    else if (a == plan.repeat_axis) repeats = as_one(part);
    else terms.insert(terms.end(), part.begin(), part.end());
  }
  if (!repeats.empty()) terms.push_back(repeats);
  if (!lanes.empty()) terms.push_back(lanes);
  return map_of(names, terms);
}

std::optional<std::string> layout_of_turned(const BlockAnalysis& block, const TilePlan& plan) {
  Names names, terms;
  for (std::size_t a = 0; a < block.axes.size(); ++a) {
    const Names part = names_of(block.axes[a], block);
    names.insert(names.end(), part.begin(), part.end());
    if (a == plan.repeat_axis) terms.push_back(as_one(part));
    else terms.insert(terms.end(), part.begin(), part.end());
  }
  return map_of(names, terms);
}

}  // namespace loopglass::schedule

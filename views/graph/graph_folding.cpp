#include "views/graph/graph_folding.h"

#include "views/graph/fold_titles.h"
#include "views/text.h"
#include "views/theme.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>

namespace loopglass::views {
namespace {

std::vector<std::string> texts_of(const std::set<std::uint64_t>& keys) {
  std::vector<std::string> texts;
  for (const std::uint64_t key : keys) texts.push_back(fmt::format("{:016x}", key));
  return texts;
}

// What is no key names no fold.
std::set<std::uint64_t> keys_of(const std::vector<std::string>& texts) {
  std::set<std::uint64_t> keys;
  for (const std::string& text : texts) keys.insert(std::strtoull(text.c_str(), nullptr, 16));
  return keys;
}

}  // namespace

Folded folded_by(const SavedFolds& folds) {
  return folds.by == "blocks" ? Folded::Blocks : folds.by == "names" ? Folded::Names : Folded::No;
}

const char* name_of(Folded by) {
  return by == Folded::Blocks ? "blocks" : by == Folded::Names ? "names" : "";
}

graph::OpenFolds open_folds_of(const SavedFolds& folds) {
  return {keys_of(folds.open), keys_of(folds.shown_once)};
}

void put_open_folds(const graph::OpenFolds& open, SavedFolds& folds) {
  folds.open = texts_of(open.open);
  folds.shown_once = texts_of(open.shown_once);
}

std::shared_ptr<const graph::Folding> folding_of(const graph::Graph& graph, Folded by,
                                                 const GroupsOfGraph& kernels) {
  const fusion::Plan* plan = kernels.plan;
  if (by == Folded::No && !plan) return nullptr;
  const graph::Parts parts{[&](const graph::Node& node) {
                             const fusion::GroupId group = kernels.group_of(node);
                             return group.valid() ? static_cast<int>(group.value) : -1;
                           },
                           [&](int part) {
                             const fusion::Group& group =
                                 plan->group(fusion::GroupId{static_cast<std::uint32_t>(part)});
                             const graph::Node* anchor = graph.find(group.anchor);
                             return anchor ? anchor->name : group.name;
                           }};
  graph::Folding folding =
      graph::fold(graph, by == Folded::Names ? graph::FoldBy::Names : graph::FoldBy::Blocks,
                  plan ? &parts : nullptr);
  if (by == Folded::No) {  // kernels, and nothing around them
    folding.folds.clear();
    folding.innermost.assign(folding.items.size(), -1);
  }
  return std::make_shared<const graph::Folding>(std::move(folding));
}

std::shared_ptr<const graph::Folding> FoldingMemo::of(
    const std::shared_ptr<const graph::Graph>& graph, Folded by,
    const std::shared_ptr<const fusion::Plan>& kernels,
    const std::function<fusion::GroupId(const graph::Node&)>& group_of) {
  Key key{graph, kernels, by};
  if (key == key_) return folding_;
  folding_ = folding_of(*graph, by, {kernels.get(), group_of});
  key_ = std::move(key);
  return folding_;
}

void add_fold_bands(const Drawn& drawn, CanvasOverlay& overlay) {
  if (!drawn.content.folded) return;
  std::map<int, CanvasBand> by_fold;
  for (std::uint32_t box = 0; box < drawn.content.entities.size(); ++box) {
    if (!drawn.content.folded_boxes[box]) continue;
    const int fold = drawn.content.folded->boxes()[*drawn.content.folded_boxes[box]].parent;
    if (fold >= 0) by_fold[fold].nodes.push_back(box);
  }
  const std::vector<QString> titles = fold_titles(*drawn.content.folding);
  std::vector<CanvasBand> bands;
  for (auto& [fold, band] : by_fold) {
    const graph::Fold& open = drawn.content.folding->folds[static_cast<std::size_t>(fold)];
    band.color = theme().group(static_cast<std::size_t>(open.key % 7));
    band.tooltip = text(open.title).toHtmlEscaped();
    band.title = plain(titles[static_cast<std::size_t>(fold)]);
    if (open.repeats > 1) band.title += QString(" ×%1").arg(open.repeats);
    const int run = open.parent;  // or another fold around it
    if (const int blocks =
            run < 0 ? 1 : drawn.content.folding->folds[static_cast<std::size_t>(run)].repeats;
        blocks > 1)
      band.title += QObject::tr(", one of %1").arg(blocks);
    const std::set<std::uint32_t> inside(band.nodes.begin(), band.nodes.end());
    for (std::uint32_t e = 0; e < drawn.canvas.edges.size(); ++e)
      if (inside.contains(drawn.canvas.edges[e].from) && inside.contains(drawn.canvas.edges[e].to))
        band.edges.push_back(e);
    bands.push_back(std::move(band));
  }
  overlay.bands.insert(overlay.bands.begin(), bands.begin(), bands.end());
}

}  // namespace loopglass::views

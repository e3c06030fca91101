#include "views/graph/plan_overlays.h"

#include "views/theme.h"

#include <algorithm>

namespace loopglass::views {
namespace {

std::vector<graph::NodeId> sorted(std::vector<graph::NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

QColor tone_of(FusedBy which) {
  return which == FusedBy::Neither ? theme().border : compared_mark(which).color;
}

// The kernels of two plans: which of them has it, by what it holds.
class Kernels {
 public:
  Kernels(const fusion::Plan& first, const fusion::Plan& second) {
    for (const fusion::Group& group : first.groups)
      if (group.nodes.size() > 1) owner_[sorted(group.nodes)] = FusedBy::First;
    for (const fusion::Group& group : second.groups) {
      if (group.nodes.size() < 2) continue;
      const auto [entry, is_new] = owner_.try_emplace(sorted(group.nodes), FusedBy::Second);
      if (!is_new) entry->second = FusedBy::Both;
    }
  }
  FusedBy owner(const fusion::Group& group) const {
    const auto found = owner_.find(sorted(group.nodes));
    return found == owner_.end() ? FusedBy::Neither : found->second;
  }
  void framed(const fusion::Group& group) { owner_.erase(sorted(group.nodes)); }
  // Those that have no frame.
  const std::map<std::vector<graph::NodeId>, FusedBy>& rest() const { return owner_; }

 private:
  std::map<std::vector<graph::NodeId>, FusedBy> owner_;
};

}  // namespace

// The boxes of some nodes and the edges between them.
CanvasBand band_around(const Drawn& drawn, const std::set<graph::NodeId>& nodes, QColor color) {
  CanvasBand band;
  band.color = std::move(color);
  for (const graph::NodeId node : nodes)
    if (const auto box = drawn.content.box_of_node.find(node);
        box != drawn.content.box_of_node.end() && !drawn.canvas.nodes[box->second].ghost)
      band.nodes.push_back(box->second);
  return band;
}

void add_edges_between(const Drawn& drawn, std::vector<CanvasBand>& bands,
                       const std::map<graph::NodeId, std::size_t>& band_of) {
  for (std::uint32_t e = 0; e < drawn.canvas.edges.size(); ++e) {
    if (drawn.canvas.edges[e].ghost) continue;
    const auto from = band_of.find(drawn.node(drawn.canvas.edges[e].from));
    const auto to = band_of.find(drawn.consumer(e));
    if (from != band_of.end() && to != band_of.end() && from->second == to->second)
      bands[from->second].edges.push_back(e);
  }
}

graph::NodeId Drawn::node(std::uint32_t box) const {
  const auto* id = std::get_if<graph::NodeId>(&content.entities[box]);
  return id ? *id : graph::NodeId{};
}

const fusion::Decision* Drawn::decision(const EdgeVerdicts& verdicts, std::uint32_t edge) const {
  const graph::NodeId reader = consumer(edge);
  if (canvas.edges[edge].ghost || !reader.valid()) return nullptr;
  return verdicts.of(content.edge_values[edge], reader);
}

std::vector<const fusion::Decision*> Drawn::decisions(const EdgeVerdicts& verdicts,
                                                      std::uint32_t edge) const {
  std::vector<const fusion::Decision*> all;
  if (content.edge_reads.empty()) {
    if (const fusion::Decision* one = decision(verdicts, edge)) all.push_back(one);
    return all;
  }
  if (canvas.edges[edge].ghost) return all;
  for (const auto& [value, reader] : content.edge_reads[edge])
    if (const fusion::Decision* one = reader.valid() ? verdicts.of(value, reader) : nullptr;
        one && std::ranges::find(all, one) == all.end())
      all.push_back(one);
  return all;
}

CanvasOverlay verdict_overlay(const Drawn& drawn, const EdgeVerdicts& verdicts,
                              const std::function<bool(const fusion::Edge&)>& is_hidden) {
  CanvasOverlay overlay;
  overlay.edges.resize(drawn.canvas.edges.size());
  const auto hidden = [&](const fusion::Decision* decision) {
    return is_hidden(edge_of(*decision));
  };
  for (std::uint32_t e = 0; e < overlay.edges.size(); ++e)
    if (const auto decisions = drawn.decisions(verdicts, e); !decisions.empty())
      overlay.edges[e] =
          std::ranges::any_of(decisions, hidden) ? hidden_mark() : verdict_mark(decisions);
  return overlay;
}

namespace {

// Nothing where neither plan has the edge.
std::optional<FusedBy> fused_by(const Drawn& drawn, const EdgeVerdicts& first,
                                const EdgeVerdicts& second, std::uint32_t edge) {
  const fusion::Decision *one = drawn.decision(first, edge), *other = drawn.decision(second, edge);
  if (!one && !other) return std::nullopt;
  return views::fused_by(one, other);
}

}  // namespace

std::array<int, 4> fused_edges(const Drawn& drawn, const EdgeVerdicts& first,
                               const EdgeVerdicts& second) {
  std::array<int, 4> count{};
  for (std::uint32_t e = 0; e < drawn.canvas.edges.size(); ++e)
    if (const auto which = fused_by(drawn, first, second, e))
      ++count[static_cast<std::size_t>(*which)];
  return count;
}

// A kernel that has a frame is told by the frame's colour; around the others there is a band.
CanvasOverlay compared_overlay(const Drawn& drawn, const EdgeVerdicts& first,
                               const EdgeVerdicts& second, const fusion::Plan* clusters) {
  CanvasOverlay overlay;
  overlay.edges.resize(drawn.canvas.edges.size());
  for (std::uint32_t e = 0; e < overlay.edges.size(); ++e)
    if (const auto which = fused_by(drawn, first, second, e))
      overlay.edges[e] = compared_mark(*which);
  Kernels kernels(*first.plan(), *second.plan());
  for (const fusion::GroupId id : drawn.content.groups) {
    const fusion::Group& group = clusters->group(id);
    overlay.clusters.push_back(tone_of(kernels.owner(group)));
  }
  for (const fusion::GroupId id : drawn.content.groups) kernels.framed(clusters->group(id));
  // An operator may be in a kernel of each plan.
  for (const FusedBy which : {FusedBy::First, FusedBy::Both, FusedBy::Second}) {
    std::vector<CanvasBand> bands;
    std::map<graph::NodeId, std::size_t> band_of;
    for (const auto& [nodes, owner] : kernels.rest()) {
      if (owner != which) continue;
      for (const graph::NodeId node : nodes) band_of[node] = bands.size();
      bands.push_back(band_around(drawn, {nodes.begin(), nodes.end()}, tone_of(which)));
    }
    add_edges_between(drawn, bands, band_of);
    std::erase_if(bands, [](const CanvasBand& band) { return band.nodes.size() < 2; });
    std::move(bands.begin(), bands.end(), std::back_inserter(overlay.bands));
  }
  return overlay;
}

}  // namespace loopglass::views

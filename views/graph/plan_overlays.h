// What fusion has to say about a graph that is drawn, laid over it: the verdicts of a plan, two
// plans compared, and one moment of how a plan came about.
#pragma once

#include "views/graph/edge_verdicts.h"
#include "views/graph/graph_content.h"

#include <array>
#include <functional>
#include <map>
#include <set>

namespace loopglass::views {

// `content` tells what is drawn where; its canvas content is `canvas`.
struct Drawn {
  const GraphContent& content;
  const CanvasContent& canvas;

  graph::NodeId node(std::uint32_t box) const;  // invalid: a pill
  graph::NodeId consumer(std::uint32_t edge) const { return content.edge_consumers[edge]; }
  // Null: the plan has no such edge, or it is a ghost's.
  const fusion::Decision* decision(const EdgeVerdicts& verdicts, std::uint32_t edge) const;
  // Of an edge of a folded graph those of all that it stands for; else that one, if any.
  std::vector<const fusion::Decision*> decisions(const EdgeVerdicts& verdicts,
                                                 std::uint32_t edge) const;
};

CanvasOverlay verdict_overlay(const Drawn& drawn, const EdgeVerdicts& verdicts,
                              const std::function<bool(const fusion::Edge&)>& is_hidden);

// How many of the edges drawn each plan fuses, by FusedBy.
std::array<int, 4> fused_edges(const Drawn& drawn, const EdgeVerdicts& first,
                               const EdgeVerdicts& second);
// Clusters are those of `clusters`, a plan of the same graph; null: there are none.
CanvasOverlay compared_overlay(const Drawn& drawn, const EdgeVerdicts& first,
                               const EdgeVerdicts& second, const fusion::Plan* clusters);

// A band around the boxes of some nodes.
CanvasBand band_around(const Drawn& drawn, const std::set<graph::NodeId>& nodes, QColor color);
// The edges between nodes of one band, which `band_of` tells by its place.
void add_edges_between(const Drawn& drawn, std::vector<CanvasBand>& bands,
                       const std::map<graph::NodeId, std::size_t>& band_of);

// The event of the plan, in what the events before it have come to.
CanvasOverlay moment_overlay(const Drawn& drawn, const fusion::Plan& plan, std::size_t event);

}  // namespace loopglass::views

#include "views/graph/graph_drawing.h"

namespace loopglass::views {

Result<GraphDrawing> draw_history(std::shared_ptr<const pass::GraphHistory> history,
                                  std::shared_ptr<const fusion::Plan> plan, HistoryBoxes boxes,
                                  const Cancellation& cancellation) {
  auto clusters = boxes.cluster_of_group;
  auto steady =
      TRY(layout::lay_out_steadily(steady_graph(*history, std::move(boxes)), cancellation));
  return GraphDrawing{
      std::move(history), std::move(plan), std::move(clusters), std::move(steady), {}};
}

layout::Layout part_of(GraphDrawing& drawing, const GraphContent& content) {
  std::vector<layout::PartNode> nodes;
  std::vector<layout::PartEdge> edges;
  nodes.reserve(content.entities.size());
  edges.reserve(content.edge_values.size());
  for (std::size_t i = 0; i < content.entities.size(); ++i)
    nodes.push_back({content.canvas.nodes[i].key, content.sizes[i].width(),
                     content.sizes[i].height(), content.canvas.nodes[i].ghost});
  for (const CanvasEdge& edge : content.canvas.edges) edges.push_back({edge.from, edge.to});
  layout::Layout part = drawing.steady.part(nodes, edges, drawing.guests);
  std::vector<layout::Box> frames;
  for (const fusion::GroupId group : content.groups) {
    const auto cluster = drawing.cluster_of_group.find(group);
    frames.push_back(cluster == drawing.cluster_of_group.end()
                         ? layout::Box{}
                         : part.clusters[static_cast<std::size_t>(cluster->second)]);
  }
  part.clusters = std::move(frames);
  return part;
}

}  // namespace loopglass::views

#include "views/graph/graph_drawing.h"

#include "views/canvas/canvas_picture.h"

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

namespace {

// All that a tag says, besides its badge.
CanvasNode as_tag(CanvasNode node) {
  node.subtitle.clear();
  node.details.clear();
  return node;
}

}  // namespace

layout::Layout part_of(GraphDrawing& drawing, GraphContent& content,
                       const layout::Columns& columns) {
  std::vector<layout::PartNode> nodes;
  std::vector<layout::PartEdge> edges;
  nodes.reserve(content.entities.size());
  edges.reserve(content.edge_values.size());
  const BoxMeasure measure;
  for (std::size_t i = 0; i < content.entities.size(); ++i) {
    const CanvasNode& node = content.canvas.nodes[i];
    layout::PartNode& placed = nodes.emplace_back(layout::PartNode{
        node.key, content.sizes[i].width(), content.sizes[i].height(), node.ghost});
    if (!node.ghost) continue;
    const QSizeF tag = measure.tag(node.title);
    placed.tag_width = tag.width();
    placed.tag_height = tag.height();
  }
  for (const CanvasEdge& edge : content.canvas.edges) edges.push_back({edge.from, edge.to});
  layout::Layout part = drawing.steady.part(nodes, edges, drawing.guests, columns);
  for (const std::uint32_t tag : part.tags) {
    content.canvas.nodes[tag] = as_tag(std::move(content.canvas.nodes[tag]));
    content.sizes[tag] = {nodes[tag].tag_width, nodes[tag].tag_height};
  }
  std::vector<layout::Box> frames;
  for (const fusion::GroupId group : content.groups) {
    const auto cluster = drawing.cluster_of_group.find(group);
    frames.push_back(cluster == drawing.cluster_of_group.end()
                         ? layout::Box{}
                         : part.clusters[static_cast<std::size_t>(cluster->second)]);
  }
  part.clusters = std::move(frames);
  return layout::in_columns(std::move(part), columns);
}

Result<PlacedGraph> place_alone(GraphContent content, QSizeF page,
                                const Cancellation& cancellation) {
  content.sizes = box_sizes(content.canvas);
  const layout::LayoutGraph wanted = layout_graph(content.canvas, content.sizes, !page.isEmpty());
  layout::Layout layout = TRY(layout::lay_out(wanted, cancellation));
  if (!page.isEmpty()) {
    const layout::Columns columns =
        layout::choose_columns(layout, wanted.nodes, page.width(), page.height());
    layout = layout::in_columns(std::move(layout), columns);
  }
  return PlacedGraph{std::move(content), std::move(layout)};
}

}  // namespace loopglass::views

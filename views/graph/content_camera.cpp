#include "views/graph/content_camera.h"

#include "views/canvas/graph_canvas.h"

#include <cmath>
#include <limits>

namespace loopglass::views {
namespace {

std::optional<std::uint32_t> box_of(const Camera& camera, const GraphContent& content,
                                    const graph::Graph& graph) {
  if (camera.is_tensor) {
    const graph::Value* tensor = graph.find_value(camera.box);
    const auto pill = tensor ? content.pills.find(tensor->id) : content.pills.end();
    return pill != content.pills.end() ? std::optional(pill->second) : std::nullopt;
  }
  const graph::Node* node = graph.find_node(camera.box);
  const auto known = node ? content.box_of_node.find(node->id) : content.box_of_node.end();
  return known != content.box_of_node.end() ? std::optional(known->second) : std::nullopt;
}

}  // namespace

std::optional<Camera> camera_of(const GraphCanvas& canvas, const GraphContent& content,
                                const graph::Graph& graph) {
  const QPointF middle = canvas.middle();
  std::optional<Camera> best;
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t box = 0; box < content.entities.size(); ++box) {
    const QPointF offset = middle - canvas.place_of_node(box);
    const double distance = std::hypot(offset.x(), offset.y());
    if (distance >= least) continue;
    const auto* node = std::get_if<graph::NodeId>(&content.entities[box]);
    const auto* value = std::get_if<graph::ValueId>(&content.entities[box]);
    const auto* part = std::get_if<FoldedPart>(&content.entities[box]);
    const graph::Node* found = node   ? graph.find(*node)
                               : part ? graph.find(nodes_of(content, *part).front())
                                      : nullptr;
    const graph::Value* tensor = value ? graph.find(*value) : nullptr;
    if (!found && !tensor) continue;  // a ghost
    least = distance;
    best = Camera{found ? found->name : tensor->name, !found, offset.x(), offset.y(),
                  canvas.zoom_now()};
  }
  return best;
}

bool look_at(GraphCanvas& canvas, const GraphContent& content, const graph::Graph& graph,
             const Camera& camera) {
  const auto box = box_of(camera, content, graph);
  if (!box) return false;
  canvas.look_at(canvas.place_of_node(*box) + QPointF(camera.right, camera.down), camera.zoom);
  return true;
}

}  // namespace loopglass::views

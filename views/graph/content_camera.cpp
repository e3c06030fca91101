#include "views/graph/content_camera.h"

#include "views/canvas/named_camera.h"

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
  const auto name_of = [&](std::uint32_t box) -> std::optional<BoxName> {
    const auto* node = std::get_if<graph::NodeId>(&content.entities[box]);
    const auto* value = std::get_if<graph::ValueId>(&content.entities[box]);
    const auto* part = std::get_if<FoldedPart>(&content.entities[box]);
    const graph::Node* found = node   ? graph.find(*node)
                               : part ? graph.find(nodes_of(content, *part).front())
                                      : nullptr;
    if (found) return BoxName{found->name};
    if (const graph::Value* tensor = value ? graph.find(*value) : nullptr)
      return BoxName{tensor->name, true};
    return {};  // a ghost
  };
  return camera_of(canvas, content.entities.size(), name_of);
}

bool look_at(GraphCanvas& canvas, const GraphContent& content, const graph::Graph& graph,
             const Camera& camera) {
  const auto box = box_of(camera, content, graph);
  if (box) look_at(canvas, *box, camera);
  return box.has_value();
}

}  // namespace loopglass::views

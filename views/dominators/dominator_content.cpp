#include "views/dominators/dominator_content.h"

#include "views/text.h"
#include "views/theme.h"

#include <QObject>

namespace loopglass::views {

DominatorContent make_dominator_content(const graph::Graph& graph,
                                        const graph::DominatorTree& tree) {
  DominatorContent content;
  const auto add_box = [&](graph::NodeId id, CanvasNode box) {
    content.box_of_node[id] = static_cast<std::uint32_t>(content.nodes.size());
    content.nodes.push_back(id);
    content.edge_into.push_back(-1);
    content.canvas.nodes.push_back(std::move(box));
  };
  const bool forward = tree.direction() == graph::Direction::Dominators;
  CanvasNode root;
  root.key = graph::NodeId::none;
  root.title = forward ? QObject::tr("all inputs") : QObject::tr("all outputs");
  root.fill = theme().muted;
  root.text = theme().surface;
  root.pill = true;
  root.tooltip = forward ? QObject::tr("A virtual node before everything that reads an input")
                         : QObject::tr("A virtual node after everything that makes an output");
  add_box({}, std::move(root));
  for (const graph::NodePtr& node : graph.nodes()) {
    CanvasNode box;
    box.key = node->id.value;
    box.title = text(operator_name(*node));
    box.subtitle = text(node->name);
    box.fill = theme().family(node->op->family);
    box.text = theme().family_text(node->op->family);
    box.tooltip = QObject::tr("<b>%1</b> %2<br>depth %3, %4 below it")
                      .arg(box.title.toHtmlEscaped(), box.subtitle.toHtmlEscaped())
                      .arg(tree.depth(node->id))
                      .arg(tree.children(node->id).size());
    add_box(node->id, std::move(box));
  }
  for (std::uint32_t box = 1; box < content.nodes.size(); ++box) {
    content.edge_into[box] = static_cast<int>(content.canvas.edges.size());
    content.canvas.edges.push_back(
        {content.box_of_node.at(tree.parent(content.nodes[box])), box, {}, 0, {}});
  }
  return content;
}

}  // namespace loopglass::views

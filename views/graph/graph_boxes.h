// The boxes of a graph's nodes: what is written on them, in which colours, and how large that makes
// them. Nodes are immutable and shared between the steps of a history, so a box is made once.
#pragma once

#include "core/fusion/plan.h"
#include "views/canvas/content.h"

#include <QSizeF>

#include <unordered_map>

namespace loopglass::views {

struct NodeBox {
  graph::NodePtr node;  // keeps the address that the box is known by
  CanvasNode canvas;
  QStringList labels;  // of the edges that leave it, one per output
  QSizeF size;         // of its own text
  double label_width = 0;
};

struct GroupBox {
  CanvasCluster canvas;
  double title_width = 0;
};

class BoxCache {
 public:
  const NodeBox& of(const graph::Graph& graph, const graph::NodePtr& node);
  // Called by its layer in the graph that was fused; null: by the kernel's own name.
  const GroupBox& of(const fusion::Group& group, const graph::Graph* fused);
  QSizeF size_of(const CanvasNode& pill) const;
  void clear();         // colours or fonts have changed
  void clear_groups();  // there is another plan

 private:
  std::unordered_map<const graph::Node*, NodeBox> boxes_;
  std::unordered_map<fusion::GroupId, GroupBox> groups_;
};

// Names of the node across the steps of a history.
std::uint64_t node_key(graph::NodeId id);
std::uint64_t pill_key(graph::ValueId id, bool input);
std::uint64_t part_key(std::uint64_t part);

CanvasNode make_pill(const graph::Value& value, bool input);
QString node_tooltip(const graph::Graph& graph, const graph::Node& node);
QString value_tooltip(const graph::Value& value);
// The element type is said only where it is not the usual one.
QString short_type(const TensorType& type);
// No more of a name than one reads: of a path as many of its last parts as there is room for.
inline constexpr qsizetype longest_name = 26;
QString short_name(const std::string& name);

}  // namespace loopglass::views

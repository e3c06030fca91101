#include "views/graph/graph_content.h"

#include "core/graph/diff.h"
#include "views/canvas/items.h"
#include "views/theme.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::views {
namespace {

class Maker {
 public:
  Maker(const graph::Graph& graph, const graph::Graph* base, const GroupsOfGraph& groups,
        const std::vector<MarkRule>& marks, BoxCache& boxes)
      : graph_(graph), base_(base), groups_(groups), marks_(marks), boxes_(boxes) {}

  GraphContent make(bool ghosts) {
    find_clusters();
    content_.canvas.nodes.reserve(graph_.nodes().size() + graph_.inputs().size() +
                                  graph_.outputs().size());
    content_.box_of_node.reserve(graph_.nodes().size());
    for (const graph::ValueId id : graph_.inputs()) add_pill(id, true);
    for (const graph::NodePtr& node : graph_.nodes()) add_node(node);
    for (const graph::ValueId id : graph_.outputs()) add_pill(id, false);
    for (const graph::NodePtr& node : graph_.nodes()) add_edges_into(graph_, *node, false);
    if (base_) compare(ghosts);
    return std::move(content_);
  }

 private:
  // Groups of one operator are not worth a frame.
  void find_clusters() {
    if (!groups_.plan) return;
    std::map<fusion::GroupId, int> members;
    for (const graph::NodePtr& node : graph_.nodes())
      if (const fusion::GroupId group = groups_.group_of(*node); group.valid()) ++members[group];
    for (const auto& [id, count] : members) {
      const fusion::Group& group = groups_.plan->group(id);
      if (count < 2 || group.nodes.size() < 2) continue;
      cluster_of_[id] = static_cast<int>(content_.groups.size());
      content_.groups.push_back(id);
      const GroupBox& box = boxes_.of(group);
      content_.canvas.clusters.push_back(box.canvas);
      title_widths_.push_back(box.title_width);
    }
  }

  std::uint32_t add_box(CanvasNode box, QSizeF size,
                        std::variant<graph::NodeId, graph::ValueId> entity) {
    const auto place = static_cast<std::uint32_t>(content_.entities.size());
    content_.canvas.nodes.push_back(std::move(box));
    content_.sizes.push_back(size);
    content_.entities.push_back(entity);
    return place;
  }

  void add_node(const graph::NodePtr& node) {
    const NodeBox& known = boxes_.of(graph_, node);
    CanvasNode box = known.canvas;
    QSizeF size = known.size;
    if (base_) mark_change(*node, box);
    // The first rule that says something about it.
    for (std::size_t rule = 0; rule < marks_.size() && box.mark == 0; ++rule)
      if (graph::matches(marks_[rule].filter, graph_, *node)) box.mark = static_cast<int>(rule) + 1;
    if (!cluster_of_.empty()) {
      const auto cluster = cluster_of_.find(groups_.group_of(*node));
      if (cluster != cluster_of_.end()) {
        box.cluster = cluster->second;
        size = BoxMeasure::in_cluster(size, title_widths_[static_cast<std::size_t>(box.cluster)],
                                      known.label_width, graph_spacing(true).cluster_padding);
      }
    }
    const bool touched = !box.badge.isEmpty();
    const std::uint32_t place = add_box(std::move(box), size, node->id);
    content_.box_of_node[node->id] = place;
    if (touched) content_.touched.push_back(place);
  }

  void mark_change(const graph::Node& node, CanvasNode& box) {
    const graph::Node* old = base_->find(node.id);
    if (old == &node) return;
    // The middle of a pass is made anew each time, and with it nodes that are as they were.
    if (old && graph::differences(*base_, *old, graph_, node).empty()) return;
    box.badge = old ? "~" : "+";
    box.badge_color = old ? theme().warning : theme().good;
    ++(old ? content_.changed : content_.created);
  }

  void add_pill(graph::ValueId id, bool input) {
    CanvasNode pill = make_pill(graph_.value(id), input);
    const QSizeF size = boxes_.size_of(pill);
    const std::uint32_t place = add_box(std::move(pill), size, id);
    content_.pills.emplace(id, place);
    if (input)
      input_pill_[id] = place;
    else if (const auto producer = source_of(graph_.value(id)))
      add_edge(*producer, place, graph_.value(id), false);
  }

  // The box a value comes from; none for constants.
  std::optional<std::uint32_t> source_of(const graph::Value& value) const {
    if (value.producer.valid()) {
      const auto box = content_.box_of_node.find(value.producer);
      return box == content_.box_of_node.end() ? std::nullopt : std::optional(box->second);
    }
    const auto pill = input_pill_.find(value.id);
    return pill == input_pill_.end() ? std::nullopt : std::optional(pill->second);
  }

  void add_edges_into(const graph::Graph& graph, const graph::Node& node, bool ghost) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const graph::ValueId id = node.inputs[i];
      const graph::Value* value = graph.find(id);
      const auto first = std::find(node.inputs.begin(), node.inputs.end(), id);
      if (!value || first != node.inputs.begin() + static_cast<std::ptrdiff_t>(i))
        continue;  // x * x reads one tensor
      if (const auto source = source_of(*value))
        add_edge(*source, content_.box_of_node.at(node.id), *value, ghost);
    }
  }

  void add_edge(std::uint32_t from, std::uint32_t to, const graph::Value& value, bool ghost) {
    CanvasEdge edge{from, to, {}, 0, {}, value.id.value, ghost};
    if (!ghost && !content_.edges_of_value.contains(value.id)) {
      edge.label = label_of(from, value);
      edge.label_row = label_rows_[from]++;
    }
    content_.edges_of_value.emplace(value.id,
                                    static_cast<std::uint32_t>(content_.edge_values.size()));
    content_.edge_values.push_back(value.id);
    content_.canvas.edges.push_back(std::move(edge));
  }

  QString label_of(std::uint32_t from, const graph::Value& value) {
    if (!std::holds_alternative<graph::NodeId>(content_.entities[from]))
      return short_type(value.type);
    const NodeBox& box = boxes_.of(graph_, graph_.share(value.producer));
    const auto& outputs = box.node->outputs;
    const auto output = std::find(outputs.begin(), outputs.end(), value.id) - outputs.begin();
    return box.labels[output];
  }

  void compare(bool ghosts) {
    std::vector<graph::NodePtr> gone;
    for (const graph::NodePtr& node : base_->nodes())
      if (!graph_.find(node->id)) gone.push_back(node);
    content_.removed = gone.size();
    if (content_.touched.empty() && !ghosts)
      for (const graph::NodePtr& node : gone) add_survivors_around(*node);
    if (!ghosts) return;
    for (const graph::NodePtr& node : gone) {
      const NodeBox& known = boxes_.of(*base_, node);
      CanvasNode box = known.canvas;
      box.ghost = true;
      box.badge = "−";
      box.badge_color = theme().error;
      const std::uint32_t place = add_box(std::move(box), known.size, node->id);
      content_.box_of_node[node->id] = place;
      content_.touched.push_back(place);
    }
    for (const graph::NodePtr& node : gone) {
      add_edges_into(*base_, *node, true);
      for (const graph::ValueId id : node->outputs)
        for (const auto& use : base_->uses(id))
          if (graph_.find(use.node))
            add_edge(content_.box_of_node.at(node->id), content_.box_of_node.at(use.node),
                     base_->value(id), true);
    }
  }

  void add_survivors_around(const graph::Node& gone) {
    const auto add = [&](graph::NodeId neighbour) {
      const auto box = content_.box_of_node.find(neighbour);
      if (box != content_.box_of_node.end()) content_.touched.push_back(box->second);
    };
    for (const graph::ValueId input : gone.inputs)
      if (const graph::Value* value = base_->find(input)) add(value->producer);
    for (const graph::ValueId output : gone.outputs)
      for (const auto& use : base_->uses(output)) add(use.node);
  }

  const graph::Graph& graph_;
  const graph::Graph* base_;
  const GroupsOfGraph& groups_;
  const std::vector<MarkRule>& marks_;
  BoxCache& boxes_;
  GraphContent content_;
  std::map<fusion::GroupId, int> cluster_of_;
  std::vector<double> title_widths_;
  std::unordered_map<graph::ValueId, std::uint32_t> input_pill_;
  std::unordered_map<std::uint32_t, int> label_rows_;  // by box: labels below it so far
};

}  // namespace

GraphSpacing graph_spacing(bool clusters) {
  constexpr double padding = 17;
  return {clusters ? 2 * padding + 12 : 28, 46, padding};  // so that frames stand apart
}

GraphContent make_graph_content(const graph::Graph& graph, const graph::Graph* base, bool ghosts,
                                const GroupsOfGraph& groups, const std::vector<MarkRule>& marks,
                                BoxCache& boxes) {
  return Maker(graph, base, groups, marks, boxes).make(ghosts);
}

}  // namespace loopglass::views

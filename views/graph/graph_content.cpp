#include "views/graph/graph_content.h"
#include "views/counted.h"

#include "core/graph/diff.h"
#include "core/support/hash.h"
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"
#include "views/graph/fold_titles.h"
#include "views/theme.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::views {
namespace {

class Maker {
 public:
  Maker(const graph::Graph& graph, const graph::Graph* base, const GroupsOfGraph& groups,
        const std::vector<MarkRule>& marks, BoxCache& boxes, const Folds* folds)
      : graph_(graph), base_(base), groups_(groups), marks_(marks), boxes_(boxes) {
    if (!folds) return;
    content_.folding = folds->folding;
    content_.folded.emplace(*folds->folding, folds->open);
    fold_titles_ = fold_titles(*folds->folding);
    for (std::uint32_t item = 0; item < content_.folding->items.size(); ++item)
      for (const graph::NodeId node : content_.folding->items[item].nodes) item_of_[node] = item;
  }

  GraphContent make(bool ghosts) {
    find_clusters();
    if (base_) find_changes();
    content_.canvas.nodes.reserve(graph_.nodes().size() + graph_.inputs().size() +
                                  graph_.outputs().size());
    content_.box_of_node.reserve(graph_.nodes().size());
    for (const graph::ValueId id : graph_.inputs()) add_pill(id, true);
    if (content_.folded) add_folded();
    else
      for (const graph::NodePtr& node : graph_.nodes()) add_node(node, {node->id});
    for (const graph::ValueId id : graph_.outputs()) add_pill(id, false);
    if (content_.folded) content_.folded_boxes.resize(content_.entities.size());
    for (const graph::NodePtr& node : graph_.nodes()) add_edges_into(graph_, *node, false);
    if (base_) compare(ghosts && !content_.folded);
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
      const GroupBox& box = boxes_.of(group, groups_.fused);
      content_.canvas.clusters.push_back(box.canvas);
      title_widths_.push_back(box.title_width);
    }
  }

  std::uint32_t add_box(CanvasNode box, QSizeF size,
                        std::variant<graph::NodeId, graph::ValueId, FoldedPart> entity) {
    const auto place = static_cast<std::uint32_t>(content_.entities.size());
    content_.canvas.nodes.push_back(std::move(box));
    content_.sizes.push_back(size);
    content_.entities.push_back(entity);
    return place;
  }

  void add_folded() {
    const auto& boxes = content_.folded->boxes();
    std::vector<std::uint32_t> place(boxes.size());
    for (std::uint32_t b = 0; b < boxes.size(); ++b) {
      const graph::FoldItem& item = content_.folding->items[boxes[b].item];
      if (boxes[b].fold < 0 && item.nodes.size() == 1) {
        add_node(graph_.share(item.nodes.front()), nodes_of(content_, {b}));
        place[b] = content_.box_of_node.at(item.nodes.front());
      } else {
        place[b] = add_part({b});
      }
    }
    for (const auto& [node, item] : item_of_)
      content_.box_of_node[node] = place[content_.folded->box_of(item)];
    content_.folded_boxes.resize(content_.entities.size());
    for (std::uint32_t b = 0; b < boxes.size(); ++b) content_.folded_boxes[place[b]] = b;
  }

  std::uint32_t add_part(FoldedPart part) {
    const graph::FoldedBox& folded = content_.folded->boxes()[part.box];
    const std::vector<graph::NodeId> nodes = first_nodes(folded);
    std::map<ops::Family, int> families;
    QStringList operators;
    CanvasNode box;
    for (const graph::NodeId id : nodes) {
      const graph::Node& node = graph_.node(id);
      ++families[node.op->family];
      const QString name = QString::fromStdString(operator_name(node));
      if (operators.isEmpty() || operators.back() != name) operators << name;
      for (std::size_t rule = 0; rule < marks_.size() && box.mark == 0; ++rule)
        if (graph::matches(marks_[rule].filter, graph_, node))
          box.mark = static_cast<int>(rule) + 1;
    }
    const ops::Family family = telling(families);
    box.fill = theme().family(family);
    box.text = theme().family_text(family);
    const std::size_t count = nodes.size() * static_cast<std::size_t>(folded.stands_for);
    if (folded.fold >= 0) {
      const graph::Fold& fold = content_.folding->folds[static_cast<std::size_t>(folded.fold)];
      Hasher key;
      box.key = part_key(key.value(fold.key).value(fold.items.front()).digest());
      box.title = fold_titles_[static_cast<std::size_t>(folded.fold)];
      box.stack = true;
      box.title += times_words(fold.repeats);
      box.subtitle = counted(count, "operator");
      box.search = QString::fromStdString(fold.title);
      // Several runs may be of the same operators.
      const std::string& first = graph_.node(nodes.front()).name;
      if (!first.starts_with(fold.title))
        box.details << QObject::tr("from %1").arg(short_name(first));
    } else {  // a kernel
      const graph::FoldItem& item = content_.folding->items[folded.item];
      box.key = part_key(node_key(item.nodes.front()));
      constexpr qsizetype most = 3;
      box.title = short_name(item.name);
      box.subtitle = operators.mid(0, most).join(" + ") + (operators.size() > most ? " + …" : "");
      box.search = QString::fromStdString(item.name);
    }
    if (folded.stands_for > 1) box.details << QObject::tr("one of %1").arg(folded.stands_for);
    for (const graph::NodeId id : nodes)
      box.search += " " + QString::fromStdString(graph_.node(id).name);
    mark_change(nodes_of(content_, part), box);
    const bool touched = !box.badge.isEmpty();
    const QSizeF size = boxes_.size_of(box);
    const std::uint32_t place = add_box(std::move(box), size, part);
    if (touched) content_.touched.push_back(place);
    return place;
  }

  // What a part is about: not what is done to each element by the way, where there is anything
  // else.
  static ops::Family telling(const std::map<ops::Family, int>& families) {
    const auto weight = [](const auto& entry) {
      const bool by_the_way = entry.first == ops::Family::Elementwise ||
                              entry.first == ops::Family::Activation ||
                              entry.first == ops::Family::Movement;
      return std::pair(!by_the_way, entry.second);
    };
    return std::max_element(families.begin(), families.end(),
                            [&](auto& a, auto& b) { return weight(a) < weight(b); })
        ->first;
  }

  // Of a closed fold all, of an item its own.
  std::vector<graph::NodeId> first_nodes(const graph::FoldedBox& folded) const {
    if (folded.fold < 0) return content_.folding->items[folded.item].nodes;
    std::vector<graph::NodeId> nodes;
    for (const std::uint32_t item :
         content_.folding->folds[static_cast<std::size_t>(folded.fold)].items)
      for (const graph::NodeId node : content_.folding->items[item].nodes) nodes.push_back(node);
    return nodes;
  }

  // `stands_for`: itself, and those of the other blocks where one is shown for all.
  void add_node(const graph::NodePtr& node, const std::vector<graph::NodeId>& stands_for) {
    const NodeBox& known = boxes_.of(graph_, node);
    CanvasNode box = known.canvas;
    QSizeF size = known.size;
    if (stands_for.size() > 1) {
      box.details << QObject::tr("one of %1").arg(stands_for.size());
      size = boxes_.size_of(box);
    }
    mark_change(stands_for, box);
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

  // Of every operator, whether it has a box or another stands for it.
  void find_changes() {
    for (const graph::NodePtr& node : graph_.nodes()) {
      const graph::Node* old = base_->find(node->id);
      if (old == node.get()) continue;
      // The middle of a pass is made anew each time, and with it nodes that are as they were.
      if (old && graph::differences(*base_, *old, graph_, *node).empty()) continue;
      ++(old ? content_.changed : content_.created);
      is_new_.emplace(node->id, !old);
    }
  }

  // What is new as a whole is new; all else in which anything is has changed.
  void mark_change(const std::vector<graph::NodeId>& nodes, CanvasNode& box) const {
    const auto is_known = [this](graph::NodeId id) { return is_new_.contains(id); };
    if (std::ranges::none_of(nodes, is_known)) return;
    const bool is_new = std::ranges::all_of(
        nodes, [&](graph::NodeId id) { return is_known(id) && is_new_.at(id); });
    box.badge = is_new ? "+" : "~";
    box.badge_color = is_new ? theme().good : theme().warning;
  }

  void add_pill(graph::ValueId id, bool input) {
    CanvasNode pill = make_pill(graph_.value(id), input);
    const QSizeF size = boxes_.size_of(pill);
    const std::uint32_t place = add_box(std::move(pill), size, id);
    content_.pills.emplace(id, place);
    if (input) input_pill_[id] = place;
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
      if (const auto source = source_of(*value); source && !is_inside(*value, node))
        add_edge(*source, content_.box_of_node.at(node.id), *value, ghost, node.id);
    }
  }

  // Whether an edge is in one box, or goes from one turn of a run to the next.
  bool is_inside(const graph::Value& value, const graph::Node& consumer) const {
    if (!content_.folded || !value.producer.valid()) return false;
    const std::uint32_t from = item_of_.at(value.producer), to = item_of_.at(consumer.id);
    return content_.folded->is_carried(from, to) ||
           content_.folded->box_of(from) == content_.folded->box_of(to);
  }

  void add_edge(std::uint32_t from, std::uint32_t to, const graph::Value& value, bool ghost,
                graph::NodeId consumer = {}) {
    if (content_.folded) {
      const auto [known, is_new] = edge_between_.try_emplace(
          {from, to}, static_cast<std::uint32_t>(content_.edge_values.size()));
      if (!is_new) return add_to_edge(known->second, value, consumer);
      content_.edge_reads.push_back({{value.id, consumer}});
    }
    content_.edge_consumers.push_back(consumer);
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

  int stands_for(std::uint32_t box) const {
    const auto& folded = content_.folded_boxes;
    return box < folded.size() && folded[box] ? content_.folded->boxes()[*folded[box]].stands_for
                                              : 1;
  }

  // What goes from a part to a part is one edge; in a block that is shown for all it is the
  // first's.
  void add_to_edge(std::uint32_t edge, const graph::Value& value, graph::NodeId consumer) {
    CanvasEdge& drawn = content_.canvas.edges[edge];
    content_.edge_reads[edge].emplace_back(value.id, consumer);
    const bool for_all = stands_for(drawn.from) > 1 && stands_for(drawn.to) > 1;
    if (!for_all) content_.edge_consumers[edge] = {};
    const auto [first, last] = content_.edges_of_value.equal_range(value.id);
    if (std::any_of(first, last, [&](const auto& entry) { return entry.second == edge; })) return;
    content_.edges_of_value.emplace(value.id, edge);
    if (for_all) return;
    if (drawn.label.isEmpty()) drawn.label_row = label_rows_[drawn.from]++;
    drawn.label = QObject::tr("%1 tensors").arg(++tensors_[edge] + 1);
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
  std::unordered_map<graph::NodeId, std::uint32_t> item_of_;
  std::unordered_map<graph::NodeId, bool> is_new_;  // of what is not as it is in the base
  // Of a folded graph.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> edge_between_;
  std::unordered_map<std::uint32_t, int> tensors_;  // by edge: more than one
  std::vector<QString> fold_titles_;
};

}  // namespace

GraphContent make_graph_content(const graph::Graph& graph, const graph::Graph* base, bool ghosts,
                                const GroupsOfGraph& groups, const std::vector<MarkRule>& marks,
                                BoxCache& boxes, const Folds* folds) {
  return Maker(graph, base, groups, marks, boxes, folds).make(ghosts);
}

std::vector<graph::NodeId> nodes_of(const GraphContent& content, FoldedPart part) {
  return nodes_of(*content.folding, *content.folded, part.box);
}

std::vector<graph::NodeId> nodes_of(const graph::Folding& folding, const graph::FoldedGraph& folded,
                                    std::uint32_t box) {
  std::vector<graph::NodeId> nodes;
  for (const std::uint32_t item : folded.items_of(box))
    for (const graph::NodeId node : folding.items[item].nodes) nodes.push_back(node);
  return nodes;
}

}  // namespace loopglass::views

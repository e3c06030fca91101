#include "views/graph/graph_content.h"

#include "views/theme.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::views {
namespace {

constexpr int most_constants = 4;

QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

// The element type is said only where it is not the usual one.
QString short_type(const TensorType& type) {
  const QString shape = text(to_string(type.shape));
  return type.type == DataType::Float32 ? shape : text(name(type.type)) + " " + shape;
}

// A name of the operand that the node's `input`-th input is.
QString operand_name(const ops::OpDef& op, std::size_t input) {
  if (op.inputs.empty()) return {};
  return text(op.inputs[std::min(input, op.inputs.size() - 1)].name);
}

QStringList constants_of(const graph::Graph& graph, const graph::Node& node) {
  QStringList lines;
  int left_out = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const graph::Value* value = graph.find(node.inputs[i]);
    if (!value || !value->is_constant()) continue;
    if (lines.size() == most_constants) {
      ++left_out;
      continue;
    }
    const bool single = value->constant.elements() == 1;
    lines << operand_name(*node.op, i) +
                 (single ? " = " + QString::number(value->constant.double_at(0), 'g', 4)
                         : " " + short_type(value->type));
  }
  if (left_out) lines << QObject::tr("and %1 more").arg(left_out);
  return lines;
}

QString node_tooltip(const graph::Graph& graph, const graph::Node& node) {
  QString tip = QString("<b>%1</b> %2<br>%3<table>")
                    .arg(text(node.op->name), text(node.name).toHtmlEscaped(),
                         text(node.op->doc).toHtmlEscaped());
  const auto row = [&](const QString& role, const graph::Value& value) {
    tip += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
               .arg(role, text(value.name).toHtmlEscaped(), text(to_string(value.type)));
  };
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const graph::Value* value = graph.find(node.inputs[i]))
      row((value->is_constant() ? QObject::tr("constant %1") : QObject::tr("input %1"))
              .arg(operand_name(*node.op, i)),
          *value);
  for (const graph::ValueId id : node.outputs)
    if (const graph::Value* value = graph.find(id)) row(QObject::tr("output"), *value);
  return tip + "</table>";
}

class Maker {
 public:
  Maker(const graph::Graph& graph, const graph::Graph* before, const GroupsOfGraph& groups)
      : graph_(graph), before_(before), groups_(groups) {}

  GraphContent make() {
    find_clusters();
    for (const graph::ValueId id : graph_.inputs()) add_pill(id, true);
    for (const graph::NodePtr& node : graph_.nodes()) add_node(*node);
    for (const graph::ValueId id : graph_.outputs()) add_pill(id, false);
    for (const graph::NodePtr& node : graph_.nodes()) add_edges_into(*node);
    if (before_)
      for (const graph::NodePtr& node : before_->nodes())
        content_.removed += graph_.find(node->id) == nullptr;
    return std::move(content_);
  }

 private:
  // Groups of one operator are not worth a frame.
  void find_clusters() {
    if (!groups_.plan) return;
    std::map<fusion::GroupId, int> members;
    for (const graph::NodePtr& node : graph_.nodes())
      if (const fusion::GroupId group = groups_.group_of(node->id); group.valid()) ++members[group];
    for (const auto& [id, count] : members) {
      if (count < 2) continue;
      const fusion::Group& group = groups_.plan->group(id);
      cluster_of_[id] = static_cast<int>(content_.groups.size());
      content_.groups.push_back(id);
      content_.canvas.clusters.push_back(
          {text(group.name), theme().group(id.value),
           QObject::tr("<b>%1</b><br>%2 operators fused into one kernel")
               .arg(text(group.name).toHtmlEscaped())
               .arg(group.nodes.size())});
    }
  }

  void add_node(const graph::Node& node) {
    CanvasNode box;
    box.key = node.id.value;
    box.title = text(node.op->name);
    box.subtitle = short_name(node.name);
    box.details = constants_of(graph_, node);
    box.fill = theme().family(node.op->family);
    box.text = theme().family_text(node.op->family);
    box.tooltip = node_tooltip(graph_, node);
    box.search = text(node.name);
    mark_change(node, box);
    if (!cluster_of_.empty()) {
      const auto cluster = cluster_of_.find(groups_.group_of(node.id));
      if (cluster != cluster_of_.end()) box.cluster = cluster->second;
    }
    content_.box_of_node[node.id] = static_cast<std::uint32_t>(content_.entities.size());
    content_.entities.emplace_back(node.id);
    content_.canvas.nodes.push_back(std::move(box));
  }

  void mark_change(const graph::Node& node, CanvasNode& box) {
    if (!before_) return;
    const graph::Node* old = before_->find(node.id);
    if (old == &node) return;
    box.badge = old ? "~" : "+";
    box.badge_color = old ? theme().warning : theme().good;
    box.tooltip += old ? QObject::tr("<p>~ changed by this step</p>")
                       : QObject::tr("<p>+ created by this step</p>");
    ++(old ? content_.changed : content_.created);
  }

  void add_pill(graph::ValueId id, bool input) {
    const graph::Value& value = graph_.value(id);
    CanvasNode pill;
    pill.key = (std::uint64_t{input ? 1u : 2u} << 40) | id.value;
    pill.title = short_name(value.name);
    pill.fill = theme().muted;
    pill.text = theme().surface;
    pill.pill = true;
    pill.tooltip = QString("<b>%1</b> %2<br>%3")
                       .arg(input ? QObject::tr("Input") : QObject::tr("Output"),
                            text(value.name).toHtmlEscaped(), text(to_string(value.type)));
    pill.search = text(value.name) + (input ? " input" : " output");
    const auto place = static_cast<std::uint32_t>(content_.entities.size());
    content_.pills.emplace(id, place);
    content_.entities.emplace_back(id);
    content_.canvas.nodes.push_back(std::move(pill));
    if (input)
      input_pill_[id] = place;
    else if (const auto producer = source_of(id))
      add_edge(*producer, place, id);
  }

  std::optional<std::uint32_t> source_of(graph::ValueId id) const {
    const graph::Value& value = graph_.value(id);
    if (value.producer.valid()) return content_.box_of_node.at(value.producer);
    const auto pill = input_pill_.find(id);
    return pill == input_pill_.end() ? std::nullopt : std::optional(pill->second);
  }

  void add_edges_into(const graph::Node& node) {
    std::set<graph::ValueId> seen;  // x * x reads one tensor
    for (const graph::ValueId id : node.inputs) {
      if (!graph_.find(id) || !seen.insert(id).second) continue;
      if (const auto source = source_of(id))
        add_edge(*source, content_.box_of_node.at(node.id), id);
    }
  }

  void add_edge(std::uint32_t from, std::uint32_t to, graph::ValueId id) {
    const graph::Value& value = graph_.value(id);
    CanvasEdge edge{
        from, to, {}, 0, text(value.name).toHtmlEscaped() + "<br>" + text(to_string(value.type))};
    if (!content_.edges_of_value.contains(id)) {
      edge.label = short_type(value.type);
      edge.label_row = label_rows_[from]++;
    }
    content_.edges_of_value.emplace(id, static_cast<std::uint32_t>(content_.edge_values.size()));
    content_.edge_values.push_back(id);
    content_.canvas.edges.push_back(std::move(edge));
  }

  const graph::Graph& graph_;
  const graph::Graph* before_;
  const GroupsOfGraph& groups_;
  GraphContent content_;
  std::map<fusion::GroupId, int> cluster_of_;
  std::unordered_map<graph::ValueId, std::uint32_t> input_pill_;
  std::map<std::uint32_t, int> label_rows_;  // by box: labels below it so far
};

}  // namespace

GraphContent make_graph_content(const graph::Graph& graph, const graph::Graph* before,
                                const GroupsOfGraph& groups) {
  return Maker(graph, before, groups).make();
}

QString short_name(const std::string& name) {
  constexpr qsizetype longest = 26;
  QString last = text(name);
  while (last.endsWith('/')) last.chop(1);
  last = last.mid(last.lastIndexOf('/') + 1);
  if (last.size() <= longest) return last;
  return last.left(longest / 2 - 1) + "…" + last.right(longest / 2);
}

}  // namespace loopglass::views

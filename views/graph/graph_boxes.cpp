#include "views/graph/graph_boxes.h"

#include "core/fusion/layer_words.h"
#include "core/ops/opaque.h"
#include "views/canvas/items.h"
#include "views/text.h"
#include "views/theme.h"

#include <QRegularExpression>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int most_constants = 4;

// A name of the operand that the node's `input`-th input is: of several that the operator has one
// name for, the tensor's.
QString operand_name(const ops::OpDef& op, std::size_t input, const graph::Value& value) {
  if (op.inputs.empty()) return {};
  const ops::Operand& operand = op.inputs[std::min(input, op.inputs.size() - 1)];
  return operand.arity == ops::Arity::Variadic ? short_name(value.name) : text(operand.name);
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
    lines << operand_name(*node.op, i, *value) +
                 (single ? " = " + QString::number(value->constant.double_at(0), 'g', 4)
                         : " " + short_type(value->type));
  }
  if (left_out) lines << QObject::tr("and %1 more").arg(left_out);
  return lines;
}

}  // namespace

QString short_type(const TensorType& type) {
  if (!type.is_known()) return text(type.declared);
  const QString shape = text(to_string(type.shape));
  return type.type == DataType::Float32 ? shape : text(name(type.type)) + " " + shape;
}

QString node_tooltip(const graph::Graph& graph, const graph::Node& node) {
  QString tip = QString("<b>%1</b> %2<br>%3<table>")
                    .arg(text(operator_name(node)).toHtmlEscaped(), text(node.name).toHtmlEscaped(),
                         (is_opaque(node) ? text(ops::opaque_reason(node.attributes).what)
                                          : text(node.op->doc))
                             .toHtmlEscaped());
  const auto row = [&](const QString& role, const graph::Value& value) {
    tip += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
               .arg(role, text(value.name).toHtmlEscaped(), text(to_string(value.type)));
  };
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const graph::Value* value = graph.find(node.inputs[i]))
      row((value->is_constant() ? QObject::tr("constant %1") : QObject::tr("input %1"))
              .arg(operand_name(*node.op, i, *value)),
          *value);
  for (const graph::ValueId id : node.outputs)
    if (const graph::Value* value = graph.find(id)) row(QObject::tr("output"), *value);
  return tip + "</table>";
}

QString value_tooltip(const graph::Value& value) {
  return text(value.name).toHtmlEscaped() + "<br>" + text(to_string(value.type));
}

QString short_name(const std::string& name) {
  QString whole = text(name);
  while (whole.endsWith('/')) whole.chop(1);
  if (whole.startsWith('/')) whole.remove(0, 1);
  if (whole.size() <= longest_name) return whole;
  // From the first separator behind which there is little enough.
  static const QRegularExpression separator("[/.]");
  const qsizetype part = whole.indexOf(separator, whole.size() - longest_name + 1);
  if (part > 0 && part + 1 < whole.size()) return "…" + whole.mid(part);
  const QString last = whole.mid(whole.lastIndexOf(separator) + 1);
  if (last.size() <= longest_name) return last;
  return last.left(longest_name / 2 - 1) + "…" + last.right(longest_name / 2);
}

std::uint64_t node_key(graph::NodeId id) { return id.value; }
std::uint64_t pill_key(graph::ValueId id, bool input) {
  return (std::uint64_t{input ? 1u : 2u} << 40) | id.value;
}
// Apart from those of nodes and pills.
std::uint64_t part_key(std::uint64_t part) { return part | (std::uint64_t{1} << 63); }

CanvasNode make_pill(const graph::Value& value, bool input) {
  CanvasNode pill;
  pill.key = pill_key(value.id, input);
  pill.title = short_name(value.name);
  pill.fill = theme().muted;
  pill.text = theme().surface;
  pill.pill = true;
  pill.search = text(value.name) + (input ? " input" : " output");
  return pill;
}

const NodeBox& BoxCache::of(const graph::Graph& graph, const graph::NodePtr& node) {
  const auto [entry, is_new] = boxes_.try_emplace(node.get());
  NodeBox& box = entry->second;
  if (!is_new) return box;
  box.node = node;
  box.canvas.key = node_key(node->id);
  box.canvas.title = text(operator_name(*node));
  box.canvas.hatched = is_opaque(*node);
  box.canvas.subtitle = short_name(node->name);
  box.canvas.details = constants_of(graph, *node);
  box.canvas.fill = theme().family(node->op->family);
  box.canvas.text = theme().family_text(node->op->family);
  box.canvas.search = text(node->name);
  const BoxMeasure measure;
  for (const graph::ValueId id : node->outputs) {
    const graph::Value* value = graph.find(id);
    box.labels << (value ? short_type(value->type) : QString());
    box.label_width = std::max(box.label_width, measure.label(box.labels.back()));
  }
  box.size = measure.box(box.canvas);
  return box;
}

const GroupBox& BoxCache::of(const fusion::Group& group, const graph::Graph* fused) {
  constexpr std::size_t most = 3;  // operators that a frame has room to name
  const auto [entry, is_new] = groups_.try_emplace(group.id);
  if (!is_new) return entry->second;
  const bool has_layer = fused && std::ranges::all_of(group.nodes, [&](graph::NodeId node) {
                           return fused->find(node) != nullptr;
                         });
  const QString name = text(group.name);
  const QString title = has_layer ? text(fusion::layer_words(group, *fused, most)) : name;
  const QString layer = has_layer ? text(fusion::layer_words(group, *fused)) : name;
  entry->second.canvas = {title, theme().group(group.id.value),
                          QObject::tr("<b>%1</b><br>%2 operators fused into one kernel, %3")
                              .arg(layer.toHtmlEscaped())
                              .arg(group.nodes.size())
                              .arg(name.toHtmlEscaped())};
  entry->second.title_width = BoxMeasure().label(title);
  return entry->second;
}

void BoxCache::clear() {
  boxes_.clear();
  groups_.clear();
}

void BoxCache::clear_groups() { groups_.clear(); }

QSizeF BoxCache::size_of(const CanvasNode& pill) const { return BoxMeasure().box(pill); }

}  // namespace loopglass::views

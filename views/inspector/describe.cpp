#include "views/inspector/describe.h"

#include "core/fusion/layer_words.h"
#include "core/graph/counts.h"
#include "core/ops/opaque.h"
#include "core/ops/registry.h"
#include "core/ops/written_kernel.h"
#include "core/runtime/timing_words.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/document/subgraph_links.h"
#include "views/inspector/describe_history.h"
#include "views/inspector/describe_several.h"
#include "views/inspector/operator_rows.h"
#include "views/inspector/page.h"
#include "views/theme.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {
namespace {

QString value_link(const graph::Value& value) {
  return Page::link(QString("value:%1").arg(value.id.value), value.name);
}
QString group_link(const fusion::Group& group) {
  return Page::link(QString("group:%1").arg(group.id.value), group.name);
}

QString text_of_bytes(std::int64_t bytes) { return QString::fromStdString(readable_bytes(bytes)); }

QString shown_attribute(const ops::AttributeValue& value) {
  constexpr qsizetype longest = 120;
  const QString text = QString::fromStdString(ops::to_string(value));
  return Page::escape(text.size() > longest ? text.left(longest) + "…" : text);
}

// `whose`: "Kernel's ", where the page is of something else.
void timing_rows(Page& page, const Document& document, fusion::GroupId group,
                 const std::string& whose = {}) {
  const runtime::KernelTiming* timing = document.benchmark().timing_of(group);
  if (!timing || timing->missing) return;
  const auto report = document.benchmark().report();
  page.row(whose.empty() ? "Median time" : whose + "median time",
           QString::fromStdString(readable_time(Milliseconds(timing->time.median_ms))) +
               Page::muted(fmt::format(
                   " on {}, {}",
                   counted(static_cast<std::size_t>(report->threads), "thread").toStdString(),
                   runtime::trust_words(timing->time, report->load, report->threads))));
  if (const QString when = document.benchmark().measured_words(); !when.isEmpty())
    page.row("", Page::muted(when.toStdString()));
  page.row(whose.empty() ? "Speed" : whose + "speed",
           QString("%1, %2 GB/s")
               .arg(QString::fromStdString(readable_speed(timing->gflops)))
               .arg(timing->gigabytes_per_second, 0, 'f', 1));
  const fusion::PlanSummary* summary = document.fusion().summary();
  if (!summary || !document.cost_model()->is_calibrated()) return;
  const auto& groups = document.fusion().plan()->groups;
  const auto at = std::ranges::find(groups, group, &fusion::Group::id) - groups.begin();
  if (static_cast<std::size_t>(at) < summary->costs.size())
    page.row(whose.empty() ? "Estimated time" : whose + "estimated time",
             QString::fromStdString(
                 readable_time(Microseconds(summary->costs[static_cast<std::size_t>(at)].total))) +
                 Page::muted(" on one thread"));
}

// --- nodes ---

// What ONNX calls the operands of an operator that is known but not as it is used here.
std::vector<std::string> opaque_names(const graph::Node& node, bool inputs, std::size_t count) {
  const ops::OpaqueOperator opaque = ops::opaque_of(node.attributes);
  const auto known = ops::find_onnx(opaque.domain, opaque.name, static_cast<int>(opaque.version));
  std::vector<std::string> names;
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    names.push_back(fmt::format("{} {}", inputs ? "input" : "output", i));
    if (!known) continue;
    const auto bound = std::ranges::find(known->mapping->bound, i, &ops::OnnxMapping::Bound::index);
    const std::vector<ops::Operand>& operands = inputs ? known->op->inputs : known->op->outputs;
    if (inputs && bound != known->mapping->bound.end()) names.back() = bound->attribute;
    else if (!operands.empty()) names.back() = operands[std::min(next++, operands.size() - 1)].name;
  }
  return names;
}

std::vector<std::string> operand_names(const graph::Node& node, bool inputs) {
  const std::size_t count = inputs ? node.inputs.size() : node.outputs.size();
  if (is_opaque(node)) return opaque_names(node, inputs, count);
  const std::vector<ops::Operand>& operands = inputs ? node.op->inputs : node.op->outputs;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(operands[std::min(i, operands.size() - 1)].name);
  return names;
}

void operand_rows(Page& page, const graph::Graph& graph, const graph::Node& node, bool inputs) {
  const std::vector<graph::ValueId>& values = inputs ? node.inputs : node.outputs;
  const std::vector<std::string> names = operand_names(node, inputs);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = names[i];
    const graph::Value* value = values[i].valid() ? graph.find(values[i]) : nullptr;
    if (!value) {
      page.row(name, Page::muted("left out"));
      continue;
    }
    QString text = value_link(*value) + "<br>" + Page::code(to_string(value->type));
    if (value->is_constant()) text += Page::muted(" constant");
    page.row(name, text);
  }
}

void origin_section(Page& page, const Document& document, const Origin& origin) {
  const auto model = document.model();
  if (!model) return;
  page.heading("Comes from ONNX");
  page.open_list();
  for (const std::uint32_t source : origin.sources)
    if (source < model->onnx_nodes.size()) page.item(Page::escape(model->onnx_nodes[source]));
  if (origin.sources.empty()) page.item(Page::muted("no mapping: made by a pass"));
  page.close_list();
}

void decision_section(Page& page, const Document& document, graph::NodeId node) {
  const auto plan = document.fusion().plan();
  const auto graph = document.history().last_graph();
  if (!plan || !graph->find(node)) return;
  bool headed = false;
  for (const fusion::Decision& decision : plan->decisions) {
    if (decision.producer != node && decision.consumer != node) continue;
    if (!headed) page.heading("Fusion decisions on its edges");
    headed = true;
    const bool hidden = document.fusion().is_hidden({decision.producer, decision.consumer});
    const bool outgoing = decision.producer == node;
    const graph::Node* other = graph->find(outgoing ? decision.consumer : decision.producer);
    if (!other) continue;
    if (hidden) {
      page.paragraph(QString("%1 %2 %3")
                         .arg(outgoing ? "→" : "←", node_link(*other),
                              Page::muted("? hidden while you guess")));
      continue;
    }
    const QColor color = decision.fused ? theme().good : theme().warning;
    const QString verdict = decision.fused ? "✓ fused" : "✕ not fused";
    page.paragraph(
        QString("%1 %2 %3")
            .arg(outgoing ? "→" : "←", node_link(*other), Page::colored(color, verdict)) +
        " " + Page::code(std::string(name(decision.reason))) + "<br>" +
        Page::escape(decision.sentence) +
        (decision.condition.empty() ? QString() : "<br>" + Page::code(decision.condition)));
  }
}

// What the model says of an operator that is not known, and why it is not.
void describe_opaque(Page& page, const graph::Node& node) {
  const ops::OpaqueOperator opaque = ops::opaque_of(node.attributes);
  page.paragraph(
      Page::colored(theme().warning, "✕ " + Page::escape(code_name(opaque.reason.code))) + " " +
      Page::escape(opaque.reason.what));
  if (const QString links = subgraph_links(node); !links.isEmpty()) page.paragraph(links);
  else if (!opaque.reason.hint.empty()) page.paragraph(Page::muted(opaque.reason.hint));
  page.open_table();
  page.row("Domain", Page::escape(opaque.domain.empty() ? "ai.onnx" : opaque.domain));
  page.row("Operator", Page::escape(opaque.name));
  if (opaque.version > 0) page.row("Operator set", QString::number(opaque.version));
  page.close_table();
  if (!opaque.attributes.empty()) {
    page.heading("Attributes in the model");
    page.open_list();
    for (const std::string& attribute : opaque.attributes) page.item(Page::code(attribute));
    page.close_list();
  }
  if (!opaque.subgraphs.empty())
    page.paragraph(Page::muted("A double click on its box, or Enter, opens the graphs it runs."));
}

// Whether a step after this place makes the node or the value, and not one before it.
bool is_made_later(const Document& document, auto id) {
  const auto& steps = document.history().recorded()->steps;
  const pass::Position& here = document.history().position();
  const std::size_t next = here.step + (here.rewrites == pass::Report::all ? 1 : 0);
  return std::ranges::any_of(
      steps.begin() + static_cast<std::ptrdiff_t>(std::min(next, steps.size())), steps.end(),
      [&](const auto& step) { return step.result->find(id) != nullptr; });
}

// Other nodes stand in for what is selected, or for what makes it; say so rather than swap it.
QString stand_in_words(const Document& document, auto gone) {
  const auto graph = document.history().graph();
  QStringList shown;
  for (const graph::NodeId id : document.selection().highlighted_nodes())
    shown << node_link(graph->node(id));
  const bool is_later = is_made_later(document, gone);
  const bool is_one = shown.size() == 1;
  if (shown.isEmpty())
    return Page::muted(is_later ? "Not at this step yet, and nothing here becomes it."
                                : "Not at this step any more: removed or computed away.");
  return Page::muted(is_later ? "Not at this step yet. Shown instead: "
                              : "Not at this step any more. Shown instead: ") +
         shown.join(", ") +
         Page::muted(is_later ? is_one ? ", its ancestor." : ", its ancestors."
                     : is_one ? ", its heir."
                              : ", its heirs.") +
         Page::muted(" What is told below is of the one that was selected.");
}

// `graph`: null where the node is not in it, and others stand in.
void describe_node(Page& page, const Document& document, const graph::Node& node,
                   const graph::Graph* graph) {
  page.title(node.name, Page::chip(theme().family(node.op->family),
                                   theme().family_text(node.op->family), operator_name(node)));
  if (!graph) page.paragraph(stand_in_words(document, node.id));
  if (is_opaque(node)) describe_opaque(page, node);
  else page.paragraph(Page::escape(node.op->doc));
  page.open_table();
  page.row("Family", Page::escape(std::string(name(node.op->family))));
  if (const auto group = document.fusion().group_of(node.id);
      group.valid() && !document.fusion().is_guessing()) {
    page.row("Kernel", group_link(document.fusion().plan()->group(group)));
    timing_rows(page, document, group,
                document.fusion().plan()->group(group).nodes.size() > 1 ? "Kernel's " : "");
  }
  page.close_table();
  if (graph) {
    page.heading("Inputs");
    page.open_table();
    operand_rows(page, *graph, node, true);
    page.close_table();
    page.heading("Outputs");
    page.open_table();
    operand_rows(page, *graph, node, false);
    page.close_table();
  }
  if (is_written(*node.op)) {
    page.heading("Text");
    page.preformatted(ops::written_text(node.attributes));
  } else if (!is_opaque(node) && !node.attributes.all().empty()) {
    page.heading("Attributes");
    page.open_table();
    for (const auto& [name, value] : node.attributes.all()) page.row(name, shown_attribute(value));
    page.close_table();
  }
  history_section(page, document, node);
  origin_section(page, document, node.origin);
  decision_section(page, document, node.id);
}

// --- values ---

void constant_rows(Page& page, const Tensor& tensor) {
  // Enough to tell weights from zeros without reading hundreds of megabytes on the window's thread.
  const std::int64_t count = std::min<std::int64_t>(tensor.elements(), 4096);
  if (count == 0) return;
  double low = tensor.double_at(0), high = low, sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = tensor.double_at(i);
    low = std::min(low, x), high = std::max(high, x), sum += x;
  }
  page.row(count == tensor.elements() ? "Elements" : "First 4096",
           QString("min %1, mean %2, max %3")
               .arg(low, 0, 'g', 4)
               .arg(sum / static_cast<double>(count), 0, 'g', 4)
               .arg(high, 0, 'g', 4));
}

void describe_value(Page& page, const Document& document, const graph::Value& value) {
  const graph::Graph& graph = *document.history().graph();
  const bool here = graph.find(value.id) != nullptr;
  const char* kind = value.is_constant() ? "constant" : value.producer.valid() ? "tensor" : "input";
  page.title(value.name, Page::chip(theme().raised, theme().text, kind));
  page.open_table();
  page.row("Type", Page::code(to_string(value.type)));
  page.row("Elements", count_text(element_count(value.type.shape)));
  page.row("Size", text_of_bytes(value.type.bytes()));
  if (value.is_constant()) constant_rows(page, value.constant);
  if (here && value.producer.valid()) page.row("Made by", node_link(graph.node(value.producer)));
  if (here && graph.is_output(value.id)) page.row("Graph output", "yes");
  page.close_table();
  if (!here) return page.paragraph(stand_in_words(document, value.id));
  page.heading("Used by");
  page.open_list();
  for (const auto& use : graph.uses(value.id)) page.item(node_link(graph.node(use.node)));
  if (graph.uses(value.id).empty()) page.item(Page::muted("no node"));
  page.close_list();
}

// --- groups ---

void describe_group(Page& page, const Document& document, fusion::GroupId id) {
  const fusion::Group& group = document.fusion().plan()->group(id);
  const auto graph = document.history().last_graph();
  page.title(group.name, Page::chip(theme().raised, theme().text, "kernel"));
  page.open_table();
  page.row("Layer", Page::escape(fusion::layer_words(group, *graph)));
  page.row("Strategy", Page::escape(document.fusion().plan()->strategy));
  page.row("Anchor", node_link(graph->node(group.anchor)));
  if (document.kernels().group() == id && document.kernels().kernel()) {
    const KernelStages& stages = *document.kernels().kernel()->stages;
    if (stages.is_view)
      page.row("Code",
               "none is run: its results are written, or lie, where they "
               "belong; the nest is what a copy would be");
    page.row("Arithmetic",
             QString::fromStdString(readable_flops(static_cast<double>(stages.flops))));
    page.row("Schedule", QString("%1 primitives, %2 loop passes")
                             .arg(stages.schedule.size())
                             .arg(stages.lowering.steps.size() - 1));
  }
  timing_rows(page, document, id);
  page.close_table();
  page.heading("Operators");
  page.open_list();
  for (const graph::NodeId member : group.nodes) {
    const graph::Node& node = graph->node(member);
    page.item(node_link(node) + Page::muted(" " + operator_name(node)));
  }
  page.close_list();
  if (document.kernels().group() == id && document.kernels().kernel()) {
    page.heading("Parameters");
    page.open_table();
    for (const loop::Buffer& buffer : document.kernels().kernel()->stages->lowered().parameters) {
      QString shape;
      for (const auto& extent : buffer.shape)
        shape += (shape.isEmpty() ? "" : " × ") + QString::fromStdString(expr::to_string(extent));
      page.row(buffer.name, Page::code(std::string(name(buffer.type))) + " " + Page::escape(shape) +
                                Page::muted(" " + std::string(name(buffer.role))) +
                                (buffer.packing ? Page::muted(", packed") : QString()));
    }
    page.close_table();
  }
}

// --- lines ---

void describe_line(Page& page, const Document& document, const SelectedLine& selected) {
  const auto line_text = [&]() -> std::string {
    const auto index = static_cast<std::size_t>(selected.line - 1);
    if (selected.pane == TextPane::Loops) {
      const auto* listing = document.kernels().loop_listing();
      return listing && index < listing->lines.size() ? listing->lines[index].text : std::string();
    }
    const auto* lines = selected.pane == TextPane::Llvm ? document.kernels().llvm_lines()
                                                        : document.kernels().assembly_lines();
    return lines && index < lines->size() ? (*lines)[index].text : std::string();
  }();
  const char* level = selected.pane == TextPane::Loops  ? "loop nest"
                      : selected.pane == TextPane::Llvm ? "LLVM IR"
                                                        : "assembly";
  page.title("Line " + std::to_string(selected.line),
             Page::chip(theme().raised, theme().text, level));
  page.paragraph(Page::code(QString::fromStdString(line_text).trimmed().toStdString()));

  const Selection& selection = document.selection();
  const auto graph = document.history().graph();
  page.heading("From the graph");
  page.open_list();
  for (const graph::NodeId id : selection.highlighted_nodes()) {
    const graph::Node& node = graph->node(id);
    page.item(node_link(node) + Page::muted(" " + operator_name(node)));
  }
  if (selection.highlighted_nodes().empty()) page.item(Page::muted("no mapping"));
  page.close_list();
  page.heading("On the other levels");
  page.open_table();
  for (const auto& [level, pane] : {std::pair{"Loop nest", TextPane::Loops},
                                    {"LLVM IR", TextPane::Llvm},
                                    {"Assembly", TextPane::Assembly}})
    page.row(level, counted(selection.highlighted_lines(pane).size(), "line"));
  page.close_table();
}

// --- nothing selected: the model ---

// With the extents that open dimensions are bound to, and their names where these tell something.
QString signature_text(const onnx::Signature& signature, const graph::Graph* imported) {
  if (!signature.opaque.empty()) return Page::code(signature.opaque);
  const graph::Value* value = imported ? imported->find_value(signature.name) : nullptr;
  const Shape* bound = value && value->type.is_known() ? &value->type.shape : nullptr;
  QStringList shape;
  for (std::size_t axis = 0; axis < signature.shape.size(); ++axis) {
    const onnx::Dimension& declared = signature.shape[axis];
    const bool known = bound && bound->size() == signature.shape.size();
    const QString extent = known                     ? QString::number((*bound)[axis])
                           : declared.symbol.empty() ? QString::number(declared.extent)
                                                     : QString("?");
    if (declared.symbol.empty()) shape << extent;
    // Names that an exporter made up, or we, say no more than that it is open.
    else
      shape << extent + Page::muted(declared.symbol.find('.') == std::string::npos
                                        ? " (" + declared.symbol + ")"
                                        : " (open)");
  }
  return Page::code(std::string(name(signature.type))) + " " +
         (shape.isEmpty() ? QString("scalar") : shape.join(" × "));
}

void describe_model(Page& page, const Document& document) {
  const auto model = document.model();
  const auto graph = document.history().graph();
  const graph::Graph* imported = document.history().recorded()
                                     ? document.history().recorded()->steps.front().result.get()
                                     : nullptr;
  page.title(document.title().toStdString(), Page::chip(theme().raised, theme().text, "model"));
  page.open_table();
  if (!model->producer.empty()) page.row("Producer", Page::escape(model->producer));
  if (model->opset > 0) {  // a kernel that was written as text has none
    page.row("Operator set", QString::number(model->opset));
    page.row("ONNX nodes", QString::number(model->onnx_nodes.size()));
  }
  if (graph) {
    std::int64_t bytes = 0;
    for (const auto& value : graph->values())
      if (value->is_constant()) bytes += value->type.bytes();
    page.row("Operators at this step", QString::number(graph->nodes().size()));
    page.row("Constants", QString::fromStdString(readable_bytes(bytes)));
  }
  if (document.fusion().plan() && !document.fusion().is_guessing())
    page.row(graph == document.history().last_graph() ? "Kernels" : "Kernels after all steps",
             QString::number(document.fusion().plan()->groups.size()));
  page.close_table();
  for (const auto& [heading, signatures] :
       {std::pair{"Inputs", &model->inputs}, {"Outputs", &model->outputs}}) {
    page.heading(heading);
    page.open_table();
    for (const auto& signature : *signatures)
      page.row(signature.name, signature_text(signature, imported));
    page.close_table();
  }
  if (graph) list_operators(page, graph->nodes());
  if (model->notes.empty()) return;
  page.heading("Notes of the import");
  page.open_list();
  for (const onnx::Note& note : model->notes) page.item(Page::escape(note.text));
  page.close_list();
}

void describe_selected_node(Page& page, const Document& document, const SelectedNode& selected) {
  const auto graph = document.history().graph();
  if (graph->find(selected.node->id))
    return describe_node(page, document, graph->node(selected.node->id), graph.get());
  describe_node(page, document, *selected.node, nullptr);
}

}  // namespace

QString describe_selection(const Document& document) {
  if (!document.model() || !document.history().graph()) return {};
  Page page;
  std::visit(Overloaded{
                 [&](std::monostate) { describe_model(page, document); },
                 [&](const SelectedNode& node) {
                   const auto& several = document.selection().several();
                   if (several.size() > 1)
                     return describe_several(page, document, several, document.selection().part());
                   describe_selected_node(page, document, node);
                 },
                 [&](const SelectedValue& value) { describe_value(page, document, *value.value); },
                 [&](const SelectedGroup& group) {
                   if (document.fusion().plan()) describe_group(page, document, group.group);
                 },
                 [&](const SelectedLine& line) { describe_line(page, document, line); },
             },
             document.selection().current());
  return page.html();
}

}  // namespace loopglass::views

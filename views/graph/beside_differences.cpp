// How the graph of the second canvas differs from the first's, on its boxes and in the line below
// it. Operators are counted, not boxes: one may stand for many.
#include "core/fusion/compare.h"
#include "views/counted.h"
#include "views/graph/beside_canvas.h"
#include "views/text.h"
#include "views/theme.h"

#include <QLabel>

#include <algorithm>
#include <set>

namespace loopglass::views {

namespace {

// Of a box, and of all that it stands for.
std::vector<graph::NodeId> nodes_behind(const GraphContent& content, std::uint32_t box) {
  if (content.folded && content.folded_boxes[box])
    return nodes_of(content, {*content.folded_boxes[box]});
  const auto* id = std::get_if<graph::NodeId>(&content.entities[box]);
  return id ? std::vector{*id} : std::vector<graph::NodeId>{};
}

void put_badge(CanvasNode& drawn, const QString& badge, const QColor& color) {
  drawn.badge = badge;
  drawn.badge_color = color;
}

}  // namespace

bool BesideCanvas::is_earlier() const {
  return is_of_document() && place_->position < document_->history().position();
}

// Of the document's history the graph was compared when its content was made: what is new in an
// earlier one is gone in the first. With other passes operators are the same by their names.
void BesideCanvas::mark_differences(GraphContent& content) const {
  if (is_of_document()) {
    if (!is_earlier()) return;
    for (CanvasNode& drawn : content.canvas.nodes)
      if (drawn.badge == "+") put_badge(drawn, "−", theme().error);
    return;
  }
  std::set<graph::NodeId> only_here;
  for (const graph::NodePtr& node : place_->graph->nodes())
    if (!here_.same(*node)) only_here.insert(node->id);
  content.created = only_here.size();
  content.removed = static_cast<std::size_t>(
      std::ranges::count_if(document_->history().graph()->nodes(),
                            [&](const graph::NodePtr& node) { return !there_.same(*node); }));
  const auto is_only_here = [&](graph::NodeId id) { return only_here.contains(id); };
  for (std::uint32_t box = 0; box < content.entities.size(); ++box) {
    const std::vector<graph::NodeId> nodes = nodes_behind(content, box);
    if (std::ranges::none_of(nodes, is_only_here)) continue;
    if (std::ranges::all_of(nodes, is_only_here))
      put_badge(content.canvas.nodes[box], "+", theme().good);
    else put_badge(content.canvas.nodes[box], "~", theme().warning);
  }
}

// What only one of the two graphs has, told from where one looks: that of an earlier place lies
// before the first.
QStringList BesideCanvas::difference_words() const {
  const Theme& t = theme();
  const auto part = [](const QColor& color, const QString& words, std::size_t count) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), words.arg(count));
  };
  const bool earlier = is_earlier();
  QStringList parts;
  if (content_.created)
    parts << (earlier ? part(t.error, tr("− %1 gone in the other graph"), content_.created)
                      : part(t.good, tr("+ %1 only here"), content_.created));
  if (content_.removed)
    parts << (earlier ? part(t.good, tr("+ %1 new in the other graph, outlined there"),
                             content_.removed)
                      : part(t.error, tr("− %1 missing here, outlined there"), content_.removed));
  if (content_.changed) parts << part(t.warning, tr("~ %1 changed"), content_.changed);
  return parts;
}

void BesideCanvas::show_status() {
  QStringList parts{counted(place_->graph->nodes().size(), "operator")};
  parts += difference_words();
  const auto plan = document_->fusion().plan();
  if (place_->plan && place_->plan != plan && !document_->fusion().is_guessing()) {
    parts << counted(place_->plan->groups.size(), "kernel");
    if (plan && is_of_document()) {
      const auto edges =
          fusion::differing_edges(*place_->graph, {plan.get(), place_->plan.get()}).size();
      parts << (edges ? tr("%1 decided otherwise than by %2")
                            .arg(counted(edges, "edge"), text(plan->strategy).toHtmlEscaped())
                      : tr("the same kernels as by %1").arg(text(plan->strategy).toHtmlEscaped()));
    }
  }
  if (const QString words = costs_words(); !words.isEmpty()) parts << words.toHtmlEscaped();
  if (!note_.isEmpty())
    parts << QString("<span style='color:%1'>%2</span>")
                 .arg(theme().warning.name(), note_.toHtmlEscaped());
  status_->setText(parts.join(" · "));
  status_->show();
}

}  // namespace loopglass::views

// What fusion has to say, laid over the graph: which overlay is shown, its legend, and its words.
#include "views/canvas/overlay_legend.h"
#include "views/counted.h"
#include "views/document/verdict_html.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/family_rows.h"
#include "views/graph/graph_view.h"
#include "views/theme.h"

#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace loopglass::views {

// Verdicts are about the last graph: on the way there they would only be in the way of what each
// step changes.
GraphView::Overlay GraphView::wanted_overlay() const {
  const auto plan = document_->history().graph() ? document_->fusion().plan() : nullptr;
  if (!plan) return Overlay::None;
  if (document_->fusion().compared() && !document_->fusion().is_guessing())
    return Overlay::ComparedPlans;
  if (document_->fusion().moment()) return Overlay::Moment;
  const bool last = document_->history().graph() == document_->history().last_graph();
  return verdicts_->isChecked() && last ? Overlay::Verdicts : Overlay::None;
}

CanvasOverlay GraphView::overlay_of(const Drawn& drawn) const {
  CanvasOverlay overlay = plan_overlay(drawn);
  add_fold_bands(drawn, overlay);
  outline_missing_beside(drawn, overlay);
  with_heat_sources([&](const HeatSources& sources) {
    add_heat(drawn, measure_, sources, overlay, beside_ ? beside_->greatest_heat() : 0);
  });
  return overlay;
}

// The other canvas can mark what only it has, but not what it has not.
void GraphView::outline_missing_beside(const Drawn& drawn, CanvasOverlay& overlay) const {
  const auto graph = document_->history().graph();
  if (!graph || !beside_ || !beside_->is_open()) return;
  for (const auto& [id, box] : drawn.content.box_of_node)
    if (const graph::Node* node = graph->find(id); node && beside_->lacks(*node))
      overlay.roles.try_emplace(box, NodeRole{theme().good, {}});
}

CanvasOverlay GraphView::plan_overlay(const Drawn& drawn) const {
  switch (wanted_overlay()) {
    case Overlay::None: return {};
    case Overlay::Verdicts:
      return verdict_overlay(drawn, verdicts_of_plan_, [this](const fusion::Edge& edge) {
        return document_->fusion().is_hidden(edge);
      });
    case Overlay::ComparedPlans:
      return compared_overlay(drawn, verdicts_of_first_, verdicts_of_second_, plan_shown_.get());
    case Overlay::Moment:
      return moment_overlay(drawn, *document_->fusion().moment()->plan,
                            document_->fusion().moment()->event);
  }
  __builtin_unreachable();
}

void GraphView::show_overlay() {
  const auto plan = document_->history().graph() ? document_->fusion().plan() : nullptr;
  if (verdicts_of_plan_.plan() != plan) verdicts_of_plan_ = EdgeVerdicts(plan);
  const Overlay wanted = wanted_overlay();
  if (wanted == Overlay::ComparedPlans) {
    const auto& compared = *document_->fusion().compared();
    if (verdicts_of_first_.plan() != compared.first)
      verdicts_of_first_ = EdgeVerdicts(compared.first);
    if (verdicts_of_second_.plan() != compared.second)
      verdicts_of_second_ = EdgeVerdicts(compared.second);
  }
  show_legend(wanted);
  canvas()->set_overlay(overlay_of(drawn()));
}

// What the overlay is about; where it says nothing, what the boxes' own colours mean.
void GraphView::show_legend(Overlay wanted) {
  const auto graph = document_->history().graph();
  measure_offer_->hide();
  overlay_legend_->setToolTip(graph ? family_counts(*graph) : QString());
  if (!graph) return overlay_legend_->show_rows({}, {});
  if (wanted == Overlay::ComparedPlans) return show_compared_legend();
  if (wanted == Overlay::Moment) return show_moment_legend();
  if (measure_ != Measure::Family) return show_heat_legend();
  overlay_legend_->show_rows({}, family_rows(*graph));
}

void GraphView::show_compared_legend() {
  const auto& compared = *document_->fusion().compared();
  const std::array<int, 4> edges = fused_edges(drawn(), verdicts_of_first_, verdicts_of_second_);
  const auto row = [&](FusedBy which, const QString& text) {
    return OverlayLegend::Row{compared_mark(which),
                              text.arg(edges[static_cast<std::size_t>(which)])};
  };
  overlay_legend_->show_rows(tr("Edges fused by"),
                             {row(FusedBy::Both, tr("both: %1")),
                              row(FusedBy::First, tr("only %1: %2").arg(compared.first_name)),
                              row(FusedBy::Second, tr("only %1: %2").arg(compared.second_name)),
                              row(FusedBy::Neither, tr("neither: %1"))});
}

// The legend has what this moment shows, and no more.
void GraphView::show_moment_legend() {
  using Kind = fusion::PlanEvent::Kind;
  const auto& [plan, event] = *document_->fusion().moment();
  const Theme& t = theme();
  const auto line = [](const QColor& color, const QString& text, const QString& sign = {}) {
    EdgeMark mark;
    mark.color = color;
    mark.width = 4;
    mark.sign = sign;
    return OverlayLegend::Row{mark, text};
  };
  const auto frame = [](const QColor& color, const QString& text) {
    EdgeMark mark;
    mark.color = color;
    mark.width = 2;
    return OverlayLegend::Row{mark, text, OverlayLegend::Sample::Band};
  };
  std::vector<OverlayLegend::Row> rows;
  switch (plan->events[event].kind) {
    case Kind::Ancestor:
      rows = {line(t.accent, tr("paths from the operator in question")),
              frame(t.mark, tr("where they meet: the lowest common ancestor")),
              frame(t.muted, tr("climbed over in the tree of post-dominators"))};
      break;
    case Kind::Path:
      rows = {line(t.accent, tr("all that lies between")), frame(t.mark, tr("the post-dominator"))};
      if (plan->events[event].other.valid())
        rows.push_back(frame(t.warning, tr("fails the check")));
      break;
    case Kind::Refuse: rows = {line(t.warning, tr("not fused"), "✕")}; break;
    case Kind::Seed: rows = {frame(t.accent, tr("a kernel grows from here"))}; break;
    case Kind::Expand:
      rows = {frame(t.muted, tr("executed by then")), frame(t.accent, tr("the last kernel of it")),
              line(t.mark, tr("the frontier: what may come next reads this"), "→")};
      break;
    case Kind::Prune:
      rows = {frame(t.warning, tr("a kernel that is not looked at further"))};
      break;
    case Kind::Merge:
    case Kind::Phase: break;
  }
  const auto now = plan->events.begin() + static_cast<std::ptrdiff_t>(event) + 1;
  const bool any_joined = std::any_of(plan->events.begin(), now,
                                      [](const auto& each) { return each.kind == Kind::Merge; });
  if (any_joined) {
    EdgeMark joined;
    joined.color = t.good;
    joined.width = 2.2;
    rows.push_back({joined, tr("one kernel so far")});
  }
  if (rows.empty()) rows = family_rows(*document_->history().graph());
  overlay_legend_->show_rows({}, std::move(rows));
}

// In the line at the foot.
QString GraphView::verdict_words() const {
  const auto& overlay = canvas()->overlay();
  if (!verdicts_->isChecked() || overlay.edges.empty() || document_->fusion().compared() ||
      document_->fusion().moment())
    return {};
  int fused = 0, apart = 0, hidden = 0;
  for (std::uint32_t e = 0; e < overlay.edges.size(); ++e) {
    for (const fusion::Decision* decision : drawn().decisions(verdicts_of_plan_, e))
      if (document_->fusion().is_hidden(edge_of(*decision))) ++hidden;
      else ++(decision->fused ? fused : apart);
  }
  const auto part = [](const QColor& color, const QString& text) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), text);
  };
  QStringList parts;
  // Of what is folded the edges inside are not drawn, and not counted.
  const QString drawn_ones = shown_.folded ? tr(" between boxes") : QString();
  if (fused)
    parts << part(theme().good, tr("━ %1%2 fused").arg(counted(fused, "edge"), drawn_ones));
  if (apart) parts << part(theme().warning, tr("✕ %1 not fused").arg(apart));
  if (hidden) parts << part(theme().muted, tr("? %1 to guess").arg(hidden));
  return parts.join(" · ");
}

// Of a line between folds, which stands for several.
QString GraphView::tip_of_edges(const std::vector<const fusion::Decision*>& decisions) const {
  const QString tip = tr("%1 between these parts").arg(counted(decisions.size(), "edge"));
  const auto is_hidden = [this](const fusion::Decision* decision) {
    return document_->fusion().is_hidden(edge_of(*decision));
  };
  return std::ranges::any_of(decisions, is_hidden) ? tip : tip + "<br>" + verdict_counts(decisions);
}

QString GraphView::tip_of_edge(std::uint32_t edge) const {
  const auto graph = document_->history().graph();
  const graph::Value* value = graph ? graph->find(shown_.edge_values[edge]) : nullptr;
  if (!value) return {};
  const auto decisions = drawn().decisions(verdicts_of_plan_, edge);
  if (decisions.size() > 1) return tip_of_edges(decisions);
  QString tip = value_tooltip(*value);
  const fusion::Decision* decision = drawn().decision(verdicts_of_plan_, edge);
  if (decision && document_->fusion().is_hidden(edge_of(*decision)))
    return tip + "<p>" + hidden_html() + "</p>";
  if (const auto& compared = document_->fusion().compared()) {
    for (const auto& [name, verdicts] : {std::pair{compared->first_name, &verdicts_of_first_},
                                         {compared->second_name, &verdicts_of_second_}})
      if (const fusion::Decision* of_plan = drawn().decision(*verdicts, edge))
        tip += "<p><i>" + name.toHtmlEscaped() +
               "</i>: " + verdict_html(*of_plan, *document_->cost_model()) + "</p>";
    return tip;
  }
  return decision ? tip + "<p>" + verdict_html(*decision, *document_->cost_model()) + "</p>" : tip;
}

}  // namespace loopglass::views

// How the second canvas is drawn: as the first is, with its kernels, verdicts, marks and folds.
#include "core/graph/node_filter.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/content_camera.h"
#include "views/graph/graph_view.h"
#include "views/widgets/work_page.h"

#include <algorithm>

namespace loopglass::views {
namespace {

// Whether an operator that both show stands at another place.
bool is_elsewhere(const GraphContent& before, const layout::Layout& was, const GraphContent& after,
                  const layout::Layout& is) {
  return std::ranges::any_of(before.box_of_node, [&](const auto& known) {
    const auto found = after.box_of_node.find(known.first);
    return found != after.box_of_node.end() &&
           was.centres[known.second] != is.centres[found->second];
  });
}

}  // namespace

std::shared_ptr<const fusion::Plan> BesideCanvas::plan_drawn() const {
  return first_->switches().kernels && !document_->fusion().is_guessing() ? place_->plan : nullptr;
}

GroupsOfGraph BesideCanvas::groups_drawn() const {
  return {plan_drawn().get(), place_->group_of, place_->history->steps.back().result.get()};
}

// What the first canvas has laid out is the same drawing, in which nothing that both show moves.
void BesideCanvas::draw() {
  if (std::exchange(plan_of_boxes_, place_->plan) != place_->plan) boxes_.clear_groups();
  const SavedFolds folds = first_->switches().folds;
  const bool kernels = folds.kernels && place_->plan && !document_->fusion().is_guessing();
  if (folds.compact || kernels || folded_by(folds) != Folded::No) return draw_compactly(folds);
  next_content_.reset();
  const auto plan = plan_drawn();
  const auto of_first = first_->drawing_of(place_->history, plan);
  const bool own = drawing_ && drawing_->history == place_->history && drawing_->plan == plan;
  if (of_first || own) return show_part(of_first ? of_first : drawing_);
  if (source_.position && first_->is_laying_out()) return wait(tr("Laying out the graph…"));
  lay_out();
}

// For what the first canvas, or the document, will tell of. What is shown meanwhile stays.
void BesideCanvas::wait(const QString& why) {
  if (content_.entities.empty() || page_->working()) page_->show_message(why);
}

void BesideCanvas::lay_out() {
  const auto plan = plan_drawn();
  if (page_->working() && being_drawn_ == place_->history && plan_being_drawn_ == plan) return;
  being_drawn_ = place_->history;
  plan_being_drawn_ = plan;
  HistoryBoxes boxes = history_boxes(*place_->history, groups_drawn(), boxes_);
  page_->begin(tr("Laying out the graph"));
  using DrawingPtr = std::shared_ptr<GraphDrawing>;
  document_->jobs().run<DrawingPtr>(
      canvas_->lane(), tr("Laying out the graph"),
      [history = place_->history, plan,
       boxes = std::move(boxes)](const JobContext& context) -> Result<DrawingPtr> {
        return std::make_shared<GraphDrawing>(
            TRY(draw_history(history, plan, boxes, context.cancellation)));
      },
      [this](DrawingPtr drawing) {
        drawing_ = std::move(drawing);
        refresh();
      },
      [this](const Diagnostic& problem) { say_why_not(problem); }, this);
}

GraphContent BesideCanvas::make_content(const Folds* folds) {
  std::vector<MarkRule> marks;
  const GraphView::Switches switches = first_->switches();
  for (const std::string& text : switches.marks)
    if (auto filter = graph::parse_node_filter(text)) marks.push_back({text, *std::move(filter)});
  GroupsOfGraph groups = groups_drawn();
  if (folds && switches.folds.kernels) groups.plan = nullptr;  // the boxes are the hulls
  const graph::Graph* base = is_of_document() ? document_->history().graph().get() : nullptr;
  GraphContent content =
      make_graph_content(*place_->graph, base, false, groups, marks, boxes_, folds);
  mark_differences(content);
  return content;
}

void BesideCanvas::show_part(const std::shared_ptr<GraphDrawing>& drawing) {
  relate();
  GraphContent content = make_content(nullptr);
  const bool in_columns = first_->switches().folds.columns;
  const bool as_first = in_columns && first_->shows(*drawing) && drawing->columns;
  layout::Layout part =
      part_of(*drawing, content, as_first ? *drawing->columns : layout::Columns());
  if (in_columns && !as_first) {
    std::vector<layout::Node> boxes;
    for (const QSizeF size : content.sizes) boxes.push_back({size.width(), size.height()});
    const layout::Columns columns = layout::columns_like(part, boxes, columns_of_first(content));
    part = layout::in_columns(std::move(part), columns);
  }
  // In other columns it looks at what it looked at.
  if (drawing == drawing_shown_ && !wanted_camera_ && canvas_->current_layout() &&
      is_elsewhere(content_, *canvas_->current_layout(), content, part))
    wanted_camera_ = camera_of(*canvas_, content_, *place_->graph);
  const auto arrival = !drawing_shown_             ? GraphCanvas::Arrival::Fresh
                       : drawing == drawing_shown_ ? GraphCanvas::Arrival::SameDrawing
                                                   : GraphCanvas::Arrival::Other;
  drawing_shown_ = drawing;
  CanvasContent canvas_content = std::move(content.canvas);
  std::vector<QSizeF> sizes = std::move(content.sizes);
  content_ = std::move(content);
  page_->show_content();
  link_->move_alone([&] {
    canvas_->set_placed(std::move(canvas_content), std::move(sizes),
                        std::make_shared<const layout::Layout>(std::move(part)), arrival);
  });
  tell_shown();
}

void BesideCanvas::draw_compactly(const SavedFolds& folds) {
  relate();
  const bool kernels = folds.kernels && !document_->fusion().is_guessing();
  auto folding = folding_.of(place_->graph, folded_by(folds), kernels ? place_->plan : nullptr,
                             place_->group_of);
  const Folds open{folding, open_folds_of(folds)};
  GraphContent content = make_content(folding ? &open : nullptr);
  const bool fresh = canvas_->content().nodes.empty();
  drawing_shown_.reset();
  CanvasContent canvas_content = std::move(content.canvas);
  next_content_ = std::move(content);
  page_->show_content();
  if (folds.columns) canvas_->set_columns({{}, columns_of_first(*next_content_)});
  else canvas_->set_columns({});
  link_->set_places({});  // nothing moves the first canvas until the content is there
  canvas_->set_content(std::move(canvas_content), fresh);
}

// The canvas has what was waiting for its layout.
void BesideCanvas::accept_compact() {
  if (!next_content_) return;
  content_ = *std::exchange(next_content_, std::nullopt);
  tell_shown();
}

void BesideCanvas::tell_shown() {
  if (verdicts_.plan() != place_->plan) verdicts_ = EdgeVerdicts(place_->plan);
  show_overlay();
  want_costs();
  show_status();
  canvas_->set_highlight(highlight());
  link_->set_places(linked_places());
  take_camera();
  emit heatChanged();
  emit differencesChanged();
}

// The one it had when it was left, which holds while panes find their sizes round it.
void BesideCanvas::take_camera() {
  if (const auto camera = std::exchange(wanted_camera_, {}); camera && !shown_.linked)
    look_at(*canvas_, content_, *place_->graph, *camera);
}

void BesideCanvas::show_overlay() {
  const Drawn drawn{content_, canvas_->content()};
  const bool verdicts = first_->switches().verdicts && place_->plan && place_->is_last() &&
                        !document_->fusion().is_guessing();
  CanvasOverlay overlay =
      verdicts ? verdict_overlay(drawn, verdicts_, [](const fusion::Edge&) { return false; })
               : CanvasOverlay{};
  add_fold_bands(drawn, overlay);
  add_heat(drawn, first_->measure(), heat_sources(), overlay, first_->greatest_heat());
  canvas_->set_overlay(std::move(overlay));
}

}  // namespace loopglass::views

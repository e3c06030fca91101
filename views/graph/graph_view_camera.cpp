// What a person looks at in the graph, and how it is drawn, to be found again.
#include "core/graph/node_filter.h"
#include "views/canvas/canvas_pane.h"
#include "views/canvas/minimap.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/content_camera.h"
#include "views/graph/graph_view.h"

#include <QToolButton>

namespace loopglass::views {

std::optional<Camera> GraphView::camera() const {
  if (wanted_camera_) return wanted_camera_;  // is on its way
  const auto graph = document_->history().graph();
  if (!graph) return {};
  return camera_of(*canvas(), shown_, *graph);
}

void GraphView::look_at(const Camera& camera) {
  wanted_camera_ = camera;
  const auto drawing = known_drawing();
  const bool is_drawn =
      (draws_compactly() ? !next_shown_ : drawing && drawing.get() == drawing_shown_) &&
      place_shown_ == document_->history().position() && !refresh_pending_;
  if (is_drawn) take_camera();
}

bool GraphView::take_camera() {
  const auto graph = document_->history().graph();
  if (!wanted_camera_ || !graph || document_->history().is_walking()) return false;
  const Camera camera = *std::exchange(wanted_camera_, {});
  if (!views::look_at(*canvas(), shown_, *graph, camera)) return false;  // of another model
  brought_ = document_->selection().current();
  brought_at_ = document_->history().position();
  return true;
}

GraphView::Switches GraphView::switches() const {
  Switches switches{groups_->isChecked(),
                    verdicts_->isChecked(),
                    ghosts_->isChecked(),
                    follow_->isChecked(),
                    {},
                    folds_now(),
                    measure_ == Measure::Family ? "" : measure_key(measure_),
                    pane_->map()->corner(),
                    beside_->shown()};
  for (const MarkRule& mark : marks_) switches.marks.push_back(mark.text);
  return switches;
}

void GraphView::set_switches(const Switches& switches) {
  groups_->setChecked(switches.kernels);
  verdicts_->setChecked(switches.verdicts);
  ghosts_->setChecked(switches.ghosts);
  follow_->setChecked(switches.follow);
  marks_.clear();
  for (const std::string& text : switches.marks)
    if (auto filter = graph::parse_node_filter(text)) marks_.push_back({text, *std::move(filter)});
  pane_->map()->set_corner(switches.map_corner);
  beside_->show_place(switches.beside);  // which asks for columns anew
  if (!is_same(folds_of_, document_->model())) keep_look();
  use_folds(switches.folds);
  Measure colors = Measure::Family;
  for (const Measure measure : all_measures)
    if (switches.colors == measure_key(measure)) colors = measure;
  color_by(colors);
  refresh_later();
  emit switchesChanged();
}

}  // namespace loopglass::views

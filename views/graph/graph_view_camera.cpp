// What a person looks at in the graph, and how it is drawn, to be found again.
#include "core/graph/node_filter.h"
#include "views/canvas/canvas_pane.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"

#include <QToolButton>

#include <cmath>
#include <limits>

namespace loopglass::views {

std::optional<Camera> GraphView::camera() const {
  if (wanted_camera_) return wanted_camera_;  // is on its way
  const auto graph = document_->graph();
  if (!graph) return {};
  const QPointF middle = canvas()->middle();
  std::optional<Camera> best;
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t box = 0; box < shown_.entities.size(); ++box) {
    const QPointF offset = middle - canvas()->place_of_node(box);
    const double distance = std::hypot(offset.x(), offset.y());
    if (distance >= least) continue;
    const auto* node = std::get_if<graph::NodeId>(&shown_.entities[box]);
    const auto* value = std::get_if<graph::ValueId>(&shown_.entities[box]);
    const auto* part = std::get_if<FoldedPart>(&shown_.entities[box]);
    const graph::Node* found = node   ? graph->find(*node)
                               : part ? graph->find(nodes_of(shown_, *part).front())
                                      : nullptr;
    const graph::Value* tensor = value ? graph->find(*value) : nullptr;
    if (!found && !tensor) continue;  // a ghost
    least = distance;
    best = Camera{found ? found->name : tensor->name, !found, offset.x(), offset.y(),
                  canvas()->zoom_now()};
  }
  return best;
}

std::optional<std::uint32_t> GraphView::box_of(const Camera& camera) const {
  const auto graph = document_->graph();
  if (!graph) return {};
  if (camera.is_tensor) {
    const graph::Value* tensor = graph->find_value(camera.box);
    const auto pill = tensor ? shown_.pills.find(tensor->id) : shown_.pills.end();
    return pill != shown_.pills.end() ? std::optional(pill->second) : std::nullopt;
  }
  const graph::Node* node = graph->find_node(camera.box);
  const auto known = node ? shown_.box_of_node.find(node->id) : shown_.box_of_node.end();
  return known != shown_.box_of_node.end() ? std::optional(known->second) : std::nullopt;
}

void GraphView::look_at(const Camera& camera) {
  wanted_camera_ = camera;
  const auto drawing = known_drawing();
  const bool is_drawn =
      (draws_compactly() ? !next_shown_ : drawing && drawing.get() == drawing_shown_) &&
      place_shown_ == document_->position() && !refresh_pending_;
  if (is_drawn) take_camera();
}

bool GraphView::take_camera() {
  const auto graph = document_->graph();
  if (!wanted_camera_ || !graph || document_->is_walking()) return false;
  const Camera camera = *std::exchange(wanted_camera_, {});
  const std::optional<std::uint32_t> box = box_of(camera);
  if (!box) return false;  // of another model
  canvas()->look_at(canvas()->place_of_node(*box) + QPointF(camera.right, camera.down),
                    camera.zoom);
  brought_ = document_->selection().current();
  brought_at_ = document_->position();
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
  use_folds(switches.folds);
  for (const Measure measure : all_measures)
    if (switches.colors == measure_key(measure)) color_by(measure);
  beside_->show_place(switches.beside);
  refresh_later();
  emit switchesChanged();
}

}  // namespace loopglass::views

// What can be drawn of a session: its graph at a place in the history, its dominator tree, where
// its intermediates live, and how long its rounds took.
#pragma once

#include "app/export/picture.h"
#include "core/network_roofline.h"
#include "core/pass/position.h"
#include "core/runtime/memory_plan.h"
#include "views/canvas/canvas_picture.h"
#include "views/graph/graph_folding.h"
#include "views/graph/heat.h"

namespace loopglass::app {

// ModelTooLarge: it has more boxes than a drawing is made of.
Result<Picture> canvas_picture(QString title, QString description,
                               std::shared_ptr<const views::CanvasPicture> canvas);

// How a graph is drawn.
struct GraphLook {
  views::Folded fold = views::Folded::No;
  bool kernels = false;  // are boxes
  bool columns = true;   // tall ones come in
  // A part of the drawing of all steps, as in the window: what two steps have stands in the same
  // place in both. Of what is folded there is no such drawing.
  bool steady = false;
  views::Measure colors = views::Measure::Family;
  std::shared_ptr<const runtime::BenchmarkReport> timings = nullptr;  // where `colors` are of times
};

// Graph and tree as the window draws them. On any thread. Cancelled.
struct DrawnGraph {
  std::shared_ptr<const views::CanvasPicture> canvas;
  QString title, description;
  double greatest = 0;  // of what boxes are coloured by; 0: nothing is
};
Result<DrawnGraph> draw_graph(Session& session, const std::string& place,
                              const GraphLook& look = {}, const Cancellation& cancellation = {});
Result<Picture> graph_picture(Session& session, const std::string& place,
                              const GraphLook& look = {}, const Cancellation& cancellation = {});
Result<Picture> dominator_picture(Session& session, const std::string& place,
                                  graph::Direction direction,
                                  const Cancellation& cancellation = {});

// These paint on the thread of the application.
Result<Picture> memory_picture(const QString& model,
                               std::shared_ptr<const runtime::MemoryPlan> plan,
                               std::shared_ptr<const graph::Graph> graph,
                               std::shared_ptr<const fusion::Plan> groups);
Picture rounds_picture(const QString& model, std::vector<double> milliseconds,
                       const runtime::BenchmarkReport& report);

Picture roofline_picture(const QString& model, NetworkRoofline network);

// "ResNet-50, step 7 (fold-batch-norm)"
QString title_of_place(const QString& model, const pass::GraphHistory& history,
                       pass::Position place);

}  // namespace loopglass::app

#include "app/export/drawings.h"

#include "app/export/heat_legend.h"

#include "core/fusion/block.h"
#include "core/support/readable_time.h"
#include "views/bench/round_chart.h"
#include "views/counted.h"
#include "views/document/groups_by_origin.h"
#include "views/dominators/dominator_content.h"
#include "views/graph/graph_drawing.h"
#include "views/graph/plan_overlays.h"
#include "views/memory/memory_chart.h"
#include "views/memory/memory_view.h"
#include "views/roofline/roofline_picture.h"
#include "views/text.h"
#include "views/theme_scope.h"

#include <QObject>
#include <QPainter>

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::app {
namespace {

// Tall drawings come in columns that make them as wide as a page that lies.
constexpr QSizeF page(1414, 1000);

// About 100 MB of SVG.
constexpr std::size_t most_boxes = 30'000;

// Above a chart, which is painted below it.
constexpr int heading_height = 30;
void paint_heading(QPainter& painter, double width, const QString& text) {
  painter.setFont(views::theme().text_font());
  painter.setPen(views::theme().text);
  painter.drawText(QRectF(0, 0, width, heading_height - 6), Qt::AlignLeft | Qt::AlignVCenter, text);
  painter.translate(0, heading_height);
}

struct Place {
  std::shared_ptr<const pass::GraphHistory> history;
  pass::Position position;
  std::shared_ptr<const graph::Graph> graph, before;  // before: null at the start
};

Result<Place> find_place(Session& session, const std::string& place,
                         const Cancellation& cancellation) {
  Place found;
  found.history = TRY(session.graph_history({}, cancellation));
  const pass::GraphHistory& history = *found.history;
  found.position = place.empty() ? pass::Position{history.steps.size() - 1}
                                 : TRY(pass::parse_position(place, history));
  const auto [step, rewrites] = found.position;
  const bool whole = rewrites == pass::Report::all;
  found.graph =
      whole ? history.steps[step].result : TRY(session.graph_at(step, rewrites, cancellation));
  if (step > 0) found.before = history.steps[step - 1].result;
  return found;
}

Result<void> check_boxes(std::size_t boxes) {
  if (boxes <= most_boxes) return {};
  return fail(Code::ExportTooLarge,
              fmt::format("{} boxes are too many for one drawing, which is made of up to {}", boxes,
                          most_boxes),
              "graph",
              "the window shows such a graph, and exports what it shows as PNG; --subgraph and "
              "'loopglassc emit' take parts of it");
}

Result<views::PlacedGraph> place_graph(const Place& at, std::shared_ptr<const fusion::Plan> plan,
                                       const views::GroupsOfGraph& groups, const GraphLook& look,
                                       const Cancellation& cancellation) {
  views::BoxCache boxes;
  const auto make_content = [&](const views::GroupsOfGraph& hulls, const views::Folds* folds) {
    return views::make_graph_content(*at.graph, at.before.get(), true, hulls, {}, boxes, folds);
  };
  const QSizeF columns_for = look.columns ? page : QSizeF();
  if (auto folding =
          views::folding_of(*at.graph, look.fold, look.kernels ? groups : views::GroupsOfGraph{})) {
    const views::Folds folds{std::move(folding), {}};
    return views::place_alone(make_content(look.kernels ? views::GroupsOfGraph{} : groups, &folds),
                              columns_for, cancellation);
  }
  if (!look.steady)
    return views::place_alone(make_content(groups, nullptr), columns_for, cancellation);
  views::GraphDrawing drawing = TRY(views::draw_history(
      at.history, plan, views::history_boxes(*at.history, groups, boxes), cancellation));
  views::GraphContent content = make_content(groups, nullptr);
  const layout::Columns columns =
      look.columns ? drawing.steady.columns(page.width(), page.height()) : layout::Columns();
  layout::Layout layout = views::part_of(drawing, content, columns);
  return views::PlacedGraph{std::move(content), std::move(layout)};
}

// The greatest value that a box has; 0: nothing is coloured.
Result<double> add_colors(Session& session, const Place& at, const fusion::Plan& plan,
                          const views::GroupsOfGraph& groups, const GraphLook& look,
                          const views::Drawn& drawn, views::CanvasOverlay& overlay) {
  std::shared_ptr<const runtime::MemoryPlan> memory;
  std::optional<fusion::PlanSummary> estimates;
  if (look.colors == views::Measure::Memory) memory = TRY(session.memory_plan());
  if (look.colors == views::Measure::Model) {
    const auto cost_model = session.cost_model();
    if (!cost_model->is_calibrated())
      return fail(Code::UsageInvalid,
                  "the cost model has not been calibrated, and its estimates are no times",
                  "--color", "loopglassc calibrate");
    if (look.timings && look.timings->threads != 1)
      return fail(Code::UsageInvalid,
                  "the cost model estimates kernels on one thread, and more were measured",
                  "--color", "--threads 1");
    estimates =
        fusion::summarise(fusion::BlockRules(*at.history->steps.back().result), plan, *cost_model);
  }
  const views::HeatSources sources{
      at.graph.get(), &plan, groups.group_of, look.timings.get(), estimates ? &*estimates : nullptr,
      memory.get()};
  views::add_heat(drawn, look.colors, sources, overlay);
  return views::heat_of(drawn, look.colors, sources).greatest;
}

}  // namespace

QString title_of_place(const QString& model, const pass::GraphHistory& history,
                       pass::Position place) {
  return model + ", " + QString::fromStdString(pass::describe(place, history));
}

Result<Picture> canvas_picture(QString title, QString description,
                               std::shared_ptr<const views::CanvasPicture> canvas) {
  TRY_VOID(check_boxes(canvas->content().nodes.size()));
  const QRectF bounds = canvas->bounds();
  return Picture{std::move(title), std::move(description), bounds.size(),
                 [canvas, bounds](QPainter& painter, const GoOn& go_on) {
                   painter.translate(-bounds.topLeft());
                   canvas->paint(painter, go_on);
                 }};
}

Result<DrawnGraph> draw_graph(Session& session, const std::string& place, const GraphLook& look,
                              const Cancellation& cancellation) {
  const views::ThemeScope light(views::Tone::Light);
  const Place at = TRY(find_place(session, place, cancellation));
  TRY_VOID(check_boxes(at.graph->nodes().size()));
  const auto plan = TRY(session.plan());
  const auto last = at.history->steps.back().result;
  const views::GroupsByOrigin by_origin = views::groups_by_origin(fusion::BlockRules(*last), *plan);
  const views::GroupsOfGraph groups{
      plan.get(), [&](const graph::Node& node) { return views::group_of(node, *plan, by_origin); },
      last.get()};
  views::PlacedGraph placed = TRY(place_graph(at, plan, groups, look, cancellation));
  views::CanvasOverlay overlay;
  const views::Drawn drawn{placed.content, placed.content.canvas};
  if (at.graph == last)
    overlay = views::verdict_overlay(drawn, views::EdgeVerdicts(plan),
                                     [](const fusion::Edge&) { return false; });
  const double greatest = TRY(add_colors(session, at, *plan, groups, look, drawn, overlay));
  const QString description =
      QObject::tr("%1 in %2 by strategy %3")
          .arg(views::counted(at.graph->nodes().size(), "operator"),
               views::counted(plan->groups.size(), "kernel"), views::text(plan->strategy));
  return DrawnGraph{
      std::make_shared<views::CanvasPicture>(
          std::move(placed.content.canvas), std::move(placed.content.sizes),
          std::make_shared<const layout::Layout>(std::move(placed.layout)), std::move(overlay)),
      title_of_place(views::text(session.model_name()), *at.history, at.position), description,
      greatest};
}

Result<Picture> graph_picture(Session& session, const std::string& place, const GraphLook& look,
                              const Cancellation& cancellation) {
  DrawnGraph drawn = TRY(draw_graph(session, place, look, cancellation));
  Picture picture = TRY(canvas_picture(drawn.title, drawn.description, std::move(drawn.canvas)));
  return drawn.greatest > 0 ? with_heat_legend(std::move(picture), look.colors, drawn.greatest)
                            : std::move(picture);
}

Result<Picture> dominator_picture(Session& session, const std::string& place,
                                  graph::Direction direction, const Cancellation& cancellation) {
  const views::ThemeScope light(views::Tone::Light);
  const Place at = TRY(find_place(session, place, cancellation));
  TRY_VOID(check_boxes(at.graph->nodes().size()));
  const graph::DominatorTree tree(*at.graph, direction);
  views::DominatorContent content = views::make_dominator_content(*at.graph, tree);
  std::vector<QSizeF> sizes = views::box_sizes(content.canvas);
  auto layout = std::make_shared<const layout::Layout>(
      TRY(layout::lay_out(views::layout_graph(content.canvas, sizes, false), cancellation)));
  const bool forward = direction == graph::Direction::Dominators;
  return canvas_picture(
      title_of_place(views::text(session.model_name()), *at.history, at.position),
      forward
          ? QObject::tr(
                "Dominator tree: above an operator is the last one that every path to it passes")
          : QObject::tr("Post-dominator tree: above an operator is the first one that every path "
                        "from it passes"),
      std::make_shared<views::CanvasPicture>(std::move(content.canvas), std::move(sizes),
                                             std::move(layout), views::CanvasOverlay{}));
}

// As wide as it takes for a kernel to be told from the next.
Result<Picture> memory_picture(const QString& model,
                               std::shared_ptr<const runtime::MemoryPlan> plan,
                               std::shared_ptr<const graph::Graph> graph,
                               std::shared_ptr<const fusion::Plan> groups) {
  TRY_VOID(check_boxes(plan->buffers.size()));
  const QSize size(std::clamp(static_cast<int>(plan->kernels) * 56, 1000, 30'000), 640);
  const QString summary = views::memory_summary(*plan);
  return Picture{QObject::tr("%1, where intermediates live").arg(model), summary,
                 size + QSize(0, heading_height), [=](QPainter& painter, const GoOn&) {
                   paint_heading(painter, size.width(), model + ": " + summary);
                   views::MemoryChart chart;
                   chart.set_content({plan, graph, groups});
                   chart.setAttribute(Qt::WA_DontShowOnScreen);
                   chart.resize(size);
                   chart.show();  // gives its viewport the size
                   chart.paint(painter);
                 }};
}

Picture rounds_picture(const QString& model, std::vector<double> milliseconds,
                       const runtime::BenchmarkReport& report) {
  const QSizeF size(960, 480);
  const auto time = [](double milliseconds) {
    return views::text(readable_time(Milliseconds(milliseconds)));
  };
  const QString summary =
      QObject::tr("median %1 (quartiles %2 to %3) on %4")
          .arg(time(report.network.median_ms), time(report.network.lower_quartile_ms),
               time(report.network.upper_quartile_ms), views::counted(report.threads, "thread"));
  return Picture{QObject::tr("%1, round by round").arg(model), summary,
                 size + QSizeF(0, heading_height), [=](QPainter& painter, const GoOn&) {
                   paint_heading(painter, size.width(), model + ": " + summary);
                   views::RoundChart chart;
                   chart.show_rounds(milliseconds);
                   chart.paint(painter, size);
                 }};
}

Picture roofline_picture(const QString& model, NetworkRoofline network) {
  const QSizeF size(960, 640);
  views::RooflinePicture picture;
  picture.roofs = network.roofs;
  picture.kernels = std::move(network.kernels);
  const QString what = picture.kernels.size() == 1
                           ? views::text(picture.kernels.front().kernel)
                           : views::counted(picture.kernels.size(), "kernel");
  const QString summary =
      QObject::tr("%1 on %2").arg(what, views::counted(picture.roofs.threads, "thread"));
  return Picture{QObject::tr("%1 under the roofs of this machine").arg(model), summary,
                 size + QSizeF(0, heading_height), [=](QPainter& painter, const GoOn&) {
                   paint_heading(painter, size.width(), model + ": " + summary);
                   views::paint_roofline(painter, QRectF({}, size), picture);
                 }};
}

}  // namespace loopglass::app

#include "app/export/page_graphs.h"

#include "app/common/remarks.h"
#include "core/fusion/block.h"
#include "core/fusion/explain.h"
#include "core/ops/opaque.h"
#include "core/pass/position.h"
#include "views/canvas/canvas_picture.h"
#include "views/document/counterparts.h"
#include "views/document/groups_by_origin.h"
#include "views/graph/graph_drawing.h"
#include "views/graph/plan_overlays.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace loopglass::app {
namespace {

using Json = nlohmann::json;

// What a browser draws within a second or two; and of all steps together, what a page may tell.
constexpr std::size_t most_operators = 5'000, most_in_all_steps = 40'000;
constexpr std::size_t most_remarks = 60, longest_value = 160;

// What columns suit that are drawn for the step that a page opens at, and for the end: about what
// the graph's part of a page has room for.
constexpr QSizeF pane(900, 900);

double rounded(double number) { return std::round(number * 10) / 10; }

std::string number(double value) { return fmt::format("{}", rounded(value)); }

std::string path_of(const layout::Curve& curve) {
  std::string path = "M" + number(curve[0].x) + "," + number(curve[0].y) + "C";
  for (std::size_t i = 1; i < curve.size(); ++i)
    path += (i > 1 ? " " : "") + number(curve[i].x) + "," + number(curve[i].y);
  return path;
}

// Names need not be UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Things that steps have in common, by what is said of them.
class Shared {
 public:
  std::size_t place_of(Json thing) {
    const auto [known, fresh] = places_.try_emplace(text_of(thing), things_.size());
    if (fresh) things_.push_back(std::move(thing));
    return known->second;
  }
  Json& things() { return things_; }

 private:
  Json things_ = Json::array();
  std::unordered_map<std::string, std::size_t> places_;
};

class Graphs {
 public:
  Graphs(std::shared_ptr<const pass::GraphHistory> history,
         std::shared_ptr<const fusion::Plan> plan, const onnx::Model& model, bool timed,
         std::size_t begin)
      : history_(std::move(history)),
        plan_(std::move(plan)),
        model_(model),
        timed_(timed),
        last_(history_->steps.back().result),
        first_shown_(history_->steps[begin].result),
        in_last_(last_),
        by_origin_(views::groups_by_origin(fusion::BlockRules(*last_), *plan_)),
        verdicts_(plan_),
        groups_{
            plan_.get(),
            [this](const graph::Node& node) { return views::group_of(node, *plan_, by_origin_); },
            last_.get()} {}

  Result<void> lay_out(const Cancellation& cancellation) {
    drawing_ = TRY(views::draw_history(
        history_, plan_, views::history_boxes(*history_, groups_, boxes_), cancellation));
    return {};
  }

  // Its place among the graphs. What it changed is marked where the step changed something.
  Result<std::size_t> add(std::size_t step, const Cancellation& cancellation) {
    const graph::Graph& graph = *history_->steps[step].result;
    const graph::Graph* base = step > 0 ? history_->steps[step - 1].result.get() : nullptr;
    if (base == &graph) base = nullptr;
    const auto [known, fresh] = place_of_.try_emplace({&graph, base}, graphs_.size());
    if (fresh) graphs_.push_back(TRY(graph_json(graph, base, cancellation)));
    return known->second;
  }

  Json json() && {
    return {{"boxes", std::move(box_table_.things())},
            {"edges", std::move(edge_table_.things())},
            {"graphs", std::move(graphs_)},
            {"verdicts", std::move(verdict_list_)},
            {"operators", operators()}};
  }

 private:
  // Whoever opens the page, or goes to the end, reads; in between one steps, and what two steps
  // have stands in the same place in both.
  Result<views::PlacedGraph> place(const graph::Graph& graph, const graph::Graph* base,
                                   const Cancellation& cancellation) {
    views::GraphContent content =
        views::make_graph_content(graph, base, false, groups_, {}, boxes_);
    if (&graph == last_.get() || &graph == first_shown_.get())
      return views::place_alone(std::move(content), pane, cancellation);
    layout::Layout layout = views::part_of(*drawing_, content);
    return views::PlacedGraph{std::move(content), std::move(layout)};
  }

  Result<Json> graph_json(const graph::Graph& graph, const graph::Graph* base,
                          const Cancellation& cancellation) {
    views::PlacedGraph placed = TRY(place(graph, base, cancellation));
    const views::GraphContent& content = placed.content;
    const auto layout = std::make_shared<const layout::Layout>(std::move(placed.layout));
    Json places = Json::array(), changes = Json::object();
    for (std::uint32_t box = 0; box < content.entities.size(); ++box) {
      places.push_back(box_table_.place_of(box_json(graph, content, *layout, box)));
      if (const QString& badge = content.canvas.nodes[box].badge; !badge.isEmpty())
        changes[std::to_string(box)] = badge.toStdString();
    }
    const layout::Box& boxes = layout->bounds;
    QRectF bounds(boxes.left, boxes.top, boxes.width, boxes.height);
    Json edges = edges_json(graph, content, layout, bounds);
    Json result{{"boxes", std::move(places)},
                {"edges", std::move(edges)},
                {"hulls", hulls_json(content, *layout)},
                {"bounds", bounds_json(bounds)},
                {"operators", graph.nodes().size()},
                {"last", &graph == last_.get()}};
    if (base) {
      result["changes"] = std::move(changes);
      result["differences"] = fmt::format("+ {} new · ~ {} changed · − {} removed", content.created,
                                          content.changed, content.removed);
    }
    return result;
  }

  Json box_json(const graph::Graph& graph, const views::GraphContent& content,
                const layout::Layout& layout, std::uint32_t box) const {
    const views::CanvasNode& drawn = content.canvas.nodes[box];
    const QSizeF& size = content.sizes[box];
    Json json{{"title", drawn.title.toStdString()},
              {"x", rounded(layout.centres[box].x - size.width() / 2)},
              {"y", rounded(layout.centres[box].y - size.height() / 2)},
              {"w", rounded(size.width())},
              {"h", rounded(size.height())}};
    if (const auto* value = std::get_if<graph::ValueId>(&content.entities[box])) {
      json["name"] = graph.value(*value).name;
      return json;
    }
    const graph::NodePtr node = graph.share(std::get<graph::NodeId>(content.entities[box]));
    json["name"] = node->name;
    json["id"] = node->id.value;
    if (const fusion::GroupId kernel = groups_.group_of(*node); kernel.valid())
      json["kernel"] = kernel.value;
    json["family"] = static_cast<int>(node->op->family);
    json["subtitle"] = drawn.subtitle.toStdString();
    for (const QString& detail : drawn.details) json["details"].push_back(detail.toStdString());
    if (is_opaque(*node)) json["opaque"] = true;
    json["doc"] = is_opaque(*node) ? ops::opaque_reason(node->attributes).what : node->op->doc;
    for (const auto& [name, value] : node->attributes.all()) {
      std::string text = ops::to_string(value);
      if (text.size() > longest_value) text = text.substr(0, longest_value) + "...";
      json["attributes"].push_back({name, text});
    }
    for (const std::uint32_t source : node->origin.sources)
      if (source < model_.onnx_nodes.size()) json["onnx"].push_back(model_.onnx_nodes[source]);
    if (!last_->find(node->id)) {
      json["last"] = Json::array();
      for (const graph::NodeId id : in_last_.of(std::array{node})) json["last"].push_back(id.value);
    }
    return json;
  }

  // `bounds` grows to hold what is written beside the edges as well: all of it is shown at first.
  Json edges_json(const graph::Graph& graph, const views::GraphContent& content,
                  const std::shared_ptr<const layout::Layout>& layout, QRectF& bounds) {
    const views::Drawn drawn{content, content.canvas};
    views::CanvasOverlay overlay;
    const bool told = &graph == last_.get();
    if (told)
      overlay = views::verdict_overlay(drawn, verdicts_, [](const fusion::Edge&) { return false; });
    // It knows where there is room for the codes.
    const views::CanvasPicture picture(content.canvas, content.sizes, layout, overlay);
    Json list = Json::array();
    for (std::uint32_t e = 0; e < content.canvas.edges.size(); ++e) {
      const views::CanvasEdge& edge = content.canvas.edges[e];
      const views::EdgeItem& item = picture.edge(e);
      for (const QRectF& word : item.words()) bounds |= word;
      if (item.shows_sign()) bounds |= item.mark_area();
      Json row{edge_table_.place_of(edge_json(graph, content, layout->edges[e], item, e)),
               edge.from, edge.to};
      if (const fusion::Decision* decision = told ? drawn.decision(verdicts_, e) : nullptr) {
        row.push_back(verdict_list_.size());
        verdict_list_.push_back(verdict_json(*decision, item));
      }
      list.push_back(std::move(row));
    }
    return list;
  }

  static Json edge_json(const graph::Graph& graph, const views::GraphContent& content,
                        const std::vector<layout::Curve>& curves, const views::EdgeItem& drawn,
                        std::uint32_t e) {
    const graph::Value& value = graph.value(content.edge_values[e]);
    const views::CanvasEdge& edge = content.canvas.edges[e];
    Json json{{"value", value.name}, {"type", to_string(value.type)}, {"paths", Json::array()}};
    for (const layout::Curve& curve : curves) json["paths"].push_back(path_of(curve));
    if (const auto area = drawn.label_area())
      json["label"] = {edge.label.toStdString(), rounded(area->left() + 2), rounded(area->top())};
    if (curves.size() > 1)
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}})
        if (const auto area = drawn.name_area(end))
          json["names"].push_back({end, rounded(area->center().x()), rounded(area->top())});
    return json;
  }

  Json verdict_json(const fusion::Decision& decision, const views::EdgeItem& item) const {
    Json numbers = Json::array();
    for (const auto& [name, value] : decision.numbers)
      if (const auto words = fusion::number_words(name, value, timed_)) numbers.push_back(*words);
    return {{"fused", decision.fused},
            {"forced", decision.forced},
            {"code", fusion::name(decision.reason)},
            {"condition", decision.condition},
            {"sentence", decision.sentence},
            {"numbers", std::move(numbers)},
            {"mark", mark_json(item)}};
  }

  // Where the sign stands, and the code beside it from where on and how wide; what has no room is
  // left out.
  static Json mark_json(const views::EdgeItem& item) {
    if (!item.shows_sign()) return nullptr;
    const QPointF at = item.mark_place();
    Json mark{rounded(at.x()), rounded(at.y())};
    if (!item.shows_code()) return mark;
    const QRectF area = item.mark_area();
    const bool on_left = at.x() - area.left() > area.right() - at.x();
    const double width = std::max(at.x() - area.left(), area.right() - at.x()) - 8;
    mark.push_back(rounded(on_left ? area.left() : area.right() - width));
    mark.push_back(rounded(width));
    return mark;
  }

  static Json hulls_json(const views::GraphContent& content, const layout::Layout& layout) {
    const auto frames = views::cluster_frames(content.canvas, content.sizes, layout);
    Json list = Json::array();
    for (std::size_t c = 0; c < frames.size(); ++c) {
      if (frames[c].empty()) continue;
      Json boxes = Json::array();
      for (const QRectF& frame : frames[c])
        boxes.push_back({rounded(frame.x()), rounded(frame.y()), rounded(frame.width()),
                         rounded(frame.height())});
      list.push_back({{"kernel", content.groups[c].value}, {"frames", std::move(boxes)}});
    }
    return list;
  }

  static Json bounds_json(const QRectF& bounds) {
    return {rounded(bounds.left()), rounded(bounds.top()), rounded(bounds.width()),
            rounded(bounds.height())};
  }

  // Of the last graph, by id: what kernels and their texts refer to.
  Json operators() const {
    Json table = Json::object();
    for (const graph::NodePtr& node : last_->nodes())
      table[std::to_string(node->id.value)] = {{"name", node->name},
                                               {"family", static_cast<int>(node->op->family)},
                                               {"kernel", plan_->group_of(node->id).value}};
    return table;
  }

  std::shared_ptr<const pass::GraphHistory> history_;
  std::shared_ptr<const fusion::Plan> plan_;
  const onnx::Model& model_;
  bool timed_;  // estimates are times
  std::shared_ptr<const graph::Graph> last_, first_shown_;
  views::Counterparts in_last_;
  views::GroupsByOrigin by_origin_;
  views::EdgeVerdicts verdicts_;
  views::GroupsOfGraph groups_;
  views::BoxCache boxes_;
  std::optional<views::GraphDrawing> drawing_;
  Shared box_table_, edge_table_;
  std::map<std::pair<const graph::Graph*, const graph::Graph*>, std::size_t> place_of_;
  Json graphs_ = Json::array(), verdict_list_ = Json::array();
};

Json step_json(const pass::Step<graph::Graph>& step, std::optional<std::size_t> graph) {
  std::map<std::string, std::size_t> rules;
  for (const pass::Rewrite& rewrite : step.rewrites) ++rules[rewrite.rule];
  Json rule_list = Json::array(), remarks = Json::array();
  for (const auto& [rule, count] : rules) rule_list.push_back({rule, count});
  for (const pass::Remark& remark : step.remarks) {
    if (remarks.size() == most_remarks) break;
    remarks.push_back({{"kind", name(remark.kind)},
                       {"code", remark.code},
                       {"entity", remark.entity},
                       {"text", remark.text}});
  }
  const std::size_t left_out = step.remarks.size() - remarks.size();
  return {{"pass", step.pass.name},
          {"doc", step.pass.doc},
          {"changed", step.changed},
          {"rewrites", step.rewrites.size()},
          {"rules", rule_list},
          {"remarks", remarks},
          {"moreRemarks", left_out},
          {"operators", step.result->nodes().size()},
          {"graph", graph ? Json(*graph) : Json(nullptr)}};
}

// The first and the last graph, that of the beginning, and of the others those that there is room
// for.
std::vector<bool> steps_told(const pass::GraphHistory& history, std::size_t begin) {
  std::vector<bool> told(history.steps.size());
  std::size_t in_all = 0;
  const auto tell = [&](std::size_t step) {
    if (told[step]) return;
    told[step] = true;
    // A step that changed nothing shows what is there already.
    if (history.steps[step].changed || step == 0)
      in_all += history.steps[step].result->nodes().size();
  };
  for (const std::size_t step : {std::size_t{0}, history.steps.size() - 1, begin}) tell(step);
  for (std::size_t step = 0; step < told.size() && in_all <= most_in_all_steps; ++step) tell(step);
  return told;
}

}  // namespace

Result<std::string> page_graphs(Session& session, std::shared_ptr<const pass::GraphHistory> history,
                                std::shared_ptr<const fusion::Plan> plan, const std::string& place,
                                const Cancellation& cancellation) {
  pass::Position begin{history->steps.size() - 1};
  if (!place.empty()) begin = TRY(pass::parse_position(place, *history));
  if (begin.rewrites != pass::Report::all)
    return fail(Code::UsageInvalid,
                fmt::format("a page shows whole steps, and {} is inside one", place), "--step",
                fmt::format("--step {} is the step", begin.step));
  for (const auto& step : history->steps)
    if (const std::size_t count = step.result->nodes().size(); count > most_operators)
      return fail(Code::ExportTooLarge,
                  fmt::format("{} operators are too many for a page, which shows up to {}", count,
                              most_operators),
                  step.pass.name,
                  "--subgraph takes a part; 'loopglassc export graph' draws larger graphs");
  const auto model = TRY(session.model());
  Graphs graphs(history, std::move(plan), *model, session.cost_model()->is_calibrated(),
                begin.step);
  TRY_VOID(graphs.lay_out(cancellation));
  const std::vector<bool> told = steps_told(*history, begin.step);
  Json steps = Json::array();
  for (std::size_t step = 0; step < history->steps.size(); ++step) {
    if (cancellation.requested()) return fail(Code::Cancelled, "the export was cancelled");
    std::optional<std::size_t> graph;
    if (told[step]) graph = TRY(graphs.add(step, cancellation));
    steps.push_back(step_json(history->steps[step], graph));
  }
  Json result = std::move(graphs).json();
  result["steps"] = std::move(steps);
  result["step"] = begin.step;
  return text_of(result);
}

}  // namespace loopglass::app

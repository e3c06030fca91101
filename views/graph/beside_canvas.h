// A second canvas beside the graph: the same network at another place. It is drawn as the first is
// (kernels, verdicts, marks, folds), follows its camera unless it is unlinked, and shows what is
// selected there by the same operators, or by what stands for them.
#pragma once

#include "views/canvas/camera_link.h"
#include "views/document/counterparts.h"
#include "views/graph/beside_costs.h"
#include "views/graph/beside_place.h"
#include "views/graph/graph_drawing.h"
#include "views/graph/graph_folding.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopglass::views {

class GraphView;
class WorkPage;

class BesideCanvas : public QWidget {
  Q_OBJECT

 public:
  BesideCanvas(Document* document, GraphView* first, QWidget* parent = nullptr);

  // Nothing: it is hidden. Goes when the model does.
  const SavedBeside& shown() const { return shown_; }
  // With what an unlinked canvas looks at.
  SavedBeside saved() const;
  bool is_open() const { return shown_.kind != SavedBeside::Kind::Nothing; }
  void show_place(SavedBeside beside);
  // What was shown last; at first as beside_at_first says. While a model is on its way: as soon as
  // it and what was kept of it are there.
  void toggle();
  void set_linked(bool linked);
  // Whatever is selected meanwhile is lit, and not gone to.
  void stay_and(const std::function<void()>& select);

  // What somebody compares the document's passes with; empty: nothing.
  void offer_pipeline(std::string pipeline) { offered_pipeline_ = std::move(pipeline); }
  const std::string& offered_pipeline() const { return offered_pipeline_; }

  GraphCanvas* canvas() const { return canvas_; }
  const GraphContent& content() const { return content_; }
  const std::optional<BesidePlace>& place() const { return place_; }  // nullopt: none yet
  // What is shown is known, and this operator of the first graph is not in it.
  bool lacks(const graph::Node& node) const { return is_open() && place_ && !there_.same(node); }
  // Of what its boxes are coloured by, as Heat has it; 0: nothing is.
  double greatest_heat() const;

 signals:
  void shownChanged();
  void heatChanged();         // greatest_heat()
  void differencesChanged();  // lacks()

 private:
  QWidget* make_header();
  void follow_model();
  void open_if_wanted();
  void forget();
  void refresh_later();

  void refresh();
  void say_why_not(const Diagnostic& problem);
  void find(const BesideSource& source);

  // How it is drawn (beside_drawing.cpp).
  void wait(const QString& why);
  std::shared_ptr<const fusion::Plan> plan_drawn() const;  // null: without groups
  GroupsOfGraph groups_drawn() const;
  void draw();
  void lay_out();
  GraphContent make_content(const Folds* folds);
  void show_part(const std::shared_ptr<GraphDrawing>& drawing);
  void draw_compactly(const SavedFolds& folds);
  void accept_compact();
  void tell_shown();
  void take_camera();
  void show_overlay();

  // In the colours of the first (beside_heat.cpp).
  void follow_costs();
  void forget_costs();
  void want_costs();
  void show_heat_again();
  HeatSources heat_sources() const;
  QString costs_words() const;

  // How it differs from the first (beside_differences.cpp).
  bool is_earlier() const;  // of the document's history, before its place
  void mark_differences(GraphContent& content) const;
  QStringList difference_words() const;
  void show_status();

  // How it hangs together with the first (beside_relations.cpp).
  bool is_of_document() const {
    return place_ && place_->history == document_->history().recorded();
  }
  void relate();
  // Boxes of the first canvas and of a content that is, or will be, shown here that stand for the
  // same.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same_boxes(
      const GraphContent& content) const;
  std::vector<LinkedPlace> linked_places() const;
  // The column of the first canvas that each box of a content is in, where it is there.
  std::vector<std::optional<std::size_t>> columns_of_first(const GraphContent& content) const;
  CanvasHighlight highlight() const;
  void show_selection();
  void select(const std::function<void()>& select);
  void choose_box(std::uint32_t box);
  void choose_nodes(const std::vector<graph::NodeId>& nodes);
  void choose_value(const graph::Value& value, graph::NodeId consumer);
  void choose_group(fusion::GroupId group);
  void open_box(std::uint32_t box);
  void say_missing(const std::string& name, const std::vector<graph::NodeId>& instead);
  QString tip_of_box(std::uint32_t box) const;
  QString tip_of_edge(std::uint32_t edge) const;

  Document* document_;
  GraphView* first_;
  GraphCanvas* canvas_;
  CameraLink* link_;
  QLabel *title_, *status_;
  QToolButton* linked_;
  WorkPage* page_;
  SavedBeside shown_, last_;
  std::string offered_pipeline_;
  const void* model_;                  // that it is of
  bool opens_with_the_model_ = false;  // which is on its way

  BesideSource source_, being_found_;  // of the place, and of the one on its way
  std::optional<BesidePlace> place_;
  BoxCache boxes_;
  std::shared_ptr<const fusion::Plan> plan_of_boxes_;
  FoldingMemo folding_;
  std::shared_ptr<GraphDrawing> drawing_, drawing_shown_;  // our own, and the one that is shown
  std::shared_ptr<const void> being_drawn_;                // the history
  std::shared_ptr<const fusion::Plan> plan_being_drawn_;
  std::optional<GraphContent> next_content_;  // waits for its layout
  GraphContent content_;
  EdgeVerdicts verdicts_;
  PlaceCosts costs_;  // of a plan that is not the document's
  CostsAsked costs_of_;
  QString costs_problem_;

  std::optional<Camera> wanted_camera_;  // as soon as it is drawn
  Counterparts here_, there_;            // in the first graph, and in this one
  std::optional<graph::NodeId> clicked_;
  QString note_;  // of what was clicked
  Selected brought_;
  bool refresh_pending_ = false, selecting_ = false;
};

}  // namespace loopglass::views

// The operator graph at the current position, with the fused groups drawn over it, the plan's
// verdict on every edge, and what differs from the place it is compared with. All steps of a
// history are parts of one drawing, so nothing that is in two of them moves between them.
#pragma once

#include "views/canvas/canvas_picture.h"
#include "views/canvas/graph_canvas.h"
#include "views/document/document.h"
#include "views/graph/graph_drawing.h"
#include "views/graph/graph_folding.h"
#include "views/graph/heat.h"

#include <QWidget>

#include <deque>
#include <map>

class QMenu;
class QPushButton;
class QToolButton;

namespace loopglass::views {

class BesideCanvas;
class CanvasPane;
struct CanvasMatch;
class OverlayLegend;
class SteadyButton;

class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(Document* document, QWidget* parent = nullptr);

  void find();
  void fit();
  GraphCanvas* canvas() const;
  // What the canvas shows now; lags behind the document while a layout is being made.
  const GraphContent& content() const { return shown_; }
  // What is shown, for paper: whole, in the theme of the thread, without what is selected or found.
  // Null while there is nothing, or while its layout is being made.
  std::unique_ptr<CanvasPicture> picture() const;

  // What is looked at, and looking at it again: when the graph at the document's place has been
  // drawn, and by itself only there. nullopt: nothing is drawn.
  std::optional<Camera> camera() const;
  void look_at(const Camera& camera);
  // The closed fold that is this operator's box, without moving there; false: it is in none.
  bool select_fold_of(graph::NodeId id);
  // Whether folds are known: kernels are boxes only once there is a plan.
  bool knows_folds() const;
  // Selects without moving there.
  void stay_and(const std::function<void()>& select);

  // The switches, and the filters of marks.
  struct Switches {
    bool kernels, verdicts, ghosts, follow;
    std::vector<std::string> marks;
    SavedFolds folds;
    std::string colors, map_corner;
    SavedBeside beside;
  };
  Switches switches() const;
  void set_switches(const Switches& switches);

  // An edge as it is drawn: a tensor on its way to one of its readers.
  struct ChosenEdge {
    graph::ValueId value;
    graph::NodeId consumer;
  };
  Measure measure() const { return measure_; }
  // Of what its boxes are coloured by, as Heat has it; 0: nothing is.
  double greatest_heat() const { return heat_of_boxes(measure_).greatest; }
  const std::optional<ChosenEdge>& chosen_edge() const { return chosen_edge_; }
  void choose_edge(ChosenEdge edge);
  void change_folds(const std::function<void(graph::OpenFolds&)>& change);

  // The second canvas (graph_view_beside.cpp).
  BesideCanvas* beside() const { return beside_; }
  void fill_beside_menu(QMenu& menu);
  void fill_switch_menu(QMenu& menu);  // what is drawn, and marks
  void fill_fold_menu(QMenu& menu);
  void fill_color_menu(QMenu& menu);
  // Of a whole history; null: not made (yet).
  std::shared_ptr<GraphDrawing> drawing_of(const std::shared_ptr<const pass::GraphHistory>& history,
                                           const std::shared_ptr<const fusion::Plan>& plan) const;
  bool is_laying_out() const;  // and tells when it is done
  // What is shown is this drawing, whose columns are chosen.
  bool shows(const GraphDrawing& drawing) const { return &drawing == drawing_shown_; }

 signals:
  void switchesChanged();
  void shownChanged();                        // content(), or what is laid over it
  void edgeChosen(const fusion::Edge& edge);  // of several that carry the selected value

 private:
  using DrawingPtr = std::shared_ptr<GraphDrawing>;

  void make_tools();
  void fill_compare_menu();
  void fill_mark_menu();
  void make_beside();
  QSize page_there_is() const;
  QSize page_of_columns();
  QSize& page_now() { return pages_[{folded_, kernels_as_boxes_}]; }
  void fit_columns_again();
  void fit_columns_to_page();
  void refresh_later();
  void refresh();
  std::shared_ptr<const fusion::Plan> plan_drawn() const;  // null: without groups
  GroupsOfGraph groups_drawn() const;
  DrawingPtr known_drawing() const;
  void draw();  // in the background
  void show_part(GraphDrawing& drawing);
  void tell_shown();
  GraphContent content_now(BoxCache& boxes) const;

  // Folding, and drawings of one place alone (graph_view_folds.cpp).
  void make_fold_menu();
  SavedFolds folds_now() const;
  void use_folds(const SavedFolds& folds);
  void follow_model();
  void keep_look();
  std::string name_of_model() const;
  static bool is_same(const std::weak_ptr<const onnx::Model>& known,
                      const std::shared_ptr<const onnx::Model>& model);
  void fold_by(Folded by);
  bool draws_compactly() const;
  std::shared_ptr<const graph::Folding> folding() const;
  void draw_compactly();
  void accept_compact();
  bool open_fold(std::uint32_t box);
  bool fill_fold_actions(QMenu& menu, std::uint32_t box);
  QString tip_of_part(std::uint32_t box) const;

  // Colours by what boxes cost (graph_view_heat.cpp).
  void make_color_menu();
  void set_measure(Measure measure);
  void color_by(Measure measure);  // and measures what there is to be measured for it
  void show_heat_again();
  bool can_measure_for(Measure measure) const;
  void measure_for(Measure measure);
  void with_heat_sources(const std::function<void(const HeatSources&)>& use) const;
  Heat heat_of_boxes(Measure measure) const;
  void show_heat_legend();
  void show_status();
  void show_selection();
  void show_compared();
  CanvasHighlight highlight() const;
  void select_box(std::uint32_t box);
  void select_part(FoldedPart part);
  void select_fold(const graph::Folding& folding, const graph::FoldedBox& box,
                   const std::vector<graph::NodeId>& nodes);
  void toggle_box(std::uint32_t box);
  void select_edge(std::uint32_t edge);
  bool take_camera();  // the one that is wanted; whether it could be

  // The overlay (graph_view_overlay.cpp).
  Drawn drawn() const { return {shown_, canvas()->content()}; }
  enum class Overlay : std::uint8_t { None, Verdicts, ComparedPlans, Moment };
  Overlay wanted_overlay() const;
  void show_legend(Overlay wanted);
  CanvasOverlay overlay_of(const Drawn& drawn) const;
  void outline_missing_beside(const Drawn& drawn, CanvasOverlay& overlay) const;
  CanvasOverlay plan_overlay(const Drawn& drawn) const;
  void show_overlay();
  void show_compared_legend();
  void show_moment_legend();
  QString verdict_words() const;
  QString tip_of_edge(std::uint32_t edge) const;
  QString tip_of_edges(const std::vector<const fusion::Decision*>& decisions) const;

  // The menus (graph_view_menu.cpp).
  void open_menu(GraphCanvas::Thing thing, std::uint32_t index, QPoint at);
  void fill_node_menu(QMenu& menu, graph::NodeId id);
  // The graphs that an opaque operator runs: in a menu, and at once where it has one only.
  void add_subgraphs(QMenu& menu, const graph::Node& node);
  void open_box(std::uint32_t box);
  void fill_edge_menu(QMenu& menu, const fusion::Decision& decision);
  void fill_group_menu(QMenu& menu, fusion::GroupId group);
  void add_edges_of(QMenu& menu, graph::NodeId node);
  void add_merges(QMenu& menu, fusion::GroupId group, const std::string& name);
  void add_pin(QMenu& menu, fusion::GroupId group, const std::string& name);
  void add_breakpoints(QMenu& menu, const std::string& name);
  std::optional<CanvasMatch> match(const QString& text) const;
  QString tip_of_box(std::uint32_t box) const;

  Document* document_;
  CanvasPane* pane_;
  BesideCanvas* beside_ = nullptr;
  QToolButton *groups_, *verdicts_, *ghosts_, *follow_, *fold_, *compare_, *mark_;
  SteadyButton* color_;
  std::vector<MarkRule> marks_;
  OverlayLegend* overlay_legend_;
  BoxCache boxes_;
  Measure measure_ = Measure::Family;
  Folded folded_ = Folded::No;
  bool kernels_as_boxes_ = false, compact_ = false, steady_ = false, columns_ = true;
  bool folds_large_ = true;                    // until a person says how it is to be folded
  std::weak_ptr<const onnx::Model> folds_of_;  // the model that folds and colours are for
  std::string look_of_;                        // and what it is called; empty: none
  struct Look {
    SavedFolds folds;
    Measure measure;
  };
  std::map<std::string, Look> looks_;  // of graphs that were open before
  graph::OpenFolds open_folds_;
  // The pages that columns suit, by how it is folded, and the model that they were chosen for. Each
  // is chosen once, so that another step, plan or canvas, and the next start, have the same.
  std::map<std::pair<Folded, bool>, QSize> pages_;
  std::weak_ptr<const onnx::Model> page_of_;
  mutable FoldingMemo folding_;
  std::optional<std::uint64_t> opened_fold_;        // its key: is to be brought into view, opened
  std::optional<GraphContent> next_shown_;          // waits for its layout
  GraphContent shown_;                              // its canvas content has moved into the canvas
  std::shared_ptr<const fusion::Plan> plan_shown_;  // whose groups are in it; null: without
  std::deque<DrawingPtr> drawings_;
  std::optional<pass::Position> place_shown_;
  const void *model_shown_ = nullptr, *drawing_shown_ = nullptr, *being_drawn_ = nullptr;
  bool groups_being_drawn_ = false;
  EdgeVerdicts verdicts_of_plan_, verdicts_of_first_, verdicts_of_second_;
  std::optional<ChosenEdge> chosen_edge_;
  std::vector<graph::NodeId> picked_;  // with Ctrl; the first is selected, all are lit
  std::optional<Camera> wanted_camera_;
  // What was selected where when it was last brought into view.
  Selected brought_;
  std::optional<pass::Position> brought_at_;
  bool refresh_pending_ = false, selecting_ = false, fits_next_ = false;
  QPushButton* measure_offer_;  // where there is no scale for nothing has been measured
};

}  // namespace loopglass::views

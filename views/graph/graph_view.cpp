#include "views/graph/graph_view.h"

#include "views/canvas/canvas_pane.h"
#include "views/canvas/overlay_legend.h"
#include "views/counted.h"
#include "views/document/stage_page.h"
#include "views/document/trail.h"
#include "views/graph/subgraph_bar.h"
#include "views/theme.h"
#include "views/widgets/steady_button.h"

#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

const QString layout_lane = "graph layout";

}  // namespace

GraphView::GraphView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      pane_(new CanvasPane(&document->jobs(), layout_lane)),
      groups_(new QToolButton),
      verdicts_(new QToolButton),
      ghosts_(new QToolButton),
      follow_(new QToolButton),
      fold_(new QToolButton),
      compare_(new QToolButton),
      mark_(new QToolButton),
      color_(new SteadyButton),
      overlay_legend_(new OverlayLegend),
      measure_offer_(new QPushButton) {
  pane_->stand_below(measure_offer_);
  pane_->stand_below(overlay_legend_);
  make_tools();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(new SubgraphBar(document));
  layout->addWidget(
      new StagePage(document, Stage::Model, pane_, tr("Open a model to see its graph.")));
  setFocusProxy(pane_->canvas());

  connect(&document->history(), &HistoryStage::stepChanged, this, &GraphView::refresh_later);
  connect(&document->history(), &HistoryStage::historyChanged, this, &GraphView::refresh_later);
  // Other passes make other operators, whose numbers say nothing: by its name what is looked at is
  // found again.
  connect(document, &Document::pipelineChanged, this, [this] {
    if (document_->model().get() == model_shown_) wanted_camera_ = camera();
  });
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Plan) refresh_later();
  });
  connect(&document->fusion(), &FusionStage::planChanged, this, [this] { boxes_.clear_groups(); });
  connect(&document->fusion(), &FusionStage::guessingChanged, this, [this] {
    show_overlay();  // verdicts hide at once, hulls with the next layout
    refresh_later();
  });
  for (const auto signal : {&FusionStage::comparedPlansChanged, &FusionStage::planMomentChanged})
    connect(&document->fusion(), signal, this, [this] {
      show_overlay();
      show_status();
    });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    boxes_.clear();
    refresh_later();
  });
  connect(&document->selection(), &Selection::selectionChanged, this, &GraphView::show_selection);
  connect(&document->selection(), &Selection::revealWanted, this, [this] {
    const CanvasHighlight wanted = highlight();
    if (wanted.primary) canvas()->show_readably(*wanted.primary);
    else if (!wanted.related.empty())
      canvas()->show_readably(*std::min_element(wanted.related.begin(), wanted.related.end()));
  });

  Selection* selection = &document->selection();
  connect(canvas(), &GraphCanvas::layoutChanged, this, &GraphView::accept_compact);
  connect(canvas(), &GraphCanvas::nodeClicked, this, &GraphView::select_box);
  connect(canvas(), &GraphCanvas::nodeToggled, this, &GraphView::toggle_box);
  connect(canvas(), &GraphCanvas::nodeActivated, this, &GraphView::open_box,
          Qt::QueuedConnection);  // the canvas is not done with the box
  connect(canvas(), &GraphCanvas::menuWanted, this, &GraphView::open_menu);
  connect(canvas(), &GraphCanvas::edgeClicked, this, &GraphView::select_edge);
  connect(canvas(), &GraphCanvas::clusterClicked, this, [this, selection](quint32 cluster) {
    stay_and([&] { selection->select_group(shown_.groups[cluster]); });
  });
  connect(canvas(), &GraphCanvas::backgroundClicked, selection, &Selection::clear);
  connect(canvas(), &GraphCanvas::fitted, this, &GraphView::fit_columns_to_page);
  connect(canvas(), &GraphCanvas::leaveWanted, document, [document] { leave(*document); });
  pane_->set_matcher(
      [this](const QString& text) { return match(text); },
      tr("A name, or a filter: op=Conv & dtype=f32 & name~layer3, rank>4, bytes>=1MiB"));
  canvas()->node_tip = [this](quint32 box) { return tip_of_box(box); };
  canvas()->edge_tip = [this](quint32 edge) { return tip_of_edge(edge); };
  make_beside();    // last: it comes after what happens here
  refresh_later();  // the pane has a size then, which columns suit
}

GraphCanvas* GraphView::canvas() const { return pane_->canvas(); }
void GraphView::find() { pane_->find(); }
void GraphView::fit() { canvas()->fit(); }

// One change of the document is often several signals.
void GraphView::refresh_later() {
  if (refresh_pending_) return;
  refresh_pending_ = true;
  QMetaObject::invokeMethod(this, &GraphView::refresh, Qt::QueuedConnection);
}

// Hulls, and where the layout puts what is in one, tell the verdict.
std::shared_ptr<const fusion::Plan> GraphView::plan_drawn() const {
  return groups_->isChecked() && !document_->fusion().is_guessing() ? document_->fusion().plan()
                                                                    : nullptr;
}

GroupsOfGraph GraphView::groups_drawn() const {
  return {plan_drawn().get(),
          [this](const graph::Node& node) { return document_->fusion().group_of(node); },
          document_->history().last_graph().get()};
}

GraphView::DrawingPtr GraphView::known_drawing() const {
  return drawing_of(document_->history().recorded(), plan_drawn());
}

void GraphView::refresh() {
  refresh_pending_ = false;
  show_compared();
  if (!document_->history().graph()) {
    document_->jobs().cancel(layout_lane);
    boxes_.clear();
    drawings_.clear();
    drawing_shown_ = nullptr;
    // Other passes over the same model: what both histories have keeps its place on the screen.
    if (document_->model() && document_->model().get() == model_shown_) return;
    wanted_camera_.reset();
    fits_next_ = false;
    shown_ = {};
    plan_shown_ = nullptr;
    canvas()->set_content({}, true);
    show_overlay();
    return show_status();
  }
  // Groups change the layout; wait for them rather than draw everything twice.
  if (document_->state(Stage::Plan) == StageState::Working) return;
  follow_model();
  if (draws_compactly()) return draw_compactly();
  next_shown_.reset();
  if (const DrawingPtr drawing = known_drawing()) show_part(*drawing);
  else draw();
}

void GraphView::draw() {
  const auto history = document_->history().recorded();
  const auto plan = plan_drawn();
  const bool groups = plan != nullptr;
  if (document_->jobs().busy(layout_lane) && being_drawn_ == history.get() &&
      groups_being_drawn_ == groups)
    return;
  being_drawn_ = history.get();
  groups_being_drawn_ = groups;
  HistoryBoxes boxes = history_boxes(*history, groups_drawn(), boxes_);
  document_->jobs().run<DrawingPtr>(
      layout_lane, tr("Laying out the graph"),
      [history, plan, boxes = std::move(boxes)](const JobContext& context) -> Result<DrawingPtr> {
        return std::make_shared<GraphDrawing>(
            TRY(draw_history(history, plan, boxes, context.cancellation)));
      },
      [this](DrawingPtr drawing) {
        constexpr std::size_t kept = 4;
        drawings_.push_front(std::move(drawing));
        if (drawings_.size() > kept) drawings_.pop_back();
        refresh();
      },
      [this](const Diagnostic& diagnostic) { emit document_->failed(diagnostic); }, this);
  canvas()->expect_layout();
}

GraphContent GraphView::content_now(BoxCache& boxes) const {
  std::optional<Folds> folds;
  // Where nothing folds the graph is what it is without, ghosts and all.
  const auto is_of_several = [](const graph::FoldItem& item) { return item.nodes.size() > 1; };
  if (auto folding = this->folding();
      folding && (!folding->folds.empty() || std::ranges::any_of(folding->items, is_of_several)))
    folds = {std::move(folding), open_folds_};
  GroupsOfGraph groups = groups_drawn();
  if (kernels_as_boxes_) groups.plan = nullptr;  // the boxes are the hulls
  return make_graph_content(*document_->history().graph(), document_->history().base_graph().get(),
                            ghosts_->isChecked(), groups, marks_, boxes, folds ? &*folds : nullptr);
}

void GraphView::show_part(GraphDrawing& drawing) {
  GraphContent content = content_now(boxes_);
  const bool other_columns = columns_ && !drawing.columns;
  if (other_columns) {
    // Chosen once for the whole drawing, so that every part of it stands in the same columns.
    const QSize page = page_of_columns();
    drawing.columns = drawing.steady.columns(page.width(), page.height());
  }
  layout::Layout part = part_of(drawing, content, columns_ ? *drawing.columns : layout::Columns());
  const auto arrival = document_->model().get() != model_shown_ ? GraphCanvas::Arrival::Fresh
                       : &drawing == drawing_shown_             ? GraphCanvas::Arrival::SameDrawing
                                                                : GraphCanvas::Arrival::Other;
  model_shown_ = document_->model().get();
  drawing_shown_ = &drawing;
  CanvasContent canvas_content = std::move(content.canvas);
  std::vector<QSizeF> sizes = std::move(content.sizes);
  shown_ = std::move(content);
  plan_shown_ = plan_drawn();
  canvas()->set_placed(std::move(canvas_content), std::move(sizes),
                       std::make_shared<const layout::Layout>(std::move(part)), arrival);
  // Whoever steps looks at a place and stays there while something changes in it.
  const pass::Position place = document_->history().position();
  if (other_columns && (!place_shown_ || place_shown_ == place)) canvas()->keep_to_beginning();
  tell_shown();
  const bool taken = take_camera();
  if (!taken && follow_->isChecked() && arrival != GraphCanvas::Arrival::Fresh && place_shown_ &&
      place_shown_ != place)
    canvas()->show_together(shown_.touched);
  if (fits_next_ && !taken) canvas()->fit();
  fits_next_ = false;
  place_shown_ = place;
}

// What is said beside the canvas of what it shows.
void GraphView::tell_shown() {
  if (!document_->history().graph()) return;
  show_overlay();
  show_status();
  canvas()->set_highlight(highlight());
  canvas()->keep_highlight_in_place();
  emit shownChanged();
}

std::unique_ptr<CanvasPicture> GraphView::picture() const {
  if (!document_->history().graph() || !canvas()->current_layout()) return nullptr;
  BoxCache boxes;  // in colours that need not be the window's
  GraphContent content = content_now(boxes);
  // What the canvas shows may be older.
  const auto& drawn = canvas()->content().nodes;
  if (!std::equal(drawn.begin(), drawn.end(), content.canvas.nodes.begin(),
                  content.canvas.nodes.end(),
                  [](const CanvasNode& a, const CanvasNode& b) { return a.key == b.key; }) ||
      canvas()->content().clusters.size() != content.canvas.clusters.size())
    return nullptr;
  CanvasOverlay overlay = overlay_of({content, content.canvas});
  std::vector<QSizeF> sizes;  // as they were laid out
  for (std::uint32_t box = 0; box < content.sizes.size(); ++box)
    sizes.push_back(canvas()->box_size(box));
  return std::make_unique<CanvasPicture>(
      std::move(content.canvas), std::move(sizes),
      std::make_shared<const layout::Layout>(*canvas()->current_layout()), std::move(overlay));
}

void GraphView::show_compared() {
  const auto history = document_->history().recorded();
  const auto pinned = document_->history().pinned_base();
  compare_->setText(
      history && pinned
          ? tr("Compared with step %1").arg(QString::fromStdString(pass::to_text(*pinned)))
          : tr("Compare"));
}

void GraphView::show_status() {
  const auto graph = document_->history().graph();
  if (!graph) return pane_->set_status({});
  const Theme& t = theme();
  QStringList parts;
  const auto colored = [](const QColor& color, const QString& text) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), text);
  };
  parts << counted(graph->nodes().size(), "operator");
  if (shown_.folded) {
    const auto boxes = shown_.folded->boxes().size();
    parts << (boxes == 1 ? tr("folded to 1 box") : tr("folded to %1 boxes").arg(boxes));
  } else if (folded_ != Folded::No) {
    parts << (folded_ == Folded::Names ? tr("no names to fold by")
                                       : tr("no block follows itself, nothing to fold"));
  }
  if (shown_.created) parts << colored(t.good, tr("+ %1 new").arg(shown_.created));
  if (shown_.changed) parts << colored(t.warning, tr("~ %1 changed").arg(shown_.changed));
  if (shown_.removed) parts << colored(t.error, tr("− %1 removed").arg(shown_.removed));
  if (const auto base = document_->history().base(); base && document_->history().pinned_base())
    parts << colored(
        t.muted,
        tr("against %1")
            .arg(QString::fromStdString(pass::describe(*base, *document_->history().recorded()))
                     .toHtmlEscaped()));
  if (const QString verdicts = verdict_words(); !verdicts.isEmpty()) parts << verdicts;
  const QString drawn = describe_layout(canvas()->current_layout());
  if (!drawn.isEmpty()) parts << colored(t.muted, drawn);
  pane_->set_status(parts.join(" · "));
}

}  // namespace loopglass::views

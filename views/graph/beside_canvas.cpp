#include "views/graph/beside_canvas.h"

#include "core/fusion/compare.h"
#include "core/graph/node_filter.h"
#include "views/canvas/minimap.h"
#include "views/document/counted.h"
#include "views/document/debugger.h"
#include "views/document/text.h"
#include "views/document/work_page.h"
#include "views/graph/graph_view.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

using Kind = SavedBeside::Kind;

const QString lane = "beside";

// As much of a title as there is room for.
class Title : public QLabel {
 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter(this).drawText(
        contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
  }
};

}  // namespace

BesideCanvas::BesideCanvas(Document* document, GraphView* first, QWidget* parent)
    : QWidget(parent),
      document_(document),
      first_(first),
      canvas_(new GraphCanvas(&document->jobs(), lane)),
      link_(new CameraLink(first->canvas(), canvas_)),
      title_(new Title),
      status_(new QLabel),
      linked_(new QToolButton),
      page_(new WorkPage(canvas_, document->jobs(), lane)),
      model_(document->model().get()) {
  setObjectName("besideCanvas");
  new Minimap(canvas_);
  status_->setObjectName("besideStatus");
  status_->setMargin(4);
  status_->setTextFormat(Qt::RichText);
  status_->setWordWrap(true);
  status_->setMinimumWidth(1);  // a word without end makes no window wide
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_header());
  column->addWidget(page_, 1);
  column->addWidget(status_);
  setFocusProxy(canvas_);
  hide();

  connect(first, &GraphView::shownChanged, this, &BesideCanvas::refresh_later);
  connect(first, &GraphView::switchesChanged, this, &BesideCanvas::refresh_later);
  connect(document, &Document::historyChanged, this, &BesideCanvas::follow_model);
  for (const auto signal : {&Document::planChanged, &Document::guessingChanged})
    connect(document, signal, this, &BesideCanvas::refresh_later);
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Model || stage == Stage::Plan) refresh_later();
  });
  connect(&document->debugger(), &Debugger::nodesChanged, this, &BesideCanvas::refresh_later);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    boxes_.clear();
    refresh_later();
  });
  connect(&document->selection(), &Selection::selectionChanged, this,
          &BesideCanvas::show_selection);
  connect(page_, &WorkPage::againWanted, this, &BesideCanvas::refresh);

  connect(canvas_, &GraphCanvas::layoutChanged, this, &BesideCanvas::accept_compact);
  connect(canvas_, &GraphCanvas::nodeClicked, this, &BesideCanvas::choose_box);
  connect(canvas_, &GraphCanvas::nodeActivated, this, &BesideCanvas::open_box,
          Qt::QueuedConnection);  // the canvas is not done with the box
  connect(canvas_, &GraphCanvas::edgeClicked, this, [this](quint32 edge) {
    if (const graph::Value* value = place_->graph->find(content_.edge_values[edge]))
      choose_value(*value, content_.edge_consumers[edge]);
  });
  connect(canvas_, &GraphCanvas::clusterClicked, this,
          [this](quint32 cluster) { choose_group(content_.groups[cluster]); });
  connect(canvas_, &GraphCanvas::backgroundClicked, &document->selection(), &Selection::clear);
  canvas_->node_tip = [this](quint32 box) { return tip_of_box(box); };
  canvas_->edge_tip = [this](quint32 edge) { return tip_of_edge(edge); };
}

QWidget* BesideCanvas::make_header() {
  auto* header = new QWidget;
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(8, 2, 4, 2);
  row->setSpacing(2);
  title_->setObjectName("besideTitle");
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  linked_->setObjectName("besideLink");
  linked_->setText(tr("Link"));
  linked_->setToolTip(tr("Look where the other canvas looks: panning or zooming one moves both"));
  linked_->setCheckable(true);
  linked_->setChecked(true);
  linked_->setAutoRaise(true);
  connect(linked_, &QToolButton::toggled, this, &BesideCanvas::set_linked);
  auto* close = new QToolButton;
  close->setObjectName("besideClose");
  close->setText("✕");
  close->setToolTip(tr("Close this canvas (F8)"));
  close->setAccessibleName(tr("Close"));
  close->setAutoRaise(true);
  connect(close, &QToolButton::clicked, this, [this] { show_place({}); });
  row->addWidget(title_, 1);
  row->addWidget(linked_);
  row->addWidget(close);
  return header;
}

// --- which place ---

void BesideCanvas::show_place(SavedBeside beside) {
  if (beside.kind != Kind::Nothing && !document_->model()) return;
  if (beside.kind == Kind::Nothing) beside.linked = true;
  if (beside == shown_) return;
  if (is_open()) last_ = shown_;
  shown_ = std::move(beside);
  forget();
  linked_->setChecked(shown_.linked);
  link_->set_linked(shown_.linked);
  const bool had_keyboard = canvas_->hasFocus();
  setVisible(is_open());
  if (!is_open() && had_keyboard) first_->setFocus();
  emit shownChanged();
  refresh_later();  // after the first canvas, which has other columns in its half
}

void BesideCanvas::toggle() {
  if (is_open()) return show_place({});
  show_place(last_.kind == Kind::Nothing ? SavedBeside{Kind::StepBefore} : last_);
}

void BesideCanvas::set_linked(bool linked) {
  if (std::exchange(shown_.linked, linked) == linked) return;
  linked_->setChecked(linked);
  link_->set_linked(linked);
  emit shownChanged();
}

// Other passes over the same model may have the place as well; of another model nothing is left.
void BesideCanvas::follow_model() {
  const void* model = document_->model().get();
  if (std::exchange(model_, model) == model) return refresh_later();
  if (is_open()) show_place({});
  last_ = {};
  offered_pipeline_.clear();
}

void BesideCanvas::forget() {
  document_->jobs().cancel(lane);
  source_ = being_found_ = {};
  place_.reset();
  being_drawn_.reset();
  plan_being_drawn_.reset();
  next_content_.reset();
  drawing_.reset();
  drawing_shown_.reset();
  here_ = there_ = {};
  clicked_.reset();
  note_.clear();
  content_ = {};
  verdicts_ = {};
  link_->set_places({});
  canvas_->set_content({}, true);
  status_->hide();
}

void BesideCanvas::refresh_later() {
  if (!is_open() || std::exchange(refresh_pending_, true)) return;
  QMetaObject::invokeMethod(this, &BesideCanvas::refresh, Qt::QueuedConnection);
}

void BesideCanvas::refresh() {
  refresh_pending_ = false;
  if (!is_open()) return;
  if (!document_->history()) {
    forget();
    if (const Diagnostic* problem = document_->problem(Stage::Model)) return say_why_not(*problem);
    return page_->show_message(document_->can_run_passes() ? tr("The graph passes were stopped.")
                                                           : tr("The graph passes are running…"));
  }
  const auto source = beside_source(*document_, shown_);
  const QString title = source ? title_of(*source) : text(in_words(shown_));
  title_->setText(title);
  title_->setToolTip(title);
  if (!source) return say_why_not(source.error());
  if (auto place = place_at_once(*document_, *source)) place_ = std::move(place);
  else if (!place_ || source_ != *source) return find(*source);
  source_ = *source;
  if (source_.position) {
    place_->plan = document_->plan();
    // Groups change the layout: the first canvas waits for them too.
    if (document_->state(Stage::Plan) == StageState::Working) return wait(tr("Fusing operators…"));
  }
  draw();
}

void BesideCanvas::say_why_not(const Diagnostic& problem) {
  forget();
  if (problem.code == Code::UsageInvalid) page_->show_message(text(problem.what));
  else page_->show_problem(problem);
}

void BesideCanvas::find(const BesideSource& source) {
  if (page_->working() && being_found_ == source) return;
  being_found_ = source;
  being_drawn_.reset();
  const auto follow = page_->begin(tr("Making %1").arg(title_of(source)));
  document_->jobs().run<BesidePlace>(
      lane, tr("Making %1").arg(title_of(source)),
      [work = find_beside(*document_, source), follow](const JobContext& context) {
        return work({context.cancellation, follow(context)});
      },
      [this, source](BesidePlace place) {
        place_ = std::move(place);
        source_ = source;
        being_found_ = {};
        refresh();
      },
      [this](const Diagnostic& problem) { say_why_not(problem); }, this);
}

// --- drawing it ---

std::shared_ptr<const fusion::Plan> BesideCanvas::plan_drawn() const {
  return first_->switches().kernels && !document_->is_guessing() ? place_->plan : nullptr;
}

GroupsOfGraph BesideCanvas::groups_drawn() const { return {plan_drawn().get(), place_->group_of}; }

// What the first canvas has laid out is the same drawing, in which nothing that both show moves.
void BesideCanvas::draw() {
  if (std::exchange(plan_of_boxes_, place_->plan) != place_->plan) boxes_.clear_groups();
  const SavedFolds folds = first_->switches().folds;
  const bool kernels = folds.kernels && place_->plan && !document_->is_guessing();
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
      lane, tr("Laying out the graph"),
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
  const graph::Graph* base = is_of_document() ? document_->graph().get() : nullptr;
  GraphContent content =
      make_graph_content(*place_->graph, base, false, groups, marks, boxes_, folds);
  mark_differences(content);
  return content;
}

// Against the first graph: of an earlier place what is gone there, of other passes what has another
// name.
void BesideCanvas::mark_differences(GraphContent& content) {
  const bool earlier = is_of_document() && place_->position < document_->position();
  for (std::uint32_t box = 0; box < content.entities.size(); ++box) {
    CanvasNode& drawn = content.canvas.nodes[box];
    if (earlier && drawn.badge == "+") {
      drawn.badge = "−";
      drawn.badge_color = theme().error;
    }
    const auto* id = std::get_if<graph::NodeId>(&content.entities[box]);
    if (is_of_document() || !id || here_.same(place_->graph->node(*id))) continue;
    drawn.badge = "+";
    drawn.badge_color = theme().good;
    ++content.created;
  }
}

void BesideCanvas::show_part(const std::shared_ptr<GraphDrawing>& drawing) {
  relate();
  GraphContent content = make_content(nullptr);
  layout::Layout part = part_of(*drawing, content);
  if (first_->switches().folds.columns) {
    const QSize view = first_->canvas()->viewport()->size();  // which has its half already
    if (!drawing->columns) drawing->columns = drawing->steady.columns(view.width(), view.height());
    part = layout::in_columns(std::move(part), *drawing->columns);
  }
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
  GroupsOfGraph kernels = groups_drawn();
  kernels.plan = folds.kernels && !document_->is_guessing() ? place_->plan.get() : nullptr;
  auto folding = folding_.of(place_->graph, folded_by(folds), kernels);
  const Folds open{folding, open_folds_of(folds)};
  GraphContent content = make_content(folding ? &open : nullptr);
  const bool fresh = canvas_->content().nodes.empty();
  drawing_shown_.reset();
  CanvasContent canvas_content = std::move(content.canvas);
  next_content_ = std::move(content);
  page_->show_content();
  canvas_->set_columns(folds.columns);
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
  show_status();
  canvas_->set_highlight(highlight());
  link_->set_places(linked_places());
}

void BesideCanvas::show_overlay() {
  const Drawn drawn{content_, canvas_->content()};
  const bool verdicts =
      first_->switches().verdicts && place_->plan && place_->is_last() && !document_->is_guessing();
  CanvasOverlay overlay =
      verdicts ? verdict_overlay(drawn, verdicts_, [](const fusion::Edge&) { return false; })
               : CanvasOverlay{};
  add_fold_bands(drawn, overlay);
  canvas_->set_overlay(std::move(overlay));
}

void BesideCanvas::show_status() {
  const Theme& t = theme();
  const auto colored = [](const QColor& color, const QString& text) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), text);
  };
  QStringList parts{counted(place_->graph->nodes().size(), "operator")};
  const bool earlier = is_of_document() && place_->position < document_->position();
  if (content_.created && earlier)
    parts << colored(t.error, tr("− %1 gone there").arg(content_.created));
  if (content_.created && !earlier)
    parts << colored(t.good, tr("+ %1 only here").arg(content_.created));
  if (content_.changed) parts << colored(t.warning, tr("~ %1 changed").arg(content_.changed));
  const auto plan = document_->plan();
  if (place_->plan && place_->plan != plan && !document_->is_guessing()) {
    parts << counted(place_->plan->groups.size(), "kernel");
    if (plan && is_of_document()) {
      const auto edges =
          fusion::differing_edges(*place_->graph, {plan.get(), place_->plan.get()}).size();
      parts << (edges ? tr("%1 decided otherwise than by %2")
                            .arg(counted(edges, "edge"), text(plan->strategy).toHtmlEscaped())
                      : tr("the same kernels as by %1").arg(text(plan->strategy).toHtmlEscaped()));
    }
  }
  if (!note_.isEmpty()) parts << colored(t.warning, note_.toHtmlEscaped());
  status_->setText(parts.join(" · "));
  status_->show();
}

}  // namespace loopglass::views

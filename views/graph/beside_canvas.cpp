#include "views/graph/beside_canvas.h"

#include "views/canvas/minimap.h"
#include "views/document/debugger.h"
#include "views/document/lanes.h"
#include "views/document/trail.h"
#include "views/graph/content_camera.h"
#include "views/graph/graph_view.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/work_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace loopglass::views {
namespace {

using Kind = SavedBeside::Kind;

const QString beside_canvas_lane = "beside";

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
      canvas_(new GraphCanvas(&document->jobs(), beside_canvas_lane)),
      link_(new CameraLink(first->canvas(), canvas_)),
      title_(new Title),
      status_(new QLabel),
      linked_(new QToolButton),
      page_(new WorkPage(canvas_, document->jobs(), beside_canvas_lane)),
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
  connect(&document->history(), &HistoryStage::historyChanged, this, &BesideCanvas::follow_model);
  for (const auto signal : {&FusionStage::planChanged, &FusionStage::guessingChanged})
    connect(&document->fusion(), signal, this, &BesideCanvas::refresh_later);
  connect(document, &Document::modelChanged, this, [this] {
    if (document_->state(Stage::Model) == StageState::Empty && !document_->model())
      opens_with_the_model_ = false;
  });
  // Nothing came of what was being opened.
  connect(
      &document->jobs(), &JobQueue::changed, this,
      [this] {
        const bool comes = document_->jobs().busy(lanes::opening) ||
                           document_->state(Stage::Model) == StageState::Working;
        if (!comes) opens_with_the_model_ = false;
      },
      Qt::QueuedConnection);
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Model) open_if_wanted();
    if (stage == Stage::Model || stage == Stage::Plan) refresh_later();
  });
  connect(&document->debugger(), &Debugger::nodesChanged, this, &BesideCanvas::refresh_later);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this,
          [this, scale = text_scale()]() mutable {
            const double before = std::exchange(scale, text_scale());
            if (before != scale && !shown().linked) canvas_->follow_text_scale(scale / before);
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
  connect(canvas_, &GraphCanvas::leaveWanted, document, [document] { leave(*document); });
  follow_costs();
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
  std::optional<Camera> camera = std::exchange(beside.camera, std::nullopt);
  if (beside == shown_) return;
  if (is_open()) last_ = saved();
  shown_ = std::move(beside);
  forget();
  wanted_camera_ = shown_.linked ? std::nullopt : std::move(camera);
  linked_->setChecked(shown_.linked);
  link_->set_linked(shown_.linked);
  const bool had_keyboard = canvas_->hasFocus();
  setVisible(is_open());
  emit heatChanged();
  emit differencesChanged();
  if (!is_open() && had_keyboard) first_->setFocus();
  emit shownChanged();
  refresh_later();  // after the first canvas, which has other columns in its half
}

SavedBeside BesideCanvas::saved() const {
  SavedBeside saved = shown_;
  if (saved.linked) return saved;
  if (wanted_camera_) saved.camera = wanted_camera_;  // is on its way
  else if (place_) saved.camera = camera_of(*canvas_, content_, *place_->graph);
  return saved;
}

void BesideCanvas::toggle() {
  // What is open is about to go where another one is being opened.
  const bool model_comes = document_->jobs().busy(lanes::opening) ||
                           (document_->state(Stage::Model) == StageState::Working &&
                            (!document_->model() || document_->model().get() != model_));
  if (model_comes) {
    opens_with_the_model_ = !opens_with_the_model_;
    return;
  }
  if (is_open()) return show_place({});
  show_place(last_.kind == Kind::Nothing ? beside_at_first(*document_) : last_);
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

void BesideCanvas::open_if_wanted() {
  const StageState state = document_->state(Stage::Model);
  if (document_->jobs().busy(lanes::opening)) return;
  if (state != StageState::Ready && state != StageState::Failed) return;
  if (!std::exchange(opens_with_the_model_, false) || state == StageState::Failed) return;
  // What is kept of the model may open it too, and comes first.
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (!is_open()) toggle();
      },
      Qt::QueuedConnection);
}

void BesideCanvas::forget() {
  document_->jobs().cancel(beside_canvas_lane);
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
  forget_costs();
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
  if (!document_->history().recorded()) {
    forget();
    if (const Diagnostic* problem = document_->problem(Stage::Model)) return say_why_not(*problem);
    return page_->show_message(document_->can_run_passes() ? tr("The graph passes were stopped.")
                                                           : tr("The graph passes are running…"));
  }
  const auto source = beside_source(*document_, shown_);
  QString title = source ? title_of(*source) : text(in_words(shown_));
  if (source && source->position)
    title = tr("%1, against %2")
                .arg(title, text(pass::describe(document_->history().position(),
                                                *document_->history().recorded())));
  title_->setText(title);
  title_->setToolTip(title);
  if (!source) return say_why_not(source.error());
  if (auto place = place_at_once(*document_, *source)) place_ = std::move(place);
  else if (!place_ || source_ != *source) return find(*source);
  source_ = *source;
  if (source_.position) {
    place_->plan = document_->fusion().plan();
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
      beside_canvas_lane, tr("Making %1").arg(title_of(source)),
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

}  // namespace loopglass::views

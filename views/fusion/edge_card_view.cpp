#include "views/fusion/edge_card_view.h"

#include "core/debug/kernel_nests.h"
#include "core/fusion/smallest_change.h"
#include "views/fusion/byte_bars.h"
#include "views/fusion/kind_ladder.h"
#include "views/fusion/nest_drawing.h"
#include "views/fusion/path_strip.h"
#include "views/fusion/plan_steps.h"
#include "views/text.h"

#include <QCheckBox>
#include <QLabel>
#include <QListWidget>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

const QString edge_card_lane = "edge card";
constexpr int side_by_side = 560;  // kinds and bytes, from this width on
constexpr int rows_at_once = 6;

QLabel* words(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(name);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

// A part of the card under its title.
QWidget* part(const QString& title, std::initializer_list<QWidget*> widgets) {
  auto* heading = new QLabel(QString("<b>%1</b>").arg(title.toHtmlEscaped()));
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 6, 0, 0);
  column->setSpacing(3);
  column->addWidget(heading);
  for (QWidget* widget : widgets) column->addWidget(widget);
  return box;
}

}  // namespace

EdgeCardView::EdgeCardView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      note_(words("cardNote")),
      change_(words("cardChange")),
      content_(new QWidget),
      beside_(new QBoxLayout(QBoxLayout::TopToBottom)) {
  auto* column = new QVBoxLayout(content_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(change_);
  column->addWidget(make_loops());
  column->addWidget(make_path());
  beside_->setContentsMargins(0, 0, 0, 0);
  beside_->setSpacing(0);
  beside_->addWidget(make_kinds(), 1, Qt::AlignTop);
  beside_->addWidget(make_bytes(), 1, Qt::AlignTop);
  column->addLayout(beside_);
  column->addWidget(make_steps());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 0, 6, 6);
  layout->setSpacing(0);
  layout->addWidget(note_);
  layout->addWidget(content_);
  connect(&document->fusion(), &FusionStage::planChanged, this,
          [this] { show_path_in_graph(false); });
  connect(&document->fusion(), &FusionStage::planMomentChanged, this, &EdgeCardView::notice_moment);
  clear();
}

QWidget* EdgeCardView::make_loops() {
  nests_ = new NestDrawing;
  nests_->setObjectName("cardNests");
  nests_words_ = words("cardNestsWords");
  return part(tr("Loops, before they are tiled"), {nests_, nests_words_});
}

QWidget* EdgeCardView::make_path() {
  path_ = new PathStrip;
  path_->setObjectName("cardPath");
  path_words_ = words("cardPathWords");
  in_graph_ = new QCheckBox(tr("Show path in graph"));
  in_graph_->setObjectName("cardPathInGraph");
  in_graph_->setToolTip(tr("Lights all that lies between the producer and its post-dominator"));
  connect(in_graph_, &QCheckBox::toggled, this, &EdgeCardView::show_path_in_graph);
  connect(path_, &PathStrip::clicked, in_graph_, &QCheckBox::toggle);
  return part(tr("Path to the post-dominator"), {path_, path_words_, in_graph_});
}

QWidget* EdgeCardView::make_kinds() {
  kinds_ = new KindLadder;
  kinds_->setObjectName("cardKinds");
  return part(tr("Kinds"), {kinds_});
}

QWidget* EdgeCardView::make_bytes() {
  bytes_ = new ByteBars;
  bytes_->setObjectName("cardBytes");
  bytes_words_ = words("cardBytesWords");
  return part(tr("Bytes of intermediates"), {bytes_, bytes_words_});
}

QWidget* EdgeCardView::make_steps() {
  steps_ = new QListWidget;
  steps_->setObjectName("cardSteps");
  steps_->setUniformItemSizes(true);
  steps_->setTextElideMode(Qt::ElideRight);
  steps_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  steps_->setAccessibleName(tr("Steps that decided it"));
  steps_->setToolTip(tr("A click or Enter leads to the step"));
  steps_words_ = words("cardStepsWords");
  const auto lead = [this](const QListWidgetItem* item) {
    emit stepWanted(static_cast<std::size_t>(item->data(Qt::UserRole).toULongLong()));
  };
  connect(steps_, &QListWidget::itemClicked, this, lead);
  connect(steps_, &QListWidget::itemActivated, this, lead);
  return part(tr("Steps that decided it"), {steps_, steps_words_});
}

void EdgeCardView::resizeEvent(QResizeEvent* event) {
  const bool wide = event->size().width() >= side_by_side;
  beside_->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  QWidget::resizeEvent(event);
}

void EdgeCardView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  show_path_in_graph(false);
}

void EdgeCardView::clear() {
  card_.reset();
  edge_ = {};
  value_ = {};
  show_path_in_graph(false);
  note_->hide();
  content_->hide();
}

void EdgeCardView::show_edge(const fusion::Edge& edge, graph::ValueId value) {
  const bool is_same =
      card_ && edge == edge_ && value == value_ && cards_->plan() == document_->fusion().plan();
  if (is_same) return;
  clear();
  edge_ = edge;
  value_ = value;
  const fusion::Decision* shown = decision();
  if (!shown) return;
  if (is_ready(*shown)) return show_card();
  derive();
}

const fusion::Decision* EdgeCardView::decision() const {
  if (!document_->fusion().plan()) return nullptr;
  const auto& decisions = document_->fusion().plan()->decisions;
  const auto found = std::ranges::find_if(decisions, [&](const fusion::Decision& each) {
    return each.value == value_ && fusion::Edge{each.producer, each.consumer} == edge_;
  });
  return found == decisions.end() ? nullptr : &*found;
}

bool EdgeCardView::is_ready(const fusion::Decision& decision) const {
  if (!cards_ || cards_->plan() != document_->fusion().plan()) return false;
  return decision.fused
             ? nests_of_.contains(document_->fusion().plan()->group_of(decision.producer))
             : changes_.contains(index_of(decision));
}

std::size_t EdgeCardView::index_of(const fusion::Decision& decision) const {
  return static_cast<std::size_t>(&decision - document_->fusion().plan()->decisions.data());
}

void EdgeCardView::derive() {
  note_->setText(tr("Looking at the plan…"));
  note_->show();
  struct Found {
    Cards cards;
    std::optional<std::pair<fusion::GroupId, Result<fusion::KernelNests>>> nests;
    std::string change;
  };
  std::optional<fusion::GroupId> kernel;
  const std::size_t index = index_of(*decision());
  if (const fusion::Decision* shown = decision(); shown->fused)
    kernel = document_->fusion().plan()->group_of(shown->producer);
  const Cards known = cards_ && cards_->plan() == document_->fusion().plan() ? cards_ : nullptr;
  document_->jobs().run<Found>(
      edge_card_lane, tr("Looking at an edge of the plan"),
      [session = document_->session(), graph = document_->history().last_graph(),
       plan = document_->fusion().plan(), known, kernel,
       index](const JobContext& context) -> Result<Found> {
        Found found{known, {}, {}};
        if (!known)
          found.cards =
              std::make_shared<const fusion::EdgeCards>(graph, plan, TRY(session->told_plan()));
        if (kernel)
          found.nests.emplace(*kernel,
                              debug::kernel_nests(*session, *kernel, context.cancellation));
        else if (const auto miss =
                     fusion::near_miss_of(plan->decisions[index], *plan, fusion::BlockRules(*graph),
                                          *session->cost_model()))
          found.change = miss->change.sentence;
        return found;
      },
      [this, index](Found found) {
        if (found.cards->plan() != document_->fusion().plan()) return;
        if (cards_ != found.cards) {
          nests_of_.clear();
          changes_.clear();
        }
        cards_ = std::move(found.cards);
        if (found.nests) nests_of_.insert(*std::move(found.nests));
        else changes_[index] = std::move(found.change);
        if (const fusion::Decision* shown = decision(); shown && is_ready(*shown)) show_card();
      },
      [this](const Diagnostic& problem) {
        note_->setText(tr("The edge cannot be looked at: %1").arg(text(problem.what)));
      },
      this);
}

void EdgeCardView::show_card() {
  const graph::Graph& graph = cards_->graph();
  card_ = (*cards_)(*decision(), [this](fusion::GroupId group) { return nests_of_.at(group); });
  nests_->show_nests(*card_, graph);
  const fusion::CardNests& nests = card_->nests;
  QString loops = text(nests.missing.empty() ? nests.sentence : nests.missing);
  if (nests.missing.empty())
    loops += " " +
             text(fusion::read_sentence(graph.node(card_->consumer).name, card_->kinds.read)) +
             " " + text(fusion::again_sentence(*card_, graph));
  nests_words_->setText(loops.trimmed());
  const std::string change = card_->fused ? std::string() : changes_.at(index_of(*decision()));
  change_->setText(tr("Smallest change: %1").arg(text(change)));
  change_->setVisible(!change.empty());

  const fusion::CardPath& path = card_->path;
  path_->show_path(path, graph);
  const std::size_t others = path.between.size() - path.stops.size();
  path_words_->setText(!path.missing.empty() ? text(path.missing)
                                             : tr("%1 more on other ways.").arg(others));
  path_words_->setVisible(!path.missing.empty() || others > 0);
  in_graph_->setVisible(path.missing.empty());

  kinds_->show_kinds(card_->kinds, text(graph.node(card_->producer).name),
                     text(graph.node(card_->consumer).name));
  if (card_->traffic) bytes_->show_traffic(*card_->traffic, card_->fused);
  bytes_->setVisible(card_->traffic.has_value());
  bytes_words_->setText(card_->traffic
                            ? text(fusion::sentence(fusion::saving(*card_->traffic), card_->fused))
                            : tr("Of an operator that is not known nobody can say what a kernel of "
                                 "both would move."));
  show_steps();
  note_->hide();
  content_->show();
}

void EdgeCardView::show_steps() {
  steps_->clear();
  for (const std::size_t index : card_->steps.events) {
    const fusion::PlanEvent& event = cards_->told()->events[index];
    auto* item = new QListWidgetItem(
        QString("%1  %2 %3").arg(index + 1).arg(step_sign(event.kind), text(event.sentence)),
        steps_);
    item->setData(Qt::UserRole, static_cast<qulonglong>(index));
    item->setToolTip(text(fusion::name(event.kind)) + ": " + text(event.sentence));
  }
  const bool told = steps_->count() > 0;
  steps_->setVisible(told);
  steps_words_->setVisible(!told);
  steps_words_->setText(text(card_->steps.missing));
  if (told) {
    const int rows = std::min(steps_->count(), rows_at_once);
    steps_->setFixedHeight(rows * steps_->sizeHintForRow(0) + 2 * steps_->frameWidth() + 2);
  }
}

// As a moment of its own, so that the edge stays chosen.
void EdgeCardView::show_path_in_graph(bool shown) {
  const QSignalBlocker blocker(in_graph_);
  in_graph_->setChecked(shown && card_);
  if (shown && card_) {
    auto plan = std::make_shared<fusion::Plan>();
    plan->strategy = cards_->plan()->strategy;
    plan->events.push_back(
        {fusion::PlanEvent::Kind::Path, card_->path.between, fusion::Reason::Fused, {}, {}});
    path_moment_ = PlanMoment{std::move(plan), 0};
    document_->fusion().show_moment(path_moment_);
    return document_->selection().reveal();
  }
  if (const auto ours = std::exchange(path_moment_, std::nullopt);
      ours && document_->fusion().moment() == ours)
    document_->fusion().show_moment({});
}

// Another pane may have put its moment there.
void EdgeCardView::notice_moment() {
  if (!path_moment_ || document_->fusion().moment() == path_moment_) return;
  path_moment_.reset();
  const QSignalBlocker blocker(in_graph_);
  in_graph_->setChecked(false);
}

}  // namespace loopglass::views

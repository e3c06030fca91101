#include "views/fusion/plan_steps.h"

#include "core/fusion/estimate_words.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/work_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

const QString plan_steps_lane = "told plan";

}  // namespace

QString step_sign(fusion::PlanEvent::Kind kind) {
  using Kind = fusion::PlanEvent::Kind;
  switch (kind) {
    case Kind::Ancestor: return "△";
    case Kind::Phase: return "§";
    case Kind::Path: return "⋯";
    case Kind::Merge: return "✓";
    case Kind::Refuse: return "✕";
    case Kind::Seed: return "●";
    case Kind::Expand: return "+";
    case Kind::Prune: return "✂";
  }
  __builtin_unreachable();
}

// --- the list ---

void PlanEventModel::set_plan(std::shared_ptr<const fusion::Plan> plan) {
  beginResetModel();
  plan_ = std::move(plan);
  endResetModel();
}

int PlanEventModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !plan_ ? 0 : static_cast<int>(plan_->events.size());
}

QVariant PlanEventModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const fusion::PlanEvent& event = plan_->events[static_cast<std::size_t>(index.row())];
  const bool phase = event.kind == fusion::PlanEvent::Kind::Phase;
  switch (role) {
    case Qt::DisplayRole:
      return step_sign(event.kind) + (phase ? " " : "  ") + text(event.sentence);
    case Qt::ToolTipRole: return text(fusion::name(event.kind)) + ": " + text(event.sentence);
    case Qt::FontRole: {
      QFont font = theme().text_font();
      font.setBold(phase);
      return font;
    }
    case Qt::ForegroundRole:
      if (event.kind == fusion::PlanEvent::Kind::Merge) return theme().good;
      if (event.kind == fusion::PlanEvent::Kind::Refuse) return theme().warning;
      return {};
    default: return {};
  }
}

// --- the pane ---

PlanSteps::PlanSteps(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new PlanEventModel(this)) {
  page_ = new WorkPage(make_content(), document->jobs(), plan_steps_lane);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  connect(page_, &WorkPage::againWanted, this, &PlanSteps::derive);
  connect(&document->fusion(), &FusionStage::planChanged, this, &PlanSteps::forget);
  forget();
}

QWidget* PlanSteps::make_content() {
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->setSpacing(2);
  const auto add = [&](const char* name, const QString& text, const QString& tip, const auto& act) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    button->setAutoRepeat(true);
    connect(button, &QToolButton::clicked, this, act);
    bar->addWidget(button);
    return button;
  };
  first_ = add("planStart", "|◀", tr("Before the first moment"), [this] { go_to(-1); });
  back_ = add("planBack", "◀", tr("One moment back"), [this] { go_to(current_ - 1); });
  forward_ = add("planForward", "▶", tr("On to the next moment"), [this] { go_to(current_ + 1); });
  slider_ = new QSlider(Qt::Horizontal);
  place_ = new QLabel;
  bar->addWidget(slider_, 1);
  bar->addWidget(place_);
  sentence_ = new QLabel;
  sentence_->setObjectName("planSentence");
  sentence_->setWordWrap(true);
  sentence_->setMargin(6);
  sentence_->setTextFormat(Qt::RichText);
  list_ = new QListView;
  list_->setObjectName("planEvents");
  list_->setModel(model_);
  list_->setUniformItemSizes(true);
  connect(slider_, &QSlider::valueChanged, this, [this](int value) { go_to(value - 1); });
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) go_to(row.row());
          });
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(sentence_);
  column->addWidget(list_, 1);
  return content;
}

void PlanSteps::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!told_ && !page_->working()) derive();
  show_moment();
}

void PlanSteps::show_moment() {
  if (!told_ || current_ < 0 || !isVisible()) return document_->fusion().show_moment({});
  document_->fusion().show_moment(PlanMoment{told_, static_cast<std::size_t>(current_)});
}

void PlanSteps::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  document_->fusion().show_moment({});
}

void PlanSteps::forget() {
  document_->fusion().show_moment({});
  document_->jobs().cancel(plan_steps_lane);
  told_.reset();
  wanted_.reset();
  current_ = -1;
  model_->set_plan(nullptr);
  page_->show_message({});  // the pane says that there is no plan
  if (isVisible()) derive();
}

void PlanSteps::derive() {
  if (!document_->fusion().plan()) return;
  const auto follow = page_->begin(tr("Making the plan again, step by step"));
  using PlanPtr = std::shared_ptr<const fusion::Plan>;
  document_->jobs().run<PlanPtr>(
      plan_steps_lane, tr("Telling how the plan came about"),
      [session = document_->session()](const JobContext&) { return session->told_plan(); },
      [this](PlanPtr plan) { accept(std::move(plan)); },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void PlanSteps::accept(std::shared_ptr<const fusion::Plan> plan) {
  if (plan->events.empty()) {
    told_ = std::move(plan);
    return page_->show_message(tr("This strategy does nothing that could be told."));
  }
  told_ = plan;
  model_->set_plan(std::move(plan));
  const QSignalBlocker blocker(slider_);
  slider_->setRange(0, static_cast<int>(told_->events.size()));
  current_ = -1;
  page_->show_content();
  show_event();
  if (const auto wanted = std::exchange(wanted_, std::nullopt)) go_to(static_cast<int>(*wanted));
}

void PlanSteps::show_step(std::size_t event) {
  if (told_) return go_to(static_cast<int>(event));
  wanted_ = event;
}

void PlanSteps::go_to(int event) {
  if (!told_ || told_->events.empty()) return;
  event = std::clamp(event, -1, static_cast<int>(told_->events.size()) - 1);
  if (event == current_) return;
  current_ = event;
  show_event();
  show_moment();
  // The whole of a phase has nothing to light.
  if (event < 0) return;
  const auto& nodes = told_->events[static_cast<std::size_t>(event)].nodes;
  if (!nodes.empty()) document_->selection().select_nodes(nodes);
}

void PlanSteps::show_event() {
  const int count = static_cast<int>(told_->events.size());
  const QSignalBlocker slider_blocker(slider_), list_blocker(list_->selectionModel());
  slider_->setValue(current_ + 1);
  first_->setEnabled(current_ >= 0);
  back_->setEnabled(current_ >= 0);
  forward_->setEnabled(current_ + 1 < count);
  place_->setText(tr("%1 of %2").arg(current_ + 1).arg(count));
  list_->setCurrentIndex(current_ < 0 ? QModelIndex() : model_->index(current_));
  list_->viewport()->update();
  if (current_ < 0)
    return sentence_->setText(
        tr("Every operator is a kernel of its own. ▶ shows what the strategy does first."));
  list_->scrollTo(model_->index(current_));
  const fusion::PlanEvent& event = told_->events[static_cast<std::size_t>(current_)];
  QString html = QString("<b>%1 %2</b> &nbsp;%3")
                     .arg(step_sign(event.kind), text(fusion::name(event.kind)),
                          text(event.sentence).toHtmlEscaped());
  QStringList numbers;
  for (const auto& [name, number] : event.numbers)
    if (const auto words =
            fusion::number_words(name, number, document_->cost_model()->is_calibrated()))
      numbers << text(*words).toHtmlEscaped();
  if (event.kind == fusion::PlanEvent::Kind::Refuse)
    numbers.prepend(text(fusion::name(event.reason)));
  if (!numbers.isEmpty())
    html += QString("<br><span style='color:%1'>%2</span>")
                .arg(theme().muted.name(), numbers.join(" · "));
  sentence_->setText(html);
}

}  // namespace loopglass::views

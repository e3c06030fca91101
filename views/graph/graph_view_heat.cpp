// What the boxes of the graph pane are coloured by.
#include "core/runtime/thread_pool.h"
#include "views/canvas/overlay_legend.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/family_rows.h"
#include "views/graph/graph_view.h"
#include "views/theme.h"
#include "views/widgets/steady_button.h"

#include <QActionGroup>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <iterator>

namespace loopglass::views {

namespace {

// Of a measure one word, for a button.
QString measure_word(Measure measure) {
  switch (measure) {
    case Measure::Family: return QObject::tr("Family");
    case Measure::Time: return QObject::tr("Time");
    case Measure::Speed: return QObject::tr("Speed");
    case Measure::Model: return QObject::tr("Estimate");
    case Measure::Bytes: return QObject::tr("Bytes");
    case Measure::Memory: return QObject::tr("Memory");
  }
  __builtin_unreachable();
}

QString button_text(Measure measure) {
  return QObject::tr("Colour: %1").arg(measure_word(measure));
}

}  // namespace

void GraphView::make_color_menu() {
  color_->setText(button_text(Measure::Family));
  QStringList texts;
  for (const Measure measure : all_measures) texts << button_text(measure);
  color_->set_texts(std::move(texts));
  color_->setToolTip(
      tr("What boxes are coloured by: operator families, or what they cost, rolled up "
         "to whatever is folded"));
  color_->setAutoRaise(true);
  color_->setObjectName("colorButton");
  color_->setPopupMode(QToolButton::InstantPopup);
  color_->setMenu(new QMenu(color_));
  color_->menu()->setToolTipsVisible(true);
  connect(color_->menu(), &QMenu::aboutToShow, this, [this] { fill_color_menu(*color_->menu()); });
  measure_offer_->setToolTip(tr("Compile every kernel and time the network (F5)"));
  measure_offer_->setObjectName("measureOffer");
  measure_offer_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  measure_offer_->hide();
  connect(measure_offer_, &QPushButton::clicked, this, [this] { measure_for(measure_); });
  connect(&document_->benchmark(), &BenchmarkStage::benchmarkChanged, this,
          &GraphView::show_heat_again);
  connect(&document_->memory(), &MemoryStage::memoryPlanChanged, this, &GraphView::show_heat_again);
  connect(&document_->fusion(), &FusionStage::planChanged, this,
          &GraphView::show_heat_again);  // or what is estimated of it
}

void GraphView::fill_color_menu(QMenu& menu) {
  menu.clear();
  auto* choices = new QActionGroup(&menu);
  for (const Measure measure : all_measures) {
    const bool to_measure = is_timed(measure) && !document_->benchmark().report();
    QAction* action = menu.addAction(
        to_measure ? tr("%1 (measures first)").arg(measure_name(measure)) : measure_name(measure),
        this, [this, measure] {
          color_by(measure);
          emit switchesChanged();
        });
    action->setToolTip(measure_doc(measure));
    action->setCheckable(true);
    action->setChecked(measure == measure_);
    action->setEnabled(measure == Measure::Family || measure == Measure::Bytes ||
                       document_->fusion().plan());
    choices->addAction(action);
  }
}

void GraphView::set_measure(Measure measure) {
  measure_ = measure;
  color_->setText(button_text(measure));
  if (measure == Measure::Memory) document_->memory().want();
}

void GraphView::color_by(Measure measure) {
  set_measure(measure);
  // Times that there are stay, even where estimates are of fewer threads: the legend offers others.
  if (is_timed(measure) && !document_->benchmark().report() && document_->fusion().plan() &&
      document_->state(Stage::Benchmark) != StageState::Working)
    measure_for(measure);
  show_overlay();
}

bool GraphView::can_measure_for(Measure measure) const {
  const bool has_model = measure != Measure::Model || document_->cost_model()->is_calibrated();
  return is_timed(measure) && document_->fusion().plan() && has_model;
}

void GraphView::measure_for(Measure measure) {
  document_->benchmark().start(measure == Measure::Model ? 1 : runtime::hardware_threads());
}

void GraphView::show_heat_again() {
  if (measure_ != Measure::Family) show_overlay();
}

void GraphView::with_heat_sources(const std::function<void(const HeatSources&)>& use) const {
  const auto graph = document_->history().graph();
  const auto plan = document_->fusion().plan();
  const auto report = document_->benchmark().report();
  const auto memory = document_->memory().plan();
  const bool are_times = document_->cost_model()->is_calibrated();
  use({graph.get(), plan.get(),
       [this](const graph::Node& node) { return document_->fusion().group_of(node); }, report.get(),
       are_times ? document_->fusion().summary() : nullptr, memory.get()});
}

Heat GraphView::heat_of_boxes(Measure measure) const {
  Heat heat;
  with_heat_sources([&](const HeatSources& sources) { heat = heat_of(drawn(), measure, sources); });
  return heat;
}

void GraphView::show_heat_legend() {
  overlay_legend_->setToolTip(measure_doc(measure_));
  const Heat heat = heat_of_boxes(measure_);
  std::vector<OverlayLegend::Row> rows;
  const bool waits = document_->state(Stage::Benchmark) == StageState::Working ||
                     document_->state(Stage::Memory) == StageState::Working;
  if (heat.boxes.empty()) {
    EdgeMark none;
    none.color = theme().muted;
    const auto report = document_->benchmark().report();
    const bool is_model = measure_ == Measure::Model;
    const QString other_times = document_->benchmark().other_times_words();
    rows.push_back(
        {none, waits ? tr("being measured…")
               : is_model && !document_->cost_model()->is_calibrated()
                   ? tr("not known: the cost model has not been calibrated yet")
               : is_model && report && report->threads != 1
                   ? tr("not known: estimates are of one thread, and %1 threads were measured")
                         .arg(report->threads)
               : other_times.isEmpty() ? tr("not known: nothing has been measured")
                                       : tr("not known: %1").arg(other_times)});
    // Until it is, boxes wear the colours that they have without it.
    std::ranges::move(family_rows(*document_->history().graph()), std::back_inserter(rows));
  } else {
    const double greatest = std::max(heat.greatest, beside_->greatest_heat());
    for (const double part : {1.0, 0.5, 0.0, -0.5, -1.0}) {
      if (part < 0 && !goes_both_ways(measure_)) break;
      EdgeMark swatch;
      swatch.color = theme().heat(part);
      rows.push_back({swatch, scale_text(measure_, greatest, part), OverlayLegend::Sample::Swatch});
    }
  }
  const QString when = is_timed(measure_) ? document_->benchmark().measured_words() : QString();
  overlay_legend_->show_rows(
      when.isEmpty() ? measure_name(measure_) : measure_name(measure_) + ", " + when,
      std::move(rows));
  measure_offer_->setText(measure_ == Measure::Model ? tr("Measure on One Thread") : tr("Measure"));
  measure_offer_->setVisible(heat.boxes.empty() && !waits && can_measure_for(measure_));
}

}  // namespace loopglass::views

#include "views/fusion/plan_trials.h"

#include "views/document/stand_ins.h"
#include "views/fusion/difference_tree.h"
#include "views/fusion/outcome_table.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/work_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

using Outcomes = std::vector<Result<debug::PlanOutcome>>;

// One after another: what cannot be must not take the others with it.
Result<Outcomes> try_all(const Toolchain& toolchain, std::shared_ptr<const graph::Graph> graph,
                         const std::vector<PlanTrials::Variant>& variants,
                         const debug::WhatIfOptions& options) {
  Outcomes outcomes;
  for (const PlanTrials::Variant& variant : variants) {
    if (options.control.cancellation.requested()) return fail(Code::Cancelled, "cancelled");
    options.control.progress(
        "Planning: " + variant.title.toStdString(),
        static_cast<double>(outcomes.size()) / static_cast<double>(variants.size()));
    auto outcome = debug::what_if(toolchain, graph, {variant.plan}, options);
    if (outcome) outcomes.emplace_back(std::move(outcome->front()));
    else outcomes.emplace_back(std::unexpected(std::move(outcome).error()));
  }
  return outcomes;
}

}  // namespace

PlanTrials::PlanTrials(Document* document, QString lane, QWidget* parent)
    : QWidget(parent),
      document_(document),
      lane_(std::move(lane)),
      table_(new OutcomeTable),
      tree_(new DifferenceTree(document)),
      choice_(new QWidget),
      first_box_(new QComboBox),
      second_box_(new QComboBox),
      in_graph_(new QCheckBox(tr("Show in &graph"))),
      measure_(new QPushButton(tr("Measure Both"))),
      words_(new QLabel) {
  page_ = new WorkPage(make_content(), document->jobs(), lane_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  connect(page_, &WorkPage::againWanted, this, &PlanTrials::derive);
  connect(table_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* row) {
    emit variantActivated(row->data(OutcomeTable::Name, Qt::UserRole).toString());
  });
  connect(measure_, &QPushButton::clicked, this, &PlanTrials::measure);
  connect(in_graph_, &QCheckBox::toggled, this, &PlanTrials::show_in_graph);
  for (QComboBox* box : {first_box_, second_box_})
    connect(box, &QComboBox::activated, this, [this] {
      choose(static_cast<std::size_t>(first_box_->currentIndex()),
             static_cast<std::size_t>(second_box_->currentIndex()));
    });
  connect(&document->fusion(), &FusionStage::comparedPlansChanged, this,
          &PlanTrials::notice_compared);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this,
          [this] { table_->mark(marked_); });
  page_->show_message({});
}

QWidget* PlanTrials::make_content() {
  table_->setObjectName("planOutcomes");
  words_->setObjectName("differenceWords");
  words_->setWordWrap(true);
  words_->setMargin(6);
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_);
  column->addWidget(make_controls());
  column->addWidget(words_);
  column->addStretch();
  constexpr int side_by_side = 1000;  // from this width on
  auto* both = new FlowSplitter(side_by_side);
  both->addWidget(left);
  both->addWidget(tree_);
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  both->setSizes({640, 560});
  tree_->setMinimumHeight(60);
  return both;
}

QWidget* PlanTrials::make_controls() {
  first_box_->setObjectName("firstPlan");
  second_box_->setObjectName("secondPlan");
  first_box_->setAccessibleName(tr("First plan"));
  second_box_->setAccessibleName(tr("Second plan"));
  in_graph_->setObjectName("showInGraph");
  in_graph_->setToolTip(tr("Colour the edges of the graph by which of the two plans fuses them"));
  measure_->setObjectName("measurePlans");
  measure_->setToolTip(tr("Compile both and time them round by round in turns (--measure)"));
  auto* label = new QLabel(tr("&Compare"));
  label->setBuddy(first_box_);
  auto* choice = new QHBoxLayout(choice_);
  choice->setContentsMargins(0, 0, 0, 0);
  choice->setSpacing(6);
  choice->addWidget(label);
  choice->addWidget(first_box_);
  choice->addWidget(new QLabel(tr("with")));
  choice->addWidget(second_box_);
  choice->addStretch();
  // In two rows: side by side they would keep a docked pane from being narrow.
  auto* bar = new QWidget;
  auto* rows = new QVBoxLayout(bar);
  rows->setContentsMargins(6, 3, 6, 3);
  rows->setSpacing(3);
  rows->addWidget(choice_);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(in_graph_);
  row->addStretch();
  row->addWidget(measure_);
  rows->addLayout(row);
  return bar;
}

void PlanTrials::set_variants(std::vector<Variant> variants, const QString& empty) {
  forget();
  variants_ = std::move(variants);
  empty_ = empty;
  const QSignalBlocker first(first_box_), second(second_box_);
  for (QComboBox* box : {first_box_, second_box_}) {
    box->clear();
    for (const Variant& variant : variants_) box->addItem(variant.title);
  }
  if (std::max(first_, second_) >= variants_.size()) {
    first_ = 0;
    second_ = 1;
  }
  first_box_->setCurrentIndex(static_cast<int>(first_));
  second_box_->setCurrentIndex(static_cast<int>(second_));
  choice_->setVisible(variants_.size() > 2);
  page_->show_message(empty_);
  if (isVisible()) derive();
}

void PlanTrials::mark(const QString& title) {
  marked_ = title;
  table_->mark(title);
}

void PlanTrials::choose(std::size_t first, std::size_t second) {
  if (first == first_ && second == second_) return;
  first_ = first;
  second_ = second;
  const QSignalBlocker first_blocker(first_box_), second_blocker(second_box_);
  first_box_->setCurrentIndex(static_cast<int>(first));
  second_box_->setCurrentIndex(static_cast<int>(second));
  if (!outcomes_.empty()) show_pair();
  emit chosenChanged();
}

bool PlanTrials::measured() const {
  const debug::PlanOutcome *first = outcome(first_), *second = outcome(second_);
  return first && second && first->time && second->time;
}

const debug::PlanOutcome* PlanTrials::outcome(std::size_t index) const {
  return index < outcomes_.size() && outcomes_[index] ? &*outcomes_[index] : nullptr;
}

void PlanTrials::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (outcomes_.empty() && !page_->working()) derive();
}

void PlanTrials::forget() {
  document_->jobs().cancel(lane_);
  graph_.reset();
  outcomes_.clear();
  if (std::exchange(in_graph_plan_, nullptr)) document_->fusion().compare({});
}

void PlanTrials::derive() {
  if (variants_.empty() || !document_->history().last_graph()) return;
  forget();
  graph_ = document_->history().last_graph();
  debug::WhatIfOptions options;
  options.cost = document_->session()->cost_model();
  const auto follow = page_->begin(tr("Planning"));
  document_->jobs().run<Outcomes>(
      lane_, tr("Trying fusion plans"),
      [toolchain = document_->toolchain(), graph = graph_, variants = variants_, options,
       follow](const JobContext& context) mutable {
        options.control = {follow(context), context.cancellation};
        return try_all(toolchain, graph, variants, options);
      },
      [this](Outcomes outcomes) {
        outcomes_ = std::move(outcomes);
        show_table();
        show_pair();
        page_->show_content();
      },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void PlanTrials::measure() {
  if (!outcome(first_) || !outcome(second_) || first_ == second_) return;
  debug::WhatIfOptions options;
  options.cost = document_->session()->cost_model();
  options.measure = true;
  options.workers = document_->workers();
  options.schedules = document_->schedules_in_use();
  const auto follow = page_->begin(tr("Compiling both plans"));
  using Pair = std::vector<debug::PlanOutcome>;
  document_->jobs().run<Pair>(
      lane_, tr("Measuring fusion plans"),
      [toolchain = document_->toolchain(), graph = graph_,
       plans = std::vector{variants_[first_].plan, variants_[second_].plan}, options,
       follow](const JobContext& context) mutable {
        options.control = {follow(context), context.cancellation};
        return debug::what_if(toolchain, graph, plans, options);
      },
      [this, first = first_, second = second_](Pair pair) {
        // The plans stay those that may be shown in the graph.
        for (const auto& [index, timed] : {std::pair{first, &pair[0]}, {second, &pair[1]}}) {
          const auto plan = outcomes_[index]->plan;
          outcomes_[index] = *timed;
          outcomes_[index]->plan = plan;
        }
        show_table();
        show_pair();
        page_->show_content();
        emit chosenChanged();
      },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void PlanTrials::show_table() {
  std::vector<OutcomeTable::Row> rows;
  for (std::size_t i = 0; i < variants_.size(); ++i)
    rows.push_back({variants_[i].title, outcomes_[i]});
  table_->set_rows(rows, *document_->cost_model());
  table_->mark(marked_);
}

void PlanTrials::show_pair() {
  const debug::PlanOutcome *first = outcome(first_), *second = outcome(second_);
  const bool comparable = first && second && first_ != second_;
  in_graph_->setEnabled(comparable);
  measure_->setEnabled(comparable);
  tree_->setVisible(comparable);
  if (comparable) {
    const QString &one = variants_[first_].title, &other = variants_[second_].title;
    words_->setText(
        tr("<b>%1</b> against %2: %3")
            .arg(other.toHtmlEscaped(), one.toHtmlEscaped(),
                 difference_words(*first, *second, *document_->cost_model()).toHtmlEscaped()) +
        (first->time ? "<br>" + stand_in_warning(*document_) : QString()));
    tree_->show_difference(graph_, {one, first->plan}, {other, second->plan});
  } else {
    words_->setText(first_ == second_ ? tr("Choose two plans that are not the same.")
                                      : tr("One of the two cannot be made; its row says why."));
  }
  show_in_graph();
}

void PlanTrials::show_in_graph() {
  const debug::PlanOutcome *first = outcome(first_), *second = outcome(second_);
  if (in_graph_->isChecked()) {
    if (!first || !second || first_ == second_) return;
    in_graph_plan_ = first->plan;
    document_->fusion().compare(ComparedPlans{variants_[first_].title, variants_[second_].title,
                                              first->plan, second->plan});
  } else if (in_graph_plan_) {
    in_graph_plan_.reset();
    document_->fusion().compare({});
  }
}

// Another pane may have put its plans there, or another graph has taken ours away.
void PlanTrials::notice_compared() {
  const auto& shown = document_->fusion().compared();
  if (!in_graph_plan_ || (shown && shown->first == in_graph_plan_)) return;
  in_graph_plan_.reset();
  const QSignalBlocker blocker(in_graph_);
  in_graph_->setChecked(false);
}

}  // namespace loopglass::views

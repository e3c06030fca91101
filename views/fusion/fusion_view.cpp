#include "views/fusion/fusion_view.h"

#include "core/fusion/estimate_words.h"
#include "core/support/readable_bytes.h"
#include "views/counted.h"
#include "views/document/command_line.h"
#include "views/document/stage_page.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/edge_card_pane.h"
#include "views/fusion/group_model.h"
#include "views/fusion/hand_list.h"
#include "views/fusion/hand_pane.h"
#include "views/fusion/near_miss_list.h"
#include "views/fusion/plan_steps.h"
#include "views/fusion/reason_legend.h"
#include "views/fusion/strategy_table.h"
#include "views/fusion/tables.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/problem_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

constexpr int one_line = 1100;      // as wide as strategy and summary need beside one another
constexpr int lines_for_both = 26;  // of text: as high as table and card need one upon the other

}  // namespace

const QStringList& FusionView::tab_names() {
  static const QStringList names{"decisions", "kernels",    "near-misses", "by-hand",
                                 "steps",     "strategies", "codes"};
  return names;
}

FusionView::FusionView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      decisions_(new DecisionModel(this)),
      filter_(new DecisionFilter(this)),
      groups_(new GroupModel(this)),
      sorted_groups_(new QSortFilterProxyModel(this)),
      decision_table_(new QTableView),
      group_table_(new QTableView),
      tabs_(new QTabWidget),
      strategy_(new QComboBox),
      verdict_(new QComboBox),
      guess_(new QCheckBox(tr("Guess first"))),
      filter_text_(new QLineEdit),
      fold_table_(new QToolButton),
      summary_(new QLabel),
      refusal_(new QLabel),
      filter_words_(new QLabel),
      no_decision_(new QLabel),
      near_misses_(new NearMissList(document)),
      hand_(new HandPane(document)),
      strategies_(new StrategyTable(document)),
      steps_(new PlanSteps(document)),
      card_(new EdgeCardPane(document)),
      command_(new CommandBar) {
  make_tabs();
  refusal_->setObjectName("planRefusal");
  refusal_->setWordWrap(true);
  refusal_->setTextFormat(Qt::RichText);
  refusal_->setMargin(6);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(refusal_);
  layout->addWidget(new StagePage(document, Stage::Plan, tabs_,
                                  tr("Open a model to see which operators are fused, and why.")),
                    1);
  layout->addWidget(command_);
  connect_document();
  show_strategies();
  read_filter();
  show_guessing();
  show_plan();
}

void FusionView::connect_document() {
  connect(&document_->fusion(), &FusionStage::planChanged, this, &FusionView::show_plan);
  connect(document_, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Plan) show_plan();
  });
  connect(document_, &Document::askedChanged, this, &FusionView::show_hand_count);
  connect(&document_->fusion(), &FusionStage::guessingChanged, this, &FusionView::show_guessing);
  connect(document_, &Document::decisionWanted, this, &FusionView::show_edge);
  connect(&document_->selection(), &Selection::selectionChanged, this, &FusionView::show_selection);
  decisions_->set_hidden(
      [document = document_](auto& edge) { return document->fusion().is_hidden(edge); });
  connect(card_, &EdgeCardPane::guessed, &document_->fusion(), &FusionStage::reveal);
  // From where Down leads to the next edge.
  connect(card_, &EdgeCardPane::guessed, decision_table_,
          [table = decision_table_] { table->setFocus(); });
  connect(card_, &EdgeCardPane::stepWanted, this, &FusionView::show_step);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    decision_table_->viewport()->update();
    group_table_->viewport()->update();
    show_decision();
    read_filter();
    forget_fit();  // its text has another size
    show_plan();
  });
}

void FusionView::make_tabs() {
  make_groups();
  auto* legend = new ReasonLegend(document_);
  tabs_->setDocumentMode(true);
  tabs_->addTab(make_decisions(), tr("Decisions"));
  tabs_->addTab(group_table_, tr("Kernels"));
  tabs_->addTab(near_misses_, tr("Near misses"));
  tabs_->addTab(hand_, tr("By hand"));
  tabs_->addTab(steps_, tr("Step by step"));
  tabs_->addTab(strategies_, tr("Strategies"));
  tabs_->addTab(legend, tr("Codes"));
  fold_table_->setObjectName("foldTable");
  fold_table_->setAutoRaise(true);
  fold_table_->setCheckable(true);
  fold_table_->setChecked(true);
  fold_table_->setToolTip(tr("Whether the table is folded to the row of the edge, for its card"));
  fold_table_->setParent(tabs_);
  fold_table_->hide();
  connect(fold_table_, &QToolButton::toggled, this, &FusionView::share_room);
  connect(tabs_, &QTabWidget::currentChanged, this, &FusionView::share_room);
  connect(tabs_, &QTabWidget::currentChanged, this, &FusionView::fit_tables);
  connect(tabs_, &QTabWidget::currentChanged, this, &FusionView::show_command);
  // Who goes on to something else has read why the last wish came to nothing.
  const auto forget_refusal = [this] {
    document_->forget_plan_refusal();
    show_refusal();
  };
  connect(tabs_, &QTabWidget::currentChanged, this, forget_refusal);
  connect(hand_->list(), &HandList::typed, this, forget_refusal);
  connect(near_misses_, &NearMissList::limitChanged, this, &FusionView::show_command);
  connect(near_misses_, &NearMissList::edgeChosen, this, &FusionView::choose_edge);
  connect(strategies_, &PlanTrials::chosenChanged, this, &FusionView::show_command);
  connect(hand_->trials(), &PlanTrials::chosenChanged, this, &FusionView::show_command);
  connect(legend, &ReasonLegend::reasonChosen, this, [this](const QString& code) {
    if (document_->fusion().is_guessing()) return;
    tabs_->setCurrentIndex(Decisions);
    filter_text_->setText("reason=" + code);
  });
}

QWidget* FusionView::make_tools() {
  auto* bar = new QWidget;
  auto* label = new QLabel(tr("Strate&gy"));
  label->setBuddy(strategy_);
  strategy_->setObjectName("fusionStrategy");
  guess_->setObjectName("guessFirst");
  guess_->setToolTip(
      tr("Verdicts, kernels and numbers stay hidden until you have said of the "
         "selected edge what you would do"));
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  row->addWidget(label);
  row->addWidget(strategy_);
  row->addSpacing(6);
  row->addWidget(guess_);
  row->addStretch();
  summary_->setWordWrap(true);
  summary_->setObjectName("planSummary");
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  tools_ = new QBoxLayout(QBoxLayout::LeftToRight, bar);
  tools_->setContentsMargins(6, 3, 6, 3);
  tools_->setSpacing(6);
  tools_->addLayout(row);
  tools_->addWidget(summary_, 1);

  connect(strategy_, &QComboBox::activated, this,
          [this](int index) { document_->set_strategy(strategy_->itemData(index).toString()); });
  connect(guess_, &QCheckBox::toggled, this, &FusionView::set_guessing);
  return bar;
}

void FusionView::resizeEvent(QResizeEvent* event) {
  const bool wide = event->size().width() >= one_line;
  tools_->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  QWidget::resizeEvent(event);
  share_room();
  if (event->size().width() == event->oldSize().width()) return;
  forget_fit();  // there is other room, once the tables have theirs
  QTimer::singleShot(0, this, &FusionView::fit_tables);
}

// In a low pane the card of an edge takes all but the edge's own row, in which arrow keys go on to
// the next; the button gives the table its room again.
void FusionView::share_room() {
  const QFontMetrics text(theme().text_font());
  const bool both_fit = width() >= side_by_side || height() >= lines_for_both * text.height();
  const bool low = !both_fit && current_decision() && tabs_->currentIndex() == Decisions;
  const bool folded = low && fold_table_->isChecked();
  if (QWidget* corner = low ? fold_table_ : nullptr; tabs_->cornerWidget() != corner)
    tabs_->setCornerWidget(corner);  // whose room is taken even where it is hidden
  fold_table_->setVisible(low);
  fold_table_->setText(folded ? tr("▸ Edges") : tr("▾ Edges"));
  filter_bar_->setVisible(!folded);
  summary_->setVisible(!folded && !summary_->text().isEmpty());
  decision_table_->horizontalHeader()->setVisible(!folded);
  decision_table_->setHorizontalScrollBarPolicy(folded ? Qt::ScrollBarAlwaysOff
                                                       : Qt::ScrollBarAsNeeded);
  const int row =
      decision_table_->verticalHeader()->defaultSectionSize() + 2 * decision_table_->frameWidth();
  decision_table_->setMinimumHeight(folded ? row : 0);
  decision_table_->setMaximumHeight(folded ? row : QWIDGETSIZE_MAX);
}

void FusionView::set_guessing(bool guessing) {
  if (guessing) {
    // Filtered or sorted by it, the table would tell the verdict.
    filter_text_->clear();
    verdict_->setCurrentIndex(0);
    decision_table_->sortByColumn(DecisionModel::Producer, Qt::AscendingOrder);
    tabs_->setCurrentIndex(Decisions);
  }
  document_->fusion().set_guessing(guessing);
}

void FusionView::show_guessing() {
  const bool guessing = document_->fusion().is_guessing();
  const QSignalBlocker blocker(guess_);
  guess_->setChecked(guessing);
  verdict_->setEnabled(!guessing);
  for (const Tab tab : {Kernels, NearMisses, ByHand, Steps, Strategies})
    tabs_->setTabVisible(tab, !guessing);
  decisions_->hidden_changed();
  fit_column(decision_table_, DecisionModel::Verdict);
  explain_filter();
  summary_->setText(summary());
  show_decision();
}

void FusionView::show_strategies() {
  const QSignalBlocker blocker(strategy_);
  strategy_->clear();
  for (const fusion::Strategy& strategy : document_->toolchain().strategies) {
    strategy_->addItem(text(strategy.name), text(strategy.name));
    strategy_->setItemData(strategy_->count() - 1, text(strategy.doc), Qt::ToolTipRole);
  }
}

void FusionView::show_plan() {
  strategy_->setCurrentIndex(strategy_->findData(document_->strategy()));
  strategy_->setToolTip(strategy_->currentData(Qt::ToolTipRole).toString());
  const QScopedValueRollback guard(following_, true);
  decisions_->set_plan(document_->fusion().plan(), document_->history().last_graph());
  groups_->set_plan(document_->fusion().plan(), document_->history().last_graph());
  fit_tables();
  fit_column(decision_table_, DecisionModel::Verdict);
  summary_->setText(summary());
  show_refusal();
  show_hand_count();
  show_selection();
  show_decision();
}

void FusionView::show_refusal() {
  const Diagnostic* refusal = document_->plan_refusal();
  refusal_->setText(refusal ? problem_text(*refusal) : QString());
  refusal_->setVisible(refusal != nullptr);
}

// To another graph's names, another pane, or text of another size; whoever dragged a column keeps
// it. One that is not seen has no width to be fitted to.
void FusionView::fit_tables() {
  if (!document_->fusion().plan()) return;
  const void* graph = document_->history().last_graph().get();
  const int page = tabs_->currentIndex();
  if (page == Decisions && std::exchange(decisions_fitted_to_, graph) != graph)
    fit_columns(decision_table_, {DecisionModel::Producer, DecisionModel::Consumer},
                {DecisionModel::Reason});
  if (page == Kernels && std::exchange(kernels_fitted_to_, graph) != graph)
    fit_columns(group_table_, {GroupModel::Anchor}, {GroupModel::Name});
}

void FusionView::forget_fit() { decisions_fitted_to_ = kernels_fitted_to_ = nullptr; }

void FusionView::show_hand_count() {
  const int asked = hand_->list()->count();
  tabs_->setTabText(ByHand, asked > 0 ? tr("By hand (%1)").arg(asked) : tr("By hand"));
}

QString FusionView::score_words() const {
  const FusionStage::Score& score = document_->fusion().score();
  return score.guesses > 0 ? tr(" · %1 of %2 guesses right").arg(score.right).arg(score.guesses)
                           : QString();
}

QString FusionView::summary() const {
  const auto plan = document_->fusion().plan();
  const auto graph = document_->history().last_graph();
  if (!plan || !graph) return {};
  if (document_->fusion().is_guessing())
    return tr("%1, %2 · choose an edge, and say what you would do")
               .arg(counted(graph->nodes().size(), "operator"),
                    counted(plan->decisions.size(), "edge")) +
           score_words();
  const fusion::PlanSummary& amounts = *document_->fusion().summary();
  const auto fused = std::ranges::count_if(plan->decisions, [](auto& d) { return d.fused; });
  QString words =
      tr("%1 in %2, %3 per kernel · %4 · %5 of %6 fused, which save %8 of memory traffic together "
         "· %7 of tensors never written")
          .arg(counted(amounts.operators, "operator"), counted(amounts.kernels, "kernel"))
          .arg(amounts.fusion_rate, 0, 'f', 2)
          .arg(text(fusion::optimality_words(plan->optimality, *document_->cost_model())))
          .arg(fused)
          .arg(counted(plan->decisions.size(), "edge"))
          .arg(text(readable_bytes(amounts.never_written_bytes)))
          .arg(text(readable_bytes(document_->fusion().saving().bytes)));
  // From one loop nest of a kernel to the next they are written and read like any other.
  if (amounts.workspace_bytes > 0)
    words +=
        tr(", %1 only to a kernel's workspace").arg(text(readable_bytes(amounts.workspace_bytes)));
  return words;
}

void FusionView::show_selection() {
  const Selection& selection = document_->selection();
  const auto* value = std::get_if<SelectedValue>(&selection.current());
  const bool group_only = std::holds_alternative<SelectedGroup>(selection.current());
  decisions_->set_related(group_only ? std::set<graph::NodeId>{} : selection.highlighted_nodes(),
                          selection.highlighted_values());
  const QScopedValueRollback guard(following_, true);

  // A row one has just chosen may be another use of the same tensor: leave it then.
  const fusion::Decision* chosen = current_decision();
  if (value && !(chosen && chosen->value == value->value->id)) {
    // The edge that was chosen of the plan before, rather than any other of its tensor.
    int row = decisions_->row_of(chosen_edge_);
    if (row < 0 || decisions_->decision(row)->value != value->value->id)
      row = decisions_->row_of(value->value->id);
    decision_table_->setCurrentIndex(row < 0 ? QModelIndex()
                                             : filter_->mapFromSource(decisions_->index(row, 0)));
  } else if (!value) {
    decision_table_->setCurrentIndex({});
  }
  const fusion::GroupId group = selection.primary_group();
  const QModelIndex row =
      group.valid()
          ? sorted_groups_->mapFromSource(groups_->index(static_cast<int>(group.value), 0))
          : QModelIndex();
  // Several kernels may be chosen, of which the current one is selected elsewhere.
  if (row.row() != chosen_row(*group_table_).row()) group_table_->setCurrentIndex(row);
  show_decision();
}

void FusionView::choose_edge(const fusion::Edge& edge) {
  chosen_edge_ = edge;
  const int row = decisions_->row_of(edge);
  if (row < 0) return;
  const QScopedValueRollback guard(following_, true);
  decision_table_->setCurrentIndex(filter_->mapFromSource(decisions_->index(row, 0)));
}

void FusionView::show_decision() {
  const fusion::Decision* decision = current_decision();
  card_->setVisible(decision != nullptr);
  if (decision) card_->show_decision(*decision, decisions_->is_hidden(*decision));
  const QString why = decision ? QString() : why_no_decision();
  no_decision_->setText(why);
  no_decision_->setVisible(!why.isEmpty());
  share_room();
  show_command();
}

QString FusionView::why_no_decision() const {
  const auto* selected = std::get_if<SelectedValue>(&document_->selection().current());
  if (!selected || !document_->fusion().plan()) return {};
  const graph::ValueId id = selected->value->id;
  const QString name = text(selected->value->name);
  const graph::Value* value = document_->history().last_graph()->find(id);
  if (!value) return tr("%1 is not in the last graph, which the plan is about.").arg(name);
  if (!value->producer)
    return tr("%1 comes from outside: no operator gives it, so there is nothing to be fused.")
        .arg(name);
  if (document_->history().last_graph()->uses(id).empty())
    return tr("No operator reads %1, so there is nothing to be fused.").arg(name);
  return tr("The filter leaves out the edges of %1.").arg(name);
}

void FusionView::show_step(std::size_t event) {
  tabs_->setCurrentIndex(Steps);
  steps_->show_step(event);
}

// What the tab in front shows.
void FusionView::show_command() {
  if (!document_->fusion().plan()) return command_->set_command({});
  const auto measured = [](const PlanTrials& trials) {
    if (!trials.measured()) return QString();
    const int threads = trials.outcomes()[trials.first()]->threads;
    return " --measure" + (threads == 1 ? QString() : QString(" --threads %1").arg(threads));
  };
  switch (tabs_->currentIndex()) {
    case Decisions: {
      FuseWords words;
      if (const fusion::Decision* decision = current_decision())
        words.edge = fusion::Edge{decision->producer, decision->consumer};
      return command_->set_command(fuse_command(*document_, words) +
                                   (words.edge ? "" : " --explain"));
    }
    case NearMisses: {
      const std::size_t count =
          std::min(near_misses_->limit(), document_->fusion().plan()->decisions.size());
      return command_->set_command(fuse_command(*document_) +
                                   QString(" --near-misses %1").arg(count));
    }
    case ByHand:
      return command_->set_command(fuse_command(*document_) + measured(*hand_->trials()));
    case Steps: return command_->set_command(fuse_command(*document_) + " --steps");
    case Strategies: {
      const auto& variants = strategies_->variants();
      const std::size_t first = strategies_->first(), second = strategies_->second();
      if (std::max(first, second) >= variants.size()) return command_->set_command({});
      const QString one = variants[first].title, other = variants[second].title;
      return command_->set_command(
          fuse_command(*document_, {{}, one == "manual" || other == "manual"}) + " --compare " +
          one + "," + other + measured(*strategies_));
    }
    case Codes: return command_->set_command("loopglassc fuse --reasons");
    default: return command_->set_command(fuse_command(*document_));
  }
}

}  // namespace loopglass::views

#include "views/fusion/fusion_view.h"

#include "core/fusion/decision_filter.h"
#include "views/document/filter_completer.h"
#include "views/document/command_bar.h"
#include "views/document/command_line.h"
#include "views/document/problem_text.h"
#include "views/document/stage_page.h"
#include "views/fusion/constraint_list.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/group_model.h"
#include "views/fusion/plan_steps.h"
#include "views/fusion/reason_legend.h"
#include "views/fusion/strategy_table.h"
#include "views/fusion/verdict_panel.h"
#include "views/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

void dress(QTableView* table) {
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSortingEnabled(true);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setHighlightSections(false);
}

}  // namespace

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
      summary_(new QLabel),
      filter_words_(new QLabel),
      panel_(new VerdictPanel(document)),
      command_(new CommandBar) {
  make_tabs();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(summary_);
  layout->addWidget(new ConstraintList(document));
  layout->addWidget(new StagePage(document, Stage::Plan, tabs_,
                                  tr("Open a model to see which operators are fused, and why.")), 1);
  layout->addWidget(command_);

  connect(document, &Document::planChanged, this, &FusionView::show_plan);
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Plan) show_plan();
  });
  connect(&document->selection(), &Selection::selectionChanged, this, &FusionView::show_selection);
  connect(panel_, &VerdictPanel::guessed, this, [this](const fusion::Decision* decision) {
    decisions_->reveal(*decision);
    show_decision();
  });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    decision_table_->viewport()->update();
    group_table_->viewport()->update();
    show_decision();
    read_filter();
  });
  show_strategies();
  read_filter();
  show_plan();
}

void FusionView::make_tabs() {
  make_groups();
  auto* legend = new ReasonLegend(document_);
  tabs_->setDocumentMode(true);
  tabs_->addTab(make_decisions(), tr("Decisions"));
  tabs_->addTab(group_table_, tr("Kernels"));
  tabs_->addTab(new PlanSteps(document_), tr("Step by step"));
  tabs_->addTab(new StrategyTable(document_), tr("Strategies"));
  tabs_->addTab(legend, tr("Codes"));
  connect(tabs_, &QTabWidget::currentChanged, this, &FusionView::show_command);
  connect(legend, &ReasonLegend::reasonChosen, this, [this](const QString& code) {
    tabs_->setCurrentIndex(Decisions);
    filter_text_->setText("reason=" + code);
  });
}

QWidget* FusionView::make_tools() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(6);
  auto* label = new QLabel(tr("&Strategy"));
  label->setBuddy(strategy_);
  row->addWidget(label);
  row->addWidget(strategy_);
  row->addStretch();
  guess_->setObjectName("guessFirst");
  guess_->setToolTip(tr("Verdicts stay hidden until you have said of the selected edge what you would do; "
                         "switch Kernels off in the graph, whose hulls tell too"));
  row->addWidget(guess_);
  summary_->setMargin(6);
  summary_->setWordWrap(true);
  summary_->setObjectName("planSummary");
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

  connect(strategy_, &QComboBox::activated, this,
          [this](int index) { document_->set_strategy(strategy_->itemData(index).toString()); });
  connect(guess_, &QCheckBox::toggled, this, &FusionView::set_guessing);
  return bar;
}

QWidget* FusionView::make_filter() {
  auto* bar = new QWidget;
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(6, 3, 6, 3);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  verdict_->setObjectName("verdictBox");
  verdict_->addItems({tr("All edges"), tr("Fused"), tr("Kept apart")});
  row->addWidget(verdict_);
  filter_text_->setObjectName("decisionFilter");
  filter_text_->setFont(theme().code_font());
  filter_text_->setPlaceholderText("op=Conv & bytes>=1MiB");
  filter_text_->setToolTip(tr("Which edges to show: a name, or fields as reason=SINK_KIND & producer~\"layer3\""));
  filter_text_->setClearButtonEnabled(true);
  new FilterCompleter(filter_text_, [](std::string_view typed, std::size_t cursor) {
    return complete_filter(typed, cursor, fusion::decision_fields());
  });
  row->addWidget(filter_text_, 1);
  filter_words_->setObjectName("filterWords");
  filter_words_->setWordWrap(true);
  filter_words_->setTextFormat(Qt::RichText);
  column->addLayout(row);
  column->addWidget(filter_words_);
  connect(verdict_, &QComboBox::currentIndexChanged, this,
          [this](int index) { filter_->set_verdict(static_cast<DecisionFilter::Verdict>(index)); });
  connect(filter_text_, &QLineEdit::textChanged, this, &FusionView::read_filter);
  return bar;
}

// What was typed, in words; a mistake leaves the table as it was.
void FusionView::read_filter() {
  const auto filter = parse_filter(filter_text_->text().trimmed().toStdString(), fusion::decision_fields());
  filter_words_->setVisible(!filter || !filter->is_everything());
  if (!filter) return filter_words_->setText(problem_text(filter.error()));
  filter_words_->setText(QString("<span style='color:%1'>%2</span>")
                             .arg(theme().muted.name(), text(in_words(*filter, fusion::decision_fields())).toHtmlEscaped()));
  filter_->set_filter(*filter);
}

void FusionView::set_guessing(bool guessing) {
  // Sorted or filtered by it, the table would tell the verdict.
  verdict_->setCurrentIndex(0);
  verdict_->setEnabled(!guessing);
  if (guessing) decision_table_->sortByColumn(DecisionModel::Producer, Qt::AscendingOrder);
  panel_->forget_score();
  decisions_->set_guessing(guessing);
  show_selection();
  show_decision();
}

QWidget* FusionView::make_decisions() {
  filter_->setSourceModel(decisions_);
  decision_table_->setModel(filter_);
  dress(decision_table_);
  decision_table_->sortByColumn(DecisionModel::Producer, Qt::AscendingOrder);
  auto* header = decision_table_->horizontalHeader();
  for (const auto& [column, width] : {std::pair{DecisionModel::Producer, 130},
                                      {DecisionModel::Consumer, 130},
                                      {DecisionModel::Verdict, 70},
                                      {DecisionModel::Reason, 150},
                                      {DecisionModel::Bytes, 70},
                                      {DecisionModel::Saved, 70}})
    header->resizeSection(column, width);
  connect(decision_table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            show_decision();
            const fusion::Decision* decision = current_decision();
            if (!row.isValid() || !decision || following_) return;
            const QScopedValueRollback guard(following_, true);
            document_->selection().select_value(decision->value);
          });
  decision_table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(decision_table_, &QWidget::customContextMenuRequested, this, &FusionView::open_menu);

  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_filter());
  column->addWidget(decision_table_, 1);
  column->addWidget(panel_);
  return page;
}

const fusion::Decision* FusionView::current_decision() const {
  const QModelIndex current = decision_table_->currentIndex();
  return current.isValid() ? decisions_->decision(filter_->mapToSource(current).row()) : nullptr;
}

void FusionView::open_menu(QPoint at) {
  const fusion::Decision* found = current_decision();
  if (!found || decisions_->is_hidden(*found)) return;
  QMenu menu(this);
  using Wish = VerdictPanel::Wish;
  const Wish asked = VerdictPanel::asked(*document_, *found);
  for (const auto& [wish, words] : {std::pair{Wish::Force, tr("&Force: one kernel")},
                                    {Wish::Forbid, tr("F&orbid: two kernels")},
                                    {Wish::Leave, tr("&Leave to the strategy")}})
    if (wish != asked)
      menu.addAction(words, this, [this, wish = wish, decision = *found] { VerdictPanel::ask(*document_, decision, wish); });
  menu.exec(decision_table_->viewport()->mapToGlobal(at));
}

void FusionView::make_groups() {
  sorted_groups_->setSourceModel(groups_);
  sorted_groups_->setSortRole(GroupModel::SortRole);
  group_table_->setModel(sorted_groups_);
  dress(group_table_);
  group_table_->sortByColumn(GroupModel::Name, Qt::AscendingOrder);
  group_table_->horizontalHeader()->resizeSection(GroupModel::Name, 200);
  group_table_->horizontalHeader()->resizeSection(GroupModel::Operators, 80);
  group_table_->horizontalHeader()->resizeSection(GroupModel::Anchor, 130);
  connect(group_table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (!row.isValid() || following_) return;
            const QScopedValueRollback guard(following_, true);
            document_->selection().select_group(fusion::GroupId{
                static_cast<std::uint32_t>(sorted_groups_->mapToSource(row).row())});
          });
}

void FusionView::find() {
  tabs_->setCurrentIndex(Decisions);
  filter_text_->setFocus();
  filter_text_->selectAll();
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
  decisions_->set_plan(document_->plan(), document_->last_graph());
  groups_->set_plan(document_->plan(), document_->last_graph());
  summary_->setText(summary());
  summary_->setVisible(!summary_->text().isEmpty());
  show_selection();
  show_decision();
}

QString FusionView::summary() const {
  const auto plan = document_->plan();
  const auto graph = document_->last_graph();
  if (!plan || !graph) return {};
  double unwritten = 0;  // tensors that live and die inside one kernel
  for (const graph::NodePtr& node : graph->nodes())
    for (const graph::ValueId id : node->outputs) {
      const auto& uses = graph->uses(id);
      const fusion::GroupId group = plan->group_of(node->id);
      const bool inside = !uses.empty() && !graph->is_output(id) &&
                          std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
                            return plan->group_of(use.node) == group;
                          });
      if (inside) unwritten += static_cast<double>(graph->value(id).type.bytes());
    }
  const auto fused = std::count_if(plan->decisions.begin(), plan->decisions.end(),
                                   [](auto& d) { return d.fused; });
  const double rate = plan->groups.empty() ? 1 : static_cast<double>(graph->nodes().size()) / static_cast<double>(plan->groups.size());
  return tr("%1 operators in %2 kernels, %3 per kernel (%4) · %5 of %6 edges fused · %7 of tensors never written to memory")
      .arg(graph->nodes().size())
      .arg(plan->groups.size())
      .arg(rate, 0, 'f', 2)
      .arg(text(fusion::name(plan->optimality)))
      .arg(fused)
      .arg(plan->decisions.size())
      .arg(readable_bytes(unwritten));
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
    const int row = decisions_->row_of(value->value->id);
    decision_table_->setCurrentIndex(row < 0 ? QModelIndex()
                                             : filter_->mapFromSource(decisions_->index(row, 0)));
  } else if (!value) {
    decision_table_->setCurrentIndex({});
  }
  const fusion::GroupId group = selection.primary_group();
  group_table_->setCurrentIndex(group.valid() ? sorted_groups_->mapFromSource(groups_->index(
                                                    static_cast<int>(group.value), 0))
                                              : QModelIndex());
}

void FusionView::show_decision() {
  const fusion::Decision* decision = current_decision();
  panel_->setVisible(decision != nullptr);
  if (decision) panel_->show_decision(*decision, decisions_->is_hidden(*decision));
  show_command();
}

// What the tab in front shows.
void FusionView::show_command() {
  if (!document_->plan()) return command_->set_command({});
  switch (tabs_->currentIndex()) {
    case Decisions:
      return command_->set_command(fuse_command(*document_, current_decision()));
    case Steps:
      return command_->set_command(fuse_command(*document_) + " --steps");
    case Strategies: {
      QStringList names;
      for (const fusion::Strategy& strategy : document_->toolchain().strategies)
        if (strategy.name != "manual") names << text(strategy.name);
      return command_->set_command(fuse_command(*document_) + " --compare " + names.join(','));
    }
    case Codes:
      return command_->set_command("loopglassc fuse --reasons");
    default:
      return command_->set_command(fuse_command(*document_));
  }
}

}  // namespace loopglass::views

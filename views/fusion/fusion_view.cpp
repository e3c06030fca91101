#include "views/fusion/fusion_view.h"

#include "views/document/stage_page.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/group_model.h"
#include "views/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
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
      strategy_(new QComboBox),
      verdict_(new QComboBox),
      filter_text_(new QLineEdit),
      summary_(new QLabel),
      why_(new QLabel) {
  auto* split = new QSplitter(Qt::Vertical);
  split->setChildrenCollapsible(false);
  split->addWidget(make_decisions());
  make_groups();
  split->addWidget(group_table_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);

  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(make_tools());
  inner->addWidget(summary_);
  inner->addWidget(split, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Plan, content,
                                  tr("Open a model to see which operators are fused, and why.")));

  connect(document, &Document::planChanged, this, &FusionView::show_plan);
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Plan) show_plan();
  });
  connect(&document->selection(), &Selection::selectionChanged, this, &FusionView::show_selection);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    decision_table_->viewport()->update();
    group_table_->viewport()->update();
  });
  show_strategies();
  show_plan();
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
  verdict_->addItems({tr("All edges"), tr("Fused"), tr("Kept apart")});
  row->addWidget(verdict_);
  filter_text_->setPlaceholderText(tr("Filter: names, reason codes, words"));
  filter_text_->setClearButtonEnabled(true);
  row->addWidget(filter_text_, 1);
  summary_->setMargin(6);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

  connect(strategy_, &QComboBox::activated, this,
          [this](int index) { document_->set_strategy(strategy_->itemData(index).toString()); });
  connect(verdict_, &QComboBox::currentIndexChanged, this,
          [this](int index) { filter_->set_verdict(static_cast<DecisionFilter::Verdict>(index)); });
  connect(filter_text_, &QLineEdit::textChanged, filter_, &DecisionFilter::set_words);
  return bar;
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
                                      {DecisionModel::Bytes, 70}})
    header->resizeSection(column, width);
  connect(decision_table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            const fusion::Decision* decision =
                row.isValid() ? decisions_->decision(filter_->mapToSource(row).row()) : nullptr;
            show_decision(decision);
            if (!decision || following_) return;
            const QScopedValueRollback guard(following_, true);
            document_->selection().select_value(decision->value);
          });

  why_->setWordWrap(true);
  why_->setMargin(6);
  why_->setTextFormat(Qt::RichText);
  why_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(decision_table_, 1);
  column->addWidget(why_);
  return page;
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
  show_decision(nullptr);
  show_selection();
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
  return tr("%1 operators in %2 kernels · %3 of %4 edges fused · %5 of tensors never written to "
            "memory")
      .arg(graph->nodes().size())
      .arg(plan->groups.size())
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
  const QModelIndex current = decision_table_->currentIndex();
  const fusion::Decision* chosen =
      current.isValid() ? decisions_->decision(filter_->mapToSource(current).row()) : nullptr;
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

void FusionView::show_decision(const fusion::Decision* decision) {
  why_->setVisible(decision != nullptr);
  if (!decision) return;
  const Theme& t = theme();
  QString html =
      QString("<span style='color:%1'>%2</span> <b>%3</b> &nbsp;%4")
          .arg((decision->fused ? t.good : t.warning).name(),
               decision->fused ? tr("✓ fused") : tr("✕ apart"),
               text(fusion::name(decision->reason)), text(decision->sentence).toHtmlEscaped());
  if (!decision->condition.empty())
    html += QString("<br><code>%1</code>").arg(text(decision->condition).toHtmlEscaped());
  QStringList numbers;
  for (const auto& [name, number] : decision->numbers)
    numbers << text(name).toHtmlEscaped() + " = " + QString::number(number, 'g', 12);
  if (!numbers.isEmpty())
    html +=
        QString("<br><span style='color:%1'>%2</span>").arg(t.muted.name(), numbers.join(" · "));
  why_->setText(html);
}

}  // namespace loopglass::views

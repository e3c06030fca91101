// The tables of the fusion pane: decisions, with their filter, and kernels.
#include "core/fusion/decision_filter.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/edge_card_pane.h"
#include "views/fusion/fusion_view.h"
#include "views/fusion/group_model.h"
#include "views/fusion/hand_menu.h"
#include "views/fusion/tables.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/filter_completer.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/name_delegate.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/text_size.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTabWidget>
#include <QVBoxLayout>

namespace loopglass::views {

QWidget* FusionView::make_filter() {
  auto* bar = new QWidget;
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(6, 3, 6, 3);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  verdict_->setObjectName("verdictBox");
  verdict_->addItems({tr("All edges"), tr("Fused"), tr("Not fused")});
  row->addWidget(verdict_);
  filter_text_->setObjectName("decisionFilter");
  use_code_font(filter_text_);
  filter_text_->setAccessibleName(tr("Which edges to show"));
  filter_text_->setClearButtonEnabled(true);
  new FilterCompleter(filter_text_, [this](std::string_view typed, std::size_t cursor) {
    return complete_filter(typed, cursor, filter_fields());
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

// Whoever guesses cannot ask for the answer.
FilterSchema FusionView::filter_fields() const {
  FilterSchema fields = fusion::decision_fields();
  if (document_->fusion().is_guessing())
    std::erase_if(fields.fields,
                  [](auto& field) { return field.name == "verdict" || field.name == "reason"; });
  return fields;
}

// How to say which edges to show, without what a person who guesses must not ask.
void FusionView::explain_filter() {
  const FilterSchema fields = filter_fields();
  const bool told = !document_->fusion().is_guessing();
  filter_text_->setPlaceholderText(
      (told ? tr("Filter: apart, SINK_KIND, conv1, ") : tr("Filter: conv1, ")) +
      "op=Conv & bytes>=1MiB");
  const auto row = [](const QString& typed, const QString& meaning) {
    return QString("<tr><td style='padding-right:12px'><code>%1</code></td><td>%2</td></tr>")
        .arg(typed.toHtmlEscaped(), meaning.toHtmlEscaped());
  };
  QString rows =
      row("conv1", tr("a part of a name, of the tensor or of the operator at either end"));
  if (told)
    rows += row("fused  apart  SINK_KIND",
                tr("a verdict or the code of a reason alone (in quotes a name as any other)"));
  rows += row("op=Conv & bytes>=1MiB", tr("fields, joined with & (and) or | (or)"));
  rows += row("!(dtype=f32)", tr("not so"));
  rows += row("=  !=  ~  =~  <  >=", tr("is, is not, contains, matches the expression, less, …"));
  for (const FieldSpec& field : fields.fields) rows += row(text(field.name), text(field.doc));
  filter_text_->setToolTip(tr("<b>Which edges to show</b>") + "<table>" + rows + "</table>");
}

// What was typed, in words; a mistake leaves the table as it was.
void FusionView::read_filter() {
  const FilterSchema fields = filter_fields();
  const auto filter = parse_filter(filter_text_->text().trimmed().toStdString(), fields);
  filter_words_->setVisible(!filter || !filter->is_everything());
  if (!filter) return filter_words_->setText(problem_text(filter.error()));
  filter_words_->setText(
      QString("<span style='color:%1'>%2</span>")
          .arg(theme().muted.name(), text(in_words(*filter, fields)).toHtmlEscaped()));
  filter_->set_filter(*filter);
}

QWidget* FusionView::make_decisions() {
  filter_->setSourceModel(decisions_);
  decision_table_->setModel(filter_);
  decision_table_->setObjectName("decisions");
  dress_table(decision_table_);
  decision_table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  decision_table_->sortByColumn(DecisionModel::Producer, Qt::AscendingOrder);
  auto* header = decision_table_->horizontalHeader();
  for (const auto& [column, width] : {std::pair{DecisionModel::Producer, 170},
                                      {DecisionModel::Consumer, 170},
                                      {DecisionModel::Verdict, 70},
                                      {DecisionModel::Reason, 190},
                                      {DecisionModel::Bytes, 70},
                                      {DecisionModel::Saved, 100}})
    header->resizeSection(column, width);
  for (const auto column : {DecisionModel::Producer, DecisionModel::Consumer})
    decision_table_->setItemDelegateForColumn(column, new NameDelegate(decision_table_));
  on_row_chosen(decision_table_, this, [this] {
    show_decision();
    const fusion::Decision* decision = current_decision();
    if (!decision || following_) return;
    chosen_edge_ = {decision->producer, decision->consumer};
    const QScopedValueRollback guard(following_, true);
    document_->selection().select_value(decision->value);
    emit edgeChosen(decision->value, decision->consumer);
  });
  decision_table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(decision_table_, &QWidget::customContextMenuRequested, this, &FusionView::open_edge_menu);

  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* both = new FlowSplitter(side_by_side);
  both->addWidget(decision_table_);
  both->addWidget(card_);
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  both->setSizes({500, 500});
  filter_bar_ = make_filter();
  column->addWidget(filter_bar_);
  column->addWidget(both, 1);
  no_decision_->setObjectName("noDecision");
  no_decision_->setWordWrap(true);
  no_decision_->setMargin(6);
  no_decision_->setTextFormat(Qt::PlainText);
  column->addWidget(no_decision_);
  return page;
}

const fusion::Decision* FusionView::current_decision() const {
  const QModelIndex current = chosen_row(*decision_table_);
  return current.isValid() ? decisions_->decision(filter_->mapToSource(current).row()) : nullptr;
}

void FusionView::open_edge_menu(QPoint at) {
  std::vector<fusion::Decision> chosen;
  for (const QModelIndex& row : decision_table_->selectionModel()->selectedRows())
    chosen.push_back(*decisions_->decision(filter_->mapToSource(row).row()));
  QMenu menu(this);
  menu.setToolTipsVisible(true);
  fill_edge_menu(menu, *document_, chosen);
  if (!menu.isEmpty()) menu.exec(decision_table_->viewport()->mapToGlobal(at));
}

void FusionView::open_kernel_menu(QPoint at) {
  std::vector<fusion::GroupId> chosen;
  for (const QModelIndex& row : group_table_->selectionModel()->selectedRows())
    chosen.push_back(
        fusion::GroupId{static_cast<std::uint32_t>(sorted_groups_->mapToSource(row).row())});
  QMenu menu(this);
  menu.setToolTipsVisible(true);
  fill_kernel_menu(menu, *document_, chosen);
  if (!menu.isEmpty()) menu.exec(group_table_->viewport()->mapToGlobal(at));
}

void FusionView::make_groups() {
  sorted_groups_->setSourceModel(groups_);
  sorted_groups_->setSortRole(GroupModel::SortRole);
  group_table_->setModel(sorted_groups_);
  dress_table(group_table_);
  group_table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  group_table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(group_table_, &QWidget::customContextMenuRequested, this, &FusionView::open_kernel_menu);
  group_table_->sortByColumn(GroupModel::Name, Qt::AscendingOrder);
  group_table_->setObjectName("groups");
  group_table_->horizontalHeader()->resizeSection(GroupModel::Name, 260);
  group_table_->horizontalHeader()->resizeSection(GroupModel::Operators, 100);
  group_table_->horizontalHeader()->resizeSection(GroupModel::Anchor, 200);
  group_table_->setItemDelegateForColumn(GroupModel::Name, new NameDelegate(group_table_));
  on_row_chosen(group_table_, this, [this] {
    const QModelIndex row = chosen_row(*group_table_);
    if (!row.isValid() || following_) return;
    const QScopedValueRollback guard(following_, true);
    document_->selection().select_group(
        fusion::GroupId{static_cast<std::uint32_t>(sorted_groups_->mapToSource(row).row())});
  });
}

void FusionView::find() {
  tabs_->setCurrentIndex(Decisions);
  filter_text_->setFocus();
  filter_text_->selectAll();
}

void FusionView::show_edge(const fusion::Edge& edge) {
  tabs_->setCurrentIndex(Decisions);
  filter_text_->clear();
  verdict_->setCurrentIndex(0);
  const int row = decisions_->row_of(edge);
  if (row < 0) return;
  const QModelIndex index = filter_->mapFromSource(decisions_->index(row, 0));
  decision_table_->setCurrentIndex(index);
  decision_table_->scrollTo(index);
}

}  // namespace loopglass::views

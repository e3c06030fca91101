#include "views/fusion/constraint_list.h"

#include "views/document/problem_text.h"
#include "views/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopglass::views {

ConstraintList::ConstraintList(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), list_(new QTreeWidget), refusal_(new QLabel) {
  list_->setObjectName("constraints");
  list_->setColumnCount(3);
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->setSelectionMode(QAbstractItemView::NoSelection);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  refusal_->setObjectName("constraintRefusal");
  refusal_->setWordWrap(true);
  refusal_->setTextFormat(Qt::RichText);
  refusal_->setMargin(6);
  refusal_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(list_);
  column->addWidget(refusal_);
  for (const auto signal : {&Document::planChanged, &Document::modelChanged})
    connect(document, signal, this, &ConstraintList::show_constraints);
  show_constraints();
}

void ConstraintList::show_constraints() {
  const Diagnostic* refusal = document_->plan_refusal();
  refusal_->setText(refusal ? problem_text(*refusal) : QString());
  refusal_->setVisible(refusal != nullptr);
  list_->clear();
  const fusion::Constraints constraints = document_->constraints();
  if (document_->last_graph()) {
    for (const fusion::Edge& edge : constraints.forced) add_row(edge, true);
    for (const fusion::Edge& edge : constraints.forbidden) add_row(edge, false);
  }
  const int rows = list_->topLevelItemCount();
  list_->setVisible(rows > 0);
  list_->setFixedHeight(std::min(rows, 4) * (fontMetrics().height() + 12) + 4);
}

void ConstraintList::add_row(const fusion::Edge& edge, bool forced) {
  const auto graph = document_->last_graph();
  const graph::Node *producer = graph->find(edge.producer), *consumer = graph->find(edge.consumer);
  if (!producer || !consumer) return;
  auto* row = new QTreeWidgetItem({forced ? tr("✓ one kernel") : tr("✕ two kernels"),
                                   QString::fromStdString(producer->name + " → " + consumer->name)});
  row->setForeground(0, forced ? theme().good : theme().warning);
  list_->addTopLevelItem(row);
  auto* remove = new QToolButton;
  remove->setText(tr("Remove"));
  remove->setToolTip(tr("Leave this edge to the strategy again"));
  remove->setAutoRaise(true);
  list_->setItemWidget(row, 2, remove);
  connect(remove, &QToolButton::clicked, this, [this, edge] {
    fusion::Constraints constraints = document_->constraints();
    constraints.forced.erase(edge);
    constraints.forbidden.erase(edge);
    // Later: the button is part of the list that is made anew.
    QMetaObject::invokeMethod(document_, [document = document_, constraints] { document->set_constraints(constraints); },
                              Qt::QueuedConnection);
  });
}

}  // namespace loopglass::views

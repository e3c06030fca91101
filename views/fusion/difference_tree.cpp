#include "views/fusion/difference_tree.h"

#include "core/runtime/memory_budget.h"
#include "views/text.h"

#include <QHeaderView>

namespace loopglass::views {
namespace {

// What a row is about: the ids of its operators, or of its value alone.
constexpr int nodes_role = Qt::UserRole, value_role = Qt::UserRole + 1;

QString verdict(const fusion::Decision& decision) {
  return (decision.fused ? "✓ " : "✕ ") + text(fusion::name(decision.reason));
}

}  // namespace

DifferenceTree::DifferenceTree(Document* document, QWidget* parent)
    : QTreeWidget(parent), document_(document) {
  setObjectName("planDifference");
  setColumnCount(3);
  header()->setStretchLastSection(true);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setTextElideMode(Qt::ElideMiddle);  // an edge has a name at either end
  connect(this, &QTreeWidget::currentItemChanged, this,
          [this](QTreeWidgetItem* row) { select(row); });
}

void DifferenceTree::show_difference(std::shared_ptr<const graph::Graph> graph, Side first,
                                     Side second) {
  clear();
  graph_ = std::move(graph);
  first_ = std::move(first);
  second_ = std::move(second);
  setHeaderLabels({tr("Difference"), first_.title, second_.title});
  const fusion::PlanDifference kernels = fusion::difference(*first_.plan, *second_.plan);
  add_edges();
  add_kernels(first_, kernels.removed);
  add_kernels(second_, kernels.added);
  if (topLevelItemCount() == 0) add_section(tr("The two plans are the same."))->setDisabled(true);
  expandAll();
  share_width();
}

void DifferenceTree::resizeEvent(QResizeEvent* event) {
  QTreeWidget::resizeEvent(event);
  share_width();
}

// Codes need less room than the two names of an edge.
void DifferenceTree::share_width() {
  const int whole = viewport()->width(), code = std::max(120, whole * 27 / 100);
  header()->resizeSection(0, std::max(220, whole - 2 * code));
  header()->resizeSection(1, code);
}

QTreeWidgetItem* DifferenceTree::add_section(const QString& title) {
  auto* section = new QTreeWidgetItem({title});
  QFont bold = font();
  bold.setBold(true);
  section->setFont(0, bold);
  addTopLevelItem(section);
  section->setFirstColumnSpanned(true);
  return section;
}

void DifferenceTree::add_kernels(const Side& side, const std::vector<fusion::GroupId>& groups) {
  if (groups.empty()) return;
  QTreeWidgetItem* section =
      add_section(tr("Kernels of %1 alone (%2)").arg(side.title).arg(groups.size()));
  for (const fusion::GroupId id : groups) {
    const fusion::Group& group = side.plan->group(id);
    QStringList members;
    QVariantList nodes;
    for (const graph::NodeId node : group.nodes) {
      members << text(graph_->node(node).name);
      nodes << node.value;
    }
    auto* row = new QTreeWidgetItem(section, {text(group.name)});
    row->setText(&side == &first_ ? 1 : 2, members.join(", "));
    row->setToolTip(0, members.join("\n"));
    row->setData(0, nodes_role, nodes);
  }
}

void DifferenceTree::add_edges() {
  const auto edges = fusion::differing_edges(*graph_, {first_.plan.get(), second_.plan.get()});
  if (edges.empty()) return;
  QTreeWidgetItem* section =
      add_section(tr("Edges fused in one of the two (%1)").arg(edges.size()));
  for (const fusion::EdgeDifference& edge : edges) {
    const fusion::Decision &first = *edge.decisions[0], &second = *edge.decisions[1];
    auto* row = new QTreeWidgetItem(section, {text(graph_->node(edge.edge.producer).name) + " → " +
                                                  text(graph_->node(edge.edge.consumer).name),
                                              verdict(first), verdict(second)});
    const graph::Value* value = graph_->find(first.value);
    row->setToolTip(
        0, row->text(0) +
               (value ? "\n" + text(runtime::readable_bytes(value->type.bytes())) : QString()));
    row->setToolTip(1, text(first.sentence));
    row->setToolTip(2, text(second.sentence));
    row->setData(0, value_role, first.value.value);
  }
}

void DifferenceTree::select(QTreeWidgetItem* row) {
  if (!row || graph_ != document_->history().last_graph()) return;
  if (const QVariant value = row->data(0, value_role); value.isValid())
    return document_->selection().select_value(graph::ValueId{value.toUInt()});
  std::vector<graph::NodeId> nodes;
  for (const QVariant& node : row->data(0, nodes_role).toList())
    nodes.push_back(graph::NodeId{node.toUInt()});
  if (!nodes.empty()) document_->selection().select_nodes(nodes);
}

}  // namespace loopglass::views

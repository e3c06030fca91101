// Where two plans of a graph part: the kernels that only one of them has, and the edges they judge
// differently. What is selected is selected in the graph.
#pragma once

#include "core/fusion/compare.h"
#include "views/document/document.h"

#include <QTreeWidget>

namespace loopglass::views {

class DifferenceTree : public QTreeWidget {
  Q_OBJECT

 public:
  explicit DifferenceTree(Document* document, QWidget* parent = nullptr);

  struct Side {
    QString title;
    std::shared_ptr<const fusion::Plan> plan;
  };
  void show_difference(std::shared_ptr<const graph::Graph> graph, Side first, Side second);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void share_width();
  QTreeWidgetItem* add_section(const QString& title);
  void add_kernels(const Side& side, const std::vector<fusion::GroupId>& groups);
  void add_edges();
  void select(QTreeWidgetItem* row);

  Document* document_;
  std::shared_ptr<const graph::Graph> graph_;
  Side first_, second_;
};

}  // namespace loopglass::views

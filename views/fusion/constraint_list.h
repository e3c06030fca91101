// What a person asks of the fusion plan: edges that must share a kernel and edges that must not, each
// with a button that takes the wish back. Hidden while there is nothing.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QTreeWidget;

namespace loopglass::views {

class ConstraintList : public QWidget {
  Q_OBJECT

 public:
  explicit ConstraintList(Document* document, QWidget* parent = nullptr);

 private:
  void show_constraints();
  void add_row(const fusion::Edge& edge, bool forced);

  Document* document_;
  QTreeWidget* list_;
  QLabel* refusal_;
};

}  // namespace loopglass::views

// Every code that a verdict may have, what it means, and how often it stands in the plan.
#pragma once

#include "views/document/document.h"

#include <QTreeWidget>

namespace loopglass::views {

class ReasonLegend : public QTreeWidget {
  Q_OBJECT

 public:
  explicit ReasonLegend(Document* document, QWidget* parent = nullptr);

 signals:
  void reasonChosen(const QString& code);

 private:
  void count();

  Document* document_;
};

}  // namespace loopglass::views

// Where the network's intermediates live: what the plan takes in a sentence, and the chart of
// buffer lifetimes. A buffer that is chosen is selected everywhere, and the other way round.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;

namespace loopglass::views {

class MemoryChart;
class SeenWatch;

// What the plan takes, in a sentence.
QString memory_summary(const runtime::MemoryPlan& plan);

class MemoryView : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryView(Document* document, QWidget* parent = nullptr);

 private:
  void show_plan();
  void show_summary();
  void show_selection();

  Document* document_;
  SeenWatch* watch_;
  QLabel* summary_;
  MemoryChart* chart_;
};

}  // namespace loopglass::views

// The roofline: every kernel under the roofs of this machine, what keeps it from them, and what is
// known of the one that is selected.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTextBrowser;

namespace loopglass::views {

class CommandBar;
class RooflineChart;
class VerdictTable;

class RooflineView : public QWidget {
  Q_OBJECT

 public:
  explicit RooflineView(Document* document, QWidget* parent = nullptr);

 private:
  QWidget* make_controls();
  void show_run();
  void show_state();
  void select(int kernel);
  void judge_shown(void (RooflineStage::*start)(fusion::GroupId, int));
  bool is_stale() const;
  int selected() const;  // of the run's kernels; -1: none

  Document* document_;
  RooflineStage* run_;
  RooflineChart* chart_;
  VerdictTable* table_;
  QTextBrowser* card_;
  CommandBar* command_;
  QSpinBox* threads_;
  QComboBox* level_;
  QPushButton *all_, *one_, *steps_, *stop_;
  QLabel* summary_;
  QWidget* panes_ = nullptr;
};

}  // namespace loopglass::views

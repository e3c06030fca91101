// Kernels with what binds them, the one that takes longest first.
#pragma once

#include "views/roofline/roofline_run.h"

#include <QTableWidget>

namespace loopglass::views {

class VerdictTable : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { Kernel, Bound, Time, Share, Alone, Gflops, OfRoof, Why, ColumnCount };

  explicit VerdictTable(QWidget* parent = nullptr);
  // `selected`: of the run's kernels, -1: none.
  void show_kernels(const std::vector<RooflineRun::Judged>& kernels, int selected);

 signals:
  void kernelChosen(int kernel);  // of the run's

 private:
  std::vector<int> kernels_;  // of the rows
  bool is_filling_ = false;
};

}  // namespace loopglass::views

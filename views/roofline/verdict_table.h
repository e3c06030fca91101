// Kernels with what binds them, the one that takes longest first until a header is clicked.
#pragma once

#include "core/saved_roofline.h"

#include <QTableWidget>

namespace loopglass::views {

class VerdictTable : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { Kernel, Bound, Time, Share, Alone, Gflops, OfRoof, Why, ColumnCount };

  explicit VerdictTable(QWidget* parent = nullptr);
  // `selected`: of the run's kernels, -1: none.
  void show_kernels(const std::vector<JudgedKernel>& kernels, int selected);

 signals:
  void kernelChosen(int kernel);  // of the run's

 private:
  int kernel_at(int row) const;

  bool is_filling_ = false;
};

}  // namespace loopglass::views

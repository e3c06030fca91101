// The kernels of a network that is tuned: what each takes of it, how many trials it got, and why it
// had its last round.
#pragma once

#include "views/tuning/shown_run.h"

#include <QTableWidget>

namespace loopglass::views {

class KernelShares : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { Kernel, Times, Before, After, Faster, Trials, Why, ColumnCount };

  explicit KernelShares(QWidget* parent = nullptr);
  // The one that takes longest first; empty: it says how there will be some.
  void show_kernels(const std::vector<const ShownRun*>& kernels);

 signals:
  void kernelChosen(const std::string& workload);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  // Names and reasons share what the numbers leave; where that is too little, the table scrolls.
  void share_room();

  std::vector<std::string> workloads_;  // of the rows
};

}  // namespace loopglass::views

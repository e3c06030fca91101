// Times the network: threads and rounds to choose, the rounds as they arrive, and afterwards every
// kernel with its share, speed and bandwidth. Clicking a kernel selects it everywhere.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;

namespace loopglass::views {

class KernelTable;
class RoundChart;

class BenchView : public QWidget {
  Q_OBJECT

 public:
  explicit BenchView(Document* document, QWidget* parent = nullptr);

  void run();
  void stop();
  // " --threads 2 --rounds 20", which a command is told to measure alike.
  QString option_words() const;

 signals:
  void optionsChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_controls();
  void make_table();
  void fit_columns();
  void show_benchmark();
  void show_selection();
  void measure_as(const runtime::BenchmarkReport& report);

  Document* document_;
  KernelTable* kernels_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  RoundChart* chart_;
  QSpinBox *threads_, *rounds_;
  QPushButton *run_, *stop_;
  QLabel* summary_;
  bool chose_rounds_ = false;  // or threads
  bool following_ = false;     // the table is following the selection, not making it
};

}  // namespace loopglass::views

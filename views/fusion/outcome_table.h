// Plans of one graph beside one another, a row each: kernels, fusion rate, the memory traffic
// between kernels, how sure the strategy is, and estimated and measured times.
#pragma once

#include "core/debug/what_if.h"

#include <QTreeWidget>

namespace loopglass::views {

class OutcomeTable : public QTreeWidget {
  Q_OBJECT

 public:
  explicit OutcomeTable(QWidget* parent = nullptr);

  enum Column {
    Name,
    Kernels,
    Rate,
    Estimated,
    Measured,
    Written,
    Read,
    Workspace,
    Certainty,
    ColumnCount
  };

  struct Row {
    QString title;
    Result<debug::PlanOutcome> outcome;  // or why it cannot be
  };
  // Estimated by this model: times where it is calibrated, else ranks.
  void set_rows(const std::vector<Row>& rows, const fusion::CostModel& cost);
  void mark(const QString& title);  // the plan in use
  // As high as its rows.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_columns();
  void fill(QTreeWidgetItem* row, const debug::PlanOutcome& outcome, const fusion::CostModel& cost);
};

// What a second plan gains or loses against a first: "12 kernels fewer, 3.1 MiB less written, ...".
QString difference_words(const debug::PlanOutcome& first, const debug::PlanOutcome& second,
                         const fusion::CostModel& cost);
// Of outcomes with times: "measured 4.1 % faster (medians of 15 runs in turns on 2 threads, ...);
// this is no chance: ...".
QString measured_words(const debug::PlanOutcome& first, const debug::PlanOutcome& second);
// "12.3 ms (12.1 ms … 12.8 ms)": the median, its quartiles.
QString time_words(const debug::PlanOutcome& outcome);

}  // namespace loopglass::views

// Calibrates the cost model once, where this machine has not been: in the background, while nothing
// else is worked on, so that it disturbs no measurement and none disturbs it.
#pragma once

#include "views/document/document.h"

#include <QTimer>

namespace loopglass::app {

class CalibrationWatch : public QObject {
  Q_OBJECT

 public:
  // Measures the machine; called in a job, and again where that had to make way for other work. The
  // model is kept for later runs where that is possible.
  using Measure =
      std::function<Result<std::shared_ptr<const fusion::CostModel>>(const views::JobContext&)>;
  CalibrationWatch(views::Document* document, Measure measure, QObject* parent = nullptr);

  static const QString lane;

 signals:
  void calibrated();
  void failed(const Diagnostic& diagnostic);

 private:
  void look();
  void begin();

  views::Document* document_;
  Measure measure_;
  QTimer quiet_;
  bool running_ = false, making_way_ = false, over_ = false;
};

}  // namespace loopglass::app

#include "app/window/calibration_watch.h"

namespace loopglass::app {

namespace {

// Jobs follow upon jobs: quiet for as long is done.
constexpr int quiet_ms = 1500;

}  // namespace

const QString CalibrationWatch::lane = "calibration";

CalibrationWatch::CalibrationWatch(views::Document* document, Measure measure, QObject* parent)
    : QObject(parent), document_(document), measure_(std::move(measure)) {
  quiet_.setSingleShot(true);
  quiet_.setInterval(quiet_ms);
  connect(&quiet_, &QTimer::timeout, this, &CalibrationWatch::begin);
  connect(&document->jobs(), &views::JobQueue::changed, this, &CalibrationWatch::look);
  look();
}

// It makes way for other work, and goes on when that is done. Whoever cancels it has his peace.
void CalibrationWatch::look() {
  if (over_) return;
  views::JobQueue& jobs = document_->jobs();
  if (running_ && !jobs.busy(lane)) {
    running_ = false;
    if (!std::exchange(making_way_, false)) {
      over_ = true;
      return;
    }
  }
  if (!jobs.idle_but_for(lane)) {
    quiet_.stop();
    if (running_ && !making_way_) {
      making_way_ = true;
      jobs.cancel(lane);
    }
  } else if (!running_ && !quiet_.isActive()) {
    quiet_.start();
  }
}

void CalibrationWatch::begin() {
  if (over_ || running_ || !document_->jobs().idle()) return;
  running_ = true;
  document_->jobs().run<std::shared_ptr<const fusion::CostModel>>(
      lane, tr("Calibrating the cost model, once"), measure_,
      [this](std::shared_ptr<const fusion::CostModel> model) {
        over_ = true;
        document_->set_cost_model(std::move(model));
        emit calibrated();
      },
      [this](const Diagnostic& problem) {
        over_ = true;
        emit failed(problem);
      },
      this);
}

}  // namespace loopglass::app

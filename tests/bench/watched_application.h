// An application of which one knows for how long its window did not answer.
#pragma once

#include "views/document/document.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>

#include <algorithm>

namespace loopglass {

// The longest that one event kept the thread.
class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  double longest = 0;
  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_++ > 0) {
      const bool taken = QApplication::notify(receiver, event);
      --depth_;
      return taken;
    }
    QElapsedTimer timer;
    timer.start();
    const bool taken = QApplication::notify(receiver, event);
    longest = std::max(longest, static_cast<double>(timer.nsecsElapsed()) / 1e6);
    --depth_;
    return taken;
  }

 private:
  int depth_ = 0;
};

// Until nothing has run in the background for a moment.
inline void settle(const views::Document& document) {
  QElapsedTimer quiet;
  quiet.start();
  while (quiet.elapsed() < 300) {
    QApplication::processEvents(QEventLoop::AllEvents, 20);
    if (!document.jobs().idle()) quiet.restart();
  }
}

}  // namespace loopglass

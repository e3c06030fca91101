// The content of a pane that computes something of its own: while there is nothing to show, a
// sentence that says why; while it works, what at and how far, with a button to stop it; when it
// failed, what went wrong and a button to try again.
#pragma once

#include "core/support/result.h"
#include "views/jobs.h"

#include <QStackedWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace loopglass::views {

// Hands something over from a job's thread to `slot` on the queue's, while `receiver` lives.
template <class T>
std::function<void(T)> handed_over(JobQueue& jobs, QObject* receiver, std::function<void(T)> slot) {
  return [&jobs, alive = QPointer<QObject>(receiver), slot = std::move(slot)](T value) {
    QMetaObject::invokeMethod(
        &jobs,
        [alive, slot, value = std::move(value)] {
          if (alive) slot(value);
        },
        Qt::QueuedConnection);
  };
}

class WorkPage : public QStackedWidget {
  Q_OBJECT

 public:
  // The work is what runs in this lane.
  WorkPage(QWidget* content, JobQueue& jobs, QString lane, QWidget* parent = nullptr);

  // `again` is what the button says; empty: none.
  void show_message(const QString& text, const QString& again = {});
  void show_problem(const Diagnostic& problem);
  void show_content();
  // Shows that work has begun; what a job is given to report with, to the status bar too. Reports
  // of earlier work are dropped.
  using Follow = std::function<Progress(const JobContext&)>;
  Follow begin(const QString& what);
  bool working() const { return working_; }

 signals:
  void againWanted();

 private:
  void report(int work, const QString& what, double fraction);
  void notice_cancelled();

  JobQueue& jobs_;
  QString lane_;

  QLabel* text_;
  QProgressBar* bar_;
  QPushButton *cancel_, *again_;
  int work_ = 0;
  bool working_ = false;
};

}  // namespace loopglass::views

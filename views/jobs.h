// Background work of the window. A job belongs to a lane; the newest request in a lane wins: it
// cancels the one before, and a result that arrives late is dropped. A lane keeps at most two
// threads busy, the newest job's and that of one that has not noticed yet that it was cancelled;
// whoever asks faster waits, and only the last who asked gets to run. Work runs on a thread pool
// and hands its result back on the thread the queue lives on. What the work throws becomes a
// diagnostic like any other, so that a defect in one stage never takes the window down.
#pragma once

#include "core/support/cancellation.h"
#include "core/support/fault.h"
#include "core/support/result.h"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <map>
#include <memory>

namespace loopglass::views {

struct JobContext {
  Cancellation cancellation;
  Progress progress;  // may be called from the working thread, as often as one likes
};

class JobQueue : public QObject {
  Q_OBJECT

 public:
  explicit JobQueue(QObject* parent = nullptr);
  ~JobQueue() override;  // cancels everything and waits

  // Runs `work` in the background, then `done` or `failed` on this object's thread, unless a newer
  // job in the lane or cancel() came first. `title` is shown while it runs: "Compiling conv1".
  // A `receiver` that is destroyed meanwhile is not called back: views pass themselves.
  template <class T>
  void run(const QString& lane, const QString& title,
           std::function<Result<T>(const JobContext&)> work, std::function<void(T)> done,
           std::function<void(const Diagnostic&)> failed, QObject* receiver = nullptr);

  // Drops the lane's job: neither done nor failed will be called.
  void cancel(const QString& lane);
  void cancel_all();

  bool idle() const { return running_.empty(); }
  bool busy(const QString& lane) const { return running_.contains(lane); }
  bool idle_but_for(const QString& lane) const { return running_.size() == running_.count(lane); }
  // The running job that reported last, for the status bar; empty when idle.
  QString title() const { return title_; }
  double fraction() const { return fraction_; }  // below 0: unknown

 signals:
  void changed();  // a job began, progressed or ended
  void becameIdle();

 private:
  // What to do on the queue's thread once the work is done.
  using Completion = std::function<void()>;
  struct Running {
    quint64 id;
    QString title;
    Cancellation cancellation;
  };

  void launch(const QString& lane, std::function<void()> work);
  void ended(const QString& lane);  // a thread has come back
  void submit(const QString& lane, const QString& title,
              std::function<Completion(const JobContext&)> work);
  void finish(const QString& lane, quint64 id, const Completion& completion);
  void report(const QString& lane, quint64 id, const QString& what, double fraction);
  // `call`, with every exception turned into a diagnostic.
  template <class T>
  static Result<T> guarded(const std::function<Result<T>(const JobContext&)>& call,
                           const JobContext& context);

  QThreadPool pool_;
  std::map<QString, Running> running_;
  std::map<QString, int> threads_;                    // busy for the lane, for cancelled jobs too
  std::map<QString, std::function<void()>> waiting_;  // for a thread
  quint64 next_id_ = 1;
  QString title_;
  double fraction_ = -1;
};

template <class T>
Result<T> JobQueue::guarded(const std::function<Result<T>(const JobContext&)>& call,
                            const JobContext& context) {
  try {
    return call(context);
  } catch (...) {
    return std::unexpected(diagnose_current_exception());
  }
}

template <class T>
void JobQueue::run(const QString& lane, const QString& title,
                   std::function<Result<T>(const JobContext&)> work, std::function<void(T)> done,
                   std::function<void(const Diagnostic&)> failed, QObject* receiver) {
  submit(lane, title,
         [work = std::move(work), done = std::move(done), failed = std::move(failed),
          alive = QPointer<QObject>(receiver ? receiver : this)](
             const JobContext& context) -> Completion {
           auto result = std::make_shared<Result<T>>(guarded<T>(work, context));
           return [result, done, failed, alive] {
             if (!alive) return;
             if (*result) done(std::move(**result));
             else failed(result->error());
           };
         });
}

}  // namespace loopglass::views

#include "views/jobs.h"

#include <QMetaObject>
#include <QThread>

#include <atomic>
#include <chrono>
#include <optional>

namespace loopglass::views {
namespace {

// Progress that reaches the window at most this often.
constexpr std::chrono::milliseconds report_interval{60};

}  // namespace

JobQueue::JobQueue(QObject* parent) : QObject(parent) {
  // A cancelled job may still hold its thread for a while; the newest request must not wait for it.
  pool_.setMaxThreadCount(std::max(8, 2 * QThread::idealThreadCount()));
}

JobQueue::~JobQueue() {
  for (auto& [lane, job] : running_) job.cancellation.request();
  pool_.waitForDone();
}

void JobQueue::submit(const QString& lane, const QString& title,
                      std::function<Completion(const JobContext&)> work) {
  if (const auto before = running_.find(lane); before != running_.end())
    before->second.cancellation.request();
  const quint64 id = next_id_++;
  Running& job = running_[lane];
  job = {id, title, Cancellation{}};
  title_ = title;
  fraction_ = -1;

  JobContext context;
  context.cancellation = job.cancellation;
  context.progress = [this, lane, id, last = std::make_shared<std::atomic<std::int64_t>>(0)](
                         std::string_view what, double fraction) {
    using namespace std::chrono;
    const std::int64_t now =
        duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
    std::int64_t before = last->load();
    if (now - before < report_interval.count() || !last->compare_exchange_strong(before, now))
      return;
    const QString text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size()));
    QMetaObject::invokeMethod(
        this, [this, lane, id, text, fraction] { report(lane, id, text, fraction); },
        Qt::QueuedConnection);
  };
  launch(lane, [this, lane, id, context, work = std::move(work)]() mutable {
    std::optional<Completion> completion;
    if (!context.cancellation.requested())
      completion = work(context);  // else superseded before it began
    work = nullptr;  // what the work holds on to is let go before anyone hears of the result
    QMetaObject::invokeMethod(
        this,
        [this, lane, id, completion] {
          ended(lane);
          if (completion) finish(lane, id, *completion);
        },
        Qt::QueuedConnection);
  });
  emit changed();
}

void JobQueue::launch(const QString& lane, std::function<void()> work) {
  constexpr int most = 2;
  int& busy = threads_[lane];
  if (busy >= most) {
    waiting_[lane] = std::move(work);
    return;
  }
  ++busy;
  pool_.start(std::move(work));
}

void JobQueue::ended(const QString& lane) {
  --threads_[lane];
  const auto next = waiting_.find(lane);
  if (next == waiting_.end()) return;
  std::function<void()> work = std::move(next->second);
  waiting_.erase(next);
  launch(lane, std::move(work));
}

void JobQueue::finish(const QString& lane, quint64 id, const Completion& completion) {
  const auto job = running_.find(lane);
  if (job == running_.end() || job->second.id != id) return;  // stale
  running_.erase(job);
  if (!running_.empty()) {
    title_ = running_.begin()->second.title;
    fraction_ = -1;
  } else {
    title_.clear();
  }
  completion();  // may start the next job
  emit changed();
  if (idle()) emit becameIdle();
}

void JobQueue::report(const QString& lane, quint64 id, const QString& what, double fraction) {
  const auto job = running_.find(lane);
  if (job == running_.end() || job->second.id != id) return;
  title_ = what.isEmpty() ? job->second.title : job->second.title + ": " + what;
  fraction_ = fraction;
  emit changed();
}

void JobQueue::cancel(const QString& lane) {
  const auto job = running_.find(lane);
  if (job == running_.end()) return;
  job->second.cancellation.request();
  running_.erase(job);
  waiting_.erase(lane);
  title_ = running_.empty() ? QString() : running_.begin()->second.title;
  fraction_ = -1;
  emit changed();
  if (idle()) emit becameIdle();
}

void JobQueue::cancel_all() {
  while (!running_.empty()) cancel(running_.begin()->first);
}

}  // namespace loopglass::views

// Background jobs: the newest request in a lane wins, nobody waits, and nothing that work throws
// escapes.
#include "views/jobs.h"

#include "core/support/check.h"
#include "passes/pipeline.h"
#include "tests/views/waiting.h"

#include <QThread>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loopglass::views {
namespace {

void ignore_failure(const Diagnostic&) {}

// Under load what is posted takes its time, and only then posts what starts a job.
TEST(Waiting, GoesOnUntilAllThatFollowsIsDone) {
  Document document(passes::toolchain());
  JobQueue& jobs = document.jobs();
  bool done = false;
  const auto later = [&](auto what) {
    QMetaObject::invokeMethod(
        &document,
        [what] {
          QThread::msleep(60);
          what();
        },
        Qt::QueuedConnection);
  };
  later([&] {
    later([&] {
      later([&] {
        jobs.run<int>(
            "lane", "Counting", [](const JobContext&) -> Result<int> { return 42; },
            [&](int) { done = true; }, ignore_failure);
      });
    });
  });
  ASSERT_TRUE(settled(document));
  EXPECT_TRUE(done);
}

TEST(Jobs, TheResultArrivesOnTheQueuesThread) {
  JobQueue jobs;
  std::optional<int> result;
  bool other_thread = false;
  QThread* const here = QThread::currentThread();
  jobs.run<int>(
      "lane", "Counting",
      [&](const JobContext&) -> Result<int> {
        other_thread = QThread::currentThread() != here;
        return 42;
      },
      [&](int value) {
        EXPECT_EQ(QThread::currentThread(), here);
        result = value;
      },
      ignore_failure);
  EXPECT_FALSE(jobs.idle());
  EXPECT_FALSE(result) << "results never arrive while the caller is still busy";
  EXPECT_TRUE(eventually([&] { return jobs.idle(); }));
  EXPECT_EQ(result, 42);
  EXPECT_TRUE(other_thread);
}

TEST(Jobs, ANewerRequestInTheLaneCancelsTheOlderAndDropsItsResult) {
  JobQueue jobs;
  std::vector<int> results;
  std::atomic<bool> older_began = false, older_saw_cancellation = false;
  jobs.run<int>(
      "lane", "Older",
      [&](const JobContext& context) -> Result<int> {
        older_began = true;
        while (!context.cancellation.requested()) std::this_thread::yield();
        older_saw_cancellation = true;
        return 1;
      },
      [&](int value) { results.push_back(value); }, ignore_failure);
  ASSERT_TRUE(eventually([&] { return older_began.load(); }));
  jobs.run<int>(
      "lane", "Newer", [](const JobContext&) -> Result<int> { return 2; },
      [&](int value) { results.push_back(value); }, ignore_failure);
  EXPECT_TRUE(eventually([&] { return jobs.idle() && older_saw_cancellation; }));
  QTest::qWait(20);
  EXPECT_EQ(results, std::vector{2});
}

// Somebody clicks through ten things, and none of the works can be interrupted: two threads work,
// not ten, and the last request is answered without the others having been worked on.
TEST(Jobs, FastRequestsInALaneDoNotFillThePool) {
  JobQueue jobs;
  std::atomic<bool> go_on = false;
  std::atomic<int> began = 0, at_once = 0, most_at_once = 0;
  std::vector<int> results;
  for (int request = 0; request < 10; ++request)
    jobs.run<int>(
        "lane", "Working",
        [&, request](const JobContext&) -> Result<int> {
          ++began;
          most_at_once = std::max(most_at_once.load(), ++at_once);
          while (!go_on) std::this_thread::yield();
          --at_once;
          return request;
        },
        [&](int value) { results.push_back(value); }, ignore_failure);
  go_on = true;
  EXPECT_TRUE(eventually([&] { return jobs.idle(); }));
  EXPECT_EQ(results, std::vector{9});
  EXPECT_LE(most_at_once, 2);
  EXPECT_LE(began, 3);
}

TEST(Jobs, ARequestThatWaitsForAThreadCanBeCancelled) {
  JobQueue jobs;
  std::atomic<bool> go_on = false;
  std::atomic<int> began = 0;
  for (int request = 0; request < 3; ++request)
    jobs.run<int>(
        "lane", "Working",
        [&](const JobContext&) -> Result<int> {
          ++began;
          while (!go_on) std::this_thread::yield();
          return 1;
        },
        [](int) { FAIL() << "it was cancelled"; }, ignore_failure);
  jobs.cancel("lane");
  EXPECT_TRUE(jobs.idle());
  go_on = true;
  QTest::qWait(50);
  EXPECT_LE(began, 2);
}

TEST(Jobs, LanesDoNotDisturbOneAnother) {
  JobQueue jobs;
  std::set<int> results;
  for (int lane = 0; lane < 4; ++lane)
    jobs.run<int>(
        QString::number(lane), "Working", [lane](const JobContext&) -> Result<int> { return lane; },
        [&](int value) { results.insert(value); }, ignore_failure);
  EXPECT_TRUE(eventually([&] { return jobs.idle(); }));
  EXPECT_EQ(results, (std::set<int>{0, 1, 2, 3}));
}

TEST(Jobs, ADefectInTheWorkBecomesADiagnostic) {
  JobQueue jobs;
  std::optional<Diagnostic> problem;
  jobs.run<int>(
      "lane", "Breaking",
      [](const JobContext&) -> Result<int> {
        CHECK(1 + 1 == 3, "arithmetic has changed");
        return 0;
      },
      [](int) { FAIL() << "there is no result"; }, [&](const Diagnostic& d) { problem = d; });
  EXPECT_TRUE(eventually([&] { return problem.has_value(); }));
  EXPECT_EQ(problem->code, Code::InternalDefect);
  EXPECT_NE(problem->what.find("arithmetic has changed"), std::string::npos);
}

TEST(Jobs, ACancelledJobIsNeverHeardOfAgain) {
  JobQueue jobs;
  bool heard = false;
  jobs.run<int>(
      "lane", "Working", [](const JobContext&) -> Result<int> { return 1; },
      [&](int) { heard = true; }, [&](const Diagnostic&) { heard = true; });
  jobs.cancel_all();
  EXPECT_TRUE(jobs.idle());
  QTest::qWait(50);
  EXPECT_FALSE(heard);
}

TEST(Jobs, AReceiverThatIsGoneIsNotCalled) {
  JobQueue jobs;
  bool heard = false;
  auto receiver = std::make_unique<QObject>();
  jobs.run<int>(
      "lane", "Working", [](const JobContext&) -> Result<int> { return 1; },
      [&](int) { heard = true; }, ignore_failure, receiver.get());
  receiver.reset();
  EXPECT_TRUE(eventually([&] { return jobs.idle(); }));
  EXPECT_FALSE(heard);
}

TEST(Jobs, ProgressIsShownWithTheJobsTitle) {
  JobQueue jobs;
  std::atomic<bool> go_on = false;
  jobs.run<int>(
      "lane", "Compiling",
      [&](const JobContext& context) -> Result<int> {
        context.progress("conv1", 0.5);
        while (!go_on) std::this_thread::yield();
        return 1;
      },
      [](int) {}, ignore_failure);
  EXPECT_EQ(jobs.title(), "Compiling");
  EXPECT_TRUE(eventually([&] { return jobs.fraction() == 0.5; }));
  EXPECT_EQ(jobs.title(), "Compiling: conv1");
  go_on = true;
  EXPECT_TRUE(eventually([&] { return jobs.idle(); }));
  EXPECT_EQ(jobs.title(), "");
}

}  // namespace
}  // namespace loopglass::views

// The pool that parallel loops of kernels run on.
#include "core/runtime/thread_pool.h"

#include "tests/support/few_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace loopglass::runtime {
namespace {

struct Visits {
  std::vector<int> counts;
  const codegen::ParallelRuntime* runtime = nullptr;
};
void visit(void* closure, std::int64_t begin, std::int64_t end) {
  auto& visits = *static_cast<Visits*>(closure);
  for (std::int64_t i = begin; i < end; ++i) ++visits.counts[static_cast<std::size_t>(i)];
}
void run(ThreadPool& pool, Visits& visits) {
  const codegen::ParallelRuntime* runtime = pool.parallel_runtime();
  runtime->run(runtime->context, static_cast<std::int64_t>(visits.counts.size()), visit, &visits);
}

// A loop of so many iterations.
void run(ThreadPool& pool, std::int64_t count, std::function<void(std::int64_t)> iteration) {
  const auto body = [](void* closure, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      (*static_cast<std::function<void(std::int64_t)>*>(closure))(i);
  };
  const codegen::ParallelRuntime* runtime = pool.parallel_runtime();
  runtime->run(runtime->context, count, body, &iteration);
}

// Until it is so, or for long enough to say that it will never be.
bool becomes(const std::function<bool()>& so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!so())
    if (std::chrono::steady_clock::now() > end) return false;
    else std::this_thread::yield();
  return true;
}

TEST(ThreadPool, EveryIterationRunsOnceOnAnyNumberOfThreads) {
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::size_t count : {0, 1, 2, 3, 4, 7, 100, 1000}) {
      Visits visits{std::vector<int>(count), nullptr};
      run(pool, visits);
      EXPECT_EQ(visits.counts, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPool, JobsMayFollowOneAnotherClosely) {
  ThreadPool pool(2);
  Visits visits{std::vector<int>(8), nullptr};
  for (int round = 0; round < 2000; ++round) run(pool, visits);
  EXPECT_EQ(visits.counts, std::vector<int>(8, 2000));
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool(3);
  Visits visits{std::vector<int>(9), nullptr};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    run(pool, visits);
  }
  EXPECT_EQ(visits.counts, std::vector<int>(9, 5));
}

TEST(ThreadPool, AParallelLoopInsideAnotherRunsInPlace) {
  ThreadPool pool(2);
  Visits visits{std::vector<int>(16), pool.parallel_runtime()};
  auto outer = [](void* closure, std::int64_t begin, std::int64_t end) {
    auto& all = *static_cast<Visits*>(closure);
    for (std::int64_t i = begin; i < end; ++i) {
      Visits inner{std::vector<int>(10), nullptr};
      all.runtime->run(all.runtime->context, 10, visit, &inner);
      all.counts[static_cast<std::size_t>(i)] =
          std::accumulate(inner.counts.begin(), inner.counts.end(), 0);
    }
  };
  pool.parallel_runtime()->run(pool.parallel_runtime()->context, 16, outer, &visits);
  EXPECT_EQ(visits.counts, std::vector<int>(16, 10));
}

// Two executors that share a pool: the second caller runs alone rather than wait or interfere.
TEST(ThreadPool, CallersOnSeveralThreadsDoNotInterfere) {
  ThreadPool pool(2);
  std::vector<Visits> visits(4);
  for (Visits& each : visits) each.counts.resize(100);
  {
    std::vector<std::jthread> callers;
    for (Visits& each : visits)
      callers.emplace_back([&pool, &each] {
        for (int round = 0; round < 200; ++round) run(pool, each);
      });
  }
  for (const Visits& each : visits) EXPECT_EQ(each.counts, std::vector<int>(100, 200));
}

// What one thread has begun it ends, however long that takes; the others take all the rest.
TEST(ThreadPool, AThreadThatIsHeldUpKeepsOnlyWhatItHasBegun) {
  ThreadPool pool(2);
  constexpr int count = 64;
  const auto caller = std::this_thread::get_id();
  for (const bool hold_caller : {false, true}) {
    std::atomic<int> held = 0, done = 0;
    std::atomic<bool> released = true;
    run(pool, count, [&](std::int64_t) {
      const bool of_caller = std::this_thread::get_id() == caller;
      if (of_caller != hold_caller) {
        // Not before the other has come: it might be asleep.
        if (held == 0 && done == 0) becomes([&] { return held > 0; });
        ++done;
      } else if (held++ == 0) {
        released = becomes([&] { return done >= count - count / 8; });
      }
    });
    EXPECT_TRUE(released) << "the other thread does not take what is left";
    EXPECT_EQ(held + done, count);
  }
}

std::atomic<bool> halted = false, let_go = false;
void halt(int) {
  halted = true;
  while (!let_go) {
  }
}

// Its worker stands still, as if its processor had been given to somebody else: the caller does all
// of the work and waits for nobody.
TEST(ThreadPool, TheCallerNeverWaitsForAThreadThatHasNotBegun) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::set<pthread_t> workers;
  ASSERT_TRUE(becomes([&] {
    run(pool, 64, [&, caller = ::pthread_self()](std::int64_t) {
      const std::lock_guard lock(mutex);
      if (::pthread_self() != caller) workers.insert(::pthread_self());
    });
    return !workers.empty();
  }));
  halted = let_go = false;
  std::signal(SIGUSR1, halt);
  ::pthread_kill(*workers.begin(), SIGUSR1);
  ASSERT_TRUE(becomes([] { return halted.load(); }));
  std::atomic<int> done = 0;
  auto caller = std::async(std::launch::async, [&] {
    for (int round = 0; round < 100; ++round) run(pool, 64, [&](std::int64_t) { ++done; });
  });
  EXPECT_EQ(caller.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  let_go = true;
  caller.get();
  EXPECT_EQ(done, 6400);
}

// Threads that share a processor, the caller's, and have nowhere else to go.
TEST(ThreadPool, OnOneProcessorAllWorkIsDone) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  Visits visits{std::vector<int>(64), nullptr};
  {
    ThreadPool pool(3);
    for (int round = 0; round < 1000; ++round) run(pool, visits);
    ::sched_setaffinity(0, sizeof before, &before);
    for (int round = 0; round < 1000; ++round) run(pool, visits);
  }
  EXPECT_EQ(visits.counts, std::vector<int>(64, 2000));
}

TEST(ThreadPool, WhereNoMoreThreadsCanBeMadeItHasFewerAndSaysSo) {
  if (!test::FewThreads::possible()) GTEST_SKIP();
  // Less than one stack, but enough for what the test itself allocates; and a few stacks.
  for (const std::uint64_t room : {std::uint64_t{1} << 20, std::uint64_t{24} << 20}) {
    const test::FewThreads few(room);
    ThreadPool pool(500);
    EXPECT_GE(pool.threads(), 1);
    EXPECT_LT(pool.threads(), 500);
    EXPECT_THAT(pool.shortage(), ::testing::HasSubstr("of 500 threads could be made"));
    Visits visits{std::vector<int>(1000), nullptr};
    for (int round = 0; round < 10; ++round) run(pool, visits);
    EXPECT_EQ(visits.counts, std::vector<int>(1000, 10));
  }
  EXPECT_EQ(ThreadPool(2).shortage(), "");
}

}  // namespace
}  // namespace loopglass::runtime

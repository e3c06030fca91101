// The pool that parallel loops of kernels run on.
#include "core/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
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
      all.counts[static_cast<std::size_t>(i)] = std::accumulate(inner.counts.begin(), inner.counts.end(), 0);
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
      callers.emplace_back([&pool, &each] { for (int round = 0; round < 200; ++round) run(pool, each); });
  }
  for (const Visits& each : visits) EXPECT_EQ(each.counts, std::vector<int>(100, 200));
}

}  // namespace
}  // namespace loopglass::runtime

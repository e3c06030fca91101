#include "core/runtime/thread_pool.h"

#include "core/support/check.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace loopglass::runtime {
namespace {

using Body = void (*)(void* closure, std::int64_t begin, std::int64_t end);

// Some 50 microseconds: longer than the gap between two kernels, shorter than a person notices.
constexpr int spins_before_sleep = 4000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Set while this thread runs a chunk; a loop met inside runs in place.
thread_local bool inside_chunk = false;

}  // namespace

struct ThreadPool::State {
  int threads;
  codegen::ParallelRuntime runtime;
  std::vector<std::jthread> workers;

  // The job at hand: written before `generation` moves on, read after it is seen to.
  std::int64_t count = 0;
  Body body = nullptr;
  void* closure = nullptr;
  std::atomic<std::uint64_t> generation = 0;
  std::atomic<int> pending = 0;
  std::atomic<bool> stopping = false;
  std::mutex caller;  // one job at a time

  std::mutex sleep_mutex;
  std::condition_variable wake;
  std::atomic<int> sleeping = 0;

  explicit State(int thread_count) : threads(thread_count), runtime{this, &State::run_callback} {
    for (int worker = 1; worker < threads; ++worker) workers.emplace_back([this, worker] { work(worker); });
  }

  ~State() {
    stopping = true;
    announce();
    workers.clear();
  }

  static void run_callback(void* context, std::int64_t count, Body body, void* closure) {
    static_cast<State*>(context)->run(count, body, closure);
  }

  void run(std::int64_t new_count, Body new_body, void* new_closure) {
    if (threads == 1 || new_count <= 1 || inside_chunk || !caller.try_lock()) {
      if (new_count > 0) new_body(new_closure, 0, new_count);
      return;
    }
    std::lock_guard release(caller, std::adopt_lock);
    count = new_count;
    body = new_body;
    closure = new_closure;
    pending.store(threads - 1, std::memory_order_relaxed);
    announce();
    run_chunk(0);
    for (int spins = 0; pending.load(std::memory_order_acquire) != 0; ++spins) {
      if (spins < spins_before_sleep) pause_briefly();
      else std::this_thread::yield();
    }
  }

  void run_chunk(int thread) {
    // Products stay below 2^63: counts are extents of loops over memory.
    std::int64_t begin = count * thread / threads, end = count * (thread + 1) / threads;
    if (begin == end) return;
    inside_chunk = true;
    body(closure, begin, end);
    inside_chunk = false;
  }

  void announce() {
    generation.fetch_add(1);
    if (sleeping.load() == 0) return;
    std::lock_guard lock(sleep_mutex);
    wake.notify_all();
  }

  void work(int thread) {
    for (std::uint64_t seen = 0;;) {
      seen = await(seen);
      if (stopping.load()) return;
      run_chunk(thread);
      pending.fetch_sub(1, std::memory_order_release);
    }
  }

  std::uint64_t await(std::uint64_t seen) {
    for (int spins = 0; spins < spins_before_sleep; ++spins) {
      std::uint64_t now = generation.load(std::memory_order_acquire);
      if (now != seen) return now;
      pause_briefly();
    }
    std::unique_lock lock(sleep_mutex);
    sleeping.fetch_add(1);
    wake.wait(lock, [&] { return generation.load() != seen; });
    sleeping.fetch_sub(1);
    return generation.load();
  }
};

ThreadPool::ThreadPool(int threads) {
  CHECK(threads >= 1, "a thread pool of no threads");
  state_ = std::make_unique<State>(threads);
}
ThreadPool::~ThreadPool() = default;
int ThreadPool::threads() const { return state_->threads; }
const codegen::ParallelRuntime* ThreadPool::parallel_runtime() const { return &state_->runtime; }

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace loopglass::runtime

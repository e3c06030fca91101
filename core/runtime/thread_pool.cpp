#include "core/runtime/thread_pool.h"

#include "core/support/check.h"
#include "core/support/machine_processors.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace loopglass::runtime {
namespace {

using Body = void (*)(void* closure, std::int64_t begin, std::int64_t end);

// Some 50 microseconds: longer than the gap between two kernels, shorter than a person notices.
constexpr int spins_before_sleep = 4000;
// More than one, so that a thread that is held up leaves the others something to take.
constexpr std::int64_t chunks_per_thread = 4;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// For a worker that finds itself on the caller's processor, where systems with much to do like to
// put whom the caller wakes: its waiting keeps the caller from running, and the two of them never
// run at once. It goes to where else the caller may run; where that is nowhere, it lets the caller
// run.
void step_aside(pid_t caller, int processor) {
  cpu_set_t others;
  if (sched_getaffinity(caller, sizeof others, &others) == 0 && processor < CPU_SETSIZE) {
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0) return;
  }
  std::this_thread::yield();
}

// Set while this thread runs a chunk; a loop met inside runs in place.
thread_local bool inside_chunk = false;

}  // namespace

// The chunks of one thread that nobody has begun: a range of numbers in one word, from whose front
// their owner takes them one by one, and others from its back. Alone in its cache line. Whoever
// took one may read what the loop is: `give` came after that was written, and the loop is not over
// while a chunk of it is running.
class alignas(64) Chunks {
 public:
  void give(std::uint32_t begin, std::uint32_t end) {
    range_.store(packed(begin, end), std::memory_order_release);
  }
  bool none() const { return is_none(range_.load(std::memory_order_relaxed)); }

  bool take_first(std::uint32_t& chunk) {
    return take([&](std::uint32_t begin, std::uint32_t end) {
      chunk = begin;
      return packed(begin + 1, end);
    });
  }
  bool take_last(std::uint32_t& chunk) {
    return take([&](std::uint32_t begin, std::uint32_t end) {
      chunk = end - 1;
      return packed(begin, end - 1);
    });
  }

 private:
  static std::uint64_t packed(std::uint32_t begin, std::uint32_t end) {
    return std::uint64_t{begin} << 32 | end;
  }
  static std::uint32_t begin_of(std::uint64_t range) {
    return static_cast<std::uint32_t>(range >> 32);
  }
  static std::uint32_t end_of(std::uint64_t range) { return static_cast<std::uint32_t>(range); }
  static bool is_none(std::uint64_t range) { return begin_of(range) == end_of(range); }

  template <class Rest>
  bool take(const Rest& rest) {
    std::uint64_t range = range_.load(std::memory_order_relaxed);
    while (!is_none(range))
      if (range_.compare_exchange_weak(range, rest(begin_of(range), end_of(range)),
                                       std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    return false;
  }

  std::atomic<std::uint64_t> range_ = 0;
};

struct ThreadPool::State {
  int threads = 1;
  std::string shortage;
  codegen::ParallelRuntime runtime;
  std::mutex caller;  // one loop at a time

  // The loop at hand; whoever has taken a chunk may read it.
  std::int64_t count = 0, chunks = 0;
  Body body = nullptr;
  void* closure = nullptr;

  std::vector<Chunks> waiting;  // by thread, of those that were wanted; 0 is the caller
  alignas(64) std::atomic<int> unfinished = 0;  // chunks
  std::atomic<bool> stopping = false;
  // Where the loop at hand was begun.
  std::atomic<pid_t> callers_thread = 0;
  std::atomic<int> callers_processor = -1;

  alignas(64) std::atomic<int> sleeping = 0;  // workers
  std::mutex sleep_mutex;
  std::condition_variable wake;
  std::uint64_t wakes = 0;

  std::vector<std::jthread> workers;

  explicit State(int wanted)
      : runtime{this, &State::run_callback}, waiting(static_cast<std::size_t>(wanted)) {
    try {
      for (; threads < wanted; ++threads)
        workers.emplace_back([this, thread = threads] { work(thread); });
    } catch (const std::exception& error) {
      shortage =
          fmt::format("only {} of {} threads could be made: {}", threads, wanted, error.what());
    }
  }

  ~State() {
    stopping = true;
    wake_sleepers();
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
    const std::lock_guard release(caller, std::adopt_lock);
    note_caller();
    count = new_count;
    chunks = std::min(count, threads * chunks_per_thread);
    body = new_body;
    closure = new_closure;
    unfinished.store(static_cast<int>(chunks), std::memory_order_relaxed);
    for (int thread = 0; thread < threads; ++thread)
      waiting[static_cast<std::size_t>(thread)].give(first_chunk(thread), first_chunk(thread + 1));
    // Reads as it writes: a worker that counts itself in afterwards sees its chunks before it
    // sleeps.
    if (sleeping.fetch_add(0, std::memory_order_acq_rel) > 0) wake_sleepers();
    help(0);
    await_end();
  }

  void note_caller() {
    thread_local const pid_t thread = gettid();
    const auto note = [](auto& what, auto value) {
      if (what.load(std::memory_order_relaxed) != value)
        what.store(value, std::memory_order_relaxed);
    };
    note(callers_thread, thread);
    note(callers_processor, sched_getcpu());
  }

  // Rounded up: of fewer chunks than threads, the caller has the first.
  std::uint32_t first_chunk(int thread) const {
    return static_cast<std::uint32_t>((chunks * thread + threads - 1) / threads);
  }

  // Runs chunks until there are none that nobody has begun.
  void help(int thread) {
    int done = 0;
    inside_chunk = true;
    const auto own = static_cast<std::size_t>(thread), all = waiting.size();
    std::uint32_t chunk = 0;
    for (; waiting[own].take_first(chunk); ++done) run_chunk(chunk);
    for (std::size_t other = own + 1; other < own + all; ++other)
      for (; waiting[other % all].take_last(chunk); ++done) run_chunk(chunk);
    inside_chunk = false;
    if (done > 0 && unfinished.fetch_sub(done) == done && thread != 0) unfinished.notify_one();
  }

  void run_chunk(std::int64_t chunk) const {
    // Products stay below 2^63: counts are extents of loops over memory.
    body(closure, count * chunk / chunks, count * (chunk + 1) / chunks);
  }

  // Sleeping frees this processor for whoever holds a chunk and does not run.
  void await_end() {
    for (int spins = 0; spins < spins_before_sleep; ++spins) {
      if (unfinished.load(std::memory_order_acquire) == 0) return;
      pause_briefly();
    }
    for (int left = 0; (left = unfinished.load()) != 0;) unfinished.wait(left);
  }

  void work(int thread) {
    while (await(waiting[static_cast<std::size_t>(thread)])) help(thread);
  }

  // False: the pool is going away.
  bool await(const Chunks& own) {
    for (;; sleep(own))
      for (int spins = 0; spins < spins_before_sleep; ++spins) {
        if (!own.none()) return true;
        if (stopping.load(std::memory_order_relaxed)) return false;
        if (const int here = sched_getcpu();
            here == callers_processor.load(std::memory_order_relaxed))
          step_aside(callers_thread.load(std::memory_order_relaxed), here);
        else pause_briefly();
      }
  }

  void sleep(const Chunks& own) {
    std::unique_lock lock(sleep_mutex);
    const std::uint64_t seen = wakes;
    sleeping.fetch_add(1, std::memory_order_acq_rel);
    if (own.none() && !stopping) wake.wait(lock, [&] { return wakes != seen; });
    sleeping.fetch_sub(1, std::memory_order_relaxed);
  }

  void wake_sleepers() {
    {
      const std::lock_guard lock(sleep_mutex);
      ++wakes;
    }
    wake.notify_all();
  }
};

ThreadPool::ThreadPool(int threads) {
  CHECK(threads >= 1, "a thread pool of no threads");
  state_ = std::make_unique<State>(threads);
}
ThreadPool::~ThreadPool() = default;
int ThreadPool::threads() const { return state_->threads; }
const std::string& ThreadPool::shortage() const { return state_->shortage; }
const codegen::ParallelRuntime* ThreadPool::parallel_runtime() const { return &state_->runtime; }

int hardware_threads() { return machine_processors().usable(); }

}  // namespace loopglass::runtime

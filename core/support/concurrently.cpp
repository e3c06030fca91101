#include "core/support/concurrently.h"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace loopglass {

void run_on_threads(int threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(guarded);
    } catch (const std::system_error&) {
      // A limit on threads or on memory. Those that there are do.
    }
    guarded();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace loopglass

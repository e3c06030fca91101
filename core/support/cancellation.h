// Cancellation and progress for everything that takes longer than a blink. Both are cheap handles
// to copy into a job; the work polls `cancelled()` between units and reports a fraction in [0, 1].
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace loopglass {

class Cancellation {
 public:
  void request() const { flag_->store(true, std::memory_order_relaxed); }
  bool requested() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

// Called from the working thread with what is being done and how much of it is done.
using Progress = std::function<void(std::string_view what, double fraction)>;

}  // namespace loopglass

// Results remembered by key. Whoever asks first derives; whoever asks meanwhile waits for that, and
// derives in turn if the first was cancelled.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace loopglass {

template <class T>
class Memo {
 public:
  using Value = Result<std::shared_ptr<const T>>;

  // `capacity`: how many results are kept, the newest ones.
  explicit Memo(std::size_t capacity = std::numeric_limits<std::size_t>::max())
      : capacity_(capacity) {}

  Value get(std::uint64_t key, const std::function<Value()>& derive) {
    std::promise<Value> promise;
    while (true) {
      std::shared_future<Value> others;
      {
        std::lock_guard lock(mutex_);
        const auto known = values_.find(key);
        if (known == values_.end()) {
          values_.emplace(key, promise.get_future().share());
          break;
        }
        others = known->second;
      }
      // Whoever derived may have been cancelled; that says nothing about us.
      const Value& value = others.get();
      if (value || value.error().code != Code::Cancelled) return value;
    }
    try {
      Value value = derive();
      // Neither being cancelled nor running out of memory says anything about the question.
      if (!value &&
          (value.error().code == Code::Cancelled || value.error().code == Code::OutOfMemory))
        forget(key);
      else remember(key);
      promise.set_value(value);
      return value;
    } catch (...) {
      forget(key);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  // Those who wait or hold a result keep it.
  void clear() {
    std::lock_guard lock(mutex_);
    values_.clear();
    kept_.clear();
  }
  int derivations() const {
    std::lock_guard lock(mutex_);
    return derivations_;
  }

 private:
  void forget(std::uint64_t key) {
    std::lock_guard lock(mutex_);
    values_.erase(key);
  }
  void remember(std::uint64_t key) {
    std::lock_guard lock(mutex_);
    ++derivations_;
    if (capacity_ == std::numeric_limits<std::size_t>::max()) return;
    kept_.push_back(key);
    if (kept_.size() <= capacity_) return;
    values_.erase(kept_.front());
    kept_.pop_front();
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_future<Value>> values_;
  const std::size_t capacity_;
  std::deque<std::uint64_t> kept_;  // oldest first
  int derivations_ = 0;
};

}  // namespace loopglass

// Results remembered by key. Whoever asks first derives; whoever asks meanwhile waits for that.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace loopglass {

template <class T>
class Memo {
 public:
  using Value = Result<std::shared_ptr<const T>>;

  Value get(std::uint64_t key, const std::function<Value()>& derive) {
    std::promise<Value> promise;
    std::shared_future<Value> mine;
    {
      std::lock_guard lock(mutex_);
      if (auto known = values_.find(key); known != values_.end()) mine = known->second;
      else values_.emplace(key, promise.get_future().share());
    }
    if (mine.valid()) return mine.get();
    try {
      Value value = derive();
      // Neither being cancelled nor running out of memory says anything about the question.
      if (!value && (value.error().code == Code::Cancelled || value.error().code == Code::OutOfMemory)) forget(key);
      else count();
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
  void count() {
    std::lock_guard lock(mutex_);
    ++derivations_;
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_future<Value>> values_;
  int derivations_ = 0;
};

}  // namespace loopglass

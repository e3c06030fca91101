// Results remembered by key, so many at most. Whoever asks first derives; whoever asks meanwhile
// waits for that, and derives in turn if the first was cancelled.
#pragma once

#include "core/support/result.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace loopglass {

template <class T>
class Memo {
 public:
  using Value = Result<std::shared_ptr<const T>>;

  // `capacity`: how many results are kept: those that were asked for last.
  explicit Memo(std::size_t capacity) : capacity_(capacity) {}

  Value get(std::uint64_t key, const std::function<Value()>& derive) {
    std::promise<Value> promise;
    while (true) {
      std::shared_future<Value> others;
      {
        std::lock_guard lock(mutex_);
        const auto known = entries_.find(key);
        if (known == entries_.end()) {
          entries_.emplace(key, Entry{promise.get_future().share(), kept_.end()});
          break;
        }
        others = known->second.value;
        if (known->second.place != kept_.end())
          kept_.splice(kept_.end(), kept_, known->second.place);
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

  // Keeps so many from now on, if that is more: a plan of very many kernels needs them all at once.
  void hold(std::size_t capacity) {
    std::lock_guard lock(mutex_);
    capacity_ = std::max(capacity_, capacity);
  }
  // Those who wait or hold a result keep it.
  void clear() {
    std::lock_guard lock(mutex_);
    entries_.clear();
    kept_.clear();
  }
  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return kept_.size();
  }
  int derivations() const {
    std::lock_guard lock(mutex_);
    return derivations_;
  }

 private:
  using Keys = std::list<std::uint64_t>;
  struct Entry {
    std::shared_future<Value> value;
    Keys::iterator place;  // in `kept_`; its end: not derived yet
  };

  void forget(std::uint64_t key) {
    std::lock_guard lock(mutex_);
    const auto known = entries_.find(key);
    if (known == entries_.end()) return;
    if (known->second.place != kept_.end()) kept_.erase(known->second.place);
    entries_.erase(known);
  }
  void remember(std::uint64_t key) {
    std::lock_guard lock(mutex_);
    ++derivations_;
    const auto known = entries_.find(key);
    // It may have been cleared meanwhile, and asked for again since.
    if (known == entries_.end() || known->second.place != kept_.end()) return;
    known->second.place = kept_.insert(kept_.end(), key);
    if (kept_.size() <= capacity_) return;
    entries_.erase(kept_.front());
    kept_.pop_front();
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  Keys kept_;  // the one asked for last is the last
  std::size_t capacity_;
  int derivations_ = 0;
};

}  // namespace loopglass

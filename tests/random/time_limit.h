// A limit on the time that is spent on one random network, so that a network on which something
// explodes is found, and told.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

namespace loopglass::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double seconds_per_network = 200;
#else
inline constexpr double seconds_per_network = 20;
#endif

// From its making to its end no more than so many seconds may pass, of processor time: others on
// the machine do not count (though a second one on the same core makes each take longer), all
// threads of this process do. They are two hundred times what small networks take, and four times
// what YOLO-V4 does. Beyond them the test fails and shows `what`, the network; at once on the error
// output, lest the end never comes.
class TimeLimit {
 public:
  explicit TimeLimit(std::string what, double seconds = seconds_per_network)
      : what_(std::move(what)), seconds_(seconds), watch_([this] { watch(); }) {}
  TimeLimit(const TimeLimit&) = delete;

  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    watch_.join();
    if (const double spent = seconds(); spent > seconds_)
      ADD_FAILURE() << "took " << spent << " s, more than " << seconds_ << ":\n" << what_;
  }

 private:
  double seconds() const {
    return static_cast<double>(std::clock() - begin_) / static_cast<double>(CLOCKS_PER_SEC);
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }))
      if (seconds() > seconds_) {
        std::fprintf(stderr, "still not done after %.0f s:\n%s\n", seconds(), what_.c_str());
        return;
      }
  }

  const std::string what_;
  const double seconds_;
  const std::clock_t begin_ = std::clock();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread watch_;  // last: it uses the others
};

}  // namespace loopglass::test

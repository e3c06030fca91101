#include "core/tune/judge.h"

#include "core/runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

namespace loopglass::tune {

namespace {

constexpr std::size_t most_known = 4096;     // a scheduled nest is some tens of kilobytes
constexpr std::size_t least_for_a_hand = 4;  // points, some milliseconds each

}  // namespace

const Judge::Judged& Judge::operator()(const Point& point) {
  if (const auto known = known_.find(point); known != known_.end()) return known->second;
  if (known_.size() >= most_known) known_.clear();
  return known_.emplace(point, judged(point)).first->second;
}

Judge::Judged Judge::judged(const Point& point) const {
  Judged judged;
  auto scheduled = space_.script(point);
  if (scheduled) {
    if (model_) judged.features = model_->describe(scheduled->func, task_);
    judged.scheduled = *std::move(scheduled);
  } else {
    judged.refusal = std::move(scheduled).error();
  }
  return judged;
}

// Nothing is measured meanwhile, so all processors are free for it.
void Judge::judge_all(std::span<const Point> points) {
  std::vector<Point> unknown;
  for (const Point& point : std::set<Point>(points.begin(), points.end()))
    if (!known_.contains(point)) unknown.push_back(point);
  if (known_.size() + unknown.size() > most_known) known_.clear();
  std::vector<Judged> all(unknown.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr problem;
  std::mutex mutex;
  const auto judge_some = [&] {
    try {
      for (std::size_t i = next++; i < unknown.size(); i = next++) all[i] = judged(unknown[i]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      problem = std::current_exception();
    }
  };
  const std::size_t hands = std::min(static_cast<std::size_t>(runtime::hardware_threads()),
                                     unknown.size() / least_for_a_hand + 1);
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < hands; ++t) others.emplace_back(judge_some);
    judge_some();
  }
  if (problem) std::rethrow_exception(problem);
  for (std::size_t i = 0; i < unknown.size(); ++i) known_.emplace(unknown[i], std::move(all[i]));
}

Features Judge::describe(const loop::Func& scheduled) const {
  return model_ ? model_->describe(scheduled, task_) : Features{};
}

std::vector<double> Judge::scores(std::span<const Point> points) {
  std::vector<double> scores(points.size(), -std::numeric_limits<double>::infinity());
  judge_all(points);
  std::vector<Features> features;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Judged& judged = (*this)(points[i]);
    if (!judged.scheduled) continue;
    features.push_back(judged.features);
    places.push_back(i);
  }
  std::vector<const Features*> subjects;
  for (const Features& of : features) subjects.push_back(&of);
  if (!model_ || subjects.empty()) return scores;
  const std::vector<double> predicted = model_->predict(subjects);
  for (std::size_t i = 0; i < places.size(); ++i) scores[places[i]] = predicted[i];
  return scores;
}

}  // namespace loopglass::tune

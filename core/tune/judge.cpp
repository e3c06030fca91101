#include "core/tune/judge.h"

#include <limits>

namespace loopglass::tune {

namespace {

constexpr std::size_t most_known = 4096;  // a scheduled nest is some tens of kilobytes

}  // namespace

const Judge::Judged& Judge::operator()(const Point& point) {
  if (const auto known = known_.find(point); known != known_.end()) return known->second;
  if (known_.size() >= most_known) known_.clear();
  Judged judged;
  auto scheduled = space_.script(point);
  if (scheduled) {
    if (model_) judged.features = model_->describe(scheduled->func, task_);
    judged.scheduled = *std::move(scheduled);
  } else {
    judged.refusal = std::move(scheduled).error();
  }
  return known_.emplace(point, std::move(judged)).first->second;
}

Features Judge::describe(const loop::Func& scheduled) const {
  return model_ ? model_->describe(scheduled, task_) : Features{};
}

std::vector<double> Judge::scores(std::span<const Point> points) {
  std::vector<double> scores(points.size(), -std::numeric_limits<double>::infinity());
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

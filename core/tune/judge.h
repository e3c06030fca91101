// Points of a space as scripts and scores: what a search asks before anything is measured.
// Scheduling a nest takes longer than scoring it does: what was asked is kept.
#pragma once

#include "core/tune/cost_model.h"
#include "core/tune/search.h"

#include <map>
#include <optional>

namespace loopglass::tune {

class Judge : public Foresight {
 public:
  // What a point comes to.
  struct Judged {
    std::optional<schedule::Scheduled> scheduled;
    std::optional<Diagnostic> refusal;  // instead
    Features features;                  // none where there is no model
  };

  Judge(const Task& task, const Space& space, std::unique_ptr<CostModel> model)
      : task_(task), space_(space), model_(std::move(model)) {}

  const Judged& operator()(const Point& point);
  Features describe(const loop::Func& scheduled) const;

  bool knows() const override { return model_ && model_->can_predict(); }
  std::vector<double> scores(std::span<const Point> points) override;
  bool has_model() const { return model_ != nullptr; }
  void learn(std::span<const Example> examples) {
    if (model_) model_->learn(examples);
  }

 private:
  Judged judged(const Point& point) const;
  void judge_all(std::span<const Point> points);

  const Task& task_;
  const Space& space_;
  std::unique_ptr<CostModel> model_;
  std::map<Point, Judged> known_;
};

}  // namespace loopglass::tune

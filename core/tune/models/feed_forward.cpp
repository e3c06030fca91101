// A feed-forward net over the features of each store, whose scores add up to the program's.
#include "core/tune/models/models.h"
#include "core/tune/models/perceptron.h"

#include <algorithm>

namespace loopglass::tune {

namespace {

constexpr std::size_t hidden = 48;
constexpr int epochs = 40;
constexpr double learning_rate = 2e-3;

class FeedForward : public CostModel {
 public:
  explicit FeedForward(std::uint64_t seed)
      : random_(seed), net_({store_feature_width, hidden, hidden, 1}, random_) {}

  Features describe(const loop::Func& scheduled, const Task& task) const override {
    return store_features(store_facts(scheduled, task.symbols));
  }

  bool can_predict() const override { return is_trained_; }

  // From where it stood: what was learned of the first examples holds for later ones.
  void learn(std::span<const Example> examples) override {
    if (examples.size() < 2) return;
    normalise(examples);
    std::vector<std::size_t> order(examples.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    constexpr std::size_t batch = 16;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      random_.shuffle(order);
      for (std::size_t begin = 0; begin < order.size(); begin += batch) {
        const std::size_t end = std::min(order.size(), begin + batch);
        for (std::size_t i = begin; i < end; ++i) learn(examples[order[i]], end - begin);
        net_.step(learning_rate);
      }
    }
    is_trained_ = true;
  }

  std::vector<double> predict(std::span<const Features* const> subjects) const override {
    std::vector<double> scores;
    for (const Features* subject : subjects) scores.push_back(score(*subject));
    return scores;
  }

 private:
  void normalise(std::span<const Example> examples) {
    mean_.assign(store_feature_width, 0);
    deviation_.assign(store_feature_width, 0);
    double rows = 0;
    const auto each = [&](const auto& visit) {
      for (const Example& example : examples)
        for (std::size_t v = 0; v < example.features.values.size(); ++v)
          visit(v % store_feature_width, static_cast<double>(example.features.values[v]));
    };
    for (const Example& example : examples) rows += static_cast<double>(example.features.rows());
    if (rows == 0) return;
    each([&](std::size_t column, double value) { mean_[column] += value / rows; });
    each([&](std::size_t column, double value) {
      const double off = value - mean_[column];
      deviation_[column] += off * off / rows;
    });
    for (double& deviation : deviation_) deviation = std::max(1e-3, std::sqrt(deviation));
  }

  std::vector<double> row(const Features& features, std::size_t r) const {
    std::vector<double> values(store_feature_width);
    for (std::size_t c = 0; c < store_feature_width; ++c)
      values[c] = (static_cast<double>(features.values[r * store_feature_width + c]) - mean_[c]) /
                  deviation_[c];
    return values;
  }

  double score(const Features& features) const {
    if (mean_.empty()) return 0;
    double sum = 0;
    for (std::size_t r = 0; r < features.rows(); ++r) sum += net_(row(features, r))[0];
    return sum;
  }

  void learn(const Example& example, std::size_t of) {
    const double off = score(example.features) - example.throughput;
    const double gradient[] = {2 * off / static_cast<double>(of)};
    for (std::size_t r = 0; r < example.features.rows(); ++r)
      net_.accumulate(row(example.features, r), gradient);
  }

  Random random_;
  Perceptron net_;
  std::vector<double> mean_, deviation_;
  bool is_trained_ = false;
};

}  // namespace

std::unique_ptr<CostModel> feed_forward_net(std::uint64_t seed) {
  return std::make_unique<FeedForward>(seed);
}

}  // namespace loopglass::tune

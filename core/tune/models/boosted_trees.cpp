// Gradient-boosted trees (XGBoost: Chen and Guestrin, KDD 2016), as AutoTVM and Ansor use them.
#include "core/support/check.h"
#include "core/tune/models/models.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>

namespace loopglass::tune {

namespace {

void check(int status) { CHECK(status == 0, XGBGetLastError()); }

class Matrix {
 public:
  // CHECKs that there is a row.
  Matrix(const std::vector<float>& values, std::size_t width) {
    CHECK(width > 0 && !values.empty(), "a matrix has rows");
    check(XGDMatrixCreateFromMat(values.data(), values.size() / width, width,
                                 std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const Matrix& matrix,
          const std::vector<std::pair<std::string, std::string>>& parameters) {
    const DMatrixHandle handle = matrix.get();
    check(XGBoosterCreate(&handle, 1, &handle_));
    for (const auto& [name, value] : parameters)
      check(XGBoosterSetParam(handle_, name.c_str(), value.c_str()));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void boost(const Matrix& matrix, std::vector<float>& gradients, std::vector<float>& curvatures) {
    check(XGBoosterBoostOneIter(handle_, matrix.get(), gradients.data(), curvatures.data(),
                                gradients.size()));
  }
  std::vector<float> predict(const Matrix& matrix) const {
    bst_ulong count = 0;
    const float* scores = nullptr;
    // 1: the sum of the trees itself, as nothing is known of our loss.
    check(XGBoosterPredict(handle_, matrix.get(), 1, 0, 0, &count, &scores));
    return {scores, scores + count};
  }

 private:
  BoosterHandle handle_ = nullptr;
};

struct TreeSettings {
  Features (*describe)(std::span<const StoreFact>);
  int depth, rounds;
  double eta, gamma;
};

// A program's score is the sum of its rows': of one row, or of a row for each store. The loss is
// the squared difference from its throughput, which weighs as much as it is: what is slow need not
// be told apart (Ansor's weighted loss).
class BoostedTrees : public CostModel {
 public:
  BoostedTrees(TreeSettings settings, std::uint64_t seed) : settings_(settings), seed_(seed) {}

  Features describe(const loop::Func& scheduled, const Task& task) const override {
    return settings_.describe(store_facts(scheduled, task.symbols));
  }

  bool can_predict() const override { return booster_ != nullptr; }

  void learn(std::span<const Example> examples) override {
    std::vector<float> values;
    std::vector<std::size_t> owner;  // of each row
    std::vector<float> wanted;
    std::size_t width = 0;
    for (const Example& example : examples) {
      if (example.features.rows() == 0) continue;
      width = example.features.width;
      values.insert(values.end(), example.features.values.begin(), example.features.values.end());
      owner.insert(owner.end(), example.features.rows(), wanted.size());
      wanted.push_back(static_cast<float>(example.throughput));
    }
    if (wanted.size() < 2) return;
    const Matrix matrix(values, width);
    booster_ =
        std::make_unique<Booster>(matrix, std::vector<std::pair<std::string, std::string>>{
                                              {"max_depth", fmt::format("{}", settings_.depth)},
                                              {"eta", fmt::format("{}", settings_.eta)},
                                              {"gamma", fmt::format("{}", settings_.gamma)},
                                              {"min_child_weight", "0"},
                                              {"base_score", "0"},
                                              {"nthread", "1"},
                                              {"verbosity", "0"},
                                              {"seed", fmt::format("{}", seed_ % 1'000'000'007)},
                                              {"tree_method", "exact"}});
    std::vector<float> scores(owner.size(), 0), gradients(owner.size()), curvatures(owner.size());
    for (int round = 0; round < settings_.rounds; ++round) {
      std::vector<float> sums(wanted.size(), 0);
      for (std::size_t r = 0; r < owner.size(); ++r) sums[owner[r]] += scores[r];
      for (std::size_t r = 0; r < owner.size(); ++r) {
        const float y = wanted[owner[r]], weight = std::max(y, 0.05F);
        gradients[r] = weight * (sums[owner[r]] - y);
        curvatures[r] = weight;
      }
      booster_->boost(matrix, gradients, curvatures);
      scores = booster_->predict(matrix);
    }
  }

  std::vector<double> predict(std::span<const Features* const> subjects) const override {
    std::vector<float> values;
    std::vector<std::size_t> owner;
    for (std::size_t s = 0; s < subjects.size(); ++s) {
      values.insert(values.end(), subjects[s]->values.begin(), subjects[s]->values.end());
      owner.insert(owner.end(), subjects[s]->rows(), s);
    }
    std::vector<double> scores(subjects.size(), 0);
    if (values.empty() || !booster_) return scores;
    const std::vector<float> rows = booster_->predict(Matrix(values, values.size() / owner.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) scores[owner[r]] += rows[r];
    return scores;
  }

 private:
  const TreeSettings settings_;
  const std::uint64_t seed_;
  std::unique_ptr<Booster> booster_;
};

}  // namespace

std::unique_ptr<CostModel> trees_over_loops(std::uint64_t seed) {
  return std::make_unique<BoostedTrees>(TreeSettings{loop_features, 3, 50, 0.3, 1e-4}, seed);
}

std::unique_ptr<CostModel> trees_over_stores(std::uint64_t seed) {
  return std::make_unique<BoostedTrees>(TreeSettings{store_features, 6, 50, 0.2, 1e-3}, seed);
}

}  // namespace loopglass::tune

// The cost model's times as a person reads them. They are times only where the machine has been
// calibrated: elsewhere they say what is cheaper, as shares of something, and no more.
#pragma once

#include "core/fusion/explain.h"
#include "core/fusion/near_miss.h"

#include "core/fusion/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::fusion {

class EstimateWords {
 public:
  // `whole`: microseconds that are 100 % where there are no times.
  EstimateWords(const CostModel& cost, double whole)
      : timed_(cost.is_calibrated()), whole_(whole) {}

  bool timed() const { return timed_; }
  // "12.3 µs", else "97.3 %"
  std::string operator()(double microseconds) const { return with_digits(microseconds, 3); }
  // Of two that a rule compares: with as many digits as tell them apart.
  std::pair<std::string, std::string> both(double one, double other) const;
  // Of two that a person weighs: "12.3 µs in one kernel, 15.9 µs in two"; where there are no times
  // or three digits do not tell them apart, "22.80 % less in one kernel than in two".
  std::string weighed(double one, const std::string& where, double other,
                      const std::string& elsewhere) const;

 private:
  std::string with_digits(double microseconds, int digits) const;

  bool timed_;
  double whole_;
};

// What each near miss saves: "12.3 µs", "no gain" where that is less than the model is wrong by; of
// a machine that is not calibrated "1st", "2nd" of those that save any, and "more" of those that
// cost; "–" where nothing can be changed.
std::vector<std::string> gain_words(const std::vector<NearMiss>& misses);

// "1st", "2nd": of plans by their estimates, the quickest first, equal ones sharing a rank.
std::vector<std::string> ranks(const std::vector<double>& estimates);

// "proved optimal under the calibrated cost model and the limits of a kernel"
std::string optimality_words(Optimality optimality, const CostModel& cost);

}  // namespace loopglass::fusion

#include "core/fusion/estimate_words.h"

#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace loopglass::fusion {

std::string EstimateWords::with_digits(double microseconds, int digits) const {
  if (timed_) return readable_time(Microseconds(microseconds), digits);
  return fmt::format("{:.{}f} %", whole_ > 0 ? 100 * microseconds / whole_ : 100, digits - 2);
}

std::pair<std::string, std::string> EstimateWords::both(double one, double other) const {
  constexpr int least = 3, most = 9;
  for (int digits = least;; ++digits) {
    std::pair words{with_digits(one, digits), with_digits(other, digits)};
    if (words.first != words.second) return words;
    // Equal, or so nearly that the sums' order decides.
    if (digits == most) return {with_digits(one, least), with_digits(other, least)};
  }
}

std::string EstimateWords::weighed(double one, const std::string& where, double other,
                                   const std::string& elsewhere) const {
  const std::string words = (*this)(one), others = (*this)(other);
  if (timed_ && words != others)
    return fmt::format("{} {}, {} {}", words, where, others, elsewhere);
  constexpr double least = 0.005;  // percent, of what is said with two decimals
  const double more = other > 0 ? 100 * (one - other) / other : 0;
  // So nearly equal that the sums' order decides.
  if (std::abs(more) < least) return fmt::format("the same {} as {}", where, elsewhere);
  return fmt::format("{:.2f} % {} {} than {}", std::abs(more), more < 0 ? "less" : "more", where,
                     elsewhere);
}

std::vector<std::string> gain_words(const std::vector<NearMiss>& misses) {
  // An uncalibrated model gains nothing where it sees the last digits of its sums.
  constexpr double least = 1e-4;
  std::vector<double> gains;
  for (const NearMiss& miss : misses)
    if (miss.gain == Gain::Unknown && miss.saved_microseconds > least)
      gains.push_back(-miss.saved_microseconds);
  const std::vector<std::string> places = ranks(gains);
  std::vector<std::string> words;
  std::size_t place = 0;
  for (const NearMiss& miss : misses) {
    if (miss.change.kind == Change::Kind::None) words.emplace_back("–");
    else if (miss.gain == Gain::None) words.emplace_back(name(miss.gain));
    else if (miss.gain != Gain::Unknown)
      words.push_back(readable_time(Microseconds(miss.saved_microseconds)));
    else if (miss.saved_microseconds > least) words.push_back(places[place++]);
    else words.emplace_back(miss.saved_microseconds < -least ? "more" : "no gain");
  }
  return words;
}

std::vector<std::string> ranks(const std::vector<double>& estimates) {
  std::vector<std::string> words;
  for (const double own : estimates) {
    // What differs in the last digits only was added up in another order.
    const auto quicker = std::ranges::count_if(
        estimates, [&](double other) { return other < own - 1e-9 * std::abs(own); });
    const auto rank = quicker + 1;
    const char* ending = rank % 100 >= 11 && rank % 100 <= 13 ? "th"
                         : rank % 10 == 1                     ? "st"
                         : rank % 10 == 2                     ? "nd"
                         : rank % 10 == 3                     ? "rd"
                                                              : "th";
    words.push_back(fmt::format("{}{}", rank, ending));
  }
  return words;
}

std::string optimality_words(Optimality optimality, const CostModel& cost) {
  const std::string model =
      cost.is_calibrated() ? "the calibrated cost model" : "the uncalibrated cost model";
  switch (optimality) {
    case Optimality::Heuristic: return "heuristic";
    case Optimality::BestInBeam: return fmt::format("best in beam, by {}", model);
    case Optimality::ProvedOptimal:
      return fmt::format("proved optimal by {}, of kernels within the limits", model);
  }
  return std::string(name(optimality));
}

}  // namespace loopglass::fusion

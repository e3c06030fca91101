// How measured kernels put the estimates of all others on their scale.
#include "core/fusion/cost_model.h"
#include "core/support/check.h"
#include "core/support/hash.h"
#include "core/support/statistics.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace loopglass::fusion {

namespace {

// Fewer say little about a kind.
constexpr std::size_t enough = 3;

}  // namespace

double typical_error(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::abs(std::log(ratio));
  return std::exp(median(std::move(ratios))) - 1;
}

std::string_view name(KernelClass kind) {
  switch (kind) {
    case KernelClass::Convolution: return "convolution";
    case KernelClass::MatrixProduct: return "matrix product";
    case KernelClass::Reduction: return "reduction";
    case KernelClass::Elementwise: return "elementwise";
  }
  throw InternalError("class of a kernel outside its enumeration");
}

// Of what estimates are made with: how many cores there are for others is no part of it.
std::uint64_t CostModel::fingerprint() const {
  Hasher hasher;
  each_rate(machine_, [&](const char*, const Figure<double>& rate) { hasher.value(rate.value); });
  for (const Machine::Cache* cache : {&machine_.l1, &machine_.l2, &machine_.l3})
    hasher.value(cache->bytes.value);
  return hasher.digest();
}

Measurement CostModel::measurement(const BlockRules& rules, std::span<const std::size_t> nodes,
                                   double microseconds) const {
  return {microseconds, estimate(rules, nodes).total, 0, fingerprint(), kernel_class(rules, nodes)};
}

void CostModel::add_measurements(const Measurements& measurements) {
  for (const auto& [structure, measured] : measurements) measured_[structure] = measured;
  std::vector<double> all;
  std::array<std::vector<double>, kernel_classes.size()> ratios;
  const std::uint64_t own = fingerprint();
  for (const auto& [structure, measured] : measured_) {
    // An estimate by other constants says nothing about those of today.
    if (measured.estimate <= 0 || measured.constants != own) continue;
    all.push_back(measured.microseconds / measured.estimate);
    ratios[static_cast<std::size_t>(measured.kind)].push_back(all.back());
  }
  for (std::size_t kind = 0; kind < scales_.size(); ++kind) {
    const bool few = ratios[kind].size() < enough;
    const std::vector<double>& of = few ? all : ratios[kind];
    scales_[kind] = of.size() < enough ? Scale{} : Scale{median(of), of.size(), few};
  }
  std::vector<double> residuals;  // of what is scaled, as it will be
  for (std::size_t kind = 0; kind < scales_.size(); ++kind)
    if (scales_[kind].kernels > 0)
      for (const double ratio : ratios[kind]) residuals.push_back(ratio / scales_[kind].factor);
  measured_error_ =
      residuals.size() < enough ? std::nullopt : std::optional(typical_error(residuals));
}

std::optional<double> CostModel::error() const {
  if (measured_error_) return measured_error_;
  return machine_.estimate_error > 0 ? std::optional<double>(machine_.estimate_error)
                                     : std::nullopt;
}

std::vector<std::string> CostModel::notes() const {
  std::vector<std::string> notes{
      is_calibrated()
          ? fmt::format("Estimates are for {}, as it was calibrated.", machine_.processor)
          : "Estimates go by typical rates, so they are an order and no times; `loopglassc "
            "calibrate` measures this machine."};
  if (const auto wrong = error(); wrong && is_calibrated())
    notes.push_back(fmt::format(
        "Half of the {} were estimated wrong by a factor of more than {:.2f}; what gains less is "
        "no "
        "gain.",
        measured_error_ ? "measured kernels" : "kernels that the calibration was tried on",
        1 + *wrong));
  if (measured_.empty()) return notes;
  notes.push_back(
      fmt::format("{} kernels' times were measured and stand for themselves.", measured_.size()));
  for (const KernelClass kind : kernel_classes)
    if (const Scale& factor = scale(kind); factor.kernels > 0)
      notes.push_back(
          fmt::format("Estimates of {} kernels are multiplied by {:.3g}, the median of "
                      "measured / estimated over {} measured {}kernels.",
                      name(kind), factor.factor, factor.kernels,
                      factor.of_all ? "" : fmt::format("{} ", name(kind))));
    else
      notes.push_back(
          fmt::format("Estimates of {} kernels stand as they are: fewer than {} kernels "
                      "were measured beside an estimate by today's constants.",
                      name(kind), enough));
  return notes;
}

}  // namespace loopglass::fusion

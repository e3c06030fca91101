#include "core/ops/sampling_line.h"

#include <algorithm>

namespace loopglass::ops {

namespace {

// The form with this slope and divisor that gives these floors for x = 0, 1, ...
std::optional<IndexForm> form_with(Wide slope, Wide divisor, std::span<const std::int64_t> floors) {
  Wide least = divisor * floors[0], most = least + divisor - 1;
  for (Wide x = 1; x < std::ssize(floors); ++x) {
    const Wide behind = divisor * floors[static_cast<std::size_t>(x)] - slope * x;
    least = std::max(least, behind);
    most = std::min(most, behind + divisor - 1);
    if (least > most) return std::nullopt;
  }
  const Wide offset = std::clamp<Wide>(0, least, most);
  const Wide limit = Wide{1} << 62;
  if (magnitude(slope) * std::ssize(floors) + magnitude(offset) >= limit || divisor >= limit)
    return std::nullopt;
  return IndexForm{static_cast<std::int64_t>(slope), static_cast<std::int64_t>(offset),
                   static_cast<std::int64_t>(divisor)};
}

}  // namespace

// Slopes that give the same floors are an interval around the line's own, so the simplest of them
// is a convergent of its continued fraction or lies between two, and then a divisor no greater than
// the number of floors suffices.
std::optional<IndexForm> simplest(const SamplingLine& line, std::span<const std::int64_t> floors) {
  struct Ratio {
    Wide over, under;
  };
  Ratio older{0, 1}, old{1, 0};
  Wide over = line.slope, under = line.divisor;
  for (bool whole = true; under != 0; whole = false) {
    const Wide quotient = floor_divide(over, under);
    const auto between = [&](Wide steps) {
      return Ratio{older.over + steps * old.over, older.under + steps * old.under};
    };
    const auto form = [&](Wide steps) {
      return form_with(between(steps).over, between(steps).under, floors);
    };
    if (form(quotient)) {
      Wide least = whole ? quotient : 1, most = quotient;
      while (least < most) {
        const Wide middle = least + (most - least) / 2;
        form(middle) ? most = middle : least = middle + 1;
      }
      return form(most);
    }
    const Ratio next = between(quotient);
    older = old, old = next;
    const Wide rest = over - quotient * under;
    over = under, under = rest;
  }
  return std::nullopt;
}

}  // namespace loopglass::ops

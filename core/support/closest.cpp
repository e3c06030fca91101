#include "core/support/closest.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace loopglass {

namespace {

// Letters that are left out, put in, taken for another or swapped with their neighbour (the optimal
// string alignment distance); more than `limit` where it is more than that.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  // Of the first letters of `a`, with none, one and two of them less, to those of `b`.
  std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), above_that(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above_that, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = lower_case(word);
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance(wanted, lower_case(candidate), best - 1);
    // Two letters changed in a word of two are no likeness.
    if (edits >= best || edits >= std::max(wanted.size(), candidate.size())) continue;
    best = edits;
    found = candidate;
    if (best == 0) break;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = closest(word, candidates);
  return found.empty() ? "" : fmt::format("did you mean '{}'?", found);
}

}  // namespace loopglass

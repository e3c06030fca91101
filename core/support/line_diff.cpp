#include "core/support/line_diff.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

namespace loopglass {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A stretch of lines on either side, ends excluded.
struct Range {
  std::size_t before_begin, before_end, after_begin, after_end;
  std::size_t before_size() const { return before_end - before_begin; }
  std::size_t after_size() const { return after_end - after_begin; }
};

// Pairs up equal lines. Lines are numbers, equal where the texts are.
class Matcher {
 public:
  Matcher(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    const auto number = [&](std::string_view line) {
      return numbers.emplace(line, static_cast<std::uint32_t>(numbers.size())).first->second;
    };
    for (const std::string_view line : before) before_.push_back(number(line));
    for (const std::string_view line : after) after_.push_back(number(line));
    seen_.resize(numbers.size());
    partner_.assign(before.size(), none);
  }

  // For each line before, its partner after, or none; partners are in order.
  std::vector<std::size_t> operator()() {
    std::vector<Range> work{{0, before_.size(), 0, after_.size()}};
    while (!work.empty()) {
      Range range = work.back();
      work.pop_back();
      strip(range);
      if (range.before_size() == 0 || range.after_size() == 0) continue;
      const auto anchors = patience_anchors(range);
      if (anchors.empty()) {
        common_subsequence(range);
        continue;
      }
      for (const auto& [b, a] : anchors) {
        partner_[b] = a;
        work.push_back({range.before_begin, b, range.after_begin, a});
        range.before_begin = b + 1;
        range.after_begin = a + 1;
      }
      work.push_back(range);
    }
    return std::move(partner_);
  }

 private:
  // More cells than this are not worth a person's wait: the stretch then counts as replaced.
  static constexpr std::size_t maximum_cells = 400'000'000;

  void strip(Range& range) {
    while (range.before_size() > 0 && range.after_size() > 0 &&
           before_[range.before_begin] == after_[range.after_begin])
      partner_[range.before_begin++] = range.after_begin++;
    while (range.before_size() > 0 && range.after_size() > 0 &&
           before_[range.before_end - 1] == after_[range.after_end - 1])
      partner_[--range.before_end] = --range.after_end;
  }

  // Lines that occur once on either side, the longest run of them that is in order on both.
  std::vector<std::pair<std::size_t, std::size_t>> patience_anchors(const Range& range) {
    for (std::size_t b = range.before_begin; b < range.before_end; ++b) seen_[before_[b]] = {};
    for (std::size_t a = range.after_begin; a < range.after_end; ++a) seen_[after_[a]] = {};
    for (std::size_t b = range.before_begin; b < range.before_end; ++b) ++seen_[before_[b]].before;
    for (std::size_t a = range.after_begin; a < range.after_end; ++a) {
      ++seen_[after_[a]].after;
      seen_[after_[a]].place = a;
    }
    std::vector<std::pair<std::size_t, std::size_t>> unique;
    for (std::size_t b = range.before_begin; b < range.before_end; ++b)
      if (const Seen& seen = seen_[before_[b]]; seen.before == 1 && seen.after == 1)
        unique.emplace_back(b, seen.place);
    // Longest increasing subsequence by patience sorting: piles, and a link to the pile before.
    std::vector<std::size_t> tops, links(unique.size(), none);
    for (std::size_t i = 0; i < unique.size(); ++i) {
      const auto pile = std::lower_bound(
          tops.begin(), tops.end(), unique[i].second,
          [&](std::size_t top, std::size_t place) { return unique[top].second < place; });
      if (pile != tops.begin()) links[i] = *std::prev(pile);
      if (pile == tops.end()) tops.push_back(i);
      else *pile = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> anchors;
    for (std::size_t i = tops.empty() ? none : tops.back(); i != none; i = links[i])
      anchors.push_back(unique[i]);
    std::reverse(anchors.begin(), anchors.end());
    return anchors;
  }

  // Hirschberg's algorithm, over the lines that occur on both sides.
  void common_subsequence(const Range& range) {
    std::vector<std::size_t> b, a;  // seen_ still holds the counts of this range
    for (std::size_t i = range.before_begin; i < range.before_end; ++i)
      if (seen_[before_[i]].after > 0) b.push_back(i);
    for (std::size_t i = range.after_begin; i < range.after_end; ++i)
      if (seen_[after_[i]].before > 0) a.push_back(i);
    if (!b.empty() && a.size() > maximum_cells / b.size()) return;
    std::vector<Range> work{{0, b.size(), 0, a.size()}};
    while (!work.empty()) {
      const Range r = work.back();
      work.pop_back();
      if (r.before_size() == 0 || r.after_size() == 0) continue;
      if (r.before_size() == 1) {
        for (std::size_t j = r.after_begin; j < r.after_end; ++j)
          if (before_[b[r.before_begin]] == after_[a[j]]) {
            partner_[b[r.before_begin]] = a[j];
            break;
          }
        continue;
      }
      const std::size_t middle = (r.before_begin + r.before_end) / 2, columns = r.after_size();
      std::vector<std::uint32_t> upper(columns + 1, 0), lower(columns + 1, 0), row(columns + 1, 0);
      for (std::size_t i = r.before_begin; i < middle; ++i) {
        for (std::size_t j = 0; j < columns; ++j)
          row[j + 1] = before_[b[i]] == after_[a[r.after_begin + j]]
                           ? upper[j] + 1
                           : std::max(upper[j + 1], row[j]);
        std::swap(upper, row);
      }
      row.assign(columns + 1, 0);
      for (std::size_t i = r.before_end; i-- > middle;) {
        for (std::size_t j = columns; j-- > 0;)
          row[j] = before_[b[i]] == after_[a[r.after_begin + j]] ? lower[j + 1] + 1
                                                                 : std::max(lower[j], row[j + 1]);
        std::swap(lower, row);
      }
      std::size_t cut = 0;
      for (std::size_t j = 0; j <= columns; ++j)
        if (upper[j] + lower[j] > upper[cut] + lower[cut]) cut = j;
      work.push_back({r.before_begin, middle, r.after_begin, r.after_begin + cut});
      work.push_back({middle, r.before_end, r.after_begin + cut, r.after_end});
    }
  }

  struct Seen {
    std::uint32_t before = 0, after = 0;
    std::size_t place = none;  // the last one after
  };
  std::vector<std::uint32_t> before_, after_;
  std::vector<Seen> seen_;  // by line number, of the range at hand
  std::vector<std::size_t> partner_;
};

// Both texts as one list: what is removed before what is added in its place.
std::vector<DiffLine> merged(const std::vector<std::string_view>& before,
                             const std::vector<std::string_view>& after) {
  const std::vector<std::size_t> partner = Matcher(before, after)();
  std::vector<DiffLine> lines;
  std::size_t a = 0;
  const auto add_until = [&](std::size_t end) {
    for (; a < end; ++a) lines.push_back({LineKind::Added, 0, a + 1, std::string(after[a])});
  };
  for (std::size_t b = 0; b < before.size(); ++b) {
    if (partner[b] == none) {
      lines.push_back({LineKind::Removed, b + 1, 0, std::string(before[b])});
      continue;
    }
    add_until(partner[b]);
    lines.push_back({LineKind::Same, b + 1, ++a, std::string(before[b])});
  }
  add_until(after.size());
  return lines;
}

}  // namespace

std::vector<Hunk> line_diff(std::string_view before, std::string_view after, std::size_t context) {
  std::vector<Hunk> hunks;
  if (before == after) return hunks;
  std::vector<DiffLine> lines = merged(lines_of(before), lines_of(after));
  std::size_t befores = 0, afters = 0;  // lines so far
  std::size_t end = 0;                  // of the last hunk
  for (std::size_t i = 0, kept = 0; i < lines.size(); i = end) {
    while (i < lines.size() && lines[i].kind == LineKind::Same) ++i;
    if (i == lines.size()) break;
    const std::size_t begin = std::max(end, i - std::min(i, context));
    // On to the first stretch of equal lines that two contexts do not fill.
    std::size_t last = i;
    for (std::size_t j = i; j < lines.size() && j - last <= 2 * context + 1; ++j)
      if (lines[j].kind != LineKind::Same) last = j;
    end = std::min(lines.size(), last + 1 + context);
    for (; kept < begin; ++kept) {
      befores += lines[kept].before != 0;
      afters += lines[kept].after != 0;
    }
    Hunk hunk{befores, 0, afters, 0, {}};
    for (; kept < end; ++kept) {
      hunk.before_count += lines[kept].before != 0;
      hunk.after_count += lines[kept].after != 0;
      hunk.lines.push_back(std::move(lines[kept]));
    }
    befores += hunk.before_count;
    afters += hunk.after_count;
    // A side without lines is named by the line before it.
    if (hunk.before_count > 0) ++hunk.before_begin;
    if (hunk.after_count > 0) ++hunk.after_begin;
    hunks.push_back(std::move(hunk));
  }
  return hunks;
}

std::string to_text(const std::vector<Hunk>& hunks) {
  std::string text;
  for (const Hunk& hunk : hunks) {
    text += fmt::format("@@ -{},{} +{},{} @@\n", hunk.before_begin, hunk.before_count,
                        hunk.after_begin, hunk.after_count);
    for (const DiffLine& line : hunk.lines) {
      text += line.kind == LineKind::Same ? ' ' : line.kind == LineKind::Removed ? '-' : '+';
      text += line.text;
      text += '\n';
    }
  }
  return text;
}

}  // namespace loopglass

#include "views/graph/fold_titles.h"

#include "views/document/text.h"
#include "views/document/title_within.h"
#include "views/graph/graph_boxes.h"

#include <algorithm>
#include <map>

namespace loopglass::views {
namespace {

constexpr qsizetype head = longest_name / 2 - 1, tail = longest_name / 2;  // around a "…"

qsizetype shared_letters(const QString& a, const QString& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

// With the letter at which it differs from those most like it.
QString cut(const QString& title, qsizetype differs_at) {
  constexpr qsizetype before = 6;
  if (title.size() <= longest_name) return title;
  if (differs_at < head || differs_at >= title.size() - tail)
    return title.left(head) + "…" + title.right(tail);
  if (differs_at - before >= title.size() - longest_name)
    return "…" + title.right(longest_name - 1);
  return "…" + title.mid(differs_at - before, longest_name - 2) + "…";
}

void cut_siblings(std::vector<QString>& titles) {
  std::vector<QString> sorted = titles;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (QString& title : titles) {
    const auto here = std::lower_bound(sorted.begin(), sorted.end(), title);
    qsizetype shared = 0;  // with its neighbours, who are most like it
    if (here != sorted.begin()) shared = shared_letters(title, *std::prev(here));
    if (std::next(here) != sorted.end())
      shared = std::max(shared, shared_letters(title, *std::next(here)));
    title = cut(title, shared);
  }
}

}  // namespace

std::vector<QString> fold_titles(const graph::Folding& folding) {
  std::map<int, std::vector<std::size_t>> inside;  // by the fold around them
  for (std::size_t f = 0; f < folding.folds.size(); ++f)
    inside[folding.folds[f].parent].push_back(f);
  std::vector<QString> titles(folding.folds.size());
  for (const auto& [parent, folds] : inside) {
    const QString around =
        parent < 0 ? QString() : text(folding.folds[static_cast<std::size_t>(parent)].title);
    std::vector<QString> short_ones;
    for (const std::size_t fold : folds) {
      const QString title = text(folding.folds[fold].title);
      short_ones.push_back(title.size() > longest_name ? title_within(title, around) : title);
    }
    cut_siblings(short_ones);
    for (std::size_t i = 0; i < folds.size(); ++i) titles[folds[i]] = short_ones[i];
  }
  return titles;
}

}  // namespace loopglass::views

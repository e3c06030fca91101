#include "views/graph/fold_titles.h"

#include "views/canvas/item_style.h"
#include "views/canvas/items.h"
#include "views/text.h"
#include "views/title_within.h"

#include <QObject>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace loopglass::views {
namespace {

// What fits in the width of a box, in the letters of its title. Widths are summed up letter by
// letter: asking for whole texts again and again takes long.
class Room {
 public:
  Room() : metrics_(title_font()), ellipsis_(metrics_.horizontalAdvance(u'…')) {}

  double of(QChar letter) const {
    const auto [known, is_new] = widths_.try_emplace(letter.unicode(), 0);
    if (is_new) known->second = metrics_.horizontalAdvance(letter);
    return known->second;
  }
  double of(const QString& text) const {
    return std::accumulate(text.begin(), text.end(), 0.0,
                           [this](double width, QChar letter) { return width + of(letter); });
  }
  double ellipsis() const { return ellipsis_; }

 private:
  QFontMetricsF metrics_;
  double ellipsis_;
  mutable std::unordered_map<char16_t, double> widths_;
};

// As much of a text as has room, of its beginning and its end and around the letters that are told.
class Cut {
 public:
  Cut(const Room& room, const QString& text, double width)
      : room_(room), text_(text), width_(width), kept_(static_cast<std::size_t>(text.size())) {}

  QString around(const std::set<qsizetype>& told) {
    if (room_.of(text_) <= width_) return text_;
    constexpr qsizetype beside = 2;
    std::fill(kept_.begin(), kept_.end(), false);
    for (const qsizetype letter : told)
      for (qsizetype at = std::max<qsizetype>(0, letter - beside);
           at <= std::min(letter + beside, text_.size() - 1); ++at)
        kept_[static_cast<std::size_t>(at)] = true;
    // A letter more at the beginning and one at the end, in turns; of a list, what comes first.
    bool from_begin = true, from_end = !text_.contains(", ");
    const auto grow = [this](auto begin, auto end) {
      const auto next = std::find(begin, end, false);
      if (next == end) return false;
      *next = true;
      if (width_of_kept() <= width_) return true;
      *next = false;
      return false;
    };
    while (from_begin || from_end) {
      from_begin = from_begin && grow(kept_.begin(), kept_.end());
      from_end = from_end && grow(kept_.rbegin(), kept_.rend());
    }
    return kept();
  }

 private:
  template <class Letter, class Gap>
  void visit(const Letter& letter, const Gap& gap) const {
    bool before = true;
    for (std::size_t at = 0; at < kept_.size(); before = kept_[at++])
      if (kept_[at]) letter(text_[static_cast<qsizetype>(at)]);
      else if (before) gap();
  }
  double width_of_kept() const {
    double width = 0;
    visit([&](QChar letter) { width += room_.of(letter); }, [&] { width += room_.ellipsis(); });
    return width;
  }
  QString kept() const {
    QString result;
    visit([&](QChar letter) { result += letter; }, [&] { result += u'…'; });
    return result;
  }

  const Room& room_;
  const QString& text_;
  double width_;
  std::vector<bool> kept_;
};

qsizetype first_difference(const QString& a, const QString& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

// The letters at which a title differs from those that would be cut to the same text are kept.
// `whole` are all different.
std::vector<QString> cut_apart(const std::vector<QString>& whole,
                               const std::vector<double>& widths) {
  const Room room;
  std::vector<QString> titles(whole.size());
  std::vector<std::set<qsizetype>> told(whole.size());
  const auto cut = [&](std::size_t title) {
    titles[title] = Cut(room, whole[title], widths[title]).around(told[title]);
  };
  for (std::size_t title = 0; title < whole.size(); ++title) cut(title);
  constexpr int most_rounds = 4;  // each may make texts alike that were not
  for (int round = 0; round < most_rounds; ++round) {
    std::map<QString, std::vector<std::size_t>> alike;
    for (std::size_t title = 0; title < whole.size(); ++title)
      alike[titles[title]].push_back(title);
    bool any = false;
    for (const auto& [text, of] : alike)
      for (const std::size_t title : of) {
        const std::size_t before = told[title].size();
        for (const std::size_t other : of)
          if (other != title) told[title].insert(first_difference(whole[title], whole[other]));
        if (told[title].size() == before) continue;
        any = true;
        cut(title);
      }
    if (!any) break;
  }
  return titles;
}

}  // namespace

std::vector<QString> fold_titles(const graph::Folding& folding) {
  const BoxMeasure measure;
  std::map<int, std::vector<std::size_t>> inside;  // by the fold around them
  for (std::size_t f = 0; f < folding.folds.size(); ++f)
    inside[folding.folds[f].parent].push_back(f);
  std::vector<QString> titles(folding.folds.size());
  for (const auto& [parent, folds] : inside) {
    const QString around =
        parent < 0 ? QString() : text(folding.folds[static_cast<std::size_t>(parent)].title);
    // Blocks of a run are called the same.
    std::map<QString, double> widths;
    for (const std::size_t fold : folds) {
      const graph::Fold& one = folding.folds[fold];
      const double width = greatest_width - 2 * padding - measure.title(times_words(one.repeats));
      titles[fold] = text(one.title);
      if (measure.title(titles[fold]) > width) titles[fold] = title_within(titles[fold], around);
      const auto [known, is_new] = widths.try_emplace(titles[fold], width);
      known->second = std::min(known->second, width);
    }
    std::vector<QString> whole;
    std::vector<double> room;
    for (const auto& [title, width] : widths) {
      whole.push_back(title);
      room.push_back(width);
    }
    const std::vector<QString> cut = cut_apart(whole, room);
    for (const std::size_t fold : folds)
      titles[fold] = cut[static_cast<std::size_t>(std::ranges::lower_bound(whole, titles[fold]) -
                                                  whole.begin())];
  }
  return titles;
}

QString times_words(int repeats) {
  return repeats > 1 ? QObject::tr(" ×%1").arg(repeats) : QString();
}

}  // namespace loopglass::views

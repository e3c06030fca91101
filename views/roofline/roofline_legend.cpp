#include "views/roofline/roofline_legend.h"

#include "views/text.h"
#include "views/theme.h"

#include <QPainter>
#include <algorithm>
#include <map>

namespace loopglass::views {

namespace {

using roofline::Bound;

constexpr double margin = 8, dot = 5, gap = 12;

// What binds, that with the largest share of the time first; what only a trail met comes last.
std::vector<Bound> by_share(const RooflinePicture& picture) {
  std::map<Bound, double> milliseconds;
  for (const KernelVerdict& kernel : picture.kernels)
    milliseconds[kernel.verdict.bound] += kernel.milliseconds();
  if (const KernelVerdict* kernel = trailed(picture))
    for (const TrailStep& step : kernel->trail->steps) milliseconds[step.verdict.bound] += 0;
  std::vector<Bound> bounds;
  for (const auto& [bound, share] : milliseconds) bounds.push_back(bound);
  std::ranges::stable_sort(bounds, std::greater(),
                           [&](Bound bound) { return milliseconds.at(bound); });
  return bounds;
}

}  // namespace

RooflineLegend::RooflineLegend(const RooflinePicture& picture, double width,
                               const QFontMetricsF& metrics)
    : line_(1.2 * metrics.height()), ascent_(metrics.ascent()) {
  QPointF place(margin, 3);
  for (const Bound bound : by_share(picture)) {
    const QString name = text(roofline::name(bound));
    const double wide = 2 * dot + 4 + metrics.horizontalAdvance(name);
    if (place.x() > margin && place.x() + wide > width) {
      place = {margin, place.y() + line_};
      ++rows_;
    }
    entries_.push_back({bound, name, place});
    place.rx() += wide + gap;
  }
}

double RooflineLegend::height() const { return rows_ * line_ + 0.4 * line_; }

void RooflineLegend::paint(QPainter& painter, const QPointF& corner) const {
  for (const Entry& entry : entries_) {
    const QPointF at = corner + entry.place;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color_of(entry.bound));
    painter.drawEllipse(at + QPointF(dot, line_ / 2.4), dot, dot);
    painter.setPen(theme().text);
    painter.drawText(at + QPointF(2 * dot + 4, ascent_), entry.name);
  }
}

}  // namespace loopglass::views

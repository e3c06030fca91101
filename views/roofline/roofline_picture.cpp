#include "views/roofline/roofline_picture.h"

#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/roofline/roofline_legend.h"
#include "views/text.h"
#include "views/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loopglass::views {

namespace {

using roofline::Bound;
using roofline::Verdict;

constexpr double least_radius = 3.5, most_radius = 16;

// A peak of arithmetic.
struct FlatRoof {
  double gflops;
  QString words;
};

// That of float32, and that of int32 where a kernel computes in it.
std::vector<FlatRoof> flat_roofs(const RooflinePicture& picture) {
  const auto words = [](const QString& form, double gflops) {
    return form.arg(text(readable_speed(gflops)));
  };
  std::vector<FlatRoof> roofs;
  const bool has_whole = std::ranges::any_of(picture.kernels, is_whole);
  if (const double peak = picture.roofs.float32_gflops; peak > 0)
    roofs.push_back(
        {peak,
         words(has_whole ? QObject::tr("● %1 of float32") : QObject::tr("%1 of float32"), peak)});
  if (const double peak = picture.roofs.byte_products_gflops; peak > 0 && has_whole)
    roofs.push_back({peak, words(QObject::tr("■ %1 of products of bytes"), peak)});
  return roofs;
}

// From what is drawn to where.
class Frame {
 public:
  Frame(const QRectF& area, const RooflinePicture& picture, const QFontMetricsF& metrics)
      : picture_(picture) {
    const double line = metrics.height();
    plot_ = area.adjusted(metrics.horizontalAdvance("10000") + line + 8,
                          RooflineLegend(picture, area.width(), metrics).height() + 4, -12,
                          -2 * line - 10);
    choose_ranges();
  }

  const QRectF& plot() const { return plot_; }
  double left() const { return left_; }
  double right() const { return right_; }
  double bottom() const { return bottom_; }
  double top() const { return top_; }

  double x(double flops_per_byte) const {
    const double value = std::clamp(std::log10(std::max(flops_per_byte, 1e-30)), left_, right_);
    return plot_.left() + plot_.width() * (value - left_) / (right_ - left_);
  }
  double y(double gflops) const {
    const double value = std::clamp(std::log10(std::max(gflops, 1e-30)), bottom_, top_);
    return plot_.bottom() - plot_.height() * (value - bottom_) / (top_ - bottom_);
  }
  QPointF at(const Verdict& verdict) const {
    const RooflinePlace place = place_of(verdict, picture_.level);
    return {
        std::isinf(place.flops_per_byte) ? plot_.right() - most_radius : x(place.flops_per_byte),
        y(place.gflops)};
  }
  double radius(const KernelVerdict& kernel, double longest) const {
    return longest > 0
               ? std::max(least_radius, most_radius * std::sqrt(kernel.milliseconds() / longest))
               : least_radius;
  }

 private:
  // Half a decade around all that is there; the roof's corner in sight.
  void choose_ranges() {
    double peak = 1;
    for (const FlatRoof& roof : flat_roofs(picture_)) peak = std::max(peak, roof.gflops);
    double least_x = 0.1, most_x = 10, least_y = peak / 10;
    if (picture_.level < picture_.roofs.levels.size()) {
      const double ridge = picture_.roofs.ridge(picture_.roofs.levels[picture_.level]);
      if (std::isfinite(ridge) && ridge > 0) most_x = std::max(most_x, 4 * ridge);
    }
    const auto widen = [&](const Verdict& verdict) {
      const RooflinePlace place = place_of(verdict, picture_.level);
      if (place.gflops <= 0) return;
      least_y = std::min(least_y, place.gflops);
      if (std::isinf(place.flops_per_byte)) return;
      least_x = std::min(least_x, place.flops_per_byte);
      most_x = std::max(most_x, place.flops_per_byte);
    };
    for (const KernelVerdict& kernel : picture_.kernels) widen(kernel.verdict);
    if (const KernelVerdict* kernel = trailed(picture_))
      for (const TrailStep& step : kernel->trail->steps) widen(step.verdict);
    for (const auto& verdicts : picture_.earlier) std::ranges::for_each(verdicts, widen);
    constexpr double most_decades = 6;
    left_ = std::log10(least_x) - 0.2;
    right_ = std::log10(most_x) + 0.3;
    top_ = std::log10(peak) + 0.25;
    bottom_ = std::max(std::log10(least_y) - 0.3, top_ - most_decades);
  }

  const RooflinePicture& picture_;
  QRectF plot_;
  double left_ = -1, right_ = 2, bottom_ = 0, top_ = 3;  // decades
};

QString number_text(double value) {
  return value >= 1 ? QString::number(value, 'f', 0) : QString::number(value, 'g', 3);
}

void paint_axes(QPainter& painter, const Frame& frame, const RooflinePicture& picture) {
  const QRectF& plot = frame.plot();
  const QFontMetricsF metrics(painter.font());
  painter.setPen(QPen(theme().border, 1));
  painter.drawRect(plot);
  const auto decade_lines = [&](double from, double to, auto draw) {
    for (int decade = static_cast<int>(std::floor(from)); decade <= to; ++decade)
      for (const int digit : {1, 2, 5}) {
        const double value = digit * std::pow(10, decade);
        if (std::log10(value) >= from && std::log10(value) <= to) draw(value, digit == 1);
      }
  };
  const bool is_wide = plot.width() > 420, is_high = plot.height() > 260;
  decade_lines(frame.left(), frame.right(), [&](double value, bool whole) {
    const double x = frame.x(value);
    painter.setPen(QPen(theme().border, whole ? 1 : 0.4));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    if (!whole && !is_wide) return;
    painter.setPen(theme().muted);
    painter.drawText(QRectF(x - 40, plot.bottom() + 2, 80, metrics.height()), Qt::AlignCenter,
                     number_text(value));
  });
  decade_lines(frame.bottom(), frame.top(), [&](double value, bool whole) {
    const double y = frame.y(value);
    painter.setPen(QPen(theme().border, whole ? 1 : 0.4));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    if (!whole && !is_high) return;
    painter.setPen(theme().muted);
    painter.drawText(QRectF(plot.left() - 84, y - metrics.height() / 2, 80, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, number_text(value));
  });
  painter.setPen(theme().muted);
  const QString level = picture.level < picture.roofs.levels.size()
                            ? text(picture.roofs.levels[picture.level].name)
                            : QString();
  painter.drawText(
      QRectF(plot.left(), plot.bottom() + metrics.height() + 4, plot.width(), metrics.height()),
      Qt::AlignCenter, QObject::tr("FLOP for each byte from %1").arg(level));
  const bool has_none = std::ranges::any_of(picture.kernels, [&](const KernelVerdict& kernel) {
    return std::isinf(place_of(kernel.verdict, picture.level).flops_per_byte);
  });
  if (has_none)
    painter.drawText(
        QRectF(plot.right() - 120, plot.bottom() - metrics.height() - 2, 116, metrics.height()),
        Qt::AlignRight | Qt::AlignVCenter, QObject::tr("none from %1 ↑").arg(level));
  painter.save();
  painter.translate(plot.left() - metrics.horizontalAdvance("10000") - metrics.height() - 4,
                    plot.center().y());
  painter.rotate(-90);
  painter.drawText(QRectF(-60, 0, 120, metrics.height()), Qt::AlignCenter, QObject::tr("GFLOP/s"));
  painter.restore();
}

double longest_of(const RooflinePicture& picture) {
  double longest = 0;
  for (const KernelVerdict& kernel : picture.kernels)
    longest = std::max(longest, kernel.milliseconds());
  return longest;
}

// Names along the slopes, above or below them, each where no dot lies, no other slope runs, and
// none of those before it stands.
class SlopeNames {
 public:
  SlopeNames(const QRectF& plot, QPainterPath dots) : plot_(plot), taken_(std::move(dots)) {
    taken_.setFillRule(Qt::WindingFill);
  }

  void keep_free(const QRectF& area) { taken_.addRect(area); }
  void keep_free(const QLineF& slope) {
    QPainterPath line;
    line.moveTo(slope.p1());
    line.lineTo(slope.p2());
    QPainterPathStroker stroker;
    stroker.setWidth(1);
    taken_.addPath(stroker.createStroke(line));
  }

  void paint(QPainter& painter, const QString& words, const QLineF& slope) {
    const QFontMetricsF metrics(painter.font());
    const QRectF flat = metrics.boundingRect(words).adjusted(-2, 0, 2, 0);
    constexpr double highest = 0.9, lowest = 0.1, step = 0.02, away = 3;
    for (const double beside : {-away - flat.bottom(), away - flat.top()})
      for (double part = highest; part >= lowest; part -= step) {
        QTransform along;
        along.translate(slope.pointAt(part).x(), slope.pointAt(part).y());
        along.rotate(-slope.angle());
        along.translate(-flat.center().x(), beside);
        QPainterPath place;
        place.addPolygon(along.map(QPolygonF(flat)));
        if (place.intersects(taken_) || !plot_.contains(place.boundingRect())) continue;
        taken_.addPath(place);
        painter.save();
        painter.setTransform(along, true);
        painter.drawText(QPointF(), words);
        painter.restore();
        return;
      }
  }

 private:
  QRectF plot_;
  QPainterPath taken_;
};

// The slope of a level up to the highest peak, and its name along it.
void paint_roofs(QPainter& painter, const Frame& frame, const RooflinePicture& picture) {
  const QRectF& plot = frame.plot();
  const std::vector<FlatRoof> flat = flat_roofs(picture);
  if (flat.empty()) return;
  const double peak = std::ranges::max(flat, {}, &FlatRoof::gflops).gflops;
  painter.save();
  painter.setClipRect(plot);
  QPainterPath dots;
  dots.setFillRule(Qt::WindingFill);
  const double longest = longest_of(picture);
  for (const KernelVerdict& kernel : picture.kernels) {
    const double radius = frame.radius(kernel, longest) + 2;
    dots.addEllipse(frame.at(kernel.verdict), radius, radius);
  }
  // Above its roof, or below where the next one or the picture's edge is near, as far to the right
  // as no dot lies there.
  const QFontMetricsF metrics(painter.font());
  std::vector<QRectF> areas;
  for (const FlatRoof& roof : flat) {
    const double width = metrics.horizontalAdvance(roof.words) + 6;
    const bool is_below_another = std::ranges::any_of(flat, [&](const FlatRoof& other) {
      const double room = frame.y(roof.gflops) - frame.y(other.gflops);
      return room > 0 && room < metrics.height() + 6;
    });
    const double above = frame.y(roof.gflops) - metrics.height() - 3;
    const double top = is_below_another || above < plot.top() ? frame.y(roof.gflops) + 3 : above;
    QRectF& area = areas.emplace_back(plot.right() - width, top, width, metrics.height());
    while (dots.intersects(area) && area.left() > plot.left() + 8) area.translate(-8, 0);
  }
  SlopeNames names(plot, std::move(dots));
  for (const QRectF& area : areas) names.keep_free(area);
  struct Slope {
    QLineF line;
    QColor color;
    QString name;
  };
  std::vector<Slope> slopes;
  for (std::size_t l = 0; l < picture.roofs.levels.size(); ++l) {
    const roofline::LevelRoof& level = picture.roofs.levels[l];
    if (level.gigabytes_per_second <= 0) continue;
    const bool is_shown = l == picture.level;
    const QColor color = is_shown ? theme().text : theme().muted;
    painter.setPen(QPen(color, is_shown ? 2 : 1, is_shown ? Qt::SolidLine : Qt::DashLine));
    const double ridge = peak / level.gigabytes_per_second;
    // Where the slope comes into the picture: from the left, or from below.
    const double begin = std::max(std::pow(10, frame.left()),
                                  std::pow(10, frame.bottom()) / level.gigabytes_per_second);
    if (ridge <= begin) continue;
    const double height = plot.height() *
                          (std::log10(level.gigabytes_per_second * begin) - frame.bottom()) /
                          (frame.top() - frame.bottom());
    const QLineF slope(frame.x(begin), plot.bottom() - height, frame.x(ridge), frame.y(peak));
    painter.drawLine(slope);
    slopes.push_back(
        {slope, color,
         QString("%1 %2 GB/s").arg(text(level.name)).arg(level.gigabytes_per_second, 0, 'f', 0)});
  }
  for (const Slope& slope : slopes) names.keep_free(slope.line);
  for (const Slope& slope : slopes) {
    painter.setPen(slope.color);
    names.paint(painter, slope.name, slope.line);
  }
  painter.setPen(QPen(theme().text, 2));
  for (std::size_t r = 0; r < flat.size(); ++r) {
    const double y = frame.y(flat[r].gflops);
    painter.drawLine(QPointF(frame.x(std::pow(10, frame.left())), y), QPointF(plot.right(), y));
    QColor ground = theme().surface;  // a slope may run there
    ground.setAlphaF(0.8F);
    painter.fillRect(areas[r], ground);
    painter.drawText(areas[r], Qt::AlignLeft | Qt::AlignTop, flat[r].words);
  }
  painter.restore();
}

void paint_dots(QPainter& painter, const Frame& frame, const RooflinePicture& picture) {
  const double longest = longest_of(picture);
  // Small ones on top of large ones, what is selected on top of all.
  std::vector<int> order;
  for (int k = 0; k < std::ssize(picture.kernels); ++k) order.push_back(k);
  std::ranges::stable_sort(order, std::greater(), [&](int k) {
    return k == picture.selected ? -1.0
                                 : picture.kernels[static_cast<std::size_t>(k)].milliseconds();
  });
  for (const int k : order) {
    const auto place = static_cast<std::size_t>(k);
    const KernelVerdict& kernel = picture.kernels[place];
    QColor fill = color_of(kernel.verdict.bound);
    const QPointF at = frame.at(kernel.verdict);
    if (place < picture.earlier.size() && !picture.earlier[place].empty()) {
      painter.setPen(QPen(fill, 1.5));
      QPolygonF trail;
      for (const Verdict& verdict : picture.earlier[place]) trail << frame.at(verdict);
      trail << at;
      painter.drawPolyline(trail);
      painter.setBrush(theme().surface);
      for (int t = 0; t + 1 < trail.size(); ++t) painter.drawEllipse(trail[t], 3, 3);
    }
    const bool is_selected = k == picture.selected;
    fill.setAlphaF(is_selected ? 1.0F : 0.75F);
    painter.setBrush(fill);
    painter.setPen(QPen(is_selected ? theme().mark : theme().surface, is_selected ? 3 : 1));
    const double radius = frame.radius(kernel, longest);
    // As large as the circle.
    const double half = radius * std::sqrt(std::numbers::pi) / 2;
    if (is_whole(kernel))
      painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half));
    else painter.drawEllipse(at, radius, radius);
  }
}

// From step to step, each dot in the colour of what binds there, with the primitives that changed
// the speed most beside their dots. It ends in the kernel's own dot, of this radius.
void paint_trail(QPainter& painter, const Frame& frame, const ScheduleTrail& trail,
                 double end_radius) {
  constexpr double worth_a_name = 1.2, radius = 3;
  QPolygonF line;
  for (const TrailStep& step : trail.steps) line << frame.at(step.verdict);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().muted, 1));
  painter.drawPolyline(line);
  const QFontMetricsF metrics(painter.font());
  std::vector<QRectF> taken;
  if (!line.empty())
    taken.push_back(
        QRectF(line.back(), QSizeF()).adjusted(-end_radius, -end_radius, end_radius, end_radius));
  // How much it changed the speed, as powers of e; the beginning, which has a name, too, no more
  // than any.
  const auto change = [&](std::size_t s) {
    return s > 0 ? std::abs(std::log(trail.steps[s].verdict.gflops() /
                                     trail.steps[s - 1].verdict.gflops()))
                 : std::log(worth_a_name);
  };
  std::vector<std::size_t> named;
  for (std::size_t s = 0; s < trail.steps.size(); ++s) {
    painter.setPen(QPen(theme().surface, 1));
    painter.setBrush(color_of(trail.steps[s].verdict.bound));
    painter.drawEllipse(line[static_cast<qsizetype>(s)], radius, radius);
    if (change(s) >= std::log(worth_a_name)) named.push_back(s);
  }
  std::ranges::stable_sort(named, std::ranges::greater(), change);
  for (const std::size_t s : named) {
    const TrailStep& step = trail.steps[s];
    const QPointF at = line[static_cast<qsizetype>(s)];
    const QString words = text(s > 0 ? step.primitive : step.line);
    const QSizeF size(metrics.horizontalAdvance(words), metrics.height());
    // Beside the dot, on whichever side there is room.
    const bool is_in_end =
        QLineF(at, line.back()).length() <= end_radius || s + 1 == trail.steps.size();
    const double away = (is_in_end ? 2 * end_radius : radius) + 3;
    for (const QPointF& corner :
         {QPointF(away, -size.height() / 2), QPointF(-away - size.width(), -size.height() / 2),
          QPointF(-size.width() / 2, -away - size.height()), QPointF(-size.width() / 2, away)}) {
      const QRectF area(at + corner, size);
      const bool is_free =
          frame.plot().contains(area) &&
          std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(area); });
      if (!is_free) continue;
      taken.push_back(area);
      painter.setPen(theme().text);
      painter.drawText(area, Qt::AlignCenter, words);
      break;
    }
  }
}

}  // namespace

QColor color_of(Bound bound) {
  // As light as the theme's own signs.
  const auto hue = [](double part) {
    return QColor::fromHslF(static_cast<float>(part), 0.6F,
                            theme().tone == Tone::Dark ? 0.66F : 0.31F);
  };
  // Of the levels of memory: one hue, darker the farther away, and no other's.
  const auto level = [](float dark, float light) {
    return theme().tone == Tone::Dark ? QColor::fromHslF(0.6F, 0.8F, dark)
                                      : QColor::fromHslF(0.6F, 0.7F, light);
  };
  switch (bound) {
    case Bound::Compute: return theme().good;
    case Bound::Functions: return hue(0.92);
    case Bound::Launch: return theme().muted;
    case Bound::Unexplained: return theme().text;
    case Bound::Spills: return theme().error;
    case Bound::Scalar: return hue(0.83);
    case Bound::Latency: return theme().warning;
    case Bound::Loads: return hue(0.17);
    case Bound::Shuffles: return hue(0.72);
    case Bound::Conversions: return hue(0.52);
    case Bound::Tail: return hue(0.07);
    case Bound::Imbalance: return hue(0.25);
    case Bound::L1: return level(0.88F, 0.46F);
    case Bound::L2: return level(0.78F, 0.37F);
    case Bound::L3: return level(0.69F, 0.28F);
    case Bound::Memory: return level(0.60F, 0.18F);
  }
  return theme().muted;
}

double bytes_of(const roofline::Traffic& traffic, std::size_t level) {
  const std::array bytes{traffic.l1, traffic.l2, traffic.l3, traffic.memory};
  return level < bytes.size() ? bytes[level] : 0;
}

RooflinePlace place_of(const Verdict& verdict, std::size_t level) {
  const double bytes = bytes_of(verdict.traffic, level);
  return {
      bytes > 0 ? verdict.traffic.useful_flops / bytes : std::numeric_limits<double>::infinity(),
      verdict.gflops()};
}

bool is_whole(const KernelVerdict& kernel) {
  return kernel.verdict.traffic.type == DataType::Int32;
}

const KernelVerdict* trailed(const RooflinePicture& picture) {
  const int place = picture.kernels.size() == 1 ? 0 : picture.selected;
  if (place < 0 || place >= std::ssize(picture.kernels)) return nullptr;
  const KernelVerdict& kernel = picture.kernels[static_cast<std::size_t>(place)];
  return kernel.trail ? &kernel : nullptr;
}

void paint_roofline(QPainter& painter, const QRectF& area, const RooflinePicture& picture) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(area, theme().surface);
  painter.setFont(theme().small_font());
  const Frame frame(area, picture, QFontMetricsF(painter.font()));
  if (frame.plot().width() > 40 && frame.plot().height() > 40) {
    paint_axes(painter, frame, picture);
    paint_roofs(painter, frame, picture);
    paint_dots(painter, frame, picture);
    if (const KernelVerdict* kernel = trailed(picture))
      paint_trail(painter, frame, *kernel->trail, frame.radius(*kernel, longest_of(picture)));
    RooflineLegend(picture, area.width(), QFontMetricsF(painter.font()))
        .paint(painter, area.topLeft());
  }
  painter.restore();
}

int kernel_at(const RooflinePicture& picture, const QRectF& area, const QPointF& position) {
  const Frame frame(area, picture, QFontMetricsF(theme().small_font()));
  const double longest = longest_of(picture);
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < std::ssize(picture.kernels); ++k) {
    const KernelVerdict& kernel = picture.kernels[static_cast<std::size_t>(k)];
    const QPointF away = frame.at(kernel.verdict) - position;
    const double distance = std::hypot(away.x(), away.y());
    const double radius = frame.radius(kernel, longest) + 3;
    // Of dots over one another the smallest, which lies on top.
    if (distance > radius || radius >= least) continue;
    least = radius;
    nearest = k;
  }
  return nearest;
}

}  // namespace loopglass::views

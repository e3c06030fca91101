#include "views/tuning/knob_chart.h"

#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopglass::views {

namespace {

constexpr double near_enough = 6;  // pixels

double distance(const QPointF& at, const QPointF& a, const QPointF& b) {
  const QPointF along = b - a;
  const double length = QPointF::dotProduct(along, along);
  const double part =
      length == 0 ? 0 : std::clamp(QPointF::dotProduct(at - a, along) / length, 0.0, 1.0);
  const QPointF off = at - a - part * along;
  return std::hypot(off.x(), off.y());
}

}  // namespace

KnobChart::KnobChart(QWidget* parent) : QWidget(parent) {
  setObjectName("knobChart");
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(260, 90);
  setAccessibleName(tr("Knobs against speed"));
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void KnobChart::show_run(const ShownRun* run, int sketch, int until_round, int selected) {
  has_run_ = run && run->sketches && sketch >= 0 && sketch < std::ssize(*run->sketches);
  run_ = run ? *run : ShownRun();
  sketch_ = sketch;
  selected_ = selected;
  hovered_ = -1;
  speeds_ = has_run_ ? KnobSpeeds(run_, sketch, until_round) : KnobSpeeds();
  if (has_run_ &&
      (cursor_.knob >= std::ssize(knobs()) ||
       (cursor_.knob >= 0 &&
        cursor_.value >= std::ssize(knobs()[static_cast<std::size_t>(cursor_.knob)].values))))
    cursor_ = {};
  update();
}

const std::vector<tune::Knob>& KnobChart::knobs() const {
  return (*run_.sketches)[static_cast<std::size_t>(sketch_)].knobs;
}

QRectF KnobChart::plot() const {
  const double line = fontMetrics().height();
  return QRectF(rect()).adjusted(16, 1.9 * line, -16, -0.9 * line);
}

double KnobChart::axis_x(int knob) const {
  // Values stand to the right of their axis, so the last one wants room as well.
  const QRectF area = plot();
  const auto axes = static_cast<double>(knobs().size()) + 1;
  return area.left() + area.width() * knob / axes * (axes / (axes - 0.35));
}

double KnobChart::value_y(int knob, int value) const {
  const QRectF area = plot();
  const auto count = static_cast<double>(knobs()[static_cast<std::size_t>(knob)].values.size());
  return area.bottom() - area.height() * (count == 1 ? 0.5 : value / (count - 1));
}

QPolygonF KnobChart::line_of(const ShownTrial& trial) const {
  QPolygonF line;
  for (int k = 0; k < std::ssize(knobs()); ++k)
    line << QPointF(axis_x(k), value_y(k, trial.point->choices[static_cast<std::size_t>(k)]));
  if (const auto share = speeds_.share(trial)) {
    const QRectF area = plot();
    line << QPointF(axis_x(static_cast<int>(knobs().size())),
                    area.bottom() - area.height() * *share);
  }
  return line;
}

int KnobChart::trial_at(const QPointF& at) const {
  int nearest = -1;
  double least = near_enough;
  for (const int place : speeds_.places()) {
    const ShownTrial& trial = run_.trials[static_cast<std::size_t>(place)];
    const QPolygonF line = line_of(trial);
    const double share = speeds_.share(trial).value_or(-1);
    for (int i = 0; i + 1 < line.size(); ++i)
      // Of lines that lie together the faster is meant.
      if (const double off = distance(at, line[i], line[i + 1]) - 2 * share; off <= least) {
        least = off;
        nearest = place;
      }
  }
  return nearest;
}

auto KnobChart::value_at(const QPointF& at) const -> Place {
  if (!has_run_) return {};
  const double row = fontMetrics().height();
  for (int k = 0; k < std::ssize(knobs()); ++k) {
    const auto& values = knobs()[static_cast<std::size_t>(k)].values;
    Place nearest;
    double least = 0.6 * row;
    for (int v = 0; v < std::ssize(values); ++v) {
      const double width =
          10 + fontMetrics().horizontalAdvance(text(values[static_cast<std::size_t>(v)]));
      if (at.x() < axis_x(k) - near_enough || at.x() > axis_x(k) + std::min(width, 90.0)) continue;
      if (const double off = std::abs(at.y() - value_y(k, v)); off < least) {
        least = off;
        nearest = {k, v};
      }
    }
    if (nearest.knob >= 0) return nearest;
  }
  return {};
}

QString KnobChart::words_of(const Place& place) const {
  const tune::Knob& knob = knobs()[static_cast<std::size_t>(place.knob)];
  const std::string& value = knob.values[static_cast<std::size_t>(place.value)];
  int count = 0;
  int best = -1;
  for (const int t : speeds_.places()) {
    const ShownTrial& trial = run_.trials[static_cast<std::size_t>(t)];
    if (trial.point->choices[static_cast<std::size_t>(place.knob)] != place.value) continue;
    ++count;
    if (speeds_.share(trial)) best = KnobSpeeds::better(run_, best, t);
  }
  QString words = QString("%1 %2").arg(text(knob.name), text(value));
  if (count == 0) words += tr(": not tried");
  else if (best < 0) words += tr(": %1 tried, all failed").arg(count);
  else {
    const ShownTrial& fastest = run_.trials[static_cast<std::size_t>(best)];
    words += tr(": %1 tried, at best %2%3")
                 .arg(count)
                 .arg(fastest.left_early ? "> " : "",
                      text(readable_time(Milliseconds(fastest.best_known_ms()))));
  }
  switch (mark_of(run_, knob.name, value)) {
    case KnobMark::Pinned: return words + tr(" · pinned");
    case KnobMark::Forbidden: return words + tr(" · forbidden");
    case KnobMark::None: return words;
  }
  return words;
}

// "run: terms that are summed before…", a line; empty where nobody says.
QString KnobChart::doc_of(int knob) const {
  const tune::Knob& about = knobs()[static_cast<std::size_t>(knob)];
  return about.doc.empty() ? QString() : QString("%1: %2\n").arg(text(about.name), text(about.doc));
}

int KnobChart::title_at(const QPointF& at) const {
  if (at.y() > plot().top() - 4) return -1;
  for (int k = static_cast<int>(knobs().size()) - 1; k >= 0; --k)
    if (at.x() >= axis_x(k) - 4) return at.x() < axis_x(k + 1) - 4 ? k : -1;
  return -1;
}

std::set<int> KnobChart::named_values(int knob, double apart) const {
  const tune::Knob& about = knobs()[static_cast<std::size_t>(knob)];
  const ShownTrial* best = run_.best_trial();
  const auto rank = [&](int v) {
    if (hasFocus() && cursor_ == Place{knob, v}) return 0;
    if (mark_of(run_, about.name, about.values[static_cast<std::size_t>(v)]) != KnobMark::None)
      return 1;
    const bool is_of_best = best && best->point && best->point->sketch == sketch_ &&
                            best->point->choices[static_cast<std::size_t>(knob)] == v;
    return is_of_best ? 2 : 3;
  };
  std::vector<int> order(about.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, rank);
  std::set<int> named;
  for (const int v : order)
    if (std::ranges::none_of(named, [&](int other) {
          return std::abs(value_y(knob, other) - value_y(knob, v)) < apart;
        }))
      named.insert(v);
  return named;
}

void KnobChart::paint_axes(QPainter& painter) const {
  const Theme& t = theme();
  const QRectF area = plot();
  const double row = fontMetrics().height();
  painter.setFont(t.small_font());
  const QFontMetricsF metrics(t.small_font());
  for (int k = 0; k <= std::ssize(knobs()); ++k) {
    const double x = axis_x(k);
    const bool is_time = k == std::ssize(knobs());
    const double room = (is_time ? rect().right() : axis_x(k + 1)) - x - 8;
    painter.setPen(QPen(t.border, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(t.text);
    const QString title = is_time ? tr("time") : text(knobs()[static_cast<std::size_t>(k)].name);
    painter.drawText(QPointF(x - 4, area.top() - 0.7 * row),
                     metrics.elidedText(title, Qt::ElideRight, std::max(20.0, room)));
    painter.setPen(t.muted);
    if (is_time) {
      if (speeds_.fastest_ms() > 0) {
        painter.drawText(QPointF(x + 6, area.top() + 0.35 * row),
                         text(readable_time(Milliseconds(speeds_.fastest_ms()))));
        if (speeds_.slowest_ms() > speeds_.fastest_ms())
          painter.drawText(QPointF(x + 6, area.bottom() + 0.35 * row),
                           "≥ " + text(readable_time(Milliseconds(speeds_.slowest_ms()))));
      }
      continue;
    }
    const tune::Knob& knob = knobs()[static_cast<std::size_t>(k)];
    const std::set<int> named = named_values(k, 0.95 * metrics.height());
    for (int v = 0; v < std::ssize(knob.values); ++v) {
      const double y = value_y(k, v);
      const std::string& value = knob.values[static_cast<std::size_t>(v)];
      const KnobMark mark = mark_of(run_, knob.name, value);
      const bool is_cursor = hasFocus() && cursor_ == Place{k, v};
      painter.setPen(Qt::NoPen);
      painter.setBrush(mark == KnobMark::Pinned ? t.accent : t.border);
      painter.drawEllipse(QPointF(x, y), mark == KnobMark::Pinned ? 4.5 : 2.5,
                          mark == KnobMark::Pinned ? 4.5 : 2.5);
      if (is_cursor) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1.5));
        painter.drawEllipse(QPointF(x, y), 7, 7);
      }
      if (!named.contains(v)) continue;
      QFont font = t.small_font();
      font.setStrikeOut(mark == KnobMark::Forbidden);
      font.setBold(mark == KnobMark::Pinned);
      painter.setFont(font);
      painter.setPen(mark == KnobMark::Forbidden ? t.error
                     : mark == KnobMark::Pinned  ? t.accent
                                                 : t.muted);
      // Lines go on behind it.
      const QString words =
          metrics.elidedText(text(value), Qt::ElideRight, std::max(16.0, room - 8));
      const QPointF at(x + 7, y + 0.35 * metrics.height());
      painter.fillRect(QRectF(at.x() - 1, y - 0.5 * metrics.height(),
                              metrics.horizontalAdvance(words) + 2, metrics.height()),
                       t.surface);
      painter.drawText(at, words);
      painter.setFont(t.small_font());
    }
  }
}

void KnobChart::paint_lines(QPainter& painter) const {
  const Theme& t = theme();
  std::vector<int> order = speeds_.places();
  const auto share = [&](int place) {
    return speeds_.share(run_.trials[static_cast<std::size_t>(place)]).value_or(-1);
  };
  // The fastest lie on top.
  std::ranges::stable_sort(order, {}, share);
  painter.setBrush(Qt::NoBrush);
  for (const int place : order) {
    const double part = share(place);
    QColor color = part < 0 ? t.muted : t.heat(part);
    color.setAlphaF(part < 0 ? 0.35F : static_cast<float>(0.35 + 0.55 * part));
    const bool is_bound = run_.trials[static_cast<std::size_t>(place)].left_early;
    painter.setPen(QPen(color, part > 0.95 ? 2.2 : 1.2,
                        part < 0   ? Qt::DotLine
                        : is_bound ? Qt::DashLine
                                   : Qt::SolidLine));
    painter.drawPolyline(line_of(run_.trials[static_cast<std::size_t>(place)]));
  }
  for (const auto& [place, width] : {std::pair(hovered_, 2.0), std::pair(selected_, 3.0)}) {
    if (std::ranges::find(order, place) == order.end()) continue;
    painter.setPen(QPen(t.mark, width));
    painter.drawPolyline(line_of(run_.trials[static_cast<std::size_t>(place)]));
  }
}

void KnobChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme().surface);
  if (!has_run_ || speeds_.empty()) {
    painter.setPen(theme().muted);
    painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     !has_run_ ? tr("Knobs of a run's space against its times are shown here.")
                               : tr("No trial of this sketch yet."));
    return;
  }
  paint_lines(painter);
  paint_axes(painter);
  if (hasFocus()) {
    painter.setPen(QPen(theme().accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void KnobChart::mouseMoveEvent(QMouseEvent* event) {
  const bool is_value = value_at(event->position()).knob >= 0;
  const int hovered = !has_run_ || is_value ? -1 : trial_at(event->position());
  setCursor(is_value || hovered >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hovered != hovered_) {
    hovered_ = hovered;
    update();
  }
}

void KnobChart::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void KnobChart::mousePressEvent(QMouseEvent* event) {
  if (!has_run_) return;
  if (const Place place = value_at(event->position()); place.knob >= 0) {
    cursor_ = place;
    update();
    const tune::Knob& knob = knobs()[static_cast<std::size_t>(place.knob)];
    emit valueChosen(knob.name, knob.values[static_cast<std::size_t>(place.value)],
                     event->globalPosition().toPoint());
    return;
  }
  if (const int trial = trial_at(event->position()); trial >= 0) emit trialChosen(trial);
}

void KnobChart::keyPressEvent(QKeyEvent* event) {
  const auto action = action_of(knob_keys(), *event);
  if (!has_run_ || knobs().empty() || !action) return QWidget::keyPressEvent(event);
  const auto count = [&](int knob) {
    return static_cast<int>(knobs()[static_cast<std::size_t>(knob)].values.size());
  };
  Place to = cursor_.knob < 0 ? Place{0, 0} : cursor_;
  switch (static_cast<KnobAction>(*action)) {
    case KnobAction::Left: to.knob = std::max(0, to.knob - 1); break;
    case KnobAction::Right:
      to.knob = std::min(static_cast<int>(knobs().size()) - 1, to.knob + 1);
      break;
    case KnobAction::Up: to.value = std::min(count(to.knob) - 1, to.value + 1); break;
    case KnobAction::Down: to.value = std::max(0, to.value - 1); break;
    case KnobAction::Choose: {
      if (cursor_.knob < 0) break;
      const tune::Knob& knob = knobs()[static_cast<std::size_t>(cursor_.knob)];
      emit valueChosen(
          knob.name, knob.values[static_cast<std::size_t>(cursor_.value)],
          mapToGlobal(
              QPointF(axis_x(cursor_.knob), value_y(cursor_.knob, cursor_.value)).toPoint()));
      return;
    }
  }
  to.value = std::min(to.value, count(to.knob) - 1);
  cursor_ = to;
  setAccessibleDescription(words_of(to));
  update();
}

void KnobChart::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void KnobChart::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

bool KnobChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !has_run_) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const Place place = value_at(help->pos()); place.knob >= 0) {
    QToolTip::showText(
        help->globalPos(),
        words_of(place) + "\n" + doc_of(place.knob) + tr("A click pins or forbids it."), this);
  } else if (const int knob = title_at(help->pos()); knob >= 0) {
    QToolTip::showText(help->globalPos(), doc_of(knob).trimmed(), this);
  } else if (const int trial = trial_at(help->pos()); trial >= 0) {
    const ShownTrial& shown = run_.trials[static_cast<std::size_t>(trial)];
    const QString time = std::isnan(shown.best_known_ms())
                             ? text(shown.failure)
                             : text(readable_time(Milliseconds(shown.best_known_ms())));
    QToolTip::showText(help->globalPos(),
                       tr("trial %1: %2\n%3").arg(shown.number).arg(time, text(shown.words)), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace loopglass::views

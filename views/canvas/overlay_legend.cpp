#include "views/canvas/overlay_legend.h"

#include "views/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

constexpr int inset = 4, side = 8, line_width = 26, swatch_width = 13, gap = 5, between = 13,
              spacing = 3;
constexpr int slack = 2;        // or a line would be broken for less than a pixel
constexpr int least_room = 60;  // of what is written

int width_of(OverlayLegend::Sample sample) {
  return sample == OverlayLegend::Sample::Swatch ? swatch_width : line_width;
}

QFont words_font() { return theme().small_font(); }
QFont heading_font() {
  QFont font = words_font();
  font.setWeight(QFont::DemiBold);
  return font;
}

// Of words that are broken into lines of at most this width.
QSize size_of(const QFont& font, const QString& words, int widest) {
  const QFontMetrics metrics(font);
  const int width = metrics.horizontalAdvance(words) + slack;
  if (width <= widest) return {width, metrics.height()};
  const QRect room(0, 0, widest, 1 << 12);
  return {widest,
          metrics.boundingRect(room, Qt::TextWrapAnywhere | Qt::TextWordWrap, words).height()};
}

}  // namespace

OverlayLegend::OverlayLegend(QWidget* parent) : QWidget(parent) {
  setObjectName("overlayLegend");
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    fit();
    update();
  });
  hide();
}

void OverlayLegend::show_rows(const QString& title, std::vector<Row> rows) {
  title_ = title;
  rows_ = std::move(rows);
  setVisible(!rows_.empty());
  fit();
  update();
}

// Not left to the layouts around it: they go by the width that they had.
void OverlayLegend::fit() {
  if (const int wanted = heightForWidth(width()); wanted != height()) setFixedHeight(wanted);
}

void OverlayLegend::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

std::vector<QRect> OverlayLegend::places(int width) const {
  const int widest = std::max(least_room, width - 2 * side);
  std::vector<QSize> sizes{title_.isEmpty() ? QSize(0, 0)
                                            : size_of(heading_font(), title_, widest)};
  for (const Row& row : rows_) {
    const int sample = width_of(row.sample) + gap;
    const int room = std::max(least_room, widest - sample);
    sizes.push_back(size_of(words_font(), row.text, room) + QSize(sample, 0));
  }
  std::vector<QRect> places;
  int left = side, top = inset, height = 0;
  for (const QSize size : sizes) {
    if (left > side && left + size.width() > side + widest) {
      left = side;
      top += height + spacing;
      height = 0;
    }
    places.emplace_back(QPoint(left, top), size);
    if (size.width() > 0) left += size.width() + between;
    height = std::max(height, size.height());
  }
  return places;
}

int OverlayLegend::heightForWidth(int width) const {
  int bottom = 0;
  for (const QRect& place : places(width)) bottom = std::max(bottom, place.y() + place.height());
  return bottom + inset;
}

QSize OverlayLegend::sizeHint() const {
  constexpr int usual = 400;
  return {usual, heightForWidth(std::max(width(), usual))};
}

QSize OverlayLegend::minimumSizeHint() const {
  return {line_width + gap + least_room + 2 * side,
          QFontMetrics(words_font()).height() + 2 * inset};
}

// Outlined, for colours of a scale that are hardly another than the paper's.
void OverlayLegend::paint_sample(QPainter& painter, const Row& row, const QRectF& area) const {
  const Theme& t = theme();
  const QColor color = row.mark.color.isValid() ? row.mark.color : t.edge;
  const QPointF middle = area.center();
  if (row.sample == Sample::Swatch) {
    painter.setPen(QPen(t.muted, 1));
    painter.setBrush(color);
    painter.drawRect(QRectF(area.left() + 0.5, middle.y() - 5, area.width() - 1, 10));
  } else if (row.sample == Sample::Band) {
    QColor fill = color;
    fill.setAlpha(60);
    painter.setPen(QPen(color, row.mark.width));
    painter.setBrush(fill);
    painter.drawRoundedRect(area.adjusted(1, 2, -1, -2), 4, 4);
  } else {
    painter.setPen(QPen(color, row.mark.width, row.mark.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(QPointF(area.left(), middle.y()), QPointF(area.right(), middle.y()));
  }
  if (row.mark.sign.isEmpty()) return;
  painter.setPen(QPen(color, 1.2));
  painter.setBrush(t.surface);
  painter.drawEllipse(middle, 6.5, 6.5);
  painter.setPen(color);
  painter.drawText(QRectF(middle - QPointF(8, 8), QSizeF(16, 16)), Qt::AlignCenter, row.mark.sign);
}

void OverlayLegend::paintEvent(QPaintEvent*) {
  const Theme& t = theme();
  QPainter painter(this);
  painter.fillRect(rect(), t.raised);
  painter.fillRect(QRect(0, 0, width(), 1), t.border);
  painter.setRenderHint(QPainter::Antialiasing);
  constexpr int flags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap | Qt::TextWrapAnywhere;
  const std::vector<QRect> places = this->places(width());
  painter.setPen(t.text);
  painter.setFont(heading_font());
  painter.drawText(places.front(), flags, title_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const QRect& place = places[i + 1];
    painter.setFont(words_font());
    const int sample = width_of(rows_[i].sample);
    paint_sample(painter, rows_[i], QRectF(place.left(), place.top(), sample, place.height()));
    painter.setPen(t.text);
    painter.setFont(words_font());
    painter.drawText(place.adjusted(sample + gap, 0, 0, 0), flags, rows_[i].text);
  }
}

}  // namespace loopglass::views

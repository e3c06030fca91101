#include "app/export/heat_legend.h"

#include "views/canvas/item_style.h"
#include "views/theme.h"
#include "views/theme_scope.h"

#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr double margin = 24, gap = 8, bar_width = 260, bar_height = 14, least_width = 480;

// Of paper, where all its words and both ends of the scale have room.
struct Legend {
  double begin = 0;  // of the scale, which ends with 1
  QString title, doc, least, greatest;
  QRectF title_area, doc_area, bar;
  double height = 0;
};

Legend legend_of(views::Measure measure, double greatest, double width) {
  const double begin = views::goes_both_ways(measure) ? -1 : 0;
  Legend legend{begin,
                views::measure_name(measure),
                views::measure_doc(measure),
                views::scale_text(measure, greatest, begin),
                views::scale_text(measure, greatest, 1),
                {},
                {},
                {},
                0};
  const QFontMetricsF title(views::title_font()), words(views::detail_font());
  const double inner = width - 2 * margin;
  legend.title_area = {margin, margin, inner, title.height()};
  const double top = legend.title_area.bottom() + gap / 2;
  legend.doc_area = words.boundingRect(QRectF(margin, top, inner, 1000),
                                       Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, legend.doc);
  const double left = margin + words.horizontalAdvance(legend.least) + gap;
  legend.bar = {left, legend.doc_area.bottom() + gap, bar_width, bar_height};
  legend.height = legend.bar.bottom() + gap;
  return legend;
}

void paint(QPainter& painter, const Legend& legend) {
  const views::Theme& theme = views::theme();
  painter.setPen(theme.text);
  painter.setFont(views::title_font());
  painter.drawText(legend.title_area, Qt::AlignLeft | Qt::AlignVCenter, legend.title);
  painter.setFont(views::detail_font());
  painter.setPen(theme.muted);
  painter.drawText(legend.doc_area, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, legend.doc);
  QLinearGradient scale(legend.bar.topLeft(), legend.bar.topRight());
  constexpr int stops = 16;
  for (int stop = 0; stop <= stops; ++stop) {
    const double part = static_cast<double>(stop) / stops;
    scale.setColorAt(part, theme.heat(legend.begin + part * (1 - legend.begin)));
  }
  painter.setPen(theme.border);
  painter.setBrush(scale);
  painter.drawRect(legend.bar);
  painter.setPen(theme.text);
  const double height = QFontMetricsF(painter.font()).height(),
               top = legend.bar.center().y() - height / 2;
  painter.drawText(QRectF(margin, top, legend.bar.left() - gap - margin, height),
                   Qt::AlignLeft | Qt::AlignVCenter, legend.least);
  painter.drawText(QRectF(legend.bar.right() + gap, top, 200, height),
                   Qt::AlignLeft | Qt::AlignVCenter, legend.greatest);
}

}  // namespace

Picture with_heat_legend(Picture picture, views::Measure measure, double greatest) {
  const views::ThemeScope light(views::Tone::Light);
  const double width = std::max(picture.size.width(), least_width);
  const Legend legend = legend_of(measure, greatest, width);
  picture.size = {width, picture.size.height() + legend.height};
  picture.paint = [legend, below = std::move(picture.paint)](QPainter& painter, const GoOn& go_on) {
    painter.save();
    paint(painter, legend);
    painter.restore();
    painter.translate(0, legend.height);
    below(painter, go_on);
  };
  return picture;
}

}  // namespace loopglass::app

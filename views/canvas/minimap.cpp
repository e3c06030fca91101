#include "views/canvas/minimap.h"

#include "views/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <vector>

namespace loopglass::views {
namespace {

constexpr double minimap_width = 150, minimap_height = 260, least_side = 36, minimap_inset = 6;

}  // namespace

Minimap::Minimap(GraphCanvas* canvas) : QWidget(canvas->viewport()), canvas_(canvas) {
  setCursor(Qt::PointingHandCursor);
  setToolTip(tr("Overview: click or drag to move"));
  canvas->viewport()->installEventFilter(this);
  for (const auto signal : {&GraphCanvas::layoutChanged, &GraphCanvas::highlightChanged})
    connect(canvas, signal, this, &Minimap::place);
  connect(canvas, &GraphCanvas::viewChanged, this, [this] {
    place();
    update();
  });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    overview_ = {};
    update();
  });
  for (const auto signal : {&GraphCanvas::layoutChanged, &GraphCanvas::overlayChanged})
    connect(canvas, signal, this, [this] {
      overview_ = {};
      update();
    });
  hide();
}

const std::vector<std::string>& Minimap::corner_names() {
  static const std::vector<std::string> names{"top left", "top right", "bottom left",
                                              "bottom right"};  // in the order of Qt::Corner
  return names;
}

void Minimap::set_corner(const std::string& name) {
  const auto known = std::ranges::find(corner_names(), name);
  if (known == corner_names().end()) return;
  corner_ = static_cast<Qt::Corner>(known - corner_names().begin());
  wished_ = corner_;
  place();
}

bool Minimap::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  if (event->type() == QEvent::Wheel || event->type() == QEvent::MouseButtonPress) wished_.reset();
  return QWidget::eventFilter(watched, event);
}

// Shown only while some of the graph is out of view, in a corner where nothing of it lies: the one
// it is in, while that is so. Where the graph is all over the view it lies where it covers least of
// the boxes, unless most of the graph is in view, or the view is so small that the map takes a good
// part of it: then it would hide more than it tells.
void Minimap::place() {
  const QRect viewport = canvas_->viewport()->rect();
  const QSizeF whole = canvas_->natural_size();
  const QRectF view = canvas_->mapToScene(viewport).boundingRect();
  const QRectF graph(QPointF(), whole);
  const bool room = viewport.width() > 440 && viewport.height() > 200;
  if (!room || whole.isEmpty() || view.contains(graph)) return hide();
  const double height = std::min(minimap_height, viewport.height() * 0.4);
  const double width = std::min(minimap_width, viewport.width() * 0.18);
  const double largest = std::min(width / whole.width(), height / whole.height());
  const auto size_at = [&](double scale) {
    return QSize(
        static_cast<int>(std::max(least_side, whole.width() * scale) + 2 * minimap_inset),
        static_cast<int>(std::max(least_side, whole.height() * scale) + 2 * minimap_inset));
  };
  QSize size = size_at(largest);
  Covering covering = least_covering(size);
  // Rather a little smaller than over a box.
  for (const double part : {0.8, 0.6}) {
    if (covering.area <= 0) break;
    const QSize smaller = size_at(part * largest);
    if (const Covering found = least_covering(smaller); found.area <= 0) {
      covering = found;
      size = smaller;
    }
  }
  const bool is_free = covering.area <= 0;
  const QRectF seen = view & graph;
  const bool most = seen.width() * seen.height() > 0.5 * whole.width() * whole.height();
  constexpr double good_part = 0.05;
  const auto area_of = [](QSize box) { return double(box.width()) * box.height(); };
  constexpr int high_enough_to_cover = 320;
  setVisible(is_free || (!most && viewport.height() > high_enough_to_cover &&
                         area_of(size) < good_part * area_of(viewport.size())));
  if (isHidden()) return;
  corner_ = covering.corner;
  QRect area = area_in(corner_, size);
  // Over what is selected it lies in no case.
  if (const QRect selected = canvas_->selected_area(); !is_free && area.intersects(selected)) {
    const auto corners = {Qt::BottomRightCorner, Qt::TopRightCorner, Qt::BottomLeftCorner,
                          Qt::TopLeftCorner};
    const auto other = std::ranges::find_if(
        corners, [&](Qt::Corner corner) { return !area_in(corner, size).intersects(selected); });
    if (other == corners.end()) return hide();
    area = area_in(corner_ = *other, size);
  }
  if (area == geometry()) return;
  if (area.size() != this->size()) overview_ = {};
  setGeometry(area);
}

QRect Minimap::area_in(Qt::Corner corner, QSize size) const {
  constexpr int border = 10;
  QRect area({border, border}, size);
  const QRect inside = canvas_->viewport()->rect().adjusted(border, border, -border, -border);
  if (corner == Qt::TopRightCorner || corner == Qt::BottomRightCorner)
    area.moveRight(inside.right());
  if (corner == Qt::BottomLeftCorner || corner == Qt::BottomRightCorner)
    area.moveBottom(inside.bottom());
  return area;
}

// The one that is wished, then its own, then the others, as long as no other covers clearly less;
// its own while it is used.
Minimap::Covering Minimap::least_covering(QSize size) const {
  const layout::Layout* drawn = canvas_->current_layout();
  if (!drawn || underMouse()) return {corner_, 0};
  constexpr int clear = 4;
  std::vector<Covering> corners;
  std::vector<QRectF> areas;  // in the scene
  for (const Qt::Corner corner : {wished_.value_or(corner_), corner_, Qt::BottomRightCorner,
                                  Qt::TopRightCorner, Qt::BottomLeftCorner, Qt::TopLeftCorner}) {
    corners.push_back({corner, 0});
    areas.push_back(
        canvas_->mapToScene(area_in(corner, size).adjusted(-clear, -clear, clear, clear))
            .boundingRect());
  }
  for (std::uint32_t node = 0; node < drawn->centres.size(); ++node) {
    QRectF box({}, canvas_->box_size(node));
    box.moveCenter({drawn->centres[node].x, drawn->centres[node].y});
    for (std::size_t k = 0; k < corners.size(); ++k)
      if (const QRectF covered = areas[k] & box; !covered.isEmpty())
        corners[k].area += covered.width() * covered.height();
  }
  constexpr double clearly_less = 0.5;
  Covering best = corners.front();
  for (const Covering& other : corners)
    if (other.area < clearly_less * best.area) best = other;
  return best;
}

QTransform Minimap::to_map() const {
  const QSizeF whole = canvas_->natural_size();
  const QRectF room =
      QRectF(rect()).adjusted(minimap_inset, minimap_inset, -minimap_inset, -minimap_inset);
  const double scale = std::min(room.width() / whole.width(), room.height() / whole.height());
  const QPointF origin = room.center() - QPointF(whole.width() * scale, whole.height() * scale) / 2;
  return QTransform(scale, 0, 0, scale, origin.x(), origin.y());
}

void Minimap::draw_overview() {
  overview_ = QPixmap(size() * devicePixelRatioF());
  overview_.setDevicePixelRatio(devicePixelRatioF());
  overview_.fill(Qt::transparent);
  const layout::Layout* drawn = canvas_->current_layout();
  if (!drawn) return;
  QPainter painter(&overview_);
  const QTransform transform = to_map();
  const auto& nodes = canvas_->content().nodes;
  const auto& heats = canvas_->overlay().heats;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].ghost) continue;
    const QSizeF size = canvas_->box_size(i);
    const QPointF centre(drawn->centres[i].x, drawn->centres[i].y);
    QRectF box = transform.mapRect(QRectF(centre - QPointF(size.width(), size.height()) / 2, size));
    // A node is never less than a pixel, or it would be as if it were not there.
    if (box.width() < 2) box.setWidth(2);
    if (box.height() < 1) box.setHeight(1);
    const auto heat = heats.find(i);
    painter.fillRect(box, heat == heats.end() ? nodes[i].fill : heat->second.color);
  }
}

void Minimap::paintEvent(QPaintEvent*) {
  if (overview_.isNull()) draw_overview();
  const Theme& t = theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor paper = t.raised;
  paper.setAlpha(225);
  painter.setBrush(paper);
  painter.setPen(t.border);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
  painter.drawPixmap(0, 0, overview_);
  const QRectF view =
      to_map().mapRect(canvas_->mapToScene(canvas_->viewport()->rect()).boundingRect());
  QColor shade = t.accent;
  shade.setAlpha(40);
  painter.setBrush(shade);
  painter.setPen(QPen(t.accent, 1.5));
  painter.drawRect(view.intersected(QRectF(rect()).adjusted(1, 1, -1, -1)));
}

void Minimap::go_to(QPointF position) { canvas_->centre_at(to_map().inverted().map(position)); }
void Minimap::mousePressEvent(QMouseEvent* event) { go_to(event->position()); }
void Minimap::mouseMoveEvent(QMouseEvent* event) { go_to(event->position()); }

}  // namespace loopglass::views

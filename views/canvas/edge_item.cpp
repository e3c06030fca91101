// Edges: their curve and arrow, the label at their beginning, and what the overlay says of them in
// their middle.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace loopglass::views {
namespace {

constexpr double sign_radius = 6.5;

QPointF at(const layout::Curve& curve, std::size_t segment, double part) {
  const double rest = 1 - part;
  return rest * rest * rest * to_point(curve[segment]) +
         3 * rest * rest * part * to_point(curve[segment + 1]) +
         3 * rest * part * part * to_point(curve[segment + 2]) +
         part * part * part * to_point(curve[segment + 3]);
}

// A part of the way, measured by the ends of the segments: exact lengths cost more than they are
// worth.
QPointF point_along(const layout::Curve& curve, double part) {
  const auto length = [&](std::size_t segment) {
    const QPointF step = to_point(curve[segment + 3]) - to_point(curve[segment]);
    return std::hypot(step.x(), step.y());
  };
  double whole = 0;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) whole += length(i);
  double left = whole * part;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    const double here = length(i);
    if (left <= here) return at(curve, i, here > 0 ? left / here : part);
    left -= here;
  }
  return to_point(curve.back());
}

}  // namespace

EdgeItem::EdgeItem(std::uint32_t index, CanvasEdge of, std::vector<layout::Curve> along,
                   const QString& source, const QString& target)
    : index_(index),
      edge_(std::move(of)),
      pieces_(std::move(along)),
      cut_(pieces_.size() > 1),
      names_{target, source} {
  setZValue(-1);
  setToolTip(edge_.tooltip);
  for (const layout::Curve& piece : pieces_) {
    path_.moveTo(to_point(piece.front()));
    for (std::size_t i = 1; i + 2 < piece.size(); i += 3)
      path_.cubicTo(to_point(piece[i]), to_point(piece[i + 1]), to_point(piece[i + 2]));
  }
  stub_ends_[0] = to_point(pieces_.front().back());
  stub_ends_[1] = to_point(pieces_.back().front());

  const layout::Curve& last = pieces_.back();
  const QPointF tip = to_point(last.back());
  QPointF direction = tip - to_point(last[last.size() - 2]);
  const double length = std::hypot(direction.x(), direction.y());
  direction = length > 1e-6 ? direction / length : QPointF(0, 1);
  const QPointF across(-direction.y(), direction.x());
  arrow_ << tip << tip - direction * 8 + across * 3.5 << tip - direction * 8 - across * 3.5;

  label_at_ = to_point(pieces_.front().front()) +
              QPointF(label_offset, 3 + edge_.label_row * (detail_height() - 1));
  mark_at_ = point_along(pieces_.front(), 0.5);
  find_bounds();
}

void EdgeItem::find_bounds() {
  bounds_ = path_.boundingRect().united(arrow_.boundingRect());
  for (const QRectF& area : words()) bounds_ |= area;
  // Also what is said only while somebody points at it.
  if (!mark_.sign.isEmpty() || !mark_.code.isEmpty()) bounds_ |= sign_area() | code_area();
  bounds_.adjust(-4, -4, 4, 4);
}

std::vector<QRectF> EdgeItem::beginning() const {
  constexpr double deep = 30, step = 6;
  constexpr std::size_t most = 64;  // of a line that goes sideways, or up
  const layout::Curve& curve = pieces_.front();
  std::vector<QRectF> line;
  QPointF before = to_point(curve.front());
  const double bottom = before.y() + deep;
  for (std::size_t segment = 0; segment + 3 < curve.size(); segment += 3) {
    const QPointF across = to_point(curve[segment + 3]) - to_point(curve[segment]);
    const double pieces = std::ceil(std::hypot(across.x(), across.y()) / step) + 1;
    for (double piece = 1; piece <= pieces; ++piece) {
      const QPointF here = at(curve, segment, piece / pieces);
      line.push_back(QRectF(before, here).normalized().adjusted(-1, -1, 1, 1));
      if (here.y() > bottom || line.size() == most) return line;
      before = here;
    }
  }
  return line;
}

void EdgeItem::place_label(const std::function<bool(const QRectF&)>& is_free) {
  if (edge_.label.isEmpty()) return;
  const QPointF before = label_at_, start = to_point(pieces_.front().front());
  const double width = words().front().width();
  const auto put = [&](double left) {
    label_at_.setX(left);
    return is_free(words().front());
  };
  const double right = start.x() + label_offset, left = start.x() - label_offset - width;
  bool found = false;
  for (const double further : {0, 10, 20, 30})  // clear of lines that lean to its side
    for (const double side : {right + further, left - further})
      if (!found) found = put(side);
  if (!found) put(right);
  if (label_at_ == before) return;
  prepareGeometryChange();
  find_bounds();
  update();
}

std::vector<QRectF> EdgeItem::words() const {
  std::vector<QRectF> areas;
  if (!edge_.label.isEmpty()) {
    const QFontMetricsF metrics(detail_font());
    areas.emplace_back(label_at_,
                       QSizeF(metrics.horizontalAdvance(edge_.label) + 4, metrics.height()));
  }
  if (cut_)
    for (int end = 0; end < 2; ++end) areas.push_back(name_area(end));
  return areas;
}

QRectF EdgeItem::name_area(int end) const {
  const QFontMetricsF metrics(detail_font());
  const double width = metrics.horizontalAdvance("↓ " + names_[end]) + 4;
  const double top = end == 0 ? 0 : -metrics.height();
  return {stub_ends_[end] + QPointF(-width / 2, top), QSizeF(width, metrics.height())};
}

bool EdgeItem::shows(const CanvasEdge& edge, const std::vector<layout::Curve>& pieces,
                     const QString& source, const QString& target) const {
  return edge.label == edge_.label && edge.label_row == edge_.label_row &&
         edge.tooltip == edge_.tooltip && edge.ghost == edge_.ghost &&
         (!cut_ || (names_[0] == target && names_[1] == source)) && pieces == pieces_;
}

void EdgeItem::set_emphasis(Emphasis emphasis) {
  if (emphasis == emphasis_) return;
  emphasis_ = emphasis;
  find_depth();
  update();
}

void EdgeItem::set_mark(const EdgeMark& mark) {
  if (mark == mark_) return;
  const bool room_is_the_same = mark.sign == mark_.sign && mark.code == mark_.code;
  if (!room_is_the_same) prepareGeometryChange();
  mark_ = mark;
  if (!room_is_the_same) find_bounds();
  setAcceptHoverEvents(!mark_.code.isEmpty());
  update();
}

void EdgeItem::hoverEnterEvent(QGraphicsSceneHoverEvent*) {
  pointed_at_ = true;
  find_depth();
  update();
}

void EdgeItem::hoverLeaveEvent(QGraphicsSceneHoverEvent*) {
  pointed_at_ = false;
  find_depth();
  update();
}

// Whose code is wanted lies over the nodes beside it.
void EdgeItem::find_depth() {
  const bool tells = stands_out() && !mark_.code.isEmpty();
  setZValue(tells ? 0.75 : emphasis_ == Emphasis::None ? -1 : -0.5);
}

QRectF EdgeItem::boundingRect() const { return bounds_; }

QPainterPath EdgeItem::shape() const {
  if (shape_.isEmpty()) {
    QPainterPathStroker stroker;
    stroker.setWidth(9);
    shape_ = stroker.createStroke(path_);
  }
  if (!shows_sign()) return shape_;
  QPainterPath whole = shape_;
  whole.addEllipse(mark_at_, sign_radius + 2, sign_radius + 2);
  whole.setFillRule(Qt::WindingFill);
  return whole;
}

QPen EdgeItem::line_pen(double detail) const {
  const Theme& t = theme();
  QPen pen(mark_.color.isValid() ? mark_.color : t.edge, mark_.width);
  if (mark_.dashed) pen.setStyle(Qt::DashLine);
  if (edge_.ghost) {
    QColor faint = t.error;
    faint.setAlpha(150);
    pen = QPen(faint, 1.3, Qt::DashLine);
  }
  // A mark keeps its colour: it is what one looks for.
  const double wide = emphasis_ == Emphasis::Primary ? 3.4 : 2.4;
  if (emphasis_ != Emphasis::None) {
    pen.setWidthF(std::max(pen.widthF() + 1, wide));
    if (!mark_.color.isValid()) pen.setColor(emphasis_ == Emphasis::Primary ? t.mark : t.accent);
  } else if (pointed_at_) {
    pen.setWidthF(pen.widthF() + 1);
  }
  if (pen.widthF() * detail < 1) {
    pen.setWidthF(emphasis_ == Emphasis::None ? 1 : 2);
    pen.setCosmetic(true);
  }
  return pen;
}

void EdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const double detail = detail_of(painter);
  painter->setRenderHint(QPainter::Antialiasing, detail >= antialias_from);
  QPen pen = line_pen(detail);
  painter->setBrush(Qt::NoBrush);
  // Around a marked edge that is selected, so that it is told apart without giving up its colour.
  if (mark_.color.isValid() && emphasis_ != Emphasis::None) {
    QColor halo = emphasis_ == Emphasis::Primary ? theme().mark : theme().accent;
    halo.setAlpha(emphasis_ == Emphasis::Primary ? 190 : 110);
    QPen wide(halo, std::max(8.0, 4 / detail));
    wide.setCapStyle(Qt::RoundCap);
    painter->setPen(wide);
    painter->drawPath(path_);
  }
  if (detail < outline_from) pen.setStyle(Qt::SolidLine);  // dashes of a pixel cost and say nothing
  painter->setPen(pen);
  painter->drawPath(path_);
  painter->setRenderHint(QPainter::Antialiasing, true);
  if (detail < outline_from) return;
  painter->setPen(Qt::NoPen);
  painter->setBrush(pen.color());
  painter->drawPolygon(arrow_);
  if (detail >= text_from) paint_label(painter);
  if (!mark_.plain()) paint_mark(painter, detail);
}

void EdgeItem::paint_label(QPainter* painter) const {
  painter->setFont(detail_font());
  if (!edge_.label.isEmpty()) {
    const QRectF area = words().front();
    QColor paper = theme().surface;
    paper.setAlpha(190);
    painter->fillRect(area, paper);
    painter->setPen(emphasis_ == Emphasis::None ? theme().muted : theme().text);
    painter->drawText(area, Qt::AlignCenter, edge_.label);
  }
  if (!cut_) return;
  painter->setPen(theme().accent);
  for (int end = 0; end < 2; ++end)
    painter->drawText(name_area(end), Qt::AlignCenter, (end == 0 ? "↓ " : "↑ ") + names_[end]);
}

QRectF EdgeItem::code_area() const {
  const QFontMetricsF metrics(detail_font());
  const double width = metrics.horizontalAdvance(mark_.code) + 6, beside = sign_radius + 2;
  return {mark_at_.x() + (code_on_left_ ? -beside - width : beside),
          mark_at_.y() - metrics.height() / 2, width, metrics.height()};
}

QRectF EdgeItem::sign_area() const {
  return {mark_at_ - QPointF(sign_radius, sign_radius), QSizeF(2, 2) * sign_radius};
}

QRectF EdgeItem::mark_area() const {
  return shows_code() ? sign_area() | code_area() : sign_area();
}

// Codes of edges that run side by side would cover one another in their middles.
void EdgeItem::place_mark(const std::function<bool(const QRectF&)>& is_free,
                          const std::function<bool(const QRectF&)>& can_lie_on) {
  const auto before = std::tuple(mark_at_, code_on_left_, has_room_, sign_has_room_);
  const auto put_on = [&](const layout::Curve& piece, double part, bool left, const auto& fits) {
    mark_at_ = point_along(piece, part);
    code_on_left_ = left;
    return fits(mark_area());
  };
  const auto put = [&](double part, bool left) {
    return put_on(pieces_.front(), part, left, is_free);
  };
  bool found = false;
  constexpr std::array parts{0.5,  0.4,  0.6,  0.3,  0.7,  0.22, 0.78, 0.15, 0.85,
                             0.45, 0.55, 0.35, 0.65, 0.26, 0.74, 0.1,  0.9};
  has_room_ = true;
  if (shows_code())
    for (const double part : parts)
      for (const bool left : {false, true})
        if (!found) found = put(part, left);
  has_room_ = found;
  for (const double part : parts)
    if (!found) found = put(part, false);
  // A verdict that is not there is missed: anywhere along the line is better than nowhere, and a
  // type can be read elsewhere.
  constexpr int places = 50;
  for (const auto& fits : {is_free, can_lie_on})
    for (const layout::Curve& piece : pieces_)
      for (int place = 1; place < places && !found; ++place)
        found = put_on(piece, static_cast<double>(place) / places, false, fits);
  sign_has_room_ = found;
  if (!found) put(0.5, false);
  if (before == std::tuple(mark_at_, code_on_left_, has_room_, sign_has_room_)) return;
  prepareGeometryChange();
  find_bounds();
  update();
}

void EdgeItem::paint_mark(QPainter* painter, double detail) const {
  const QColor color = mark_.color.isValid() ? mark_.color : theme().edge;
  const bool near_to = detail >= code_from && shows_code();
  if (!mark_.code.isEmpty() && (near_to || (stands_out() && detail >= outline_from))) {
    QColor paper = theme().surface;
    paper.setAlpha(stands_out() ? 245 : 190);
    painter->setPen(stands_out() ? QPen(color, 1) : QPen(Qt::NoPen));
    painter->setBrush(paper);
    painter->drawRoundedRect(code_area(), 3, 3);
    painter->setPen(stands_out() ? theme().text : color);
    painter->setFont(detail_font());
    painter->drawText(code_area(), Qt::AlignCenter, mark_.code);
  }
  if (!shows_sign() && (mark_.sign.isEmpty() || !stands_out())) return;
  painter->setPen(QPen(color, 1.2));
  painter->setBrush(theme().surface);
  painter->drawEllipse(mark_at_, sign_radius, sign_radius);
  if (detail < text_from) return;
  painter->setPen(color);
  painter->setFont(detail_font());
  painter->drawText(QRectF(mark_at_ - QPointF(8, 8), QSizeF(16, 16)), Qt::AlignCenter, mark_.sign);
}

}  // namespace loopglass::views

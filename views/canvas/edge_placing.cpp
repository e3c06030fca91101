// Where an edge's words stand: the label at its beginning, where it is cut the names of the nodes
// at its far ends, and what the overlay says of it in its middle. Each goes to the first place that
// is free; what finds none is left out until somebody points at the edge or selects it.
#include "views/canvas/curves.h"
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace loopglass::views {

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

// --- words ---

std::vector<QRectF> EdgeItem::words() const {
  std::vector<QRectF> areas;
  for (std::size_t word = 0; word < words_.size(); ++word)
    if (const auto area = shown(word)) areas.push_back(*area);
  return areas;
}

std::optional<QRectF> EdgeItem::shown(std::size_t which) const {
  const Word& word = words_[which];
  return word.text.isEmpty() || !word.has_room ? std::nullopt : std::optional(word.area);
}

bool EdgeItem::leaves_out_words() const {
  return std::ranges::any_of(
      words_, [](const Word& word) { return !word.text.isEmpty() && !word.has_room; });
}

// At the first of some corners where the words fit; else at the first, for whoever points there.
void EdgeItem::place(std::size_t which, const std::vector<QPointF>& corners,
                     std::initializer_list<IsFree> fits) {
  const QSizeF size = words_[which].area.size();
  for (const IsFree& is_free : fits)
    for (const QPointF& corner : corners)
      if (const QRectF area(corner, size); is_free(area)) return use(which, area, true);
  use(which, QRectF(corners.front(), size), false);
}

void EdgeItem::use(std::size_t which, const QRectF& area, bool has_room) {
  Word& word = words_[which];
  if (word.area == area && word.has_room == has_room) return;
  prepareGeometryChange();
  word.area = area;
  word.has_room = has_room;
  find_bounds();
  find_hovering();
  update();
}

void EdgeItem::place_label(const IsFree& is_free, const IsFree& is_free_of_boxes) {
  const Word& label = words_[label_word];
  if (label.text.isEmpty()) return;
  const QPointF start = to_point(pieces_.front().front());
  const double top = start.y() + label_gap + edge_.label_row * (detail_height() - 1);
  const double right = start.x() + label_offset,
               left = start.x() - label_offset - label.area.width();
  std::vector<QPointF> corners;
  for (const double down : {0.0, stack_steps[0], 2 * stack_steps[0], 3 * stack_steps[0]})
    for (const double further : {0, 10, 20, 30})  // clear of lines that lean to its side
      for (const double side : {right + further, left - further})
        corners.emplace_back(side, top + down);
  place(label_word, corners, {is_free, is_free_of_boxes});
}

void EdgeItem::place_name(std::size_t end, const IsFree& is_free) {
  const Word& name = words_[name_words + end];
  if (name.text.isEmpty()) return;
  // Below the stub that leaves, above the one that arrives; then beside it.
  const double width = name.area.width(), height = name.area.height();
  const double away = end == 0 ? height : -height, top = end == 0 ? 0 : -height;
  std::vector<QPointF> corners;
  for (const double rows : {0.0, 1.0, -1.0, 2.0})
    for (const double left : {-width / 2, 4.0, -width - 4})
      if (rows >= 0 || left != -width / 2)  // not upon the stub
        corners.push_back(stub_ends_[end] + QPointF(left, top + rows * away));
  place(name_words + end, corners, {is_free});
}

// --- marks ---

QRectF EdgeItem::code_area() const {
  const QFontMetricsF metrics(detail_font());
  const double width = metrics.horizontalAdvance(mark_.code) + 6, beside = sign_radius + 2;
  const QSizeF size(width, metrics.height());
  const QPointF corner = mark_at_ - QPointF(size.width(), size.height()) / 2;  // if upon the sign
  const double aside = beside + size.width() / 2, away = beside + size.height() / 2;
  switch (code_side_) {
    case Side::Right: return {corner + QPointF(aside, 0), size};
    case Side::Left: return {corner - QPointF(aside, 0), size};
    case Side::Below: return {corner + QPointF(0, away), size};
    case Side::Above: return {corner - QPointF(0, away), size};
  }
  __builtin_unreachable();
}

QRectF EdgeItem::sign_area() const {
  return {mark_at_ - QPointF(sign_radius, sign_radius), QSizeF(2, 2) * sign_radius};
}

QRectF EdgeItem::mark_area() const {
  return is_told_when_asked() ? code_area()
         : shows_code()       ? sign_area() | code_area()
                              : sign_area();
}

// Codes of edges that run side by side would cover one another in their middles.
void EdgeItem::place_mark(const IsFree& is_free, const IsFree& can_lie_on) {
  const auto before = std::tuple(mark_at_, code_side_, has_room_, sign_has_room_);
  const auto put_on = [&](const layout::Curve& piece, double part, Side side, const auto& fits) {
    mark_at_ = point_along(piece, part);
    code_side_ = side;
    return fits(mark_area());
  };
  const auto put = [&](double part, Side side) {
    return put_on(pieces_.front(), part, side, is_free);
  };
  bool found = false;
  constexpr std::array parts{0.5,  0.4,  0.6,  0.3,  0.7,  0.22, 0.78, 0.15, 0.85,
                             0.45, 0.55, 0.35, 0.65, 0.26, 0.74, 0.1,  0.9};
  has_room_ = true;
  if (shows_code() || is_told_when_asked())
    for (const double part : parts)
      for (const Side side : {Side::Right, Side::Left})
        if (!found) found = put(part, side);
  has_room_ = found;
  if (mark_.sign.isEmpty() && !found) put(0.5, Side::Right);
  if (!mark_.sign.isEmpty()) {
    for (const double part : parts)
      if (!found) found = put(part, Side::Right);
    // A verdict that is not there is missed: anywhere along the line is better than nowhere, and a
    // type can be read elsewhere.
    constexpr int places = 50;
    for (const auto& fits : {is_free, can_lie_on})
      for (const layout::Curve& piece : pieces_)
        for (int place = 1; place < places && !found; ++place)
          found = put_on(piece, static_cast<double>(place) / places, Side::Right, fits);
    sign_has_room_ = found;
    if (!found) put(0.5, Side::Right);
  }
  if (before == std::tuple(mark_at_, code_side_, has_room_, sign_has_room_)) return;
  prepareGeometryChange();
  find_bounds();
  update();
}

void EdgeItem::turn_code(std::initializer_list<IsFree> fits) {
  const Side before = code_side_;
  const auto find = [&] {
    for (const IsFree& is_free : fits)
      for (const Side side : {Side::Right, Side::Left, Side::Below, Side::Above}) {
        code_side_ = side;
        if (is_free(code_area())) return;
      }
    code_side_ = before;
  };
  find();
  if (code_side_ == before) return;
  prepareGeometryChange();
  find_bounds();
  update();
}

}  // namespace loopglass::views

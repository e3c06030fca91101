// Edges: their curve and arrow, the label at their beginning, and what the overlay says of them in
// their middle.
#include "views/canvas/curves.h"
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopglass::views {

EdgeItem::EdgeItem(std::uint32_t index, CanvasEdge of, std::vector<layout::Curve> along,
                   const QString& source, const QString& target)
    : index_(index), edge_(std::move(of)), pieces_(std::move(along)) {
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

  set_words(edge_.label, source, target);
  mark_at_ = point_along(pieces_.front(), 0.5);
  find_bounds();
}

void EdgeItem::set_words(const QString& label, const QString& source, const QString& target) {
  words_[label_word].text = label;
  if (pieces_.size() > 1) {  // is cut
    words_[name_words].text = "↓ " + target;
    words_[name_words + 1].text = "↑ " + source;
  }
  const QFontMetricsF metrics(detail_font());
  for (Word& word : words_)
    if (!word.text.isEmpty())
      word.area.setSize({metrics.horizontalAdvance(word.text) + 4, metrics.height()});
  // Until it is known what else there is.
  const auto anywhere = [](const QRectF&) { return true; };
  place_label(anywhere, anywhere);
  for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) place_name(end, anywhere);
}

void EdgeItem::find_bounds() {
  bounds_ = path_.boundingRect().united(arrow_.boundingRect());
  // Also what is said only while somebody points at it.
  for (const Word& word : words_)
    if (!word.text.isEmpty()) bounds_ |= word.area;
  if (!mark_.sign.isEmpty() || !mark_.code.isEmpty()) bounds_ |= sign_area() | code_area();
  bounds_.adjust(-4, -4, 4, 4);
}

bool EdgeItem::shows(const CanvasEdge& edge, const std::vector<layout::Curve>& pieces,
                     const QString& source, const QString& target) const {
  return edge.label == edge_.label && edge.label_row == edge_.label_row &&
         edge.tooltip == edge_.tooltip && edge.ghost == edge_.ghost &&
         (pieces_.size() < 2 || (words_[name_words].text == "↓ " + target &&
                                 words_[name_words + 1].text == "↑ " + source)) &&
         pieces == pieces_;
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
  find_hovering();
  update();
}

void EdgeItem::find_hovering() { setAcceptHoverEvents(has_more_to_tell()); }

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
  const bool tells = stands_out() && has_more_to_tell();
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
  if (detail >= text_from) paint_words(painter);
  if (!mark_.plain()) paint_mark(painter, detail);
}

void EdgeItem::paint_words(QPainter* painter) const {
  painter->setFont(detail_font());
  for (std::size_t which = 0; which < words_.size(); ++which) {
    const Word& word = words_[which];
    if (word.text.isEmpty() || (!word.has_room && !stands_out())) continue;
    QColor paper = theme().surface;
    paper.setAlpha(word.has_room ? 190 : 245);
    if (which == label_word || !word.has_room) painter->fillRect(word.area, paper);
    painter->setPen(which != label_word           ? theme().accent
                    : emphasis_ == Emphasis::None ? theme().muted
                                                  : theme().text);
    painter->drawText(word.area, Qt::AlignCenter, word.text);
  }
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

#include "views/canvas/items.h"

#include "views/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

// Sizes on the screen, as multiples of the natural one, from which something is drawn.
constexpr double text_from = 0.45, outline_from = 0.2, antialias_from = 0.12;
constexpr double padding = 8, corner = 6, label_offset = 6, least_width = 84, greatest_width = 220;

QFont title_font() {
  QFont font = theme().text_font();
  font.setWeight(QFont::DemiBold);
  return font;
}
QFont detail_font() { return theme().small_font(); }

double band_height() { return QFontMetricsF(title_font()).height() + 6; }
double detail_height() { return QFontMetricsF(detail_font()).height(); }

double detail_of(const QPainter* painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
}

QPen outline(const QColor& color, double width) {
  QPen pen(color, width);
  pen.setJoinStyle(Qt::RoundJoin);
  return pen;
}

QPointF to_point(layout::Point point) { return {point.x, point.y}; }

}  // namespace

BoxMeasure::BoxMeasure() : title_(title_font()), detail_(detail_font()) {}

double BoxMeasure::label(const QString& text) const { return text.isEmpty() ? 0 : detail_.horizontalAdvance(text); }

QSizeF BoxMeasure::box(const CanvasNode& node) const {
  double width = title_.horizontalAdvance(node.title);
  for (const QString& line : node.details) width = std::max(width, detail_.horizontalAdvance(line));
  width = std::max(width, label(node.subtitle)) + 2 * padding + (node.pill ? 8 : 0);
  const auto lines = node.details.size() + (node.subtitle.isEmpty() ? 0 : 1);
  const double body = lines ? static_cast<double>(lines) * detail_.height() + 7 : 0;
  return {std::clamp(width, least_width, greatest_width), title_.height() + 6 + body};
}

QSizeF BoxMeasure::in_cluster(QSizeF box, double title, double label, double cluster_padding) {
  double width = box.width();
  if (title > 0) width = std::clamp(title + 16 - 2 * cluster_padding, width, std::max(width, greatest_width));
  if (label > 0)
    width = std::clamp(2 * (label + label_offset + 6 - cluster_padding), width, std::max(width, greatest_width));
  return {width, box.height()};
}

std::vector<QSizeF> box_sizes(const CanvasContent& content, double cluster_padding) {
  const BoxMeasure measure;
  std::vector<double> labels(content.nodes.size());
  for (const CanvasEdge& edge : content.edges) labels[edge.from] = std::max(labels[edge.from], measure.label(edge.label));
  std::vector<QSizeF> sizes;
  for (std::size_t i = 0; i < content.nodes.size(); ++i) {
    const CanvasNode& node = content.nodes[i];
    sizes.push_back(measure.box(node));
    if (node.cluster < 0) continue;
    const QString& title = content.clusters[static_cast<std::size_t>(node.cluster)].title;
    sizes.back() = BoxMeasure::in_cluster(sizes.back(), measure.label(title), labels[i], cluster_padding);
  }
  return sizes;
}

// --- nodes ---

NodeItem::NodeItem(std::uint32_t index, CanvasNode node, QSizeF size)
    : index_(index), node_(std::move(node)), size_(size) {
  setToolTip(node_.tooltip);
  setCursor(Qt::PointingHandCursor);
  if (node_.ghost) setZValue(-0.5);  // behind what took its place
}

void NodeItem::set_emphasis(Emphasis emphasis) {
  if (emphasis == emphasis_) return;
  emphasis_ = emphasis;
  setZValue(emphasis == Emphasis::Primary ? 1 : node_.ghost ? -0.5 : 0);
  update();
}

void NodeItem::set_found(bool found) {
  if (found == found_) return;
  found_ = found;
  update();
}

QRectF NodeItem::boundingRect() const { return box().adjusted(-9, -9, 9, 9); }

QPainterPath NodeItem::shape() const {
  QPainterPath path;
  path.addRect(box());
  return path;
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const double detail = detail_of(painter);
  if (found_ && detail >= outline_from) {
    painter->setPen(Qt::NoPen);
    QColor halo = theme().warning;
    halo.setAlpha(120);
    painter->setBrush(halo);
    const double reach = std::min(8.0, 4 / detail);
    painter->drawRoundedRect(box().adjusted(-reach, -reach, reach, reach), corner + 4, corner + 4);
  }
  paint_box(painter, detail);
  if (detail >= text_from) paint_text(painter, detail);
  if (!node_.badge.isEmpty() && detail >= outline_from) paint_badge(painter);
  if (node_.mark > 0 && detail >= outline_from) paint_mark(painter);
}

void NodeItem::paint_box(QPainter* painter, double detail) const {
  const Theme& t = theme();
  const bool outlined = emphasis_ != Emphasis::None || !node_.badge.isEmpty();
  if (node_.ghost) return paint_ghost(painter, detail);
  if (detail < outline_from) {
    // Seen from afar: a patch of colour, brighter than the rest where it matters.
    painter->fillRect(box(), emphasis_ == Emphasis::Primary ? t.mark
                             : found_                       ? t.warning
                                                            : node_.fill);
    if (emphasis_ == Emphasis::None && !found_) return;
    QPen pen(emphasis_ == Emphasis::Related ? t.accent : found_ ? t.warning : t.mark, 3);
    pen.setCosmetic(true);
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(box());
    return;
  }
  const double radius = node_.pill ? size_.height() / 2 : corner;
  QPainterPath whole;
  whole.addRoundedRect(box(), radius, radius);
  painter->setPen(Qt::NoPen);
  if (node_.pill || size_.height() <= band_height() + 0.5) {
    painter->fillPath(whole, node_.fill);
  } else {
    painter->fillPath(whole, t.raised);
    painter->save();
    painter->setClipRect(QRectF(box().left(), box().top(), size_.width(), band_height()),
                         Qt::IntersectClip);
    painter->fillPath(whole, node_.fill);
    painter->restore();
  }
  QPen pen = outline(t.border, 1);
  if (!node_.badge.isEmpty()) pen = outline(node_.badge_color, 2);
  if (emphasis_ == Emphasis::Related) pen = outline(t.accent, 2.5);
  if (emphasis_ == Emphasis::Primary) pen = outline(t.mark, 3.5);
  if (outlined) pen.setWidthF(std::max(pen.widthF(), 1.5 / detail));
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  painter->drawPath(whole);
}

// An outline where it was: dashed, so that it is told apart without its colour.
void NodeItem::paint_ghost(QPainter* painter, double detail) const {
  const Theme& t = theme();
  QColor paper = t.surface;
  paper.setAlpha(225);
  QPen pen = outline(emphasis_ == Emphasis::Primary   ? t.mark
                     : emphasis_ == Emphasis::Related ? t.accent
                                                      : t.error,
                     emphasis_ == Emphasis::None ? 1.6 : 3);
  pen.setStyle(Qt::DashLine);
  pen.setWidthF(std::max(pen.widthF(), 1.2 / detail));
  painter->setPen(pen);
  painter->setBrush(paper);
  const double radius = node_.pill ? size_.height() / 2 : corner;
  painter->drawRoundedRect(box(), radius, radius);
}

void NodeItem::paint_text(QPainter* painter, double) const {
  const double left = box().left() + padding, width = size_.width() - 2 * padding;
  painter->setFont(title_font());
  painter->setPen(node_.ghost ? theme().muted : node_.text);
  const QFontMetricsF title(painter->font());
  painter->drawText(QRectF(left, box().top(), width, band_height()), Qt::AlignCenter,
                    title.elidedText(node_.title, Qt::ElideRight, width));
  painter->setFont(detail_font());
  const QFontMetricsF detail(painter->font());
  double y = box().top() + band_height() + 3;
  const auto line = [&](const QString& text, const QColor& color) {
    painter->setPen(color);
    painter->drawText(QRectF(left, y, width, detail_height()), Qt::AlignLeft | Qt::AlignVCenter,
                      detail.elidedText(text, Qt::ElideMiddle, width));
    y += detail_height();
  };
  if (!node_.subtitle.isEmpty()) line(node_.subtitle, node_.ghost ? theme().muted : theme().text);
  for (const QString& text : node_.details) line(text, theme().muted);
}

void NodeItem::paint_badge(QPainter* painter) const {
  const QRectF disc(box().right() - 8, box().top() - 8, 16, 16);
  painter->setPen(outline(theme().surface, 1));
  painter->setBrush(node_.badge_color);
  painter->drawEllipse(disc);
  painter->setPen(theme().surface);
  painter->setFont(title_font());
  painter->drawText(disc, Qt::AlignCenter, node_.badge);
}

// A square with the rule's number, so that rules are told apart without their colours.
void NodeItem::paint_mark(QPainter* painter) const {
  const QRectF square(box().left() - 8, box().top() - 8, 16, 16);
  painter->setPen(outline(theme().surface, 1));
  painter->setBrush(theme().group(static_cast<std::size_t>(node_.mark - 1)));
  painter->drawRoundedRect(square, 3, 3);
  painter->setPen(theme().surface);
  painter->setFont(title_font());
  painter->drawText(square, Qt::AlignCenter, QString::number(node_.mark));
}

// --- edges ---

EdgeItem::EdgeItem(std::uint32_t index, CanvasEdge of, std::vector<layout::Curve> along, const QString& source,
                   const QString& target)
    : index_(index),
      edge_(std::move(of)),
      pieces_(std::move(along)),
      cut_(pieces_.size() > 1),
      names_{target, source} {
  const CanvasEdge& edge = edge_;
  const std::vector<layout::Curve>& pieces = pieces_;
  setZValue(-1);
  setToolTip(edge.tooltip);
  for (const layout::Curve& piece : pieces) {
    path_.moveTo(to_point(piece.front()));
    for (std::size_t i = 1; i + 2 < piece.size(); i += 3)
      path_.cubicTo(to_point(piece[i]), to_point(piece[i + 1]), to_point(piece[i + 2]));
  }
  stub_ends_[0] = to_point(pieces.front().back());
  stub_ends_[1] = to_point(pieces.back().front());

  const layout::Curve& last = pieces.back();
  const QPointF tip = to_point(last.back());
  QPointF direction = tip - to_point(last[last.size() - 2]);
  const double length = std::hypot(direction.x(), direction.y());
  direction = length > 1e-6 ? direction / length : QPointF(0, 1);
  const QPointF across(-direction.y(), direction.x());
  arrow_ << tip << tip - direction * 8 + across * 3.5 << tip - direction * 8 - across * 3.5;

  label_at_ = to_point(pieces.front().front()) +
              QPointF(label_offset, 3 + edge.label_row * (detail_height() - 1));
  bounds_ = path_.boundingRect().united(arrow_.boundingRect());
  const QFontMetricsF metrics(detail_font());
  if (!edge.label.isEmpty())
    bounds_ |=
        QRectF(label_at_, QSizeF(metrics.horizontalAdvance(edge.label) + 6, metrics.height()));
  if (cut_)
    for (int end = 0; end < 2; ++end) {
      const double width = metrics.horizontalAdvance(names_[end]) + 20;
      bounds_ |= QRectF(stub_ends_[end] - QPointF(width / 2, metrics.height()),
                        QSizeF(width, 2 * metrics.height()));
    }
  bounds_.adjust(-4, -4, 4, 4);
}

bool EdgeItem::shows(const CanvasEdge& edge, const std::vector<layout::Curve>& pieces, const QString& source,
                     const QString& target) const {
  return edge.label == edge_.label && edge.label_row == edge_.label_row && edge.tooltip == edge_.tooltip &&
         edge.ghost == edge_.ghost && (!cut_ || (names_[0] == target && names_[1] == source)) && pieces == pieces_;
}

void EdgeItem::set_emphasis(Emphasis emphasis) {
  if (emphasis == emphasis_) return;
  emphasis_ = emphasis;
  setZValue(emphasis == Emphasis::None ? -1 : -0.5);
  update();
}

QRectF EdgeItem::boundingRect() const { return bounds_; }

QPainterPath EdgeItem::shape() const {
  if (shape_.isEmpty()) {
    QPainterPathStroker stroker;
    stroker.setWidth(9);
    shape_ = stroker.createStroke(path_);
  }
  return shape_;
}

void EdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const Theme& t = theme();
  const double detail = detail_of(painter);
  painter->setRenderHint(QPainter::Antialiasing, detail >= antialias_from);
  QPen pen(t.edge, 1.3);
  if (edge_.ghost) {
    QColor faint = t.error;
    faint.setAlpha(150);
    pen = QPen(faint, 1.3, Qt::DashLine);
  }
  if (emphasis_ == Emphasis::Related) pen = QPen(t.accent, 2.4);
  if (emphasis_ == Emphasis::Primary) pen = QPen(t.mark, 3);
  if (pen.widthF() * detail < 1) {
    pen.setWidthF(emphasis_ == Emphasis::None ? 1 : 2);
    pen.setCosmetic(true);
  }
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  painter->drawPath(path_);
  painter->setRenderHint(QPainter::Antialiasing, true);
  if (detail < outline_from) return;
  painter->setPen(Qt::NoPen);
  painter->setBrush(pen.color());
  painter->drawPolygon(arrow_);
  if (detail >= text_from) paint_label(painter);
}

void EdgeItem::paint_label(QPainter* painter) const {
  painter->setFont(detail_font());
  const QFontMetricsF metrics(painter->font());
  if (!edge_.label.isEmpty()) {
    const QRectF area(label_at_,
                      QSizeF(metrics.horizontalAdvance(edge_.label) + 4, metrics.height()));
    QColor paper = theme().surface;
    paper.setAlpha(190);
    painter->fillRect(area, paper);
    painter->setPen(emphasis_ == Emphasis::None ? theme().muted : theme().text);
    painter->drawText(area, Qt::AlignCenter, edge_.label);
  }
  if (!cut_) return;
  painter->setPen(theme().accent);
  for (int end = 0; end < 2; ++end) {
    const QString text = (end == 0 ? "↓ " : "↑ ") + names_[end];
    const double width = metrics.horizontalAdvance(text) + 4;
    const double top = end == 0 ? 0 : -metrics.height();
    painter->drawText(
        QRectF(stub_ends_[end] + QPointF(-width / 2, top), QSizeF(width, metrics.height())),
        Qt::AlignCenter, text);
  }
}

// --- clusters ---

ClusterItem::ClusterItem(std::uint32_t index, CanvasCluster cluster, std::vector<QRectF> frames)
    : index_(index), cluster_(std::move(cluster)), frames_(std::move(frames)) {
  setZValue(-2);
  setToolTip(cluster_.tooltip);
}

void ClusterItem::set_emphasis(Emphasis emphasis) {
  if (emphasis == emphasis_) return;
  emphasis_ = emphasis;
  update();
}

QColor ClusterItem::solid_fill() const {
  const QColor paper = theme().surface, tint = cluster_.color;
  const auto mix = [&](int a, int b) { return (a * alpha() + b * (255 - alpha())) / 255; };
  return {mix(tint.red(), paper.red()), mix(tint.green(), paper.green()),
          mix(tint.blue(), paper.blue())};
}

QRectF ClusterItem::boundingRect() const {
  QRectF bounds;
  for (const QRectF& frame : frames_) bounds |= frame;
  return bounds.adjusted(-3, -3, 3, 3);
}

void ClusterItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const double detail = detail_of(painter);
  const bool stands_out = emphasis_ != Emphasis::None;
  QColor fill = cluster_.color;
  fill.setAlpha(alpha());
  QColor line = stands_out ? theme().accent : cluster_.color;
  line.setAlpha(stands_out ? 255 : 150);
  QPen pen = outline(line, stands_out ? 2.5 : 1.2);
  if (pen.widthF() * detail < 1) {
    pen.setWidthF(1);
    pen.setCosmetic(true);
  }
  painter->setPen(pen);
  painter->setBrush(fill);
  for (const QRectF& frame : frames_) painter->drawRoundedRect(frame, 10, 10);
}

ClusterTitle::ClusterTitle(const ClusterItem& frame) : frame_(frame) {
  setZValue(-0.25);
  setAcceptedMouseButtons(Qt::NoButton);
  const QFontMetricsF metrics(detail_font());
  const QRectF& area = frame.first_frame();
  const double room = area.width() - 14;
  text_ = metrics.elidedText(frame.cluster().title, Qt::ElideMiddle, room);
  area_ = {area.left() + 5, area.top() + 1.5, std::min(room, metrics.horizontalAdvance(text_)) + 4,
           metrics.height()};
}

void ClusterTitle::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  if (detail_of(painter) < text_from) return;
  painter->fillRect(area_, frame_.solid_fill());
  painter->setFont(detail_font());
  painter->setPen(frame_.emphasis() == Emphasis::None ? frame_.cluster().color : theme().text);
  painter->drawText(area_, Qt::AlignCenter, text_);
}

}  // namespace loopglass::views

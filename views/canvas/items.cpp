#include "views/canvas/items.h"

#include "views/canvas/item_style.h"
#include "views/elided_name.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <utility>

namespace loopglass::views {

BoxMeasure::BoxMeasure() : title_(title_font()), detail_(detail_font()) {}

double BoxMeasure::label(const QString& text) const {
  return text.isEmpty() ? 0 : detail_.horizontalAdvance(text);
}

double BoxMeasure::title(const QString& text) const { return title_.horizontalAdvance(text); }

QSizeF BoxMeasure::box(const CanvasNode& node) const {
  double width = title_.horizontalAdvance(node.title);
  for (const QString& line : node.details) width = std::max(width, detail_.horizontalAdvance(line));
  width = std::max(width, label(node.subtitle)) + 2 * padding + (node.pill ? 8 : 0);
  const auto lines = node.details.size() + (node.subtitle.isEmpty() ? 0 : 1);
  const double body = lines ? static_cast<double>(lines) * detail_.height() + 7 : 0;
  return {std::clamp(width, least_width, greatest_width), title_.height() + 6 + body};
}

QSizeF BoxMeasure::tag(const QString& title) const {
  return {title_.horizontalAdvance(title) + 2 * padding, title_.height() + 4};
}

QSizeF BoxMeasure::in_cluster(QSizeF box, double title, double label, double cluster_padding) {
  double width = box.width();
  if (title > 0)
    width = std::clamp(title + 16 - 2 * cluster_padding, width, std::max(width, greatest_width));
  if (label > 0)
    width = std::clamp(2 * (label + label_offset + 6 - cluster_padding), width,
                       std::max(width, greatest_width));
  return {width, box.height()};
}

std::vector<QSizeF> box_sizes(const CanvasContent& content) {
  const BoxMeasure measure;
  std::vector<double> labels(content.nodes.size());
  for (const CanvasEdge& edge : content.edges)
    labels[edge.from] = std::max(labels[edge.from], measure.label(edge.label));
  std::vector<QSizeF> sizes;
  for (std::size_t i = 0; i < content.nodes.size(); ++i) {
    const CanvasNode& node = content.nodes[i];
    sizes.push_back(measure.box(node));
    if (node.cluster < 0) continue;
    const QString& title = content.clusters[static_cast<std::size_t>(node.cluster)].title;
    sizes.back() = BoxMeasure::in_cluster(sizes.back(), measure.label(title), labels[i],
                                          graph_spacing(true).cluster_padding);
  }
  return sizes;
}

// --- nodes ---

namespace {

// Round only above. Made as a shape, since pictures in SVG know no clipping.
QPainterPath rounded_above(const QRectF& area, double radius) {
  QPainterPath path(area.bottomLeft());
  path.lineTo(area.left(), area.top() + radius);
  path.arcTo(area.left(), area.top(), 2 * radius, 2 * radius, 180, -90);
  path.lineTo(area.right() - radius, area.top());
  path.arcTo(area.right() - 2 * radius, area.top(), 2 * radius, 2 * radius, 90, -90);
  path.lineTo(area.bottomRight());
  path.closeSubpath();
  return path;
}

}  // namespace

NodeItem::NodeItem(std::uint32_t index, CanvasNode node, QSizeF size)
    : index_(index), node_(std::move(node)), size_(size) {
  setToolTip(node_.tooltip);
  setCursor(Qt::PointingHandCursor);
  if (node_.ghost) setZValue(-0.5);  // behind what took its place
}

void NodeItem::set_emphasis(Emphasis emphasis) {
  if (emphasis == emphasis_) return;
  emphasis_ = emphasis;
  find_depth();
  update();
}

void NodeItem::find_depth() {
  setZValue(emphasis_ == Emphasis::Primary ? 1 : role_ ? 0.5 : node_.ghost ? -0.5 : 0);
}

bool NodeItem::set_role(const NodeRole* role) {
  if (role ? role_ == *role : !role_) return false;
  prepareGeometryChange();
  role_.reset();
  if (role) role_ = *role;
  find_depth();
  update();
  return true;
}

bool NodeItem::set_heat(const NodeHeat* heat) {
  if (heat ? heat_ == *heat : !heat_) return false;
  prepareGeometryChange();
  heat_.reset();
  if (heat) heat_ = *heat;
  update();
  return true;
}

void NodeItem::set_found(bool found) {
  if (found == found_) return;
  found_ = found;
  update();
}

QRectF NodeItem::boundingRect() const {
  const QRectF bounds = box().adjusted(-9, -9, 9, 9);
  return (role_ ? bounds | role_tag() : bounds) | (heat_ ? heat_tag() : QRectF());
}

std::vector<QRectF> NodeItem::areas() const {
  QRectF whole = box();
  if (node_.stack) whole |= whole.translated(stack_steps[0], stack_steps[0]);
  std::vector<QRectF> areas = attachments();
  areas.insert(areas.begin(), whole.translated(pos()));
  return areas;
}

std::vector<QRectF> NodeItem::attachments() const {
  std::vector<QRectF> areas;
  if (!node_.badge.isEmpty()) areas.push_back(badge_area());
  if (node_.mark > 0) areas.push_back(mark_area());
  if (role_ && !role_->word.isEmpty()) areas.push_back(role_tag());
  if (heat_ && !heat_->word.isEmpty()) areas.push_back(heat_tag());
  for (QRectF& area : areas) area.translate(pos());
  return areas;
}

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
  if (node_.stack && detail >= outline_from) paint_stack(painter);
  paint_box(painter, detail);
  if (detail >= small_print_from || (node_.ghost && detail >= text_from)) paint_text(painter);
  else if (detail >= title_from && !node_.ghost) paint_title_alone(painter, detail);
  if (heat_ && detail >= text_from) paint_heat(painter);
  if (!node_.badge.isEmpty() && detail >= outline_from) paint_badge(painter);
  if (node_.mark > 0 && detail >= outline_from) paint_mark(painter);
  if (role_) paint_role(painter, detail);
}

void NodeItem::paint_box(QPainter* painter, double detail) const {
  const Theme& t = theme();
  const bool outlined = emphasis_ != Emphasis::None || !node_.badge.isEmpty();
  if (node_.ghost) return paint_ghost(painter, detail);
  if (detail < outline_from) {
    // Seen from afar: a patch of colour, brighter than the rest where it matters.
    painter->fillRect(box(), emphasis_ == Emphasis::Primary ? t.mark
                             : found_                       ? t.warning
                             : heat_                        ? heat_->color
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
  if (node_.pill || detail < small_print_from || has_band_alone(size_)) {
    painter->fillPath(whole, heat_ ? heat_->color : node_.fill);
  } else {
    painter->fillPath(whole, heat_ ? heat_->color : t.raised);
    painter->fillPath(
        rounded_above(QRectF(box().topLeft(), QSizeF(size_.width(), band_height())), radius),
        node_.fill);
  }
  QPen pen = outline(heat_ ? t.muted : t.border, 1);
  if (node_.hatched) {
    // Around what is written on it, which is read on plain ground.
    QPainterPath written;
    written.addRect(box().adjusted(hatched_rim, hatched_rim, -hatched_rim, -hatched_rim));
    painter->fillPath(whole.subtracted(written), QBrush(t.muted, Qt::BDiagPattern));
    pen = outline(t.muted, 1.6);
    pen.setStyle(Qt::DashLine);
  }
  if (!node_.badge.isEmpty()) pen = outline(node_.badge_color, 2);
  if (emphasis_ == Emphasis::Related) pen = outline(t.accent, 2.5);
  if (emphasis_ == Emphasis::Primary) pen = outline(t.mark, 3.5);
  if (outlined) pen.setWidthF(std::max(pen.widthF(), 1.5 / detail));
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  painter->drawPath(whole);
}

// Two more boxes behind it.
void NodeItem::paint_stack(QPainter* painter) const {
  painter->setPen(outline(theme().border, 1));
  painter->setBrush(theme().raised);
  for (const double by : stack_steps)
    painter->drawRoundedRect(box().translated(by, by), corner, corner);
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

// In the middle of the box, which is all of its band's colour.
void NodeItem::paint_title_alone(QPainter* painter, double detail) const {
  constexpr double wanted = 8.5, least = 5;  // points on the screen
  const double natural = title_font().pointSizeF();
  const bool two = !node_.pill && !node_.subtitle.isEmpty() && size_.height() * detail > 28;
  const auto sized = [&](double points) {
    QFont font = title_font();
    font.setPointSizeF(std::max(natural, points / detail));
    return font;
  };
  const QRectF area = box().adjusted(4, 0, -4, 0);
  // As large as can be read at ease, smaller where that shows more of it.
  const auto font_for = [&](const QString& text) {
    QFont font = sized(wanted);
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    if (width > area.width()) font = sized(std::max(least, wanted * area.width() / width));
    // A short name is none once letters are left out: rather than that it is a little smaller.
    constexpr double smaller = 0.95, smallest = 0.75;
    for (double by = smaller; by > smallest; by *= smaller)
      if (QFontMetricsF(font).horizontalAdvance(text) > area.width())
        font.setPointSizeF(font.pointSizeF() * smaller);
    const double highest = (size_.height() - 4) / (two ? 2 : 1);  // within its outline
    if (const double height = QFontMetricsF(font).height(); height > highest)
      font.setPointSizeF(font.pointSizeF() * highest / height);
    return font;
  };
  QFont font = font_for(node_.title);
  painter->setPen(heat_ ? text_on(heat_->color) : node_.text);
  const QFontMetricsF metrics(font);
  const auto line = [&](const QString& text, const QRectF& where) {
    painter->drawText(where, Qt::AlignCenter, text);
  };
  painter->setFont(font);
  const auto name_in = [&](QFont font) {
    font.setWeight(QFont::Normal);
    painter->setFont(font);
    return elided_name(node_.subtitle, node_.title, QFontMetricsF(font), area.width());
  };
  QString title = elided_title(node_.title, metrics, area.width());
  if (!is_telling(title, node_.title)) title.clear();
  // What it is can be told by its colour, too, so that a name with nothing left out is better.
  if (!two && title != node_.title && !node_.subtitle.isEmpty())
    if (const QString name = name_in(font_for(node_.subtitle)); name == node_.subtitle)
      return line(name, area);
  QString name = two ? name_in(title.isEmpty() ? font_for(node_.subtitle) : font) : QString();
  if (!is_telling(name, node_.subtitle)) name.clear();
  const QFont plain = painter->font();
  painter->setFont(font);
  if (name.isEmpty()) return line(title, area);
  QRectF row(area.left(), area.center().y() - metrics.height(), area.width(), metrics.height());
  if (!title.isEmpty()) line(title, row);
  painter->setFont(plain);
  line(name, title.isEmpty() ? area : row.translated(0, metrics.height()));
}

void NodeItem::paint_text(QPainter* painter) const {
  const double left = box().left() + padding, width = size_.width() - 2 * padding;
  painter->setFont(title_font());
  painter->setPen(node_.ghost                      ? theme().muted
                  : heat_ && has_band_alone(size_) ? text_on(heat_->color)
                                                   : node_.text);
  const QFontMetricsF title(painter->font());
  painter->drawText(QRectF(left, box().top(), width, band_height()), Qt::AlignCenter,
                    elided_title(node_.title, title, width));
  painter->setFont(detail_font());
  const QFontMetricsF detail(painter->font());
  double y = box().top() + band_height() + 3;
  const auto line = [&](const QString& text, const QColor& color) {
    painter->setPen(heat_ ? text_on(heat_->color) : color);
    painter->drawText(QRectF(left, y, width, detail_height()), Qt::AlignLeft | Qt::AlignVCenter,
                      elided_name(text, node_.title, detail, width));
    y += detail_height();
  };
  if (!node_.subtitle.isEmpty()) line(node_.subtitle, node_.ghost ? theme().muted : theme().text);
  for (const QString& text : node_.details) line(text, theme().muted);
}

// On its border beside the title, in no way of what is written in the frame around the box.
QRectF NodeItem::badge_area() const {
  return {box().right() - 8, box().top() + band_height() / 2 - 8, 16, 16};
}

QRectF NodeItem::mark_area() const {
  return {box().left() - 8, box().top() + band_height() / 2 - 8, 16, 16};
}

void NodeItem::paint_badge(QPainter* painter) const {
  const QRectF disc = badge_area();
  painter->setPen(outline(theme().surface, 1));
  painter->setBrush(node_.badge_color);
  painter->drawEllipse(disc);
  painter->setPen(theme().surface);
  painter->setFont(title_font());
  painter->drawText(disc, Qt::AlignCenter, node_.badge);
}

// A square with the rule's number, so that rules are told apart without their colours.
void NodeItem::paint_mark(QPainter* painter) const {
  const QRectF square = mark_area();
  painter->setPen(outline(theme().surface, 1));
  painter->setBrush(theme().group(static_cast<std::size_t>(node_.mark - 1)));
  painter->drawRoundedRect(square, 3, 3);
  painter->setPen(theme().surface);
  painter->setFont(title_font());
  painter->drawText(square, Qt::AlignCenter, QString::number(node_.mark));
}

// At the foot of its right border, so that it hides neither title nor edges.
QRectF NodeItem::role_tag() const {
  const QFontMetricsF metrics(detail_font());
  const double width = role_->word.isEmpty() ? 0 : metrics.horizontalAdvance(role_->word) + 12;
  const double height = metrics.height() + 4;
  return {box().right() - 4, box().bottom() - height - 2, width, height};
}

void NodeItem::paint_role(QPainter* painter, double detail) const {
  QPen pen = outline(role_->color, 3);
  pen.setWidthF(std::max(pen.widthF(), 2 / detail));
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  const double radius = node_.pill ? size_.height() / 2 : corner;
  painter->drawRoundedRect(box().adjusted(-3, -3, 3, 3), radius + 3, radius + 3);
  if (role_->word.isEmpty() || detail < text_from) return;
  painter->setPen(Qt::NoPen);
  painter->setBrush(role_->color);
  painter->drawRoundedRect(role_tag(), 4, 4);
  painter->setPen(theme().surface);
  painter->setFont(detail_font());
  painter->drawText(role_tag(), Qt::AlignCenter, role_->word);
}

// In the colour of the scale, at the foot, left of where its edge leaves and what is written beside
// that.
QRectF NodeItem::heat_tag() const {
  const QFontMetricsF metrics(detail_font());
  const double width = metrics.horizontalAdvance(heat_->word) + 10, height = metrics.height() + 2;
  return {box().center().x() - 6 - width, box().bottom() - 3, width, height};
}

void NodeItem::paint_heat(QPainter* painter) const {
  if (heat_->word.isEmpty()) return;
  painter->setPen(outline(theme().border, 1));
  painter->setBrush(heat_->color);
  painter->drawRoundedRect(heat_tag(), 4, 4);
  painter->setPen(text_on(heat_->color));
  painter->setFont(detail_font());
  painter->drawText(heat_tag(), Qt::AlignCenter, heat_->word);
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

void ClusterItem::set_tone(const QColor& tone) {
  if (tone == tone_) return;
  tone_ = tone;
  update();
}

QColor ClusterItem::solid_fill() const { return mixed(theme().surface, color(), alpha() / 255.0); }

QRectF ClusterItem::boundingRect() const {
  QRectF bounds;
  for (const QRectF& frame : frames_) bounds |= frame;
  return bounds.adjusted(-3, -3, 3, 3);
}

void ClusterItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const double detail = detail_of(painter);
  const bool stands_out = emphasis_ != Emphasis::None;
  QColor fill = color();
  fill.setAlpha(alpha());
  QColor line = stands_out ? theme().accent : color();
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

ClusterTitle::ClusterTitle(const ClusterItem& cluster, std::size_t frame) : cluster_(cluster) {
  setZValue(0.8);  // over a chosen edge too, which passes on
  setAcceptedMouseButtons(Qt::NoButton);
  const QFontMetricsF metrics(detail_font());
  const QRectF& area = cluster.frames()[frame];
  const double room = area.width() - 14;
  const QString& title = cluster.cluster().title;
  text_ = metrics.elidedText(frame == 0 ? title : "… " + title, Qt::ElideMiddle, room);
  area_ = {area.left() + 5, area.top() + 1.5, std::min(room, metrics.horizontalAdvance(text_)) + 4,
           metrics.height()};
}

void ClusterTitle::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  if (detail_of(painter) < text_from) return;
  painter->fillRect(area_, cluster_.solid_fill());
  painter->setFont(detail_font());
  painter->setPen(cluster_.emphasis() == Emphasis::None ? cluster_.color() : theme().text);
  painter->drawText(area_, Qt::AlignCenter, text_);
}

}  // namespace loopglass::views

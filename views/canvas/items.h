// The things on a graph canvas. They draw less the smaller they appear: text is what
// costs time, and below a certain size nobody can read it.
#pragma once

#include "views/canvas/content.h"
#include "views/layout/layout.h"

#include <QFontMetricsF>
#include <QGraphicsItem>
#include <QPainterPath>

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>

namespace loopglass::views {

enum class Emphasis : std::uint8_t { None, Related, Primary };

// Sizes of the boxes: of their own text, and inside a cluster wide enough for the labels of their
// edges and the cluster's title to stay inside too.
std::vector<QSizeF> box_sizes(const CanvasContent& content);

// The same, box by box.
class BoxMeasure {
 public:
  BoxMeasure();
  QSizeF box(const CanvasNode& node) const;  // of its own text
  QSizeF tag(const QString& title) const;    // of its title alone, as tight as can be
  double label(const QString& text) const;   // width of an edge's label, or of a cluster's title
  double title(const QString& text) const;   // width of a box's
  // Inside a cluster. Both widths are label()'s; 0: there is none.
  static QSizeF in_cluster(QSizeF box, double title, double label, double cluster_padding);

 private:
  QFontMetricsF title_, detail_;
};

class NodeItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 1 };
  NodeItem(std::uint32_t index, CanvasNode node, QSizeF size);

  int type() const override { return Type; }
  std::uint32_t index() const { return index_; }
  void set_index(std::uint32_t index) { index_ = index; }
  bool shows(const CanvasNode& node, QSizeF size) const { return node_ == node && size_ == size; }
  void set_emphasis(Emphasis emphasis);
  void set_found(bool found);  // by the search
  // Null: none. Whether anything changes.
  bool set_role(const NodeRole* role);
  bool set_heat(const NodeHeat* heat);
  QRectF box() const {
    return {-size_.width() / 2, -size_.height() / 2, size_.width(), size_.height()};
  }

  // Its box and what is written beside it or hangs on it, in the scene.
  std::vector<QRectF> areas() const;
  // Of these what is not the box itself.
  std::vector<QRectF> attachments() const;

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override;

 private:
  void paint_box(QPainter* painter, double detail) const;
  void paint_ghost(QPainter* painter, double detail) const;
  void paint_text(QPainter* painter) const;
  void paint_title_alone(QPainter* painter, double detail) const;
  void paint_badge(QPainter* painter) const;
  void paint_mark(QPainter* painter) const;
  QRectF badge_area() const;
  QRectF mark_area() const;
  void paint_stack(QPainter* painter) const;
  void paint_role(QPainter* painter, double detail) const;
  void paint_heat(QPainter* painter) const;
  QRectF role_tag() const;
  QRectF heat_tag() const;
  void find_depth();

  std::uint32_t index_;
  CanvasNode node_;
  QSizeF size_;
  Emphasis emphasis_ = Emphasis::None;
  std::optional<NodeRole> role_;
  std::optional<NodeHeat> heat_;
  bool found_ = false;
};

class EdgeItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 2 };
  // `target` names the other end where a long edge is cut.
  EdgeItem(std::uint32_t index, CanvasEdge edge, std::vector<layout::Curve> pieces,
           const QString& source, const QString& target);

  int type() const override { return Type; }
  std::uint32_t index() const { return index_; }
  void set_index(std::uint32_t index) { index_ = index; }
  bool shows(const CanvasEdge& edge, const std::vector<layout::Curve>& pieces,
             const QString& source, const QString& target) const;
  void set_emphasis(Emphasis emphasis);
  const EdgeMark& mark() const { return mark_; }
  void set_mark(const EdgeMark& mark);
  // Unless somebody points at it, a sign that would cover something is left out: the line has its
  // colour and width.
  bool shows_sign() const { return !mark_.sign.isEmpty() && sign_has_room_; }
  using IsFree = std::function<bool(const QRectF& area)>;
  // Beside its beginning, on the right unless only the left is free; where neither is, over lines.
  void place_label(const IsFree& is_free, const IsFree& is_free_of_boxes);
  // What the other end of a cut edge is called: 0 where it leaves, 1 where it arrives.
  void place_name(std::size_t end, const IsFree& is_free);
  // Where the line runs beside what may be written at its beginning.
  std::vector<QRectF> beginning() const;
  // Near to; without being pointed at.
  bool shows_code() const { return !mark_.code.isEmpty() && !mark_.calm && has_room_; }
  // The code is told only while somebody points at the edge or has selected it.
  bool is_told_when_asked() const {
    return mark_.calm && mark_.sign.isEmpty() && !mark_.code.isEmpty();
  }
  // To the first of some places along the edge, the middle before all, where its area is free.
  // Where none is, the code is left out until the edge is pointed at or selected.
  // A sign that has room nowhere else may lie on the words beside lines.
  void place_mark(const IsFree& is_free, const IsFree& can_lie_on);
  QRectF mark_area() const;  // of what is shown, or told when asked
  QRectF code_area() const;  // beside its sign
  bool lacks_room_for_code() const { return shows_sign() && !mark_.code.isEmpty() && !has_room_; }
  // Of a code that lacks room: to the first side of the sign where its area is free, if there is
  // one.
  void turn_code(std::initializer_list<IsFree> fits);
  // Where its label, and where it is cut the names of its ends, are written; what has room.
  std::vector<QRectF> words() const;
  std::optional<QRectF> label_area() const { return shown(label_word); }
  std::optional<QRectF> name_area(std::size_t end) const { return shown(name_words + end); }
  bool leaves_out_words() const;
  QPointF mark_place() const { return mark_at_; }
  const QPainterPath& line() const { return path_; }

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override;

 protected:
  void hoverEnterEvent(QGraphicsSceneHoverEvent* event) override;
  void hoverLeaveEvent(QGraphicsSceneHoverEvent* event) override;

 private:
  enum class Side : std::uint8_t { Right, Left, Below, Above };  // of a sign
  struct Word {
    QString text;
    QRectF area;
    bool has_room = true;
  };
  static constexpr std::size_t label_word = 0, name_words = 1;

  QPen line_pen(double detail) const;
  QRectF sign_area() const;
  void set_words(const QString& label, const QString& source, const QString& target);
  void place(std::size_t which, const std::vector<QPointF>& corners,
             std::initializer_list<IsFree> fits);
  void use(std::size_t which, const QRectF& area, bool has_room);
  std::optional<QRectF> shown(std::size_t which) const;
  bool has_more_to_tell() const { return !mark_.code.isEmpty() || leaves_out_words(); }
  void find_hovering();
  bool stands_out() const { return pointed_at_ || emphasis_ != Emphasis::None; }
  void find_depth();
  void find_bounds();
  void paint_words(QPainter* painter) const;
  void paint_mark(QPainter* painter, double detail) const;

  std::uint32_t index_;
  CanvasEdge edge_;
  std::vector<layout::Curve> pieces_;
  QPainterPath path_;
  QPolygonF arrow_;
  QPointF stub_ends_[2];  // where a cut edge stops, and where it goes on
  // The label; and where it is cut the names of the nodes at the far ends.
  std::array<Word, 3> words_;
  QPointF mark_at_;
  Side code_side_ = Side::Right;
  bool has_room_ = true, sign_has_room_ = true;
  QRectF bounds_;
  mutable QPainterPath shape_;  // made when first asked for
  EdgeMark mark_;
  Emphasis emphasis_ = Emphasis::None;
  bool pointed_at_ = false;
};

class ClusterItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 3 };
  // One rectangle, or several where the members do not stand together.
  ClusterItem(std::uint32_t index, CanvasCluster cluster, std::vector<QRectF> frames);

  int type() const override { return Type; }
  std::uint32_t index() const { return index_; }
  void set_emphasis(Emphasis emphasis);
  Emphasis emphasis() const { return emphasis_; }
  const CanvasCluster& cluster() const { return cluster_; }
  // Instead of its own colour; invalid: its own.
  void set_tone(const QColor& tone);
  QColor color() const { return tone_.isValid() ? tone_ : cluster_.color; }
  const QRectF& first_frame() const { return frames_.front(); }
  const std::vector<QRectF>& frames() const { return frames_; }
  // The fill, on the paper.
  QColor solid_fill() const;

  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override;

 private:
  int alpha() const { return emphasis_ == Emphasis::None ? 30 : 70; }

  std::uint32_t index_;
  CanvasCluster cluster_;
  std::vector<QRectF> frames_;
  QColor tone_;
  Emphasis emphasis_ = Emphasis::None;
};

// A band of the overlay: over the clusters, under edges and nodes.
class BandItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 5 };
  BandItem(CanvasBand band, const std::vector<QRectF>& boxes,
           const std::vector<QPainterPath>& edges);

  int type() const override { return Type; }
  const CanvasBand& band() const { return band_; }
  // The tab with the title goes beside the first of the nodes where that is free; else there is
  // none.
  void place_title(const std::function<bool(const QRectF& area)>& is_free);
  const QRectF& tab() const { return tab_; }  // empty: none
  QRectF boundingRect() const override { return bounds_; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override;

 private:
  CanvasBand band_;
  std::vector<QRectF> boxes_;
  QPainterPath parts_;  // overlapping
  QRectF parts_bounds_, bounds_, tab_;
  mutable QPainterPath outline_;  // around them all, made when first seen
};

// Whether the line of an edge runs down from one box to the other, and not round to another column.
bool runs_between(const QPainterPath& line, const QRectF& from, const QRectF& to);

// The name of a cluster in the corner of one of its frames, over the edges that enter there.
class ClusterTitle : public QGraphicsItem {
 public:
  ClusterTitle(const ClusterItem& cluster, std::size_t frame);

  QRectF boundingRect() const override { return area_; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override;

 private:
  const ClusterItem& cluster_;
  QRectF area_;
  QString text_;
};

}  // namespace loopglass::views

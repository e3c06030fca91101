#include "views/canvas/canvas_picture.h"

#include "views/canvas/item_style.h"

#include "views/layout/occupied.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace loopglass::views {

std::vector<std::vector<QRectF>> cluster_frames(const CanvasContent& content,
                                                const std::vector<QSizeF>& sizes,
                                                const layout::Layout& layout) {
  std::vector<std::vector<QRectF>> frames(content.clusters.size());
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (const layout::Box& box = layout.clusters[i]; !box.empty())
      frames[i].emplace_back(box.left, box.top, box.width, box.height);
  for (std::size_t n = 0; n < content.nodes.size(); ++n) {
    const int cluster = content.nodes[n].cluster;
    if (cluster < 0 || !layout.clusters[static_cast<std::size_t>(cluster)].empty()) continue;
    QRectF frame({}, sizes[n] + QSizeF(20, 34));
    frame.moveCenter(QPointF(layout.centres[n].x, layout.centres[n].y - 7));
    frames[static_cast<std::size_t>(cluster)].push_back(frame);
  }
  return frames;
}

layout::LayoutGraph layout_graph(const CanvasContent& content, const std::vector<QSizeF>& sizes,
                                 bool columns) {
  layout::LayoutGraph graph;
  graph.clusters = static_cast<int>(content.clusters.size());
  const GraphSpacing spacing = graph_spacing(graph.clusters > 0);
  constexpr double dense_layer_gap = 32;
  graph.node_gap = spacing.node_gap;
  graph.layer_gap = columns ? dense_layer_gap : spacing.layer_gap;
  graph.cluster_padding = spacing.cluster_padding;
  for (std::size_t i = 0; i < content.nodes.size(); ++i)
    graph.nodes.push_back({sizes[i].width(), sizes[i].height(), content.nodes[i].cluster});
  for (const CanvasEdge& edge : content.edges) graph.edges.push_back({edge.from, edge.to});
  return graph;
}

QString end_label(const CanvasNode& node) {
  return node.subtitle.isEmpty() ? node.title : node.subtitle;
}

namespace {

layout::Box to_box(const QRectF& area) {
  return {area.left(), area.top(), area.width(), area.height()};
}

}  // namespace

void place_words(std::vector<QRectF> areas, const std::vector<BandItem*>& bands,
                 const std::vector<EdgeItem*>& edges) {
  layout::Occupied solid;  // what not even a sign without other room may lie on
  layout::Occupied taken;  // labels besides
  layout::Occupied lines;
  const auto is_free = [&](const QRectF& area) { return taken.is_free(to_box(area)); };
  const auto is_clear = [&](const QRectF& area) {
    return lines.is_free(to_box(area)) && is_free(area);
  };
  const auto can_lie_on = [&](const QRectF& area) { return solid.is_free(to_box(area)); };
  const auto take = [&](const QRectF& area) {
    taken.add(to_box(area));
    solid.add(to_box(area));
  };
  for (const QRectF& area : areas) take(area);
  for (BandItem* item : bands) {
    item->place_title(is_free);
    if (!item->tab().isEmpty()) take(item->tab());
  }
  for (EdgeItem* item : edges) {
    for (const QRectF& area : item->beginning()) lines.add(to_box(area));
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      item->place_name(end, is_free);
      if (const auto area = item->name_area(end)) take(*area);
    }
  }
  const auto place_label = [&](EdgeItem* item) {
    item->place_label(is_clear, is_free);
    if (const auto area = item->label_area()) taken.add(to_box(*area));
  };
  std::ranges::for_each(edges, place_label);
  std::vector<EdgeItem*> marked, told_when_asked;
  for (EdgeItem* item : edges)
    if (item->is_told_when_asked()) told_when_asked.push_back(item);
    else if (!item->mark().code.isEmpty() || !item->mark().sign.isEmpty()) marked.push_back(item);
  std::ranges::stable_partition(
      marked, [](const EdgeItem* item) { return item->mark().sign == EdgeMark::asked_for; });
  layout::Occupied signs;
  const auto place_marks = [&] {
    for (EdgeItem* item : marked) {
      item->place_mark(is_free, can_lie_on);
      if (!item->shows_sign() && !item->shows_code()) continue;
      take(item->mark_area());
      signs.add(to_box(item->mark_area()));
    }
  };
  const layout::Occupied taken_before = taken, solid_before = solid;
  place_marks();
  // Where a neighbour's words took the only place of a sign, they come second.
  const auto lacks_sign = [](const EdgeItem* item) {
    return !item->mark().sign.isEmpty() && !item->shows_sign();
  };
  if (std::ranges::any_of(marked, lacks_sign)) {
    std::ranges::stable_partition(marked, lacks_sign);
    taken = taken_before;
    solid = solid_before;
    signs = {};
    place_marks();
  }
  // Codes without room are shown when somebody points at the edge: not upon other verdicts, then.
  layout::Occupied told = solid, told_verdicts = signs;
  for (EdgeItem* item : marked) {
    if (!item->lacks_room_for_code()) continue;
    item->turn_code({[&](const QRectF& area) { return told.is_free(to_box(area)); },
                     [&](const QRectF& area) { return told_verdicts.is_free(to_box(area)); }});
    for (layout::Occupied* place : {&told, &told_verdicts}) place->add(to_box(item->code_area()));
  }
  // A type on which a sign had to lie makes room.
  std::vector<EdgeItem*> covered;
  for (EdgeItem* item : edges)
    if (const auto area = item->label_area(); area && !signs.is_free(to_box(*area)))
      covered.push_back(item);
  std::ranges::for_each(covered, place_label);
  for (EdgeItem* item : told_when_asked) {
    item->place_mark(is_free, can_lie_on);
    taken.add(to_box(item->mark_area()));
  }
}

CanvasPicture::CanvasPicture(CanvasContent content, std::vector<QSizeF> sizes,
                             std::shared_ptr<const layout::Layout> layout, CanvasOverlay overlay)
    : content_(std::move(content)), sizes_(std::move(sizes)) {
  make_items(*layout, overlay);
  std::stable_sort(items_.begin(), items_.end(),
                   [](const auto& a, const auto& b) { return a->zValue() < b->zValue(); });
  for (const auto& item : items_) bounds_ |= item->boundingRect().translated(item->pos());
}

CanvasPicture::~CanvasPicture() = default;
CanvasPicture::CanvasPicture(CanvasPicture&&) noexcept = default;
CanvasPicture& CanvasPicture::operator=(CanvasPicture&&) noexcept = default;

template <class Item, class... Arguments>
Item* CanvasPicture::add(Arguments&&... arguments) {
  auto item = std::make_unique<Item>(std::forward<Arguments>(arguments)...);
  Item* made = item.get();
  items_.push_back(std::move(item));
  return made;
}

void CanvasPicture::make_items(const layout::Layout& layout, const CanvasOverlay& overlay) {
  for (std::uint32_t e = 0; e < content_.edges.size(); ++e) {
    const CanvasEdge& edge = content_.edges[e];
    edges_.push_back(add<EdgeItem>(e, edge, layout.edges[e], end_label(content_.nodes[edge.from]),
                                   end_label(content_.nodes[edge.to])));
    if (!overlay.edges.empty()) edges_.back()->set_mark(overlay.edges[e]);
  }
  std::vector<QRectF> boxes;
  for (std::uint32_t n = 0; n < content_.nodes.size(); ++n) {
    auto* item = add<NodeItem>(n, content_.nodes[n], sizes_[n]);
    item->setPos(layout.centres[n].x, layout.centres[n].y);
    if (const auto role = overlay.roles.find(n); role != overlay.roles.end())
      item->set_role(&role->second);
    if (const auto heat = overlay.heats.find(n); heat != overlay.heats.end())
      item->set_heat(&heat->second);
    boxes.push_back(item->box().translated(item->pos()));
    nodes_.push_back(item);
  }
  std::vector<std::vector<QRectF>> frames = cluster_frames(content_, sizes_, layout);
  for (std::uint32_t c = 0; c < frames.size(); ++c) {
    if (frames[c].empty()) continue;
    auto* item = add<ClusterItem>(c, content_.clusters[c], std::move(frames[c]));
    if (!overlay.clusters.empty()) item->set_tone(overlay.clusters[c]);
    for (std::size_t frame = 0; frame < item->frames().size(); ++frame)
      titles_.push_back(add<ClusterTitle>(*item, frame));
  }
  for (const CanvasBand& band : overlay.bands) {
    std::vector<QRectF> around;
    std::vector<QPainterPath> along;
    for (const std::uint32_t node : band.nodes) around.push_back(boxes[node]);
    for (const std::uint32_t edge : band.edges) {
      const CanvasEdge& ends = content_.edges[edge];
      QPainterPath line = edges_[edge]->line();
      if (runs_between(line, boxes[ends.from], boxes[ends.to])) along.push_back(std::move(line));
    }
    bands_.push_back(add<BandItem>(band, around, along));
  }
  std::vector<QRectF> taken;
  for (const Area& area : standing_areas()) taken.push_back(area.area);
  place_words(std::move(taken), bands_, edges_);
}

std::vector<CanvasPicture::Area> CanvasPicture::standing_areas() const {
  std::vector<Area> areas;
  for (const NodeItem* item : nodes_) {
    const std::vector<QRectF> parts = item->areas();
    areas.push_back({Area::Kind::Box, item->index(), parts.front()});
    for (std::size_t part = 1; part < parts.size(); ++part)
      areas.push_back({Area::Kind::Attachment, item->index(), parts[part]});
  }
  for (std::uint32_t title = 0; title < titles_.size(); ++title)
    areas.push_back({Area::Kind::ClusterTitle, title, titles_[title]->boundingRect()});
  return areas;
}

std::vector<CanvasPicture::Area> CanvasPicture::areas() const {
  std::vector<Area> areas = standing_areas();
  for (std::uint32_t band = 0; band < bands_.size(); ++band)
    if (!bands_[band]->tab().isEmpty())
      areas.push_back({Area::Kind::BandTitle, band, bands_[band]->tab()});
  for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) {
    for (const QRectF& area : edges_[edge]->words())
      areas.push_back({Area::Kind::Word, edge, area});
    if (edges_[edge]->shows_sign() || edges_[edge]->shows_code())
      areas.push_back({Area::Kind::Mark, edge, edges_[edge]->mark_area()});
  }
  return areas;
}

bool CanvasPicture::paint(QPainter& painter, const std::function<bool(double)>& go_on) const {
  constexpr std::size_t between = 256;
  const QStyleOptionGraphicsItem option;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i % between == 0 && go_on &&
        !go_on(static_cast<double>(i) / static_cast<double>(items_.size())))
      return false;
    painter.save();
    painter.translate(items_[i]->pos());
    items_[i]->paint(&painter, &option, nullptr);
    painter.restore();
  }
  return true;
}

}  // namespace loopglass::views

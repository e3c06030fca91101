// What the canvas shows: content and its layout become items, and only what differs is made anew.
#include "core/support/hash.h"
#include "views/canvas/canvas_picture.h"
#include "views/canvas/graph_canvas.h"
#include "views/layout/columns.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace loopglass::views {
namespace {

std::uint64_t hash_of(const layout::LayoutGraph& graph) {
  Hasher hasher;
  hasher.value(graph.nodes.size()).value(graph.clusters);
  for (const layout::Node& node : graph.nodes)
    hasher.value(node.width).value(node.height).value(node.cluster);
  for (const layout::Edge& edge : graph.edges) hasher.value(edge.from).value(edge.to);
  return hasher.digest();
}

QRectF to_rect(const layout::Box& box) { return {box.left, box.top, box.width, box.height}; }

}  // namespace

void GraphCanvas::set_content(CanvasContent content, bool fresh) {
  next_content_ = std::move(content);
  next_arrival_ = fresh ? Arrival::Fresh : Arrival::Other;
  next_sizes_ = box_sizes(next_content_);
  layout::LayoutGraph graph = layout_graph(next_content_, next_sizes_, columns_.any());
  Hasher hasher;
  hasher.value(hash_of(graph)).value(columns_.page.width()).value(columns_.page.height());
  for (const auto& column : columns_.told) hasher.value(column ? *column + 1 : 0);
  const std::uint64_t hash = hasher.digest();
  if (const LayoutPtr* known = recent_.object(hash)) {
    jobs_->cancel(lane_);
    waiting_ = false;
    return accept(*known);
  }
  if (next_content_.nodes.empty()) {
    jobs_->cancel(lane_);
    waiting_ = false;
    return accept(std::make_shared<const layout::Layout>());
  }
  waiting_ = true;
  jobs_->run<LayoutPtr>(
      lane_, tr("Laying out the graph"),
      [graph = std::move(graph),
       wanted = columns_](const JobContext& context) -> Result<LayoutPtr> {
        layout::Layout drawn = TRY(layout::lay_out(graph, context.cancellation));
        const layout::Columns columns =
            wanted.told.empty() ? layout::choose_columns(drawn, graph.nodes, wanted.page.width(),
                                                         wanted.page.height())
                                : layout::columns_like(drawn, graph.nodes, wanted.told);
        return std::make_shared<const layout::Layout>(
            layout::in_columns(std::move(drawn), columns));
      },
      [this, hash](LayoutPtr layout) {
        waiting_ = false;
        recent_.insert(hash, new LayoutPtr(layout));
        accept(std::move(layout));
      },
      [this](const Diagnostic&) { waiting_ = false; });
  viewport()->update();
}

void GraphCanvas::expect_layout() {
  waiting_ = true;
  viewport()->update();
}

void GraphCanvas::set_placed(CanvasContent content, std::vector<QSizeF> sizes, LayoutPtr layout,
                             Arrival arrival) {
  jobs_->cancel(lane_);
  waiting_ = false;
  next_content_ = std::move(content);
  next_sizes_ = std::move(sizes);
  next_arrival_ = arrival;
  accept(std::move(layout));
}

void GraphCanvas::accept(LayoutPtr layout) {
  const std::vector<Anchor> before =
      next_arrival_ == Arrival::Other ? anchors() : std::vector<Anchor>{};
  lost_.reset();
  if (!before.empty() && highlight_.primary &&
      before.front().key == content_.nodes[*highlight_.primary].key &&
      std::ranges::find(next_content_.nodes, before.front().key, &CanvasNode::key) ==
          next_content_.nodes.end())
    lost_ = before.front();
  set_highlight({});
  for (BandItem* item : std::exchange(band_items_, {})) delete item;
  overlay_ = {};
  if (next_arrival_ == Arrival::Fresh) {
    scene()->clear();
    node_items_.clear();
    edge_items_.clear();
    cluster_items_.clear();
    cluster_titles_.clear();
  }
  layout_ = std::move(layout);
  cancelled_ = false;
  const bool keeps_whole = held_ == Held::Whole && next_arrival_ != Arrival::Fresh;
  if (keeps_whole) lost_.reset();
  update_scene();
  if (keeps_whole) keep_whole();
  else if (!before.empty()) restore(before);
  else if (next_arrival_ != Arrival::SameDrawing) show_beginning();
  else if (held_ == Held::Middle) centerOn(middle_held_);
  find_graph_again();
  mark_found(found_text_);
  viewport()->update();  // what said that it is being laid out lies over everything
  emit layoutChanged();
  emit viewChanged();
}

// Only what differs is made anew: on a large graph a step changes a few items of ten thousands.
void GraphCanvas::update_scene() {
  scene_rect_ = to_rect(layout_->bounds);
  const CanvasContent before = std::exchange(content_, std::exchange(next_content_, {}));
  sizes_ = std::exchange(next_sizes_, {});
  update_edges(before);
  update_nodes(before);
  update_clusters();
  // Soon, for most contents get an overlay first.
  words_stand_ = false;
  QMetaObject::invokeMethod(this, &GraphCanvas::place_words, Qt::QueuedConnection);
  // Room to move a node at the border to the middle.
  constexpr double room = 600;
  setSceneRect(scene_rect_.adjusted(-room, -room, room, room));
}

void GraphCanvas::update_clusters() {
  std::vector<std::vector<QRectF>> frames = cluster_frames(content_, sizes_, *layout_);
  const auto same = [&](std::size_t i) {
    const ClusterItem* item = cluster_items_[i];
    return item ? item->cluster() == content_.clusters[i] && item->frames() == frames[i]
                : frames[i].empty();
  };
  bool unchanged = cluster_items_.size() == frames.size();
  for (std::size_t i = 0; unchanged && i < frames.size(); ++i) unchanged = same(i);
  if (unchanged) return;
  for (ClusterTitle* title : cluster_titles_) delete title;
  for (ClusterItem* item : cluster_items_) delete item;
  cluster_titles_.clear();
  cluster_items_.clear();
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    cluster_items_.push_back(nullptr);
    if (frames[i].empty()) continue;
    cluster_items_.back() = new ClusterItem(i, content_.clusters[i], std::move(frames[i]));
    scene()->addItem(cluster_items_.back());
    for (std::size_t frame = 0; frame < cluster_items_.back()->frames().size(); ++frame) {
      cluster_titles_.push_back(new ClusterTitle(*cluster_items_.back(), frame));
      scene()->addItem(cluster_titles_.back());
    }
  }
}

void GraphCanvas::update_edges(const CanvasContent& before) {
  const auto key_of = [](const CanvasContent& content, const CanvasEdge& edge) {
    return Hasher()
        .value(content.nodes[edge.from].key)
        .value(content.nodes[edge.to].key)
        .value(edge.key)
        .digest();
  };
  std::unordered_multimap<std::uint64_t, EdgeItem*> old;
  for (EdgeItem* item : edge_items_) old.emplace(key_of(before, before.edges[item->index()]), item);
  edge_items_.clear();
  const auto label = [&](std::uint32_t node) { return end_label(content_.nodes[node]); };
  for (std::uint32_t i = 0; i < content_.edges.size(); ++i) {
    const CanvasEdge& edge = content_.edges[i];
    const auto known = old.find(key_of(content_, edge));
    if (known != old.end() &&
        known->second->shows(edge, layout_->edges[i], label(edge.from), label(edge.to))) {
      known->second->set_index(i);
      edge_items_.push_back(known->second);
      old.erase(known);
      continue;
    }
    edge_items_.push_back(
        new EdgeItem(i, edge, layout_->edges[i], label(edge.from), label(edge.to)));
    scene()->addItem(edge_items_.back());
  }
  for (const auto& [key, item] : old) delete item;
}

void GraphCanvas::update_nodes(const CanvasContent& before) {
  std::unordered_map<std::uint64_t, NodeItem*> old;
  std::vector<NodeItem*> gone;
  for (NodeItem* item : node_items_)
    if (!old.emplace(before.nodes[item->index()].key, item).second) gone.push_back(item);
  node_items_.clear();
  for (std::uint32_t i = 0; i < content_.nodes.size(); ++i) {
    const QPointF centre(layout_->centres[i].x, layout_->centres[i].y);
    const auto known = old.find(content_.nodes[i].key);
    if (known != old.end() && known->second->shows(content_.nodes[i], sizes_[i])) {
      NodeItem* item = known->second;
      old.erase(known);
      item->set_index(i);
      if (item->pos() != centre) item->setPos(centre);
      node_items_.push_back(item);
      continue;
    }
    node_items_.push_back(new NodeItem(i, content_.nodes[i], sizes_[i]));
    node_items_.back()->setPos(centre);
    scene()->addItem(node_items_.back());
  }
  for (const auto& [key, item] : old) delete item;
  for (NodeItem* item : gone) delete item;
}

}  // namespace loopglass::views

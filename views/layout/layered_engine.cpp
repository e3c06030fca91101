// Clusters in the layered drawing. A cluster that the rest of the graph does not run through (a
// fused group, for one) is drawn on its own first and then stands in the whole as a single box, so
// clusters never overlap and hold nothing that is not theirs. Edges that enter or leave a cluster
// pass through ports on its border: inside, a port is a node of no size pinned to the first or last
// layer; outside, the edge ends beside the box's centre, where the port is. The curve is put
// together from its parts.
//
// Several edges between the same two nodes, as of an operator with several results, stand side by
// side; where one end is in a cluster they meet in its port.
//
// The members of interleaved clusters (clusters.h) are laid out one by one.
#include "views/layout/layered_engine.h"

#include "views/layout/clusters.h"
#include "views/layout/layered_core.h"

#include <algorithm>
#include <map>

namespace loopglass::layout {
namespace {

constexpr double parallel_gap = 18;  // between edges of the same two nodes

// How far beside the middles of its nodes each edge runs.
std::vector<double> places_beside(const LayoutGraph& graph) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> alike;
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    alike[{graph.edges[e].from, graph.edges[e].to}].push_back(e);
  std::vector<double> places(graph.edges.size());
  for (const auto& [ends, edges] : alike) {
    const double width = std::min(graph.nodes[ends.first].width, graph.nodes[ends.second].width);
    const auto count = static_cast<double>(edges.size());
    const double gap = std::min(parallel_gap, width / (count + 1));
    for (std::size_t k = 0; k < edges.size(); ++k)
      places[edges[k]] = (static_cast<double>(k) - (count - 1) / 2) * gap;
  }
  return places;
}

// A box of the whole drawing: a cluster, or a node in none.
struct Part {
  int cluster = -1;
  std::vector<std::uint32_t> members;
  std::vector<std::size_t> edges;  // of the graph, with an end or both in here
  FlatLayout inside;               // clusters: members first, then ports
  std::map<std::uint32_t, std::size_t> in_ports, out_ports;  // member -> its port's place in inside
  std::map<std::uint32_t, std::size_t> in_curves,
      out_curves;                                  // member -> edge between it and its port
  std::map<std::size_t, std::size_t> inner_edges;  // edge of the graph -> its place in inside
};

class ClusteredDrawing {
 public:
  ClusteredDrawing(const LayoutGraph& graph, const Cancellation& cancellation)
      : graph_(graph), cancellation_(cancellation), beside_(places_beside(graph)) {}

  Result<Layout> draw() {
    contract();
    for (Part& part : parts_)
      if (part.cluster >= 0) TRY_VOID(draw_inside(part));
    TRY_VOID(draw_outside());
    return assemble();
  }

 private:
  void contract();
  void number_parts(const std::vector<bool>& dissolved);
  Result<void> draw_inside(Part& part);
  Result<void> draw_outside();
  Layout assemble() const;
  double top_padding(const Part& part) const {
    return part.in_ports.empty() ? graph_.cluster_padding : 0;
  }
  Box box_of(std::size_t part) const;
  Point inner_origin(std::size_t part) const;
  double port_dx(const Part& part, std::size_t port) const;
  std::vector<Curve> curves_of(std::size_t edge) const;

  const LayoutGraph& graph_;
  const Cancellation& cancellation_;
  const std::vector<double> beside_;  // where edges meet nodes
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_;
  std::vector<std::uint32_t> place_;  // of a node among its part's members
  FlatLayout outside_;
  std::vector<FlatNode> sizes_;                     // of the parts
  std::map<std::size_t, std::size_t> outer_edges_;  // edge of the graph -> its place outside
};

void ClusteredDrawing::number_parts(const std::vector<bool>& dissolved) {
  parts_.clear();
  part_of_.assign(graph_.nodes.size(), 0);
  place_.assign(graph_.nodes.size(), 0);
  std::map<int, std::uint32_t> part_of_cluster;
  for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    const int cluster = graph_.nodes[i].cluster;
    const bool boxed = cluster >= 0 && !dissolved[static_cast<std::size_t>(cluster)];
    std::uint32_t part = static_cast<std::uint32_t>(parts_.size());
    if (boxed) part = part_of_cluster.try_emplace(cluster, part).first->second;
    if (part == parts_.size()) parts_.emplace_back().cluster = boxed ? cluster : -1;
    part_of_[i] = part;
    place_[i] = static_cast<std::uint32_t>(parts_[part].members.size());
    parts_[part].members.push_back(i);
  }
}

void ClusteredDrawing::contract() {
  number_parts(interleaved_clusters(graph_));
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const std::uint32_t from = part_of_[graph_.edges[e].from], to = part_of_[graph_.edges[e].to];
    parts_[from].edges.push_back(e);
    if (to != from) parts_[to].edges.push_back(e);
  }
}

Result<void> ClusteredDrawing::draw_inside(Part& part) {
  std::vector<FlatNode> nodes;
  std::vector<FlatEdge> edges;
  for (const std::uint32_t member : part.members)
    nodes.push_back({graph_.nodes[member].width, graph_.nodes[member].height, Pin::None});
  const auto port = [&](std::uint32_t member, Pin pin) {
    auto& ports = pin == Pin::First ? part.in_ports : part.out_ports;
    if (ports.contains(member)) return;
    const auto made = static_cast<std::uint32_t>(nodes.size());
    ports[member] = made;
    (pin == Pin::First ? part.in_curves : part.out_curves)[member] = edges.size();
    nodes.push_back({0, 0, pin});
    if (pin == Pin::First) edges.push_back({made, place_[member]});
    else edges.push_back({place_[member], made});
  };
  const std::uint32_t self = part_of_[part.members.front()];
  for (const std::size_t e : part.edges) {
    const Edge& edge = graph_.edges[e];
    if (part_of_[edge.from] == self && part_of_[edge.to] == self) {
      part.inner_edges[e] = edges.size();
      edges.push_back({place_[edge.from], place_[edge.to], beside_[e], beside_[e]});
    } else if (part_of_[edge.to] == self) {
      port(edge.to, Pin::First);
    } else {
      port(edge.from, Pin::Last);
    }
  }
  const Spacing spacing{graph_.node_gap, graph_.layer_gap, graph_.cluster_padding};
  part.inside = TRY(lay_out_flat(nodes, edges, spacing, cancellation_));
  return {};
}

double ClusteredDrawing::port_dx(const Part& part, std::size_t port) const {
  return part.inside.centres[port].x - part.inside.width / 2;
}

Result<void> ClusteredDrawing::draw_outside() {
  std::vector<FlatNode> nodes;
  for (const Part& part : parts_) {
    if (part.cluster < 0) {
      const Node& node = graph_.nodes[part.members.front()];
      nodes.push_back({node.width, node.height, Pin::None});
      continue;
    }
    const double bottom = part.out_ports.empty() ? graph_.cluster_padding : 0;
    nodes.push_back({part.inside.width + 2 * graph_.cluster_padding,
                     part.inside.height + top_padding(part) + bottom, Pin::None});
  }
  std::vector<FlatEdge> edges;
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const Edge& edge = graph_.edges[e];
    const std::uint32_t from = part_of_[edge.from], to = part_of_[edge.to];
    if (from == to) continue;
    const Part &producer = parts_[from], &consumer = parts_[to];
    outer_edges_[e] = edges.size();
    edges.push_back(
        {from, to,
         producer.cluster < 0 ? beside_[e] : port_dx(producer, producer.out_ports.at(edge.from)),
         consumer.cluster < 0 ? beside_[e] : port_dx(consumer, consumer.in_ports.at(edge.to))});
  }
  sizes_ = nodes;
  const Spacing spacing{graph_.node_gap, graph_.layer_gap, graph_.layer_gap};
  outside_ = TRY(lay_out_flat(nodes, edges, spacing, cancellation_));
  return {};
}

Box ClusteredDrawing::box_of(std::size_t part) const {
  const Point centre = outside_.centres[part];
  const FlatNode& size = sizes_[part];
  return {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
}

Point ClusteredDrawing::inner_origin(std::size_t part) const {
  const Box box = box_of(part);
  return {box.left + graph_.cluster_padding, box.top + top_padding(parts_[part])};
}

// Appends pieces to pieces; the first joins the last where they meet.
void append(std::vector<Curve>& pieces, const std::vector<Curve>& more, Point by) {
  bool join = !pieces.empty();
  for (const Curve& piece : more) {
    Curve moved;
    for (const Point& point : piece) moved.push_back({point.x + by.x, point.y + by.y});
    if (join) pieces.back().insert(pieces.back().end(), moved.begin() + 1, moved.end());
    else pieces.push_back(std::move(moved));
    join = false;
  }
}

std::vector<Curve> ClusteredDrawing::curves_of(std::size_t e) const {
  const Edge& edge = graph_.edges[e];
  const std::uint32_t from = part_of_[edge.from], to = part_of_[edge.to];
  std::vector<Curve> pieces;
  if (from == to) {
    const Part& part = parts_[from];
    append(pieces, part.inside.edges[part.inner_edges.at(e)], inner_origin(from));
    return pieces;
  }
  const Part &producer = parts_[from], &consumer = parts_[to];
  if (producer.cluster >= 0)
    append(pieces, producer.inside.edges[producer.out_curves.at(edge.from)], inner_origin(from));
  append(pieces, outside_.edges[outer_edges_.at(e)], {});
  if (consumer.cluster >= 0)
    append(pieces, consumer.inside.edges[consumer.in_curves.at(edge.to)], inner_origin(to));
  if (pieces.size() > 2) pieces.erase(pieces.begin() + 1, pieces.end() - 1);
  return pieces;
}

Layout ClusteredDrawing::assemble() const {
  Layout layout;
  layout.engine = Engine::Layered;
  layout.bounds = {0, 0, outside_.width, outside_.height};
  layout.clusters.resize(static_cast<std::size_t>(graph_.clusters));
  layout.centres.resize(graph_.nodes.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.cluster < 0) {
      layout.centres[part.members.front()] = outside_.centres[p];
      continue;
    }
    layout.clusters[static_cast<std::size_t>(part.cluster)] = box_of(p);
    const Point origin = inner_origin(p);
    for (const std::uint32_t member : part.members) {
      const Point inside = part.inside.centres[place_[member]];
      layout.centres[member] = {origin.x + inside.x, origin.y + inside.y};
    }
  }
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) layout.edges.push_back(curves_of(e));
  return layout;
}

}  // namespace

Result<Layout> lay_out_layered(const LayoutGraph& graph, const Cancellation& cancellation) {
  return ClusteredDrawing(graph, cancellation).draw();
}

}  // namespace loopglass::layout

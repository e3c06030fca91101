// One state as a part of the drawing of all.
#include "views/layout/steady.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace loopglass::layout {
namespace {

Box box_at(Point centre, double width, double height) {
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

// Boxes by the squares they touch, to ask quickly whether a place is free.
class Occupied {
 public:
  void add(const Box& box) {
    boxes_.push_back(box);
    visit(box, [&](std::uint64_t square) {
      squares_.emplace(square, boxes_.size() - 1);
      return true;
    });
  }
  bool is_free(const Box& box) const {
    return visit(box, [&](std::uint64_t square) {
      const auto [begin, end] = squares_.equal_range(square);
      return std::none_of(begin, end, [&](const auto& entry) { return overlap(boxes_[entry.second], box); });
    });
  }

 private:
  static constexpr double side = 256;
  template <class Visit>
  static bool visit(const Box& box, const Visit& visit) {
    const auto square = [](double at) { return static_cast<std::int32_t>(std::floor(at / side)); };
    for (std::int32_t x = square(box.left); x <= square(box.right()); ++x)
      for (std::int32_t y = square(box.top); y <= square(box.bottom()); ++y)
        if (!visit(static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 | static_cast<std::uint32_t>(y)))
          return false;
    return true;
  }
  std::vector<Box> boxes_;
  std::unordered_multimap<std::uint64_t, std::size_t> squares_;
};

// From the foot of one box to the head of another.
Curve direct(const Box& from, const Box& to) {
  const Point start{from.left + from.width / 2, from.bottom()}, end{to.left + to.width / 2, to.top};
  const double bend = std::max(20.0, std::abs(end.y - start.y) / 2.5);
  return {start, {start.x, start.y + bend}, {end.x, end.y - bend}, end};
}

void straight_to(Curve& curve, Point to) {
  const Point from = curve.back();
  const auto between = [&](double part) {
    return Point{from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
  };
  curve.insert(curve.end(), {between(1.0 / 3), between(2.0 / 3), to});
}

// A box smaller than its slot does not reach the curves that were drawn to the slot's border.
void reach(std::vector<Curve>& pieces, const Box& from, const Box& to) {
  Curve& first = pieces.front();
  if (first.front().y > from.bottom() + 1) {
    Curve longer{{first.front().x, from.bottom()}};
    straight_to(longer, first.front());
    longer.insert(longer.end(), first.begin() + 1, first.end());
    first = std::move(longer);
  }
  Curve& last = pieces.back();
  if (last.back().y < to.top - 1) straight_to(last, {last.back().x, to.top});
}

}  // namespace

std::vector<Curve> SteadyDrawing::curve_of(std::uint32_t from, std::uint32_t to, int depth) const {
  constexpr int deepest = 20;
  if (const auto known = laid_out_.find({from, to}); known != laid_out_.end()) return whole_.edges[known->second];
  const auto span = spans_.find({from, to});
  if (span == spans_.end() || depth == deepest) return {};
  std::vector<std::uint32_t> stops = span->second;
  stops.push_back(to);
  Curve whole;
  for (const std::uint32_t stop : stops) {
    const std::vector<Curve> pieces = curve_of(from, stop, depth + 1);
    if (pieces.size() != 1) return {};  // unknown, or cut because it is long
    if (whole.empty()) {
      whole = pieces.front();
    } else {
      straight_to(whole, pieces.front().front());
      whole.insert(whole.end(), pieces.front().begin() + 1, pieces.front().end());
    }
    from = stop;
  }
  return {whole};
}

Layout SteadyDrawing::part(const std::vector<PartNode>& nodes, const std::vector<PartEdge>& edges,
                           std::unordered_map<Key, Point>& guests) const {
  Layout part;
  part.engine = whole_.engine;
  part.duration = whole_.duration;
  part.clusters = whole_.clusters;
  part.bounds = whole_.bounds;
  part.centres.resize(nodes.size());
  std::vector<std::optional<std::uint32_t>> seats(nodes.size());
  std::vector<std::uint32_t> homeless;
  std::vector<std::uint32_t> tenant(slots_.size(), static_cast<std::uint32_t>(nodes.size()));
  Occupied occupied;
  for (const bool ghosts : {false, true})
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].ghost != ghosts) continue;
      const auto slot = slot_of_.find(nodes[i].key);
      if (slot == slot_of_.end()) {
        homeless.push_back(i);
        continue;
      }
      const Point centre = whole_.centres[slot->second];
      std::uint32_t& here = tenant[slot->second];
      if (here == nodes.size()) {
        here = i;
        seats[i] = slot->second;
        part.centres[i] = centre;
        occupied.add(box_at(centre, nodes[i].width, nodes[i].height));
      } else if (ghosts) {
        // Behind what took its place, with its head looking out.
        const PartNode& front = nodes[here];
        part.centres[i] = {centre.x - (front.width - nodes[i].width) / 2 - 18,
                           centre.y - (front.height - nodes[i].height) / 2 - 20};
      } else {
        homeless.push_back(i);
      }
    }

  // Near their neighbours, producers first, so that chains of newcomers hang together.
  struct Neighbour {
    std::uint32_t node;
    bool is_above;
  };
  std::vector<std::vector<Neighbour>> near(nodes.size());
  std::vector<bool> placed(nodes.size(), true);
  for (const std::uint32_t i : homeless) placed[i] = false;
  if (!homeless.empty())
    for (const PartEdge& edge : edges) {
      if (!placed[edge.from]) near[edge.from].push_back({edge.to, false});
      if (!placed[edge.to]) near[edge.to].push_back({edge.from, true});
    }
  for (const std::uint32_t i : homeless) {
    double x = 0, count = 0;
    double above = -1e18, below = 1e18;
    for (const auto& [other, is_above] : near[i]) {
      if (!placed[other]) continue;
      x += part.centres[other].x, count += 1;
      if (is_above) above = std::max(above, part.centres[other].y + nodes[other].height / 2);
      else below = std::min(below, part.centres[other].y - nodes[other].height / 2);
    }
    const PartNode& node = nodes[i];
    Point wanted{count > 0 ? x / count : part.bounds.left + part.bounds.width / 2, part.bounds.top};
    if (above > -1e17 && below < 1e17) wanted.y = (above + below) / 2;
    else if (above > -1e17) wanted.y = above + 24 + node.height / 2;
    else if (below < 1e17) wanted.y = below - 24 - node.height / 2;
    Point found = wanted;
    const auto before = guests.find(node.key);
    if (before != guests.end() && occupied.is_free(box_at(before->second, node.width, node.height)))
      wanted = before->second;
    const double step = node.width / 2 + 14;
    for (int attempt = 0; attempt < 64; ++attempt) {
      const double side = attempt % 2 == 0 ? 1 : -1;
      found = {wanted.x + side * step * ((attempt + 1) / 2), wanted.y};
      if (occupied.is_free(box_at(found, node.width + 12, node.height + 8))) break;
    }
    guests[node.key] = part.centres[i] = found;
    placed[i] = true;
    occupied.add(box_at(found, node.width, node.height));
  }

  part.edges.reserve(edges.size());
  for (const PartEdge& edge : edges) {
    const Box from = box_at(part.centres[edge.from], nodes[edge.from].width, nodes[edge.from].height);
    const Box to = box_at(part.centres[edge.to], nodes[edge.to].width, nodes[edge.to].height);
    std::vector<Curve> pieces;
    if (seats[edge.from] && seats[edge.to]) pieces = curve_of(*seats[edge.from], *seats[edge.to], 0);
    if (pieces.empty()) pieces.push_back(direct(from, to));
    else reach(pieces, from, to);
    part.edges.push_back(std::move(pieces));
  }
  return part;
}

}  // namespace loopglass::layout

// One state as a part of the drawing of all.
#include "views/layout/occupied.h"
#include "views/layout/steady.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace loopglass::layout {
namespace {

// From the foot of one box to the head of another.
Curve direct(const Box& from, const Box& to) {
  const Point start{from.left + from.width / 2, from.bottom()}, end{to.left + to.width / 2, to.top};
  const double bend = std::max(20.0, std::abs(end.y - start.y) / 2.5);
  return {start, {start.x, start.y + bend}, {end.x, end.y - bend}, end};
}

Point at(const Curve& curve, double part) {
  const double rest = 1 - part;
  const double weights[] = {rest * rest * rest, 3 * rest * rest * part, 3 * rest * part * part,
                            part * part * part};
  Point point;
  for (std::size_t i = 0; i < 4; ++i)
    point = {point.x + weights[i] * curve[i].x, point.y + weights[i] * curve[i].y};
  return point;
}

// One segment, leaving and arriving straight down.
Curve downwards(Point start, Point end) {
  const double bend = (end.y - start.y) / 2.5;
  return {start, {start.x, start.y + bend}, {end.x, end.y - bend}, end};
}

bool is_clear(const Curve& curve, const Occupied& occupied) {
  constexpr double step = 18, reach = 4;
  const double length = std::hypot(curve[3].x - curve[0].x, curve[3].y - curve[0].y);
  const int samples = std::max(2, static_cast<int>(length / step));
  for (int i = 1; i < samples; ++i)
    if (!occupied.is_free(box_at(at(curve, static_cast<double>(i) / samples), reach, reach)))
      return false;
  return true;
}

// From the first point down to the last, by way of as few of the others as leave it clear of boxes;
// empty: no such way is clear.
Curve drawn_tight(const std::vector<Point>& points, const Occupied& occupied) {
  Curve curve{points.front()};
  for (std::size_t from = 0; from + 1 < points.size();) {
    std::size_t to = points.size() - 1;
    while (to > from && !is_clear(downwards(points[from], points[to]), occupied)) --to;
    if (to == from) return {};
    const Curve piece = downwards(points[from], points[to]);
    curve.insert(curve.end(), piece.begin() + 1, piece.end());
    from = to;
  }
  return curve;
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

// Gives every node of a part its place, and every edge its way.
class PartMaker {
 public:
  PartMaker(const SteadyDrawing& drawing, const std::vector<PartNode>& nodes,
            const std::vector<PartEdge>& edges, std::unordered_map<Key, Point>& guests,
            const Columns& columns)
      : drawing_(drawing), nodes_(nodes), edges_(edges), guests_(guests), columns_(columns) {}

  Layout make() {
    part_.engine = drawing_.whole_.engine;
    part_.duration = drawing_.whole_.duration;
    part_.clusters = drawing_.whole_.clusters;
    part_.bounds = drawing_.whole_.bounds;
    part_.centres.resize(nodes_.size());
    seats_.resize(nodes_.size());
    is_tag_.resize(nodes_.size());
    seat();
    place_ghosts();
    place_guests();
    draw_edges();
    return std::move(part_);
  }

 private:
  Box box(std::uint32_t i) const {
    const PartNode& node = nodes_[i];
    return is_tag_[i] ? box_at(part_.centres[i], node.tag_width, node.tag_height)
                      : box_at(part_.centres[i], node.width, node.height);
  }

  void settle(std::uint32_t i, Point centre) {
    part_.centres[i] = centre;
    occupied_.add(box(i));
  }

  // What is there takes its seat before what is gone.
  void seat() {
    std::vector<std::uint32_t> tenant(drawing_.slots_.size(), nobody);
    for (const bool ghosts : {false, true})
      for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].ghost != ghosts) continue;
        const auto slot = drawing_.slot_of_.find(nodes_[i].key);
        if (slot == drawing_.slot_of_.end()) {
          homeless_.push_back(i);
          continue;
        }
        std::uint32_t& here = tenant[slot->second];
        if (here == nobody) {
          here = i;
          seats_[i] = slot->second;
          settle(i, drawing_.whole_.centres[slot->second]);
        } else if (ghosts) {
          displaced_.push_back({i, here, slot->second});
        } else {
          homeless_.push_back(i);
        }
      }
  }

  // Beside what took its place, or its frame; where there is no room, as a tag there; where there
  // is none for that either, as one that looks out below it.
  void place_ghosts() {
    if (displaced_.empty()) return;
    Occupied frames;
    for (const Box& frame : part_.clusters)
      if (!frame.empty()) frames.add(frame);
    for (const auto& [ghost, front, slot] : displaced_) {
      constexpr double gap = 12;
      const PartNode& node = nodes_[ghost];
      const Box in_front = box(front);
      Box taken = in_front;
      const int cluster = drawing_.slots_[slot].cluster;
      if (cluster >= 0 && !part_.clusters[static_cast<std::size_t>(cluster)].empty()) {
        const Box& frame = part_.clusters[static_cast<std::size_t>(cluster)];
        taken.left = frame.left;
        taken.width = frame.width;
      }
      const double y = part_.centres[front].y - 2;
      const auto beside = [&](double width, double height) -> std::optional<Box> {
        for (const double x : {taken.left - gap - width / 2, taken.right() + gap + width / 2}) {
          const Box wanted = box_at({x, y}, width + 8, height + 8);
          if (occupied_.is_free(wanted) && frames.is_free(wanted) &&
              is_within_a_column(wanted, left_of_column, 0))
            return box_at({x, y}, width, height);
        }
        return std::nullopt;
      };
      std::optional<Box> place = beside(node.width, node.height);
      if (!place) {
        part_.tags.push_back(ghost);
        is_tag_[ghost] = true;
        place = beside(node.tag_width, node.tag_height);
      }
      if (!place) {
        constexpr double out = 14;
        place = {in_front.left - out, in_front.bottom() + 2, node.tag_width, node.tag_height};
        while (!occupied_.is_free(*place) && place->top < in_front.bottom() + 3 * node.tag_height)
          place->top += node.tag_height + 2;
      }
      part_.centres[ghost] = {place->left + place->width / 2, place->top + place->height / 2};
      occupied_.add(*place);
    }
  }

  // Near their neighbours, producers first, so that chains of newcomers hang together.
  void place_guests() {
    std::vector<std::vector<Neighbour>> near(nodes_.size());
    std::vector<bool> placed(nodes_.size(), true);
    for (const std::uint32_t i : homeless_) placed[i] = false;
    if (!homeless_.empty())
      for (const PartEdge& edge : edges_) {
        if (!placed[edge.from]) near[edge.from].push_back({edge.to, false});
        if (!placed[edge.to]) near[edge.to].push_back({edge.from, true});
      }
    for (const std::uint32_t i : homeless_) {
      Point wanted = wanted_by(i, near[i], placed);
      const PartNode& node = nodes_[i];
      const auto before = guests_.find(node.key);
      if (before != guests_.end()) {
        const Box known = box_at(before->second, node.width, node.height);
        if (occupied_.is_free(known) && is_within_a_column(known)) wanted = before->second;
      }
      const Point found = free_beside(wanted, node);
      guests_[node.key] = found;
      placed[i] = true;
      settle(i, found);
    }
  }

  struct Neighbour {
    std::uint32_t node;
    bool is_above;
  };

  Point wanted_by(std::uint32_t i, const std::vector<Neighbour>& near,
                  const std::vector<bool>& placed) const {
    double x = 0, count = 0;
    std::optional<double> above, below;  // the borders of what it stands between
    for (const auto& [other, is_above] : near) {
      if (!placed[other]) continue;
      x += part_.centres[other].x, count += 1;
      if (is_above) above = std::max(above.value_or(-1e18), box(other).bottom());
      else below = std::min(below.value_or(1e18), box(other).top);
    }
    Point wanted{count > 0 ? x / count : part_.bounds.left + part_.bounds.width / 2,
                 part_.bounds.top};
    if (above && below) wanted.y = (*above + *below) / 2;
    else if (above) wanted.y = *above + 24 + nodes_[i].height / 2;
    else if (below) wanted.y = *below - 24 - nodes_[i].height / 2;
    return wanted;
  }

  // Room between columns that something may take: beside the edges that go on there.
  static constexpr double beside = 24, left_of_column = 80;

  // What would reach into the column beside it lies over what stands there. Before the first and
  // behind the last there is nothing.
  bool is_within_a_column(const Box& box, double left = beside, double right = beside) const {
    if (columns_.count() < 2) return true;
    const std::size_t column = column_at(columns_, box.top);
    return column == column_at(columns_, box.bottom()) &&
           (column == 0 || box.left > columns_.lefts[column] - left) &&
           (column + 1 == columns_.count() || box.right() < columns_.rights[column] + right);
  }

  // To either side of where it is wanted, else a little higher or lower; within its column, if
  // there is such a place.
  Point free_beside(Point wanted, const PartNode& node) const {
    const double across = node.width / 2 + 14, down = node.height + 14;
    const auto find = [&](int most_rows, bool within) -> std::optional<Point> {
      for (int row = 0; row < most_rows; ++row)
        for (int attempt = 0; attempt < 64; ++attempt) {
          const Point place{wanted.x + alternating(attempt) * across,
                            wanted.y + alternating(row) * down};
          const Box box = box_at(place, node.width + 12, node.height + 8);
          if (occupied_.is_free(box) && (!within || is_within_a_column(box))) return place;
        }
      return {};
    };
    constexpr int rows = 9;
    if (const auto place = find(rows, true)) return *place;
    return find(rows, false).value_or(wanted);
  }

  // 0, -1, 1, -2, 2, ...
  static double alternating(int attempt) {
    return (attempt % 2 == 0 ? 1 : -1) * ((attempt + 1) / 2);
  }

  void draw_edges() {
    part_.edges.reserve(edges_.size());
    for (const PartEdge& edge : edges_) {
      const Box from = box(edge.from), to = box(edge.to);
      std::vector<Curve> pieces;
      if (seats_[edge.from] && seats_[edge.to])
        pieces = between_seats(*seats_[edge.from], *seats_[edge.to], from, to);
      if (pieces.empty()) pieces.push_back(direct(from, to));
      part_.edges.push_back(std::move(pieces));
    }
  }

  // As it was laid out, or through the seats that it spans: straight where nothing stands in the
  // way, else along the edges that were laid out between them.
  std::vector<Curve> between_seats(std::uint32_t from_seat, std::uint32_t to_seat, const Box& from,
                                   const Box& to) const {
    if (!drawing_.laid_out_.contains({from_seat, to_seat}) && from.bottom() < to.top) {
      Curve tight = drawn_tight(way_points(from_seat, to_seat, from, to), occupied_);
      if (!tight.empty()) return {std::move(tight)};
    }
    std::vector<Curve> pieces = drawing_.curve_of(from_seat, to_seat, 0);
    if (!pieces.empty()) reach(pieces, from, to);
    return pieces;
  }

  std::vector<Point> way_points(std::uint32_t from_seat, std::uint32_t to_seat, const Box& from,
                                const Box& to) const {
    const Point end{to.left + to.width / 2, to.top};
    std::vector<Point> points{{from.left + from.width / 2, from.bottom()}};
    for (const std::uint32_t stop : drawing_.stops_between(from_seat, to_seat)) {
      const Point centre = drawing_.whole_.centres[stop];
      const bool on_the_way = centre.y > points.back().y && centre.y < end.y;
      if (on_the_way && occupied_.is_free(box_at(centre, 4, 4))) points.push_back(centre);
    }
    points.push_back(end);
    return points;
  }

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct Displaced {
    std::uint32_t ghost, front, slot;
  };
  const SteadyDrawing& drawing_;
  const std::vector<PartNode>& nodes_;
  const std::vector<PartEdge>& edges_;
  std::unordered_map<Key, Point>& guests_;
  const Columns& columns_;
  Layout part_;
  std::vector<std::optional<std::uint32_t>> seats_;
  std::vector<bool> is_tag_;
  std::vector<std::uint32_t> homeless_;
  std::vector<Displaced> displaced_;  // ghosts whose seat is taken
  Occupied occupied_;
};

// Spans may run through seats between which there are spans again.
std::vector<std::uint32_t> SteadyDrawing::stops_between(std::uint32_t from, std::uint32_t to,
                                                        int depth) const {
  constexpr int deepest = 20;
  const auto span = spans_.find({from, to});
  if (span == spans_.end() || depth == deepest) return {};
  std::vector<std::uint32_t> all;
  std::uint32_t last = from;
  for (const std::uint32_t stop : span->second) {
    const auto between = stops_between(last, stop, depth + 1);
    all.insert(all.end(), between.begin(), between.end());
    all.push_back(stop);
    last = stop;
  }
  const auto rest = stops_between(last, to, depth + 1);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

std::vector<Curve> SteadyDrawing::curve_of(std::uint32_t from, std::uint32_t to, int depth) const {
  constexpr int deepest = 20;
  if (const auto known = laid_out_.find({from, to}); known != laid_out_.end())
    return whole_.edges[known->second];
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
                           std::unordered_map<Key, Point>& guests, const Columns& columns) const {
  return PartMaker(*this, nodes, edges, guests, columns).make();
}

}  // namespace loopglass::layout

#include "views/layout/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace loopglass::layout {

std::size_t column_at(const Columns& columns, double y) {
  const auto next = std::upper_bound(columns.cuts.begin() + 1, columns.cuts.end() - 1, y);
  return static_cast<std::size_t>(next - columns.cuts.begin()) - 1;
}

namespace {

constexpr double gutter = 84;  // between columns: for the labels of edges, and for edges between
constexpr double foot = 34;    // below a column, and above it, for edges that go on
constexpr double stub = 26;    // of an edge that is not drawn all the way
constexpr double lane = 7;     // between edges that go on side by side
constexpr std::size_t lanes = 10;  // then they share
constexpr std::size_t most_columns = 40;
constexpr double worth = 1.33;
// A kernel in two pieces is taken for two kernels: larger boxes make up for that seldom, and boxes
// that stand in another column than the same ones elsewhere only where they are many.
constexpr double whole_worth = 1.2;
constexpr std::ptrdiff_t whole_worth_boxes = 4;

struct Span {
  double from, to;
};

// Places where a drawing can be cut: between boxes, with the number of edges that pass.
class Places {
 public:
  Places(const Layout& layout, const std::vector<Node>& boxes) {
    std::vector<Span> taken;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      taken.push_back(
          {layout.centres[i].y - boxes[i].height / 2, layout.centres[i].y + boxes[i].height / 2});
    std::sort(taken.begin(), taken.end(), [](Span a, Span b) { return a.from < b.from; });
    for (const Box& box : layout.clusters)
      if (!box.empty()) hulls_.push_back({box.top, box.bottom()});
    double end = -std::numeric_limits<double>::infinity();
    for (const Span& span : taken) {
      if (span.from > end + 8 && std::isfinite(end)) places_[between(end, span.from)] = 0;
      end = std::max(end, span.to);
    }
    const auto count = [&](double from, double to, int by) {
      for (auto place = places_.lower_bound(from); place != places_.end() && place->first < to;
           ++place)
        place->second += by;
    };
    for (const std::vector<Curve>& pieces : layout.edges)
      if (pieces.size() == 1 && pieces.front().back().y - pieces.front().front().y < 4000)
        count(pieces.front().front().y, pieces.front().back().y, 1);
    // A kernel's hull that is cut falls to pieces.
    for (const Box& box : layout.clusters)
      if (!box.empty()) count(box.top, box.bottom(), 6);
  }

  const std::map<double, int>& all() const { return places_; }

  std::ptrdiff_t hulls_cut(double place) const {
    return std::ranges::count_if(
        hulls_, [&](const Span& hull) { return place >= hull.from && place < hull.to; });
  }
  std::ptrdiff_t hulls_cut(const Columns& columns) const {
    std::ptrdiff_t cut = 0;
    for (std::size_t c = 1; c < columns.count(); ++c) cut += hulls_cut(columns.cuts[c]);
    return cut;
  }

  // The best near `wanted`; nullopt: there is none between the two ends.
  std::optional<double> near(double wanted, double from, double to) const {
    std::optional<double> best;
    double least = std::numeric_limits<double>::max();
    for (auto place = places_.lower_bound(from); place != places_.end() && place->first < to;
         ++place) {
      const double cost = place->second + 8 * std::abs(place->first - wanted) / (to - from);
      if (cost >= least) continue;
      least = cost;
      best = place->first;
    }
    return best;
  }

 private:
  // The middle of a gap between boxes, of what hulls leave of it.
  double between(double from, double to) const {
    double top = from, bottom = to;
    for (const Span& hull : hulls_)
      if (hull.to > top && hull.to < to) top = hull.to;
    for (const Span& hull : hulls_)
      if (hull.from > top && hull.from < bottom) bottom = hull.from;
    return (top + bottom) / 2;
  }

  std::map<double, int> places_;
  std::vector<Span> hulls_;
};

Columns cut(const Layout& layout, const Places& places, std::size_t count) {
  const double top = layout.bounds.top, height = layout.bounds.height / static_cast<double>(count);
  Columns columns;
  columns.cuts.push_back(top);
  for (std::size_t k = 1; k < count; ++k) {
    const double wanted = top + static_cast<double>(k) * height;
    const auto within = [&](double reach) {
      return places.near(wanted,
                         std::max(wanted - reach * height, columns.cuts.back() + 0.3 * height),
                         wanted + reach * height);
    };
    auto place = within(0.3);
    // Farther away there may be one that leaves all kernels whole.
    if (!place || places.hulls_cut(*place) > 0)
      if (const auto farther = within(0.48); farther && places.hulls_cut(*farther) == 0)
        place = farther;
    if (place) columns.cuts.push_back(*place);
  }
  columns.cuts.push_back(layout.bounds.bottom());
  return columns;
}

void measure(Columns& columns, const Layout& layout, const std::vector<Node>& boxes) {
  columns.lefts.assign(columns.count(), std::numeric_limits<double>::max());
  columns.rights.assign(columns.count(), std::numeric_limits<double>::lowest());
  const auto widen = [&](std::size_t column, double left, double right) {
    columns.lefts[column] = std::min(columns.lefts[column], left);
    columns.rights[column] = std::max(columns.rights[column], right);
  };
  for (std::size_t i = 0; i < boxes.size(); ++i)
    widen(column_at(columns, layout.centres[i].y), layout.centres[i].x - boxes[i].width / 2,
          layout.centres[i].x + boxes[i].width / 2);
  for (const Box& box : layout.clusters)
    if (!box.empty()) {
      const std::size_t column = column_at(columns, box.top);
      if (column == column_at(columns, box.bottom())) widen(column, box.left, box.right());
    }
  for (const std::vector<Curve>& pieces : layout.edges)
    for (const Curve& piece : pieces)
      for (const Point& point : piece) widen(column_at(columns, point.y), point.x, point.x);
  for (std::size_t c = 0; c < columns.count(); ++c)
    if (columns.lefts[c] > columns.rights[c])
      columns.lefts[c] = columns.rights[c] = layout.bounds.left;
}

double zoom(const Columns& columns, double width, double height) {
  double all = gutter * static_cast<double>(columns.count() - 1), tallest = 0;
  for (std::size_t c = 0; c < columns.count(); ++c) {
    all += columns.rights[c] - columns.lefts[c];
    tallest = std::max(tallest, columns.cuts[c + 1] - columns.cuts[c]);
  }
  if (columns.count() > 1) tallest += 2 * foot;
  return std::min(width / all, height / tallest);
}

Point between(Point a, Point b, double part) {
  return {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
}

// A curve above a height, and what of it is below (de Casteljau). Edges run downwards.
std::pair<Curve, Curve> split_at(const Curve& curve, double y) {
  Curve above{curve.front()}, below;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    const Point a = curve[i], b = curve[i + 1], c = curve[i + 2], d = curve[i + 3];
    if (!below.empty() || d.y <= y) {
      Curve& part = below.empty() ? above : below;
      part.insert(part.end(), {b, c, d});
      continue;
    }
    double low = 0, high = 1;
    const auto cut = [&](double t) {
      const Point ab = between(a, b, t), bc = between(b, c, t), cd = between(c, d, t);
      const Point abc = between(ab, bc, t), bcd = between(bc, cd, t);
      return std::array{ab, abc, between(abc, bcd, t), bcd, cd};
    };
    for (int step = 0; step < 40; ++step)
      (cut((low + high) / 2)[2].y < y ? low : high) = (low + high) / 2;
    const auto [ab, abc, middle, bcd, cd] = cut(low);
    above.insert(above.end(), {ab, abc, middle});
    below = {middle, bcd, cd, d};
  }
  if (below.empty()) below = {curve.back(), curve.back(), curve.back(), curve.back()};
  return {above, below};
}

void move(Curve& curve, Point by) {
  for (Point& point : curve) point = {point.x + by.x, point.y + by.y};
}

// Along right angles, with round corners.
void go_on(Curve& curve, const std::vector<Point>& corners) {
  constexpr double radius = 12;
  const auto line_to = [&](Point to) {
    const Point from = curve.back();
    curve.insert(curve.end(), {between(from, to, 1.0 / 3), between(from, to, 2.0 / 3), to});
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point corner = corners[i];
    if (i + 1 == corners.size()) {
      line_to(corner);
      break;
    }
    const Point from = curve.back(), next = corners[i + 1];
    const double in = std::hypot(corner.x - from.x, corner.y - from.y);
    const double out = std::hypot(next.x - corner.x, next.y - corner.y);
    const double round = std::min({radius, in / 2, out / 2});
    const Point begin = in > 0 ? between(corner, from, round / in) : corner;
    const Point end = out > 0 ? between(corner, next, round / out) : corner;
    line_to(begin);
    curve.insert(curve.end(), {between(begin, corner, 0.55), between(end, corner, 0.55), end});
  }
}

}  // namespace

Columns choose_columns(const Layout& layout, const std::vector<Node>& boxes, double width,
                       double height) {
  if (boxes.empty() || width <= 0 || height <= 0) return {};
  const Places places(layout, boxes);
  Columns best;
  double one = 0, largest = 0, best_worth = 0;
  for (std::size_t count = 1; count <= most_columns; ++count) {
    Columns columns = cut(layout, places, count);
    if (columns.count() < count) continue;
    measure(columns, layout, boxes);
    const double now = zoom(columns, width, height);
    const double worth_now =
        now / std::pow(whole_worth, static_cast<double>(places.hulls_cut(columns)));
    if (count == 1) one = now;
    if (worth_now > best_worth) {
      best_worth = worth_now;
      largest = now;
      best = std::move(columns);
    }
  }
  // What can be read in one column is left in it.
  return one >= 0.8 || largest < worth * one ? Columns{} : best;
}

Columns columns_like(const Layout& layout, const std::vector<Node>& boxes,
                     const std::vector<std::optional<std::size_t>>& wanted) {
  struct Told {
    double y;
    std::size_t column;
  };
  std::vector<Told> told;  // downwards
  std::size_t last = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (wanted[i]) {
      told.push_back({layout.centres[i].y, *wanted[i]});
      last = std::max(last, *wanted[i]);
    }
  if (last == 0) return {};
  std::sort(told.begin(), told.end(), [](const Told& a, const Told& b) { return a.y < b.y; });
  const Places places(layout, boxes);
  Columns columns;
  columns.cuts.push_back(layout.bounds.top);
  for (std::size_t column = 1; column <= last; ++column) {
    // What is above a cut belongs left of it, and what is below does not.
    std::ptrdiff_t misplaced =
        std::count_if(told.begin(), told.end(), [&](const Told& t) { return t.column < column; });
    auto next = told.begin();
    std::optional<double> best;
    std::pair<std::ptrdiff_t, int> least;
    for (const auto& [place, edges] : places.all()) {
      for (; next != told.end() && next->y < place; ++next)
        misplaced += next->column < column ? -1 : 1;
      const std::pair cost(misplaced + whole_worth_boxes * places.hulls_cut(place), edges);
      if (place <= columns.cuts.back() || (best && cost >= least)) continue;
      best = place;
      least = cost;
    }
    if (!best) break;
    columns.cuts.push_back(*best);
  }
  columns.cuts.push_back(layout.bounds.bottom());
  measure(columns, layout, boxes);
  return columns;
}

Layout in_columns(Layout layout, const Columns& columns) {
  if (columns.count() < 2) return layout;
  std::vector<Point> shift;
  std::vector<double> gutters;  // to the right of each column
  double left = layout.bounds.left, tallest = 0;
  const double top = layout.bounds.top + foot;
  for (std::size_t c = 0; c < columns.count(); ++c) {
    shift.push_back({left - columns.lefts[c], top - columns.cuts[c]});
    left += columns.rights[c] - columns.lefts[c] + gutter;
    gutters.push_back(left - gutter / 2);
    tallest = std::max(tallest, columns.cuts[c + 1] - columns.cuts[c]);
  }
  const auto moved = [&](Point point) {
    const Point by = shift[column_at(columns, point.y)];
    return Point{point.x + by.x, point.y + by.y};
  };
  std::vector<std::size_t> used(columns.count(), 0);  // lanes to the right of each column
  for (std::vector<Curve>& pieces : layout.edges) {
    std::vector<Curve> drawn;
    for (Curve& piece : pieces) {
      const std::size_t first = column_at(columns, piece.front().y),
                        last = column_at(columns, piece.back().y);
      if (first >= last) {
        move(piece, shift[first]);
        drawn.push_back(std::move(piece));
        continue;
      }
      if (last == first + 1 && pieces.size() == 1) {
        auto [above, below] = split_at(piece, columns.cuts[last]);
        move(above, shift[first]);
        move(below, shift[last]);
        const double side = lane * static_cast<double>(used[first]++ % lanes);
        const double x = gutters[first] - gutter / 4 + side;
        const double low = top + columns.cuts[last] - columns.cuts[first] + 8 + side / 2;
        const double high = top - foot + 4 + side / 2;
        go_on(above,
              {{above.back().x, low}, {x, low}, {x, high}, {below.front().x, high}, below.front()});
        above.insert(above.end(), below.begin() + 1, below.end());
        drawn.push_back(std::move(above));
        continue;
      }
      const Point from = moved(piece.front()), to = moved(piece.back());
      const Point end{from.x, from.y + stub}, begin{to.x, to.y - stub};
      drawn.push_back({from, between(from, end, 0.3), between(from, end, 0.6), end});
      drawn.push_back({begin, between(begin, to, 0.3), between(begin, to, 0.6), to});
    }
    if (drawn.size() > 2) drawn.erase(drawn.begin() + 1, drawn.end() - 1);
    pieces = std::move(drawn);
  }
  layout.column_of.clear();
  for (Point& centre : layout.centres) {
    layout.column_of.push_back(column_at(columns, centre.y));
    centre = moved(centre);
  }
  for (Box& box : layout.clusters) {
    if (box.empty()) continue;
    const std::size_t column = column_at(columns, box.top);
    if (column != column_at(columns, box.bottom())) {
      box = {};
      continue;
    }
    box.left += shift[column].x;
    box.top += shift[column].y;
  }
  layout.bounds = {layout.bounds.left, layout.bounds.top, left - gutter - layout.bounds.left,
                   tallest + 2 * foot};
  return layout;
}

}  // namespace loopglass::layout

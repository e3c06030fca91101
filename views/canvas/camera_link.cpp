#include "views/canvas/camera_link.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace loopglass::views {
namespace {

constexpr std::size_t most_places = 6;  // that have a say
constexpr double same_region = 160;     // further apart in how they are displaced lie other columns

QPointF displacement(const LinkedPlace& place) { return place.second - place.first; }

double square_of(QPointF offset) { return QPointF::dotProduct(offset, offset); }

}  // namespace

std::optional<QPointF> linked_middle(QPointF middle, std::span<const LinkedPlace> places) {
  if (places.empty()) return std::nullopt;
  std::vector<std::pair<double, const LinkedPlace*>> by_distance;
  by_distance.reserve(places.size());
  for (const LinkedPlace& place : places)
    by_distance.emplace_back(square_of(place.first - middle), &place);
  const auto kept =
      by_distance.begin() + static_cast<std::ptrdiff_t>(std::min(most_places, places.size()));
  std::partial_sort(by_distance.begin(), kept, by_distance.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  const QPointF nearest = displacement(*by_distance.front().second);
  QPointF sum;
  double weights = 0;
  for (auto each = by_distance.begin(); each != kept; ++each) {
    const QPointF offset = displacement(*each->second);
    if (square_of(offset - nearest) > same_region * same_region) continue;
    const double weight = 1 / ((each->first + 1) * (each->first + 1));
    sum += weight * offset;
    weights += weight;
  }
  return middle + sum / weights;
}

CameraLink::CameraLink(GraphCanvas* first, GraphCanvas* second)
    : QObject(second), first_(first), second_(second) {
  connect(first, &GraphCanvas::viewChanged, this, [this] { notice(first_); });
  connect(second, &GraphCanvas::viewChanged, this, [this] { notice(second_); });
  for (GraphCanvas* canvas : {first, second})
    connect(canvas, &GraphCanvas::fitted, this, &CameraLink::show_whole_of_both);
}

void CameraLink::set_linked(bool linked) {
  linked_ = linked;
  follow_first();
}

void CameraLink::set_places(std::vector<LinkedPlace> places) {
  back_.clear();
  for (const LinkedPlace& place : places) back_.push_back({place.second, place.first});
  forth_ = std::move(places);
  follow_first();
}

// Whoever sees all of the first sees all of both, also once one of them has another drawing.
void CameraLink::follow_first() {
  if (first_->shows_whole()) return show_whole_of_both();
  follow(first_, second_, forth_);
}

void CameraLink::show_whole_of_both() {
  if (!linked_ || moving_ || !first_->isVisible() || !second_->isVisible()) return;
  const double zoom = std::min(first_->zoom_of_whole(), second_->zoom_of_whole());
  move_alone([&] {
    for (GraphCanvas* canvas : {first_, second_}) canvas->show_whole_at(zoom);
  });
}

void CameraLink::move_alone(const std::function<void()>& move) {
  const bool moved = std::exchange(moving_, true);
  move();
  moving_ = moved;
}

void CameraLink::follow(GraphCanvas* moved, GraphCanvas* other,
                        const std::vector<LinkedPlace>& places) {
  if (!linked_ || moving_ || !other->isVisible()) return;
  if (const auto middle = linked_middle(moved->middle(), places))
    move_alone([&] { other->follow(*middle, moved->zoom_now()); });
}

// Panes that find their sizes are not moved by anybody: then the first has its way. Scroll bars
// come and go with what is looked at, and do not count.
void CameraLink::notice(GraphCanvas* moved) {
  const QSize first_size = first_->size(), second_size = second_->size();
  const bool first_resized = std::exchange(first_size_, first_size) != first_size;
  const bool second_resized = std::exchange(second_size_, second_size) != second_size;
  if (moved == first_ || first_resized || second_resized) follow_first();
  else follow(second_, first_, back_);
}

}  // namespace loopglass::views

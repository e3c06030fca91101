// Two canvases that look at the same place: whichever is moved takes the other along, so that what
// both show stands in the same place of both views, as large in one as in the other. Their drawings
// may differ; where they do, what is nearest to the middle decides.
#pragma once

#include "views/canvas/graph_canvas.h"

#include <optional>
#include <span>
#include <vector>

namespace loopglass::views {

// Where one thing stands in both drawings.
struct LinkedPlace {
  QPointF first, second;
};
// What of the second drawing stands where `middle` is in the first; nullopt: they share nothing. At
// a linked place that is its other one, and between places it passes over gradually from one to the
// next, but for those that lie apart in the second drawing, as at the end of a column.
std::optional<QPointF> linked_middle(QPointF middle, std::span<const LinkedPlace> places);

class CameraLink : public QObject {
  Q_OBJECT

 public:
  CameraLink(GraphCanvas* first, GraphCanvas* second);

  void set_linked(bool linked);  // the second comes to the first
  void set_places(std::vector<LinkedPlace> places);
  // The second looks where the first looks.
  void follow_first();
  // All of both, as large in one as in the other.
  void show_whole_of_both();
  // What moves a canvas here leaves the other where it is.
  void move_alone(const std::function<void()>& move);

 private:
  void follow(GraphCanvas* moved, GraphCanvas* other, const std::vector<LinkedPlace>& places);
  void notice(GraphCanvas* moved);

  GraphCanvas *first_, *second_;
  std::vector<LinkedPlace> forth_, back_;  // the same, each by where one comes from
  QSize first_size_, second_size_;         // of the views
  bool linked_ = true, moving_ = false;
};

}  // namespace loopglass::views

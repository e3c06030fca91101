#include "views/canvas/named_camera.h"

#include <cmath>
#include <limits>
#include <utility>

namespace loopglass::views {

std::optional<Camera> camera_of(const GraphCanvas& canvas, std::size_t boxes,
                                const NameOfBox& name_of) {
  const QPointF middle = canvas.middle();
  std::optional<Camera> best;
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t box = 0; box < boxes; ++box) {
    const QPointF offset = middle - canvas.place_of_node(box);
    const double distance = std::hypot(offset.x(), offset.y());
    if (distance >= least) continue;
    std::optional<BoxName> found = name_of(box);
    if (!found) continue;
    least = distance;
    best =
        Camera{std::move(found->name), found->is_tensor, offset.x(), offset.y(), canvas.zoom_now()};
  }
  return best;
}

void look_at(GraphCanvas& canvas, std::uint32_t box, const Camera& camera) {
  canvas.look_at(canvas.place_of_node(box) + QPointF(camera.right, camera.down), camera.zoom);
}

}  // namespace loopglass::views

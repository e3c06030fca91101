// What a canvas looks at, by the names of its boxes, to be found again in another drawing.
#pragma once

#include "core/saved_session.h"
#include "views/canvas/graph_canvas.h"

#include <functional>
#include <optional>
#include <string>

namespace loopglass::views {

// An operator's, or an input's or output's.
struct BoxName {
  std::string name;
  bool is_tensor = false;
};
// nullopt: of a box that another drawing need not have.
using NameOfBox = std::function<std::optional<BoxName>(std::uint32_t box)>;

// By the box nearest to the middle that has a name; nullopt: there is none.
std::optional<Camera> camera_of(const GraphCanvas& canvas, std::size_t boxes,
                                const NameOfBox& name_of);
// Looks at what the camera shows, whose box this is here.
void look_at(GraphCanvas& canvas, std::uint32_t box, const Camera& camera);

}  // namespace loopglass::views

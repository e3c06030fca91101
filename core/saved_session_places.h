// Where one looks in a graph, as JSON: what is selected, the camera, bookmarks.
#pragma once

#include "core/saved_session.h"
#include "core/saved_session_fields.h"

namespace loopglass::saved {

Json camera_json(const Camera& camera);
void add_place(Json& json, const Place& place);
Json bookmark_json(const Bookmark& bookmark);

Result<Camera> read_camera(const Found& found);
Result<Place> read_place(const Found& found);
Result<Bookmark> read_bookmark(const Found& found);

}  // namespace loopglass::saved

#include "core/saved_session_places.h"

#include <array>
#include <nlohmann/json.hpp>

namespace loopglass::saved {

namespace {

constexpr std::array selection_names{"nothing", "operators", "fold",      "tensor",
                                     "kernel",  "loop line", "LLVM line", "assembly line"};

Json selection_json(const SavedSelection& selection) {
  Json json{{"what", selection_names[static_cast<std::size_t>(selection.kind)]}};
  add_texts(json, "names", selection.names);
  if (selection.line > 0) json["line"] = selection.line;
  return json;
}

}  // namespace

Json camera_json(const Camera& camera) {
  return {{camera.is_tensor ? "tensor" : "operator", text_json(camera.box)},
          {"right", camera.right},
          {"down", camera.down},
          {"zoom", camera.zoom}};
}

void add_place(Json& json, const Place& place) {
  add_text(json, "at", place.at);
  if (place.selected.kind != SavedSelection::Kind::Nothing)
    json["selected"] = selection_json(place.selected);
  if (place.camera) json["camera"] = camera_json(*place.camera);
}

Json bookmark_json(const Bookmark& bookmark) {
  Json json{{"name", text_json(bookmark.name)}};
  add_text(json, "subgraph", bookmark.subgraph);
  add_place(json, bookmark.place);
  return json;
}

namespace {

Result<SavedSelection> read_selection(const Found& found) {
  using Kind = SavedSelection::Kind;
  Members members = TRY(Members::of(found));
  SavedSelection selection;
  const Found what = TRY(members.get("what"));
  selection.kind = static_cast<Kind>(TRY(read_one_of(what, selection_names, "cannot be selected")));
  TRY_VOID(members.take("names", selection.names, [](const Found& names) {
    return read_list<std::string>(names, read_name);
  }));
  TRY_VOID(members.take("line", selection.line, [](const Found& line) -> Result<int> {
    return static_cast<int>(TRY(read_whole(line, 1, std::numeric_limits<int>::max())));
  }));
  TRY_VOID(members.end());
  const std::size_t names = selection.names.size();
  const bool is_line = selection.kind >= Kind::LoopLine;
  const bool fits = selection.kind == Kind::Operators ? names > 0
                    : selection.kind == Kind::Tensor  ? names == 1 || names == 2
                    : selection.kind == Kind::Nothing ? names == 0
                                                      : names == 1;
  if (!fits || is_line != (selection.line > 0))
    return refuse(found, fmt::format("this does not say which {} is selected",
                                     selection_names[static_cast<std::size_t>(selection.kind)]));
  return selection;
}

}  // namespace

Result<Camera> read_camera(const Found& found) {
  constexpr double farthest = 1e9, smallest = 1e-3, largest = 1e3;
  Members members = TRY(Members::of(found));
  Camera camera;
  TRY_VOID(members.take("operator", camera.box, read_name));
  if (camera.box.empty()) {
    camera.is_tensor = true;
    camera.box = TRY(read_name(TRY(members.get("tensor"))));
  }
  const auto offset = [](const Found& number) { return read_number(number, -farthest, farthest); };
  TRY_VOID(members.take("right", camera.right, offset));
  TRY_VOID(members.take("down", camera.down, offset));
  TRY_VOID(members.take("zoom", camera.zoom, [](const Found& number) {
    return read_number(number, smallest, largest);
  }));
  TRY_VOID(members.end());
  return camera;
}

namespace {

Result<void> take_place(Members& members, Place& place) {
  TRY_VOID(members.take_text("at", place.at));
  TRY_VOID(members.take("selected", place.selected, read_selection));
  TRY_VOID(members.take("camera", place.camera, read_camera));
  return {};
}

}  // namespace

Result<Place> read_place(const Found& found) {
  Members members = TRY(Members::of(found));
  Place place;
  TRY_VOID(take_place(members, place));
  TRY_VOID(members.end());
  return place;
}

Result<Bookmark> read_bookmark(const Found& found) {
  Members members = TRY(Members::of(found));
  Bookmark bookmark;
  bookmark.name = TRY(read_name(TRY(members.get("name"))));
  TRY_VOID(members.take_text("subgraph", bookmark.subgraph));
  TRY_VOID(take_place(members, bookmark.place));
  TRY_VOID(members.end());
  return bookmark;
}

}  // namespace loopglass::saved

#include "core/saved_session_view.h"

#include "core/saved_session_places.h"

#include <array>
#include <nlohmann/json.hpp>

namespace loopglass::saved {

namespace {

constexpr std::array beside_names{"nothing",  "step",     "step before",
                                  "compared", "strategy", "passes"};

Result<int> read_pixels(const Found& found) {
  constexpr std::int64_t most_pixels = 1 << 16;
  return static_cast<int>(TRY(read_whole(found, 0, most_pixels)));
}

Result<SavedFolds> read_folds(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedFolds folds;
  TRY_VOID(members.take_text("by", folds.by));
  TRY_VOID(members.take_flag("asked", folds.asked));
  TRY_VOID(members.take_flag("kernels", folds.kernels));
  TRY_VOID(members.take_flag("compact", folds.compact));
  TRY_VOID(members.take_flag("steady", folds.steady));
  TRY_VOID(members.take_flag("columns", folds.columns));
  TRY_VOID(members.take_texts("open", folds.open));
  TRY_VOID(members.take_texts("shown_once", folds.shown_once));
  TRY_VOID(members.take("page_width", folds.page_width, read_pixels));
  TRY_VOID(members.take("page_height", folds.page_height, read_pixels));
  TRY_VOID(members.end());
  return folds;
}

Json folds_json(const SavedFolds& folds) {
  Json json = Json::object();
  add_text(json, "by", folds.by);
  add_flag(json, "asked", folds.asked, false);
  add_flag(json, "kernels", folds.kernels, false);
  add_flag(json, "compact", folds.compact, false);
  add_flag(json, "steady", folds.steady, false);
  add_flag(json, "columns", folds.columns, true);
  add_texts(json, "open", folds.open);
  add_texts(json, "shown_once", folds.shown_once);
  if (folds.page_width > 0) json["page_width"] = folds.page_width;
  if (folds.page_height > 0) json["page_height"] = folds.page_height;
  return json;
}

bool is_of_something(SavedBeside::Kind kind) {
  using Kind = SavedBeside::Kind;
  return kind == Kind::Step || kind == Kind::Strategy || kind == Kind::Passes;
}

Result<SavedBeside> read_beside(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedBeside beside;
  const Found show = TRY(members.get("show"));
  beside.kind = static_cast<SavedBeside::Kind>(
      TRY(read_one_of(show, beside_names, "does not stand beside a graph")));
  if (is_of_something(beside.kind)) beside.what = TRY(read_name(TRY(members.get("what"))));
  TRY_VOID(members.take_flag("linked", beside.linked));
  TRY_VOID(members.take("camera", beside.camera, read_camera));
  TRY_VOID(members.end());
  return beside;
}

Json beside_json(const SavedBeside& beside) {
  Json json{{"show", beside_names[static_cast<std::size_t>(beside.kind)]}};
  add_text(json, "what", beside.what);
  add_flag(json, "linked", beside.linked, true);
  if (beside.camera) json["camera"] = camera_json(*beside.camera);
  return json;
}

Result<SavedGuesses> read_guesses(const Found& found) {
  Members members = TRY(Members::of(found));
  const auto read_count = [](const Found& count) -> Result<int> {
    return static_cast<int>(TRY(read_whole(count, 0, std::numeric_limits<int>::max())));
  };
  SavedGuesses guesses;
  TRY_VOID(members.take_texts("told", guesses.told));
  TRY_VOID(members.take("right", guesses.right, read_count));
  TRY_VOID(members.take("count", guesses.count, read_count));
  TRY_VOID(members.end());
  return guesses;
}

Json guesses_json(const SavedGuesses& guesses) {
  Json json = Json::object();
  add_texts(json, "told", guesses.told);
  if (guesses.right > 0) json["right"] = guesses.right;
  if (guesses.count > 0) json["count"] = guesses.count;
  return json;
}

constexpr std::array tree_names{"dominators", "post-dominators"};

Result<SavedDominators> read_dominators(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedDominators dominators;
  TRY_VOID(members.take("tree", dominators.post, [](const Found& tree) -> Result<bool> {
    return TRY(read_one_of(tree, tree_names, "is no dominator tree")) == 1;
  }));
  TRY_VOID(members.take("camera", dominators.camera, read_camera));
  TRY_VOID(members.end());
  return dominators;
}

Json dominators_json(const SavedDominators& dominators) {
  Json json = Json::object();
  if (dominators.post) json["tree"] = tree_names[1];
  if (dominators.camera) json["camera"] = camera_json(*dominators.camera);
  return json;
}

Result<SavedIterations> read_iterations(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedIterations iterations;
  TRY_VOID(members.take_text("block", iterations.block));
  TRY_VOID(members.take_text("down", iterations.down));
  TRY_VOID(members.take_text("across", iterations.across));
  TRY_VOID(members.take_flag("before", iterations.before));
  TRY_VOID(members.take("step", iterations.step, [](const Found& step) -> Result<int> {
    return static_cast<int>(TRY(read_whole(step, 0, std::numeric_limits<int>::max())));
  }));
  TRY_VOID(members.end());
  return iterations;
}

Json iterations_json(const SavedIterations& iterations) {
  Json json = Json::object();
  add_text(json, "block", iterations.block);
  add_text(json, "down", iterations.down);
  add_text(json, "across", iterations.across);
  add_flag(json, "before", iterations.before, false);
  if (iterations.step > 0) json["step"] = iterations.step;
  return json;
}

}  // namespace

Result<void> take_view(const Found& found, SavedSession& session) {
  Members members = TRY(Members::of(found));
  TRY_VOID(members.take_flag("changed_only", session.changed_only));
  TRY_VOID(members.take_flag("follow", session.follow));
  TRY_VOID(members.take_flag("kernels", session.kernels));
  TRY_VOID(members.take_flag("verdicts", session.verdicts));
  TRY_VOID(members.take_flag("ghosts", session.ghosts));
  TRY_VOID(members.take("guesses", session.guesses, read_guesses));
  TRY_VOID(members.take_texts("marks", session.marks));
  TRY_VOID(members.take("folds", session.folds, read_folds));
  TRY_VOID(members.take_text("colors", session.colors));
  TRY_VOID(members.take_text("map", session.map_corner));
  TRY_VOID(members.take("beside", session.beside, read_beside));
  TRY_VOID(members.take("dominators", session.dominators, read_dominators));
  TRY_VOID(members.take("iterations", session.iterations, read_iterations));
  TRY_VOID(members.take_text("workspace", session.workspace));
  TRY_VOID(members.take_text("fusion_page", session.fusion_page));
  return members.end();
}

Json view_json(const SavedSession& session) {
  Json json = Json::object();
  add_flag(json, "changed_only", session.changed_only, false);
  add_flag(json, "follow", session.follow, true);
  add_flag(json, "kernels", session.kernels, true);
  add_flag(json, "verdicts", session.verdicts, true);
  add_flag(json, "ghosts", session.ghosts, true);
  if (session.guesses) json["guesses"] = guesses_json(*session.guesses);
  add_texts(json, "marks", session.marks);
  if (Json folds = folds_json(session.folds); !folds.empty()) json["folds"] = std::move(folds);
  add_text(json, "colors", session.colors);
  add_text(json, "map", session.map_corner);
  if (session.beside != SavedBeside{}) json["beside"] = beside_json(session.beside);
  if (session.dominators != SavedDominators{})
    json["dominators"] = dominators_json(session.dominators);
  if (session.iterations != SavedIterations{})
    json["iterations"] = iterations_json(session.iterations);
  add_text(json, "workspace", session.workspace);
  add_text(json, "fusion_page", session.fusion_page);
  return json;
}

}  // namespace loopglass::saved

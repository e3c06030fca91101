// Sessions as JSON. Writing leaves out what is at its default; reading refuses what it does not
// know.
#include "core/saved_session.h"

#include "core/support/closest.h"
#include "core/support/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <array>
#include <functional>
#include <limits>
#include <set>

namespace loopglass {
namespace {

using Json = nlohmann::ordered_json;  // what is written, in our order
// What is read. The other one looks every name up along all of an object, which takes minutes where
// a hostile file has 100,000 of them.
using ReadJson = nlohmann::json;

// 1 knew neither other graphs nor times, 2 no schedules, 3 not what dominators and iterations show,
// 4 not where the small map lies
constexpr int version = 5;
constexpr int deepest = 16;
constexpr std::string_view session_key = "\"loopglass_session\"";
constexpr const char* what_sessions_are = "a session is what File > Save Session writes";
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

constexpr std::array selection_names{"nothing", "operators", "fold",      "tensor",
                                     "kernel",  "loop line", "LLVM line", "assembly line"};
constexpr std::array beside_names{"nothing",  "step",     "step before",
                                  "compared", "strategy", "passes"};

// --- writing ---

// Names come from models and need not be UTF-8; what JSON cannot say is said in hexadecimal digits.
Json text_json(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t shown = shown_as_is(rest);
    const bool is_ascii = static_cast<unsigned char>(rest.front()) < 0x80;
    if (shown == 0 && !is_ascii) {
      std::string digits;
      for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
      return {{"hex", digits}};
    }
    rest.remove_prefix(std::max<std::size_t>(shown, 1));
  }
  return text;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(text_json(text));
  return json;
}

void add_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text_json(text);
}
void add_texts(Json& json, const char* key, const std::vector<std::string>& texts) {
  if (!texts.empty()) json[key] = texts_json(texts);
}
// Where it is not so by default.
void add_flag(Json& json, const char* key, bool flag, bool by_default) {
  if (flag != by_default) json[key] = flag;
}

Json selection_json(const SavedSelection& selection) {
  Json json{{"what", selection_names[static_cast<std::size_t>(selection.kind)]}};
  add_texts(json, "names", selection.names);
  if (selection.line > 0) json["line"] = selection.line;
  return json;
}

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

void add_schedules(Json& json, const char* key, const std::vector<SavedSchedule>& schedules) {
  for (const SavedSchedule& schedule : schedules)
    json[key].push_back({{"kernel", text_json(schedule.kernel)},
                         {"workload", text_json(schedule.workload)},
                         {"script", text_json(schedule.script)}});
}

void add_asked(Json& json, const SavedAsked& asked) {
  const Request& request = asked.request;
  add_text(json, "passes", request.pipeline);
  if (request.memory_limit) json["memory_limit"] = *request.memory_limit;
  add_text(json, "strategy", request.strategy);
  add_texts(json, "force", request.forced);
  add_texts(json, "forbid", request.forbidden);
  if (request.edits != fusion::EditScript{}) {
    Json edits = Json::object();
    add_text(edits, "base", request.edits.base);
    for (const fusion::Edit& edit : request.edits.edits)
      edits["edits"].push_back(text_json(fusion::to_text(edit)));
    json["edits"] = std::move(edits);
  }
  for (const pass::Breakpoint& breakpoint : asked.breakpoints) {
    Json row{{"break", text_json(to_text(breakpoint))}};
    add_flag(row, "enabled", breakpoint.enabled, true);
    json["breakpoints"].push_back(std::move(row));
  }
  for (const Bookmark& bookmark : asked.bookmarks)
    json["bookmarks"].push_back(bookmark_json(bookmark));
  add_schedules(json, "schedules", asked.schedules);
}

void add_changes(Json& json, const char* key, const std::vector<SavedAsked>& changes) {
  for (const SavedAsked& change : changes) {
    Json row = Json::object();
    add_asked(row, change);
    json[key].push_back(std::move(row));
  }
}

Json shapes_json(const std::map<std::string, Shape>& shapes) {
  Json json = Json::array();
  for (const auto& [name, shape] : shapes)
    json.push_back({{"input", text_json(name)}, {"shape", shape}});
  return json;
}

// --- reading ---

// Of a word that somebody made up, as much as one reads.
std::string shortened(const std::string& word) {
  constexpr std::size_t longest = 60;
  return word.size() > longest ? word.substr(0, longest) + "..." : word;
}

// A value of the file and the way to it, "$.bookmarks[2].at".
struct Found {
  const ReadJson& json;
  std::string path;
};

std::unexpected<Diagnostic> refuse(
    const Found& found, std::string what,
    std::string hint = "take that out of the file, or bring back the one that was saved") {
  return fail(Code::SessionCorrupt, std::move(what), found.path, std::move(hint));
}

std::unexpected<Diagnostic> expected(const Found& found, const std::string& what) {
  return refuse(found, fmt::format("expected {}, found {}", what,
                                   found.json.is_primitive() && !found.json.is_string()
                                       ? found.json.dump()
                                       : std::string(found.json.type_name())));
}

Result<bool> read_flag(const Found& found) {
  if (!found.json.is_boolean()) return expected(found, "true or false");
  return found.json.get<bool>();
}

Result<std::int64_t> read_whole(const Found& found, std::int64_t least, std::int64_t greatest) {
  const std::string what = fmt::format("a whole number from {} to {}", least, greatest);
  if (!found.json.is_number_integer()) return expected(found, what);
  const bool too_large = found.json.is_number_unsigned() &&
                         found.json.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (too_large) return expected(found, what);
  const auto value = found.json.get<std::int64_t>();
  if (value < least || value > greatest) return expected(found, what);
  return value;
}

Result<double> read_number(const Found& found, double least, double greatest) {
  const bool is_number = found.json.is_number();
  const double value = is_number ? found.json.get<double>() : 0;
  if (!is_number || !(value >= least && value <= greatest))
    return expected(found, fmt::format("a number from {} to {}", least, greatest));
  return value;
}

Result<std::string> read_text(const Found& found) {
  if (found.json.is_string()) return found.json.get<std::string>();
  if (!found.json.is_object() || found.json.size() != 1 || !found.json.contains("hex") ||
      !found.json["hex"].is_string())
    return expected(found, "a string, or {\"hex\": \"...\"}");
  const auto digits = found.json["hex"].get<std::string>();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() % 2 != 0 || !std::all_of(digits.begin(), digits.end(), is_digit))
    return refuse(found, "these are no pairs of hexadecimal digits");
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text;
}

Result<std::string> read_name(const Found& found) {
  std::string name = TRY(read_text(found));
  if (name.empty()) return refuse(found, "expected a name, found an empty string");
  return name;
}

// What `read` makes of each element.
template <class T>
Result<std::vector<T>> read_list(const Found& found,
                                 const std::function<Result<T>(const Found&)>& read) {
  if (!found.json.is_array()) return expected(found, "a list");
  std::vector<T> list;
  for (std::size_t i = 0; i < found.json.size(); ++i)
    list.push_back(TRY(read({found.json[i], fmt::format("{}[{}]", found.path, i)})));
  return list;
}

// The members of an object, each of which somebody must ask for.
class Members {
 public:
  static Result<Members> of(const Found& found) {
    if (!found.json.is_object()) return expected(found, "an object");
    return Members(found);
  }

  std::optional<Found> find(const std::string& key) {
    known_.push_back(key);
    const auto member = found_.json.find(key);
    if (member == found_.json.end()) return {};
    return Found{*member, found_.path + "." + key};
  }
  Result<Found> get(const std::string& key) {
    if (auto member = find(key)) return *std::move(member);
    return refuse(found_, fmt::format("'{}' is missing", key));
  }
  // Puts into `target` what `read` makes of the member, if there is one.
  template <class T, class Read>
  Result<void> take(const char* key, T& target, const Read& read) {
    if (const auto member = find(key)) target = TRY(read(*member));
    return {};
  }
  Result<void> take_flag(const char* key, bool& target) { return take(key, target, read_flag); }
  Result<void> take_text(const char* key, std::string& target) {
    return take(key, target, read_text);
  }
  Result<void> take_texts(const char* key, std::vector<std::string>& target) {
    return take(key, target,
                [](const Found& found) { return read_list<std::string>(found, read_text); });
  }

  // Nothing else is there.
  Result<void> end() const {
    for (const auto& [key, value] : found_.json.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return refuse({value, found_.path + "." + shortened(key)}, "this is not known here",
                      did_you_mean(shortened(key), known_));
    return {};
  }

 private:
  explicit Members(const Found& found) : found_(found) {}

  Found found_;
  std::vector<std::string> known_;
};

Result<Shape> read_shape(const Found& found) {
  constexpr std::size_t most_axes = 64;
  Shape shape = TRY(read_list<std::int64_t>(
      found, [](const Found& extent) { return read_whole(extent, 0, most); }));
  if (shape.size() > most_axes)
    return refuse(found, fmt::format("a shape has no {} axes", shape.size()));
  return shape;
}

using Bound = std::pair<std::string, Shape>;  // of an input

Result<Bound> read_bound(const Found& found) {
  Members members = TRY(Members::of(found));
  Bound bound;
  bound.first = TRY(read_name(TRY(members.get("input"))));
  bound.second = TRY(read_shape(TRY(members.get("shape"))));
  TRY_VOID(members.end());
  return bound;
}

Result<std::map<std::string, Shape>> read_shapes(const Found& found) {
  std::map<std::string, Shape> shapes;
  for (Bound& bound : TRY(read_list<Bound>(found, read_bound)))
    if (!shapes.insert(std::move(bound)).second) return refuse(found, "an input has two shapes");
  return shapes;
}

// `parse` says where in the text it fails.
template <class Parse>
auto read_parsed(const Found& found, const Parse& parse) -> decltype(parse(std::string_view())) {
  const std::string text = TRY(read_name(found));
  auto parsed = parse(text);
  if (!parsed) {
    parsed.error().code = Code::SessionCorrupt;
    std::string& where = parsed.error().where;
    where = where.empty() ? found.path : fmt::format("{}: {}", found.path, where);
  }
  return parsed;
}

Result<fusion::Edit> read_edit(const Found& found) {
  const fusion::EditScript script = TRY(read_parsed(found, fusion::parse_edits));
  if (!script.base.empty() || script.edits.size() != 1) return refuse(found, "expected one edit");
  return script.edits.front();
}

Result<fusion::EditScript> read_edits(const Found& found) {
  Members members = TRY(Members::of(found));
  fusion::EditScript script;
  TRY_VOID(members.take_text("base", script.base));
  TRY_VOID(members.take("edits", script.edits, [](const Found& edits) {
    return read_list<fusion::Edit>(edits, read_edit);
  }));
  TRY_VOID(members.end());
  return script;
}

Result<pass::Breakpoint> read_breakpoint(const Found& found) {
  Members members = TRY(Members::of(found));
  pass::Breakpoint breakpoint = TRY(read_parsed(TRY(members.get("break")), pass::parse_breakpoint));
  TRY_VOID(members.take_flag("enabled", breakpoint.enabled));
  TRY_VOID(members.end());
  return breakpoint;
}

// Its place among the names, one of which it has to be.
Result<std::ptrdiff_t> read_one_of(const Found& found, const auto& names,
                                   std::string_view none_else) {
  const std::string name = TRY(read_text(found));
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end())
    return refuse(found, fmt::format("'{}' {}", shortened(name), none_else),
                  fmt::format("one of: {}", fmt::join(names, ", ")));
  return known - names.begin();
}

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

Result<void> take_place(Members& members, Place& place) {
  TRY_VOID(members.take_text("at", place.at));
  TRY_VOID(members.take("selected", place.selected, read_selection));
  TRY_VOID(members.take("camera", place.camera, read_camera));
  return {};
}

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

Result<SavedSchedule> read_saved_schedule(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedSchedule schedule;
  schedule.kernel = TRY(read_name(TRY(members.get("kernel"))));
  schedule.workload = TRY(read_name(TRY(members.get("workload"))));
  schedule.script = TRY(read_text(TRY(members.get("script"))));
  TRY_VOID(members.end());
  return schedule;
}

Result<std::vector<SavedSchedule>> read_schedules(const Found& found) {
  return read_list<SavedSchedule>(found, read_saved_schedule);
}

Result<Workloads> read_workloads(const Found& found) {
  if (!found.json.is_object()) return expected(found, "an object");
  Workloads workloads;
  for (const auto& [key, nest] : found.json.items())
    workloads.emplace(key, TRY(read_name({nest, found.path + "." + shortened(key)})));
  return workloads;
}

Result<void> take_asked(Members& members, SavedAsked& asked) {
  Request& request = asked.request;
  TRY_VOID(members.take_text("passes", request.pipeline));
  TRY_VOID(members.take("memory_limit", request.memory_limit,
                        [](const Found& limit) { return read_whole(limit, 0, most); }));
  TRY_VOID(members.take_text("strategy", request.strategy));
  TRY_VOID(members.take_texts("force", request.forced));
  TRY_VOID(members.take_texts("forbid", request.forbidden));
  TRY_VOID(members.take("edits", request.edits, read_edits));
  TRY_VOID(members.take("breakpoints", asked.breakpoints, [](const Found& list) {
    return read_list<pass::Breakpoint>(list, read_breakpoint);
  }));
  TRY_VOID(members.take("bookmarks", asked.bookmarks, [](const Found& list) {
    return read_list<Bookmark>(list, read_bookmark);
  }));
  TRY_VOID(members.take("schedules", asked.schedules, read_schedules));
  return {};
}

Result<SavedAsked> read_change(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedAsked asked;
  TRY_VOID(take_asked(members, asked));
  TRY_VOID(members.end());
  return asked;
}

Result<ModelStamp> read_stamp(const Found& found) {
  Members members = TRY(Members::of(found));
  ModelStamp stamp;
  stamp.bytes = static_cast<std::uint64_t>(TRY(read_whole(TRY(members.get("bytes")), 0, most)));
  stamp.hash = TRY(read_name(TRY(members.get("hash"))));
  TRY_VOID(members.end());
  return stamp;
}

Result<std::size_t> read_step(const Found& found) {
  return static_cast<std::size_t>(TRY(read_whole(found, 0, most)));
}

Result<void> take_kernel(const Found& found, SavedGraph& graph) {
  Members members = TRY(Members::of(found));
  graph.kernel = TRY(read_name(TRY(members.get("name"))));
  TRY_VOID(members.take("loop_step", graph.loop_step, read_step));
  TRY_VOID(members.take("llvm_step", graph.llvm_step, read_step));
  return members.end();
}

Result<SavedTimes> read_times(const Found& found) {
  return times_from_json(found.json.dump(), found.path);
}

// What there is of each graph.
Result<void> take_graph(Members& members, SavedGraph& graph) {
  TRY_VOID(members.take_text("subgraph", graph.asked.request.subgraph));
  TRY_VOID(take_asked(members, graph.asked));
  const auto changes = [](const Found& list) { return read_list<SavedAsked>(list, read_change); };
  TRY_VOID(members.take("undo", graph.undo, changes));
  TRY_VOID(members.take("redo", graph.redo, changes));
  TRY_VOID(members.take("workloads", graph.workloads, read_workloads));
  TRY_VOID(members.take("drafts", graph.drafts, read_schedules));
  TRY_VOID(members.take("place", graph.place, read_place));
  TRY_VOID(members.take_text("compared_with", graph.compared_with));
  if (const auto kernel = members.find("kernel")) TRY_VOID(take_kernel(*kernel, graph));
  TRY_VOID(members.take("times", graph.times, read_times));
  return {};
}

Result<SavedGraph> read_graph(const Found& found) {
  Members members = TRY(Members::of(found));
  SavedGraph graph;
  TRY_VOID(take_graph(members, graph));
  TRY_VOID(members.end());
  return graph;
}

void add_graph(Json& json, const SavedGraph& graph) {
  add_text(json, "subgraph", graph.asked.request.subgraph);
  add_asked(json, graph.asked);
  Json place = Json::object();
  add_place(place, graph.place);
  if (!place.empty()) json["place"] = std::move(place);
  add_text(json, "compared_with", graph.compared_with);
  if (!graph.kernel.empty()) {
    Json kernel{{"name", text_json(graph.kernel)}};
    if (graph.loop_step) kernel["loop_step"] = *graph.loop_step;
    if (graph.llvm_step) kernel["llvm_step"] = *graph.llvm_step;
    json["kernel"] = std::move(kernel);
  }
  add_changes(json, "undo", graph.undo);
  add_changes(json, "redo", graph.redo);
  for (const auto& [key, nest] : graph.workloads) json["workloads"][key] = text_json(nest);
  add_schedules(json, "drafts", graph.drafts);
  if (graph.times) json["times"] = Json::parse(to_json(*graph.times));
}

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

Result<void> take_view(const Found& found, SavedSession& session) {
  Members members = TRY(Members::of(found));
  TRY_VOID(members.take_flag("changed_only", session.changed_only));
  TRY_VOID(members.take_flag("follow", session.follow));
  TRY_VOID(members.take_flag("kernels", session.kernels));
  TRY_VOID(members.take_flag("verdicts", session.verdicts));
  TRY_VOID(members.take_flag("ghosts", session.ghosts));
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

Result<SavedSession> read_members(const ReadJson& json) {
  const Found root{json, "$"};
  Members members = TRY(Members::of(root));
  const auto number = members.find("loopglass_session");
  if (!number)
    return fail(Code::NoSession, "this is no session: 'loopglass_session' is missing", root.path,
                what_sessions_are);
  if (const std::int64_t found = TRY(read_whole(*number, 1, most)); found > version)
    return fail(Code::SessionNewer,
                fmt::format("the session is of version {}, and this Loopglass reads up to {}",
                            found, version),
                number->path, "open it with a newer Loopglass");
  SavedSession session;
  Request& request = session.asked.request;
  const Found model = TRY(members.get("model"));
  request.model = TRY(read_name(model));
  if (is_session_file(request.model))
    return refuse(model, "a session is about a model, and this names another session",
                  "name the ONNX file, the folder with model.onnx or the sample there");
  TRY_VOID(members.take("stamp", session.stamp, read_stamp));
  TRY_VOID(members.take("shapes", request.shapes, read_shapes));
  TRY_VOID(take_graph(members, session));
  TRY_VOID(members.take("graphs", session.others,
                        [](const Found& list) { return read_list<SavedGraph>(list, read_graph); }));
  if (const auto view = members.find("view")) TRY_VOID(take_view(*view, session));
  TRY_VOID(members.take_text("file", session.file));
  TRY_VOID(members.take_flag("closed", session.closed));
  TRY_VOID(members.end());
  return session;
}

// --- the text ---

std::string place_of_byte(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - line_begin + 1);
}

// "[json.exception...] parse error at line 1, column 3: what is wrong" without what we say
// ourselves. Without what was read last, which may be most of the file.
std::string reason(std::string message) {
  if (const std::size_t last = message.find("; last read"); last != std::string::npos)
    message.resize(last);
  if (const std::size_t column = message.find("column "); column != std::string::npos)
    if (const std::size_t colon = message.find(": ", column); colon != std::string::npos)
      return message.substr(colon + 2);
  const std::size_t bracket = message.find("] ");
  return bracket == std::string::npos ? message : message.substr(bracket + 2);
}

// Notices what the library lets pass: names that an object has twice, and depths at which nothing
// of a session lies. Before anything is made of the text: made under the library's own watch, each
// of 100,000 things in a list costs a look at all that came before it.
class Watch : public nlohmann::json_sax<ReadJson> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(ReadJson::binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return enter();
  }
  bool end_object() override {
    keys_.pop_back();
    return leave();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second && twice.empty()) twice = name;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    problem = reason(error.what());
    place = byte;
    return false;
  }

  std::string twice, problem;  // the problem: why it is no JSON
  std::size_t place = 0;       // byte of it
  bool too_deep = false;

 private:
  bool enter() {
    too_deep = ++depth_ > deepest;
    return !too_deep;
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::vector<std::set<std::string>> keys_;
  int depth_ = 0;
};

// What begins as a session and does not end as one was cut off or damaged.
std::unexpected<Diagnostic> refuse_text(std::string_view text, std::string what,
                                        std::string where = {}) {
  if (text.find(session_key) == std::string_view::npos)
    return fail(Code::NoSession, "this is no session: " + what, std::move(where),
                what_sessions_are);
  return fail(Code::SessionCorrupt, "the session is damaged or cut off: " + what, std::move(where),
              "bring back a copy, or a session that the window keeps (loopglassc session)");
}

Result<ReadJson> parse_json(std::string_view text) {
  Watch watch;
  const bool is_whole = ReadJson::sax_parse(text.begin(), text.end(), &watch);
  if (watch.too_deep)
    return refuse_text(text, fmt::format("values lie in one another more than {} deep", deepest));
  if (!is_whole)
    return refuse_text(text, "the text is no JSON: " + watch.problem,
                       place_of_byte(text, watch.place));
  if (!watch.twice.empty())
    return refuse_text(text,
                       fmt::format("an object has two values for '{}'", shortened(watch.twice)));
  return ReadJson::parse(text.begin(), text.end());
}

}  // namespace

std::string to_text(const SavedSession& session) {
  const Request& request = session.asked.request;
  Json json{{"loopglass_session", version}, {"model", text_json(request.model)}};
  if (session.stamp)
    json["stamp"] = {{"bytes", session.stamp->bytes}, {"hash", text_json(session.stamp->hash)}};
  if (!request.shapes.empty()) json["shapes"] = shapes_json(request.shapes);
  add_graph(json, session);
  if (Json view = view_json(session); !view.empty()) json["view"] = std::move(view);
  add_text(json, "file", session.file);
  add_flag(json, "closed", session.closed, false);
  for (const SavedGraph& graph : session.others) {
    Json row = Json::object();
    add_graph(row, graph);
    json["graphs"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

Result<SavedSession> parse_saved_session(std::string_view text) {
  return read_members(TRY(parse_json(text)));
}

}  // namespace loopglass

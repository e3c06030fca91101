// Sessions as JSON: the whole of them. Their parts are in files of their own (saved_session_*.h).
#include "core/saved_session_graph.h"
#include "core/saved_session_text.h"
#include "core/saved_session_view.h"

#include <nlohmann/json.hpp>

namespace loopglass {

using namespace saved;

namespace {

// 1 knew neither other graphs nor times, 2 no schedules, 3 not what dominators and iterations show,
// 4 not where the small map lies, 5 no verdicts under the roofs, 6 no values of inputs
constexpr int version = 7;

Json shapes_json(const std::map<std::string, Shape>& shapes) {
  Json json = Json::array();
  for (const auto& [name, shape] : shapes)
    json.push_back({{"input", text_json(name)}, {"shape", shape}});
  return json;
}

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

Json symbols_json(const std::map<std::string, std::int64_t>& symbols) {
  Json json = Json::array();
  for (const auto& [name, value] : symbols)
    json.push_back({{"symbol", text_json(name)}, {"value", value}});
  return json;
}

using Set = std::pair<std::string, std::int64_t>;  // of a symbol

Result<Set> read_set(const Found& found) {
  Members members = TRY(Members::of(found));
  Set set;
  set.first = TRY(read_name(TRY(members.get("symbol"))));
  set.second = TRY(read_whole(TRY(members.get("value")), std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max()));
  TRY_VOID(members.end());
  return set;
}

Result<std::map<std::string, std::int64_t>> read_symbols(const Found& found) {
  std::map<std::string, std::int64_t> symbols;
  for (Set& set : TRY(read_list<Set>(found, read_set)))
    if (!symbols.insert(std::move(set)).second) return refuse(found, "a symbol is set twice");
  return symbols;
}

Result<ModelStamp> read_stamp(const Found& found) {
  Members members = TRY(Members::of(found));
  ModelStamp stamp;
  stamp.bytes = static_cast<std::uint64_t>(TRY(read_whole(TRY(members.get("bytes")), 0, most)));
  stamp.hash = TRY(read_name(TRY(members.get("hash"))));
  TRY_VOID(members.end());
  return stamp;
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
  TRY_VOID(members.take("shapes", request.inputs.shapes, read_shapes));
  TRY_VOID(members.take("symbols", request.inputs.symbols, read_symbols));
  TRY_VOID(take_graph(members, session));
  TRY_VOID(members.take("graphs", session.others,
                        [](const Found& list) { return read_list<SavedGraph>(list, read_graph); }));
  if (const auto view = members.find("view")) TRY_VOID(take_view(*view, session));
  TRY_VOID(members.take_text("file", session.file));
  TRY_VOID(members.take_flag("closed", session.closed));
  TRY_VOID(members.end());
  return session;
}

}  // namespace

std::string to_text(const SavedSession& session) {
  const Request& request = session.asked.request;
  Json json{{"loopglass_session", version}, {"model", text_json(request.model)}};
  if (session.stamp)
    json["stamp"] = {{"bytes", session.stamp->bytes}, {"hash", text_json(session.stamp->hash)}};
  const onnx::InputBindings& inputs = request.inputs;
  if (!inputs.shapes.empty()) json["shapes"] = shapes_json(inputs.shapes);
  if (!inputs.symbols.empty()) json["symbols"] = symbols_json(inputs.symbols);
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

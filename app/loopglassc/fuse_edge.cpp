#include "app/loopglassc/fuse_edge.h"

#include "app/loopglassc/fuse_views.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& sentence) {
  return sentence.empty() ? Json(nullptr) : Json(sentence);
}
Json or_null(const std::optional<fusion::PatternKind>& kind) {
  return kind ? Json(fusion::name(*kind)) : Json(nullptr);
}

Json to_json(const fusion::SketchedNest& nest) {
  Json loops = Json::array();
  for (const fusion::SketchedLoop& loop : nest.loops)
    loops.push_back({{"role", loop.role},
                     {"extent", loop.extent ? Json(*loop.extent) : Json(nullptr)},
                     {"reduction", loop.reduction},
                     {"walk", fusion::name(loop.walk)}});
  return {{"tensor", nest.tensor}, {"touches", nest.touches}, {"loops", loops}};
}

Json to_json(const std::vector<fusion::SketchedNest>& nests) {
  Json json = Json::array();
  for (const fusion::SketchedNest& nest : nests) json.push_back(to_json(nest));
  return json;
}

Json to_json(const fusion::CardNests& nests) {
  return {{"producer", to_json(nests.producer)},
          {"consumer", to_json(nests.consumer)},
          {"handing", nests.missing.empty() ? Json(fusion::name(nests.handing)) : Json(nullptr)},
          {"shared", to_json(nests.shared)},
          {"lowered_workspace_bytes",
           nests.workspace_bytes ? Json(*nests.workspace_bytes) : Json(nullptr)},
          {"times_read", nests.times_read ? Json(*nests.times_read) : Json(nullptr)},
          {"sentence", or_null(nests.sentence)},
          {"missing", or_null(nests.missing)}};
}

Json to_json(const fusion::CardPath& path, const graph::Graph& graph) {
  Json stops = Json::array();
  for (const fusion::CardPath::Stop& stop : path.stops)
    stops.push_back({{"name", graph.node(stop.node).name},
                     {"kind", fusion::name(stop.kind)},
                     {"edge", or_null(stop.edge)}});
  return {{"post_dominator", stops.empty() ? Json(nullptr) : stops.back()["name"]},
          {"stops", stops},
          {"between", names_of(path.between, graph)},
          {"missing", or_null(path.missing)}};
}

Json to_json(const fusion::Traffic& moved) {
  return {{"written_bytes", moved.written},
          {"read_bytes", moved.read},
          {"workspace_written_bytes", moved.kept},
          {"workspace_read_bytes", moved.read_back}};
}

Json to_json(const fusion::EdgeTraffic& moved) {
  const fusion::Saving saving = fusion::saving(moved);
  return {{"apart", to_json(moved.apart)},
          {"together", to_json(moved.together)},
          {"saved_bytes", saving.bytes},
          {"workspace_bytes", saving.workspace_bytes}};
}

}  // namespace

std::string card_json(const fusion::EdgeCard& card, const fusion::EdgeCards& cards) {
  Json steps = Json::array();
  for (const std::size_t index : card.steps.events) {
    const fusion::PlanEvent& event = cards.told()->events[index];
    steps.push_back(
        {{"step", index + 1}, {"kind", fusion::name(event.kind)}, {"sentence", event.sentence}});
  }
  const fusion::CardKinds& kinds = card.kinds;
  const Json json{{"nests", to_json(card.nests)},
                  {"kinds",
                   {{"producer", fusion::name(kinds.producer)},
                    {"consumer", fusion::name(kinds.consumer)},
                    {"edge", fusion::name(kinds.edge)},
                    {"path", or_null(kinds.path)},
                    {"read", or_null(kinds.read)}}},
                  {"path", to_json(card.path, cards.graph())},
                  {"traffic", card.traffic ? to_json(*card.traffic) : Json(nullptr)},
                  {"steps", steps},
                  {"steps_missing", or_null(card.steps.missing)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace loopglass::app

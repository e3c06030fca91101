#include "core/saved_session_graph.h"

#include "core/saved_session_places.h"

#include <nlohmann/json.hpp>

namespace loopglass::saved {

namespace {

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

Result<SavedRoofline> read_roofline(const Found& found) {
  return roofline_from_json(found.json.dump(), found.path);
}

}  // namespace

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
  TRY_VOID(members.take("roofline", graph.roofline, read_roofline));
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
  if (graph.roofline) json["roofline"] = Json::parse(to_json(*graph.roofline));
}

}  // namespace loopglass::saved

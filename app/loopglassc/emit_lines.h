// The lines of one kernel at a stage, as emit prints them.
#pragma once

#include "app/loopglassc/emit_beside.h"

#include <nlohmann/json_fwd.hpp>

namespace loopglass::app {

struct EmitView {
  bool annotate = false;          // with what stands beside
  std::vector<graph::NodeId> of;  // only lines of these operators; empty: all
  const HotCode* hot = nullptr;   // with shares; of assembly only what takes the time
};

void print_lines(const Emitted& shown, const graph::Graph& graph, const EmitView& view);
// A list of lines.
nlohmann::ordered_json lines_json(const Emitted& shown, const graph::Graph& graph,
                                  const EmitView& view);
nlohmann::ordered_json hot_json(const Emitted& shown, const graph::Graph& graph,
                                const HotCode& hot);

}  // namespace loopglass::app

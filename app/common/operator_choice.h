// Which operators and edges a person means who names them: operators may be some of the model that
// passes have replaced.
#pragma once

#include "core/fusion/edits.h"
#include "core/session.h"

#include <string>
#include <vector>

namespace loopglass::app {

struct ChosenOperator {
  std::vector<graph::NodeId> nodes;  // of the optimised graph: itself, or what became of it
  std::string became;  // how, where passes have replaced it: "'bn1' was folded ..."; else empty
};
// A name of any step, or "#12". `option`: that names it. GraphEntityUnknown: there never was one,
// or nothing is left of it, and why.
Result<ChosenOperator> choose_operator(Session& session, const std::string& name,
                                       const std::string& option);

struct ChosenEdge {
  fusion::Edge edge;
  std::vector<std::string> became;  // of the ends that passes have replaced
};
// "A:B". UsageInvalid: that is no edge. GraphEntityUnknown: there is none between them, or no more.
Result<ChosenEdge> choose_edge(Session& session, const std::string& text);

}  // namespace loopglass::app

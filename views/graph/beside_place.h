// What can stand beside the graph: a place in the history of the document, its last graph under
// another strategy, or the last graph of another pipeline.
#pragma once

#include "views/document/document.h"
#include "views/graph/graph_content.h"

namespace loopglass::views {

struct BesidePlace {
  std::shared_ptr<const pass::GraphHistory> history;
  pass::Position position;
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const fusion::Plan> plan;                     // null: none, or not yet
  std::function<fusion::GroupId(const graph::Node&)> group_of;  // of an operator of any step

  bool is_last() const { return graph == history->steps.back().result; }
};

// What a place is made of, and nothing else: where that stays the same, so does the place.
struct BesideSource {
  SavedBeside::Kind kind = SavedBeside::Kind::Nothing;
  std::string what;  // strategy or pipeline
  std::shared_ptr<const onnx::Model> model;
  std::shared_ptr<const pass::GraphHistory> history;  // the document's; of a pipeline null
  std::optional<pass::Position> position;             // in it
  PlanAsked asked;
  pass::Settings settings;
  std::shared_ptr<const fusion::CostModel> cost_model;
  friend bool operator==(const BesideSource&, const BesideSource&) = default;
};

// The document has a history. UsageInvalid: there is no such place in it.
Result<BesideSource> beside_source(const Document& document, const SavedBeside& beside);
// What to begin with: the step before, or where that has the same graph the one before the last
// change; where nothing has changed yet the last step.
SavedBeside beside_at_first(const Document& document);
// Nothing: it takes a while.
std::optional<BesidePlace> place_at_once(const Document& document, const BesideSource& source);
// For a job. StrategyUnknown, what passes and strategies say, Cancelled.
using FindBeside = std::function<Result<BesidePlace>(const JobContext&)>;
FindBeside find_beside(const Document& document, const BesideSource& source);

// What prints the difference between the document's graph and that of the place, or of their plans;
// empty: nothing stands beside it, or there is no such place.
QString beside_command(const Document& document, const SavedBeside& beside);

// "step 3 (simplify)", "strategy dp", "passes none"
QString title_of(const BesideSource& source);

}  // namespace loopglass::views

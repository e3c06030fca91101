// A person's own partition, as a script of edits over the plan of a strategy:
//
//   base dominator
//   merge conv1, "bn/1"
//   split relu1
//   pin conv2
//
// `base` names the strategy whose plan to begin with; where it is not said, the default one's. The
// groups of the operators that are merged become one kernel, what is split leaves its group for a
// kernel of its own, and a pinned operator's group stays as it is: what would change it later is
// refused.
//
// Operators go by name (in quotes where it is no identifier), so a script outlives a change of
// passes. Edges that are forced or forbidden belong to the plan that the script begins with. Every
// edit is checked like a strategy's own merges: PlanInvalid with the reason's code where the result
// cannot be. But a workspace may leave the cache, as it may where an edge is forced: whoever asks
// wants to see.
#pragma once

#include "core/fusion/partition_builder.h"

namespace loopglass::fusion {

struct Edit {
  enum class Kind : std::uint8_t { Merge, Split, Pin };
  Kind kind = Kind::Merge;
  std::vector<std::string> nodes;
  friend bool operator==(const Edit&, const Edit&) = default;
};
std::string_view name(Edit::Kind kind);  // "merge"

struct EditScript {
  std::string base;  // a strategy; empty: the default one
  std::vector<Edit> edits;
  friend bool operator==(const EditScript&, const EditScript&) = default;
};

// TextMalformed with a caret.
Result<EditScript> parse_edits(std::string_view text);
std::string to_text(const EditScript& script);  // parses back to an equal script
std::string to_text(const Edit& edit);          // "merge conv1, relu1"

// `base`, planned under `constraints`, with the edits made in their order. The plan is of strategy
// "manual" and has a decision for every edge. GraphEntityUnknown: there is no operator of that
// name.
Result<Plan> apply_edits(const BlockRules& rules, const Plan& base, const EditScript& script,
                         const PlanOptions& options);

// Whether the consumer takes what the producer computes.
bool reads(const graph::Graph& graph, graph::NodeId producer, graph::NodeId consumer);
// "conv1:relu1" as the edge between two operators of those names; names may hold colons themselves.
// GraphEntityUnknown: there is no such operator, or the second does not read the first.
Result<Edge> find_edge(const graph::Graph& graph, std::string_view text);

}  // namespace loopglass::fusion

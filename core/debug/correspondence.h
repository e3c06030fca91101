// Which value of one graph of a history is which value of a later one, in the order of certainty:
// ids are never reused along a history; a rewrite that replaces operators by others keeps what
// leaves them; and last, equal names.
#pragma once

#include "core/pass/position.h"
#include "core/session.h"

#include <map>

namespace loopglass::debug {

enum class Match : std::uint8_t { Id, Rewrite, Name };
std::string_view name(Match match);  // "id", "rewrite", "name"

struct Counterpart {
  graph::ValueId value;
  Match match = Match::Id;
};

// For values of the earlier graph (constants left out) the value of the later one that stands for
// it. Graph inputs and outputs always have theirs. No value of the later graph stands for two.
using Correspondence = std::map<graph::ValueId, Counterpart>;

// Through `rewrites`, which lead from `before` to `after`.
Correspondence correspondence(const graph::Graph& before, const graph::Graph& after,
                              std::span<const pass::Rewrite> rewrites);
// Through all rewrites from one position of the session's history to another, which may come
// before.
Result<Correspondence> correspondence(Session& session, const pass::Position& from,
                                      const pass::Position& to);

}  // namespace loopglass::debug

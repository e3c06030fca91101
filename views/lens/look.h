// What the lens asks the compiler for, as one piece of background work: the values chosen at one
// place of the history, the same values at another, and where the two networks part.
#pragma once

#include "core/debug/lens.h"

#include <memory>
#include <optional>
#include <vector>

namespace loopglass::views {

struct LookWish {
  std::shared_ptr<Session> session;
  std::shared_ptr<debug::Evaluator> evaluator;
  std::uint64_t seed = 1;  // of the network's inputs
  pass::Position at;
  std::shared_ptr<const graph::Graph> graph;  // there
  graph::ValueId value;
  // The other place; none: nothing is compared.
  std::optional<pass::Position> against;
  std::shared_ptr<const graph::Graph> base;
  // From an earlier look with the same places and seed; null: it is made.
  std::shared_ptr<const debug::Comparison> comparison;
};

struct Look {
  debug::Summary here;
  std::optional<debug::Summary> there;  // of its counterpart, where it has one
  debug::Match match = debug::Match::Id;
  std::shared_ptr<const debug::Comparison> comparison;  // null unless compared

  // Of the value looked at; null where it has no counterpart or nothing was compared.
  const debug::Difference* difference() const;
};

Result<std::shared_ptr<const Look>> look(const LookWish& wish, const debug::Control& control);

}  // namespace loopglass::views

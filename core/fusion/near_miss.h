// Nearest misses: the edges that are not fused, by the bytes that fusing would save, each with the
// smallest change to the plan that would fuse it; or the honest word that there is none. No change
// alters what the network computes.
#pragma once

#include "core/fusion/gain.h"

#include <functional>

namespace loopglass::fusion {

struct Change {
  enum class Kind : std::uint8_t {
    Force,           // the two kernels may be one; only the strategy thinks otherwise
    MergeByHand,     // the same of a plan by hand, where an edit comes last
    LiftConstraint,  // it was forbidden, split or pinned by hand
    TakeAlong,       // what lies between the two kernels as well
    SplitFirst,      // one end out of its kernel, then into the other's
    None,            // of these; the sentence says what stands against it
  };
  Kind kind = Kind::None;
  std::string sentence;
  std::vector<graph::NodeId> nodes;  // to take along or split off
  std::string recipe;  // an option, "--force a:b", or edits, "merge a, b"; may be empty
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<Edge> allowed = {};  // forbidden edges, to be allowed again
};
std::string_view name(Change::Kind kind);  // "force"

struct NearMiss {
  std::size_t decision = 0;  // index into plan.decisions
  // What the change spares in all (saving.h); where there is no change, what one kernel of the two
  // would spare if it could be.
  std::int64_t saved_bytes = 0;
  bool saves_write = false;  // nobody else needs the value
  Change change;
  std::int64_t workspace_bytes = 0;               // that kernels hand on within themselves instead
  double saved_microseconds = 0;                  // by the cost model; 0 where there is no change
  Gain gain = Gain::Unknown;                      // whether that is more than the model is wrong by
  std::optional<double> error_microseconds = {};  // what it is wrong by; nothing: not known
  // What the kernel hands on within itself is more than surely stays in the cache; the cost model
  // does not weigh that.
  bool leaves_cache = false;
};

// Whether the change is estimated to save time: by more than the model is wrong by, or where nobody
// knows that by any at all.
bool saves_time(const NearMiss& miss);

// The first `limit`: those with a change before those without, those that save time before those
// that do not and these before those that take longer, those that stay in the cache before those
// that may leave it; then by bytes saved, then by time. Each value and reader once. Of very many,
// only those of the largest values are looked at. `wanted`: of these decisions alone; undefined: of
// all. Cancelled when asked to.
Result<std::vector<NearMiss>> near_misses(const BlockRules& rules, const Plan& plan,
                                          const CostModel& cost, std::size_t limit = 10,
                                          const Progress& progress = {},
                                          const Cancellation& cancellation = {},
                                          const std::function<bool(const Decision&)>& wanted = {});

}  // namespace loopglass::fusion

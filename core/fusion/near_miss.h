// Nearest misses: the edges that are not fused, by the bytes that fusing would save, each with the
// smallest change that would make it legal; or the honest word that there is none.
#pragma once

#include "core/fusion/cost_model.h"

namespace loopglass::fusion {

struct Change {
  enum class Kind : std::uint8_t {
    Force,           // the two may be one kernel; only the strategy thinks otherwise
    MergeByHand,     // the same of kernels of several operators, from which forcing would tear the ends
    LiftConstraint,  // it was forbidden, split or pinned by hand
    RaiseLimit,
    DropReaders,     // others that read the value as well
    TakeAlong,       // what lies between the two kernels as well
    SplitFirst,      // one end out of its kernel, then into the other's
    None,            // of these; the sentence says what stands against it
  };
  Kind kind = Kind::None;
  std::string sentence;
  std::vector<graph::NodeId> nodes;  // the readers to drop, the operators to take along or split off
  std::string recipe;                // an option, "--force a:b", or edits, "merge a, b"; may be empty
  std::vector<std::pair<std::string, double>> numbers;
};
std::string_view name(Change::Kind kind);  // "force"

struct NearMiss {
  std::size_t decision = 0;      // index into plan.decisions
  std::int64_t saved_bytes = 0;  // of the value: its read, and its write where nobody else needs it
  bool saves_write = false;
  Change change;
};

// The first `limit`; each value and reader once.
std::vector<NearMiss> near_misses(const BlockRules& rules, const Plan& plan, const CostModel& cost,
                                  std::size_t limit = 10);

}  // namespace loopglass::fusion

// What fusing spares: bytes of intermediates that no longer go through memory. What loop nests of
// one kernel hand to one another in its workspace is written and read as before, and not spared.
#pragma once

#include "core/fusion/pieces.h"
#include "core/fusion/traffic.h"

#include <optional>
#include <string>

namespace loopglass::fusion {

struct Saving {
  std::int64_t bytes = 0;            // no longer written and read; below 0: more are
  std::int64_t workspace_bytes = 0;  // that kernels hand on within themselves instead, at least 0
  friend bool operator==(const Saving&, const Saving&) = default;
};

// Of some kernels instead of others that hold the same operators.
Saving saving(const BlockRules& rules, const std::vector<Nodes>& before,
              const std::vector<Nodes>& after);

// Of a plan's kernels instead of one for each operator. What several of its edges carry or spare is
// counted once.
Saving plan_saving(const BlockRules& rules, const Plan& plan);

// The bytes of intermediates that kernels of single operators write, and these never do, neither
// for other kernels nor into their workspaces. Of views (BlockRules::is_view) nothing counts: they
// lie in what they are views of, and were never written themselves.
std::int64_t never_written(const BlockRules& rules, const std::vector<Nodes>& kernels);

// What intermediates move with the ends of an edge in kernels apart, and in one.
struct EdgeTraffic {
  Traffic apart, together;
};
Saving saving(const EdgeTraffic& edge);

// Of single edges: what one kernel of both ends' kernels would spare, whether or not it may be; of
// a fused edge what its kernel spares against the two that move least if it is cut there.
class EdgeSavings {
 public:
  // Both are kept.
  EdgeSavings(const BlockRules& rules, const Plan& plan);

  Saving operator()(const Decision& decision) const;
  // Nothing of an edge of an operator that is not known: no kernel can spare what it reads or
  // gives.
  std::optional<EdgeTraffic> traffic(const Decision& decision) const;

 private:
  const BlockRules& rules_;
  const Plan& plan_;
  std::vector<Nodes> kernels_;  // by group
};

// How the savings of single edges, `edges` in all, add up to that of their plan: "the 4 fused edges
// save 50.8 KiB a run together", or what comes between the two.
std::string sum_words(std::size_t fused, std::int64_t together, std::int64_t edges);

// "In one kernel 128 bytes less would be written and read."
std::string sentence(const Saving& saving, bool fused);

}  // namespace loopglass::fusion

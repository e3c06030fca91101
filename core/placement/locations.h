// Which values lie in whose memory, while that is being decided (placement.h): trees of a buffer
// and all that lies in it.
#pragma once

#include "core/fusion/kernel.h"
#include "core/placement/copy_reason.h"
#include "core/placement/rows.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace loopglass::placement {

// What memory of every value begins at a multiple of, in bytes, its own or shared.
inline constexpr std::int64_t buffer_alignment = Tensor::alignment;

struct Location {
  graph::ValueId buffer;
  Rows rows;
};

// At first every value has memory of its own. The one operation is to lay one tree into another.
class Locations {
 public:
  // `kernels` in the order they run.
  Locations(const graph::Graph& graph, std::span<const fusion::KernelProgram> kernels);

  const Location& of(graph::ValueId id);
  bool has_own_memory(graph::ValueId id) { return of(id).buffer == id; }
  const Shape& shape(graph::ValueId id) const { return graph_.value(id).type.shape; }
  // Memory that a caller sees: inputs, outputs, constants.
  bool is_for_caller(graph::ValueId id) const;

  // Lays a value that has its own memory, and all that lies there, at `location`. The reason why
  // not comes back, and then nothing has changed.
  std::optional<CopyReason> lay(graph::ValueId id, const Location& location);

 private:
  std::optional<CopyReason> refuse(graph::ValueId id, graph::ValueId buffer,
                                   const Rows& rows) const;
  bool keeps_too_much(graph::ValueId id, graph::ValueId buffer);

  const graph::Graph& graph_;
  std::unordered_map<graph::ValueId, Location> locations_;
  std::unordered_map<graph::ValueId, std::vector<graph::ValueId>> members_;  // of each buffer
  // Kernel that uses a value, or what lies in it, last.
  std::unordered_map<graph::ValueId, int> last_use_;
  std::unordered_set<graph::ValueId> apart_;  // what kernels without a program read and make
};

}  // namespace loopglass::placement

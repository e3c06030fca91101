#include "core/saved_times.h"

#include "core/compiler_version.h"
#include "core/fusion/cost_model.h"
#include "core/runtime/thread_pool.h"
#include "core/support/hash.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass {

MeasuredOf measured_of(const graph::Graph& graph, const fusion::Plan& plan,
                       const Machine& machine) {
  Hasher hasher;
  hasher.value(plan.groups.size());
  for (const fusion::Group& group : plan.groups) {
    std::vector<std::size_t> nodes;
    for (const graph::NodeId node : group.nodes) nodes.push_back(graph.position(node));
    std::sort(nodes.begin(), nodes.end());
    hasher.text(group.name).value(fusion::CostModel::structural_hash(graph, nodes));
  }
  return {fmt::format("{:016x}", hasher.digest()),
          fmt::format("{}, {} threads", machine.processor, runtime::hardware_threads()),
          std::string(compiler_version)};
}

std::string difference_words(const MeasuredOf& then, const MeasuredOf& now) {
  if (then.machine != now.machine) return fmt::format("another machine ({})", then.machine);
  if (then.compiler != now.compiler) return "another version of Loopglass";
  if (then.plan != now.plan) return "another plan";
  return then.schedules != now.schedules ? "other schedules" : "";
}

}  // namespace loopglass

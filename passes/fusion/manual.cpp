#include "passes/fusion/manual.h"

#include "core/fusion/edits.h"
#include "core/support/closest.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

Result<const fusion::Strategy*> find_base(const std::vector<fusion::Strategy>& bases,
                                          const std::string& name) {
  std::vector<std::string> names;
  for (const fusion::Strategy& base : bases) {
    if (name.empty() || base.name == name) return &base;
    names.push_back(base.name);
  }
  return fail(Code::StrategyUnknown,
              fmt::format("edits cannot begin with a plan of strategy '{}'", name),
              fmt::format("base {}", name), did_you_mean(name, names));
}

}  // namespace

fusion::Strategy fuse_by_hand(std::vector<fusion::Strategy> bases) {
  return {
      "manual",
      "A person's own partition: edits (merge, split, pin) made to the plan of another strategy.",
      [bases = std::move(bases)](const graph::Graph& graph,
                                 const fusion::PlanOptions& options) -> Result<fusion::Plan> {
        const fusion::EditScript none;
        const fusion::EditScript& script = options.edits ? *options.edits : none;
        const fusion::Strategy* base = TRY(find_base(bases, script.base));
        return fusion::apply_edits(fusion::BlockRules(graph), TRY(base->plan(graph, options)),
                                   script, options);
      }};
}

}  // namespace loopglass::passes

#include "core/schedule/summed_once.h"

#include "core/schedule/independence.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

Use use_of(const Block& block, const std::string& variable) {
  bool spatial = false, reduction = false;
  for (const loop::IterVar& iter : block.iters)
    if (expr::uses_variable(iter.binding, variable)) (iter.reduction ? reduction : spatial) = true;
  if (spatial && reduction) return Use::Both;
  return spatial ? Use::Spatial : reduction ? Use::Reduction : Use::None;
}

Result<void> check_summed_once(const std::string& call, const Path& path, std::size_t place,
                               const std::string& hint) {
  const Block& block = path.block();
  // By its indices, or by its place in memory: a quotient and a remainder of one value join there.
  std::vector<Expr> element;
  Expr memory(0);
  for (const loop::IterVar& iter : block.iters) {
    if (iter.reduction) continue;
    element.push_back(iter.binding);
    memory = memory * iter.extent + iter.binding;
  }
  const expr::Ranges ranges = ranges_of(path.loops());
  std::set<std::string> fixed;  // loops outside the place
  for (std::size_t i = 0; i < place; ++i)
    if (const For* node = loop::as<For>(path.statements[i])) fixed.insert(node->variable);
  for (std::size_t i = place; i + 1 < path.statements.size(); ++i) {
    const For* node = loop::as<For>(path.statements[i]);
    if (!node || use_of(block, node->variable) == Use::Reduction || expr::as_integer(node->extent) == 1) continue;
    if (!separates(element, node->variable, ranges, fixed) && !separates({memory}, node->variable, ranges, fixed))
      return illegal(call, node->variable,
                     fmt::format("'{}' sums the same elements again in other iterations of '{}', which needs "
                                 "the initial value each time", block.name, node->variable),
                     hint);
  }
  return {};
}

}  // namespace loopglass::schedule

#include "core/loop/names.h"

#include "core/loop/walk.h"

#include <fmt/core.h>

namespace loopglass::loop {

Names::Names(const Func& func) {
  taken_.insert(func.symbols.begin(), func.symbols.end());
  for (const Buffer& buffer : func.parameters) taken_.insert(buffer.name);
  walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = as<For>(stmt)) taken_.insert(node->variable);
    if (const Alloc* node = as<Alloc>(stmt)) taken_.insert(node->buffer.name);
    if (const Block* node = as<Block>(stmt)) {
      taken_.insert(node->name);
      for (const IterVar& iter : node->iters) taken_.insert(iter.name);
    }
  });
}

std::string Names::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int suffix = 1; !taken_.insert(name).second; ++suffix)
    name = fmt::format("{}_{}", wanted, suffix);
  return name;
}

void Names::keep_clear_of(const Block& block) {
  for (const IterVar& iter : block.iters) taken_.insert(iter.name);
}

std::string loop_name(const IterVar& iter) {
  const auto* variable = iter.binding.as<expr::Variable>();
  return variable ? variable->name : iter.name;
}

}  // namespace loopglass::loop

#include "core/fusion/traffic.h"

#include <algorithm>

namespace loopglass::fusion {

Traffic& Traffic::operator+=(const Traffic& other) {
  written += other.written;
  read += other.read;
  kept += other.kept;
  return *this;
}

Traffic traffic(const BlockRules& rules, std::span<const std::size_t> nodes) {
  const BlockRules::Nests nests = rules.nests(nodes);
  Traffic found;
  std::set<graph::ValueId> read;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const BlockRules::Input& input : rules.inputs(nodes[i]))
      if (input.producer && !std::binary_search(nodes.begin(), nodes.end(), *input.producer) &&
          read.insert(input.value).second)
        found.read += rules.graph().value(input.value).type.bytes();
    const auto& outputs = rules.outputs(nodes[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const BlockRules::Output& output = outputs[o];
      const bool escapes = BlockRules::escapes(output, nodes);
      if (escapes && !output.leaves_graph) found.written += output.bytes;
      if (nests.kept[i][o]) (escapes ? found.read : found.kept) += output.bytes;
    }
  }
  return found;
}

}  // namespace loopglass::fusion

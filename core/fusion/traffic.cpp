#include "core/fusion/traffic.h"

#include "core/fusion/member_set.h"

namespace loopglass::fusion {

Traffic& Traffic::operator+=(const Traffic& other) {
  written += other.written;
  read += other.read;
  kept += other.kept;
  read_back += other.read_back;
  return *this;
}

namespace {

// By member: whether its nest runs at all, and is not of views alone.
std::vector<bool> running(const BlockRules::Nests& nests, const std::vector<bool>& ready) {
  std::vector<bool> nest_runs(ready.size(), false), found;
  for (std::size_t i = 0; i < ready.size(); ++i)
    if (!ready[i]) nest_runs[nests.nest[i]] = true;
  for (const std::size_t nest : nests.nest) found.push_back(nest_runs[nest]);
  return found;
}

}  // namespace

Traffic traffic(const BlockRules& rules, std::span<const std::size_t> nodes) {
  const BlockRules::Nests nests = rules.nests(nodes);
  const std::vector<bool> ready = rules.lying_ready(nodes), runs = running(nests, ready);
  const MemberSet members(nodes);
  // Out of the arena: what another kernel needs as well, and views of what lies there.
  const auto in_arena = [&](const BlockRules::NestRead& read) {
    return read.kept == nullptr || BlockRules::escapes(*read.kept, nodes) ||
           ready[members.index(*read.input->producer)];
  };
  Traffic found;
  for (const BlockRules::NestRead& read : rules.nest_reads(nodes, nests)) {
    if (!read.input->producer) continue;  // an input or a constant
    if (!runs[read.member]) continue;
    if (in_arena(read)) found.read += rules.graph().value(read.input->value).type.bytes();
    else found.read_back += rules.kept_bytes(*read.input->producer, *read.kept, nodes);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (ready[i]) continue;
    const auto& outputs = rules.outputs(nodes[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const bool escapes = BlockRules::escapes(outputs[o], nodes);
      if (escapes && !outputs[o].in_result) found.written += outputs[o].bytes;
      if (!escapes && nests.kept[i][o]) found.kept += rules.kept_bytes(nodes[i], outputs[o], nodes);
    }
  }
  return found;
}

}  // namespace loopglass::fusion

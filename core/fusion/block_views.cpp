// Members of a block that move nothing (BlockRules::is_view): what placement/placement.h will find,
// as far as the graph alone tells.
#include "core/fusion/block.h"
#include "core/fusion/member_set.h"

#include <algorithm>

namespace loopglass::fusion {

namespace {

// One tensor cannot lie at two places of a result.
bool are_distinct(const std::vector<BlockRules::Input>& inputs) {
  for (auto input = inputs.begin(); input != inputs.end(); ++input)
    if (std::any_of(inputs.begin(), input,
                    [&](const BlockRules::Input& other) { return other.value == input->value; }))
      return false;
  return true;
}

}  // namespace

// A caller's memory and constants are nobody's part. Nor are tensors that operators without a
// program read, since these find them in memory of their own.
void BlockRules::find_views() {
  const auto& nodes = graph_.nodes();
  is_view_.assign(nodes.size(), false);
  // From the last to the first: whether a result is written into one of the network's is known
  // before its operands ask.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    for (Output& output : outputs_[i])
      output.in_result =
          output.leaves_graph || std::ranges::any_of(output.readers, [&](std::size_t reader) {
            return is_view_[reader] && lies_in_result(reader);
          });
    const auto read_by_unknown = [&](const Output& output) {
      return std::ranges::any_of(output.readers,
                                 [&](std::size_t reader) { return !computable_[reader]; });
    };
    is_view_[i] = only_places_[i] && are_distinct(inputs_[i]) &&
                  std::ranges::all_of(
                      inputs_[i], [](const Input& input) { return input.producer.has_value(); }) &&
                  std::ranges::none_of(outputs_[i], read_by_unknown);
    const bool leaves = std::ranges::any_of(outputs_[i], &Output::leaves_graph);
    if (is_view_[i] && leaves) is_view_[i] = may_be_written_for_caller(i);
  }
}

// What leaves the network under another shape is written there at once, by whoever computes it:
// one tensor, whole, which is no result itself and lies in no other.
bool BlockRules::may_be_written_for_caller(std::size_t position) const {
  if (inputs_[position].size() != 1 || outputs_[position].size() != 1) return false;
  const Input& input = inputs_[position].front();
  if (!computable_[*input.producer]) return false;
  const auto& made = outputs_[*input.producer];
  const auto operand = std::ranges::find(made, input.value, &Output::value);
  return operand->bytes == outputs_[position].front().bytes && !operand->leaves_graph &&
         std::ranges::none_of(operand->readers, [&](std::size_t reader) {
           return reader != position && (only_places_[reader] || !computable_[reader]);
         });
}

bool BlockRules::lies_in_result(std::size_t position) const {
  return std::ranges::any_of(outputs_[position], &Output::in_result);
}

std::vector<bool> BlockRules::lying_ready(std::span<const std::size_t> nodes) const {
  const MemberSet members(nodes);
  std::vector<bool> ready(nodes.size(), false);
  const auto is_in_memory = [&](const Input& input) {
    if (!members.contains(*input.producer)) return true;
    if (ready[members.index(*input.producer)]) return true;
    const auto& made = outputs_[*input.producer];
    return escapes(*std::ranges::find(made, input.value, &Output::value), nodes);
  };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    ready[i] = is_view_[nodes[i]] && std::ranges::all_of(inputs_[nodes[i]], is_in_memory);
  return ready;
}

bool BlockRules::needs_no_code(std::span<const std::size_t> nodes) const {
  return std::ranges::all_of(nodes, [&](std::size_t node) { return is_view(node); });
}

}  // namespace loopglass::fusion

// The loop nests of a block (BlockRules::nests), and what they hand on to one another.
#include "core/fusion/block.h"
#include "core/fusion/member_set.h"

#include <algorithm>
#include <numeric>

namespace loopglass::fusion {

namespace {

// One pass in topological order. A member's time is that of the last many-to-many member that must
// be done before it; a sum can be taken from registers only at its own time.
class NestFinder {
 public:
  NestFinder(const BlockRules& rules, std::span<const std::size_t> nodes)
      : rules_(rules),
        nodes_(nodes),
        members_(nodes),
        time_(nodes.size(), 0),
        carries_(nodes.size(), false),
        joined_(nodes.size()) {
    std::iota(joined_.begin(), joined_.end(), 0);
    kept_.reserve(nodes.size());
    for (const std::size_t node : nodes) kept_.emplace_back(rules.outputs(node).size(), false);
  }

  BlockRules::Nests operator()() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) place(i);
    BlockRules::Nests nests{{}, std::move(kept_)};
    for (std::size_t i = 0; i < nodes_.size(); ++i) nests.nest.push_back(root(i));
    return nests;
  }

 private:
  struct Read {
    std::size_t producer;  // a member
    std::size_t output;    // which of its results
    bool in_place;         // element for element
  };

  bool is_sum(std::size_t i) const { return rules_.mapping(nodes_[i]) == MappingType::ManyToMany; }

  // Of what members compute.
  void find_reads(std::size_t i) {
    reads_.clear();
    for (const BlockRules::Read& read : rules_.reads(nodes_[i]))
      if (members_.contains(read.producer))
        reads_.push_back({members_.index(read.producer), read.output, read.in_place});
  }

  void place(std::size_t i) {
    find_reads(i);
    for (const Read& read : reads_) time_[i] = std::max(time_[i], time_[read.producer]);
    for (const Read& read : reads_) {
      const BlockRules::Output& output = output_of(read);
      if (!is_taken_directly(i, read, output)) {
        // Through memory, whether or not others read it there as well.
        kept_[read.producer][read.output] = true;
      } else if (carries_[read.producer]) {
        carries_[i] = true;
        joined_[root(i)] = root(read.producer);
      }
    }
    // Prologues, each into the nest that reads it first, unless an earlier one has read it back.
    for (const Read& read : reads_) {
      const bool alone = root(read.producer) == read.producer && !carries_[read.producer] &&
                         !is_kept(read.producer);
      if (alone && read.producer != root(i) && is_taken_directly(i, read, output_of(read)))
        joined_[read.producer] = root(i);
    }
    if (!is_sum(i)) return;
    time_[i] = ++clock_;
    carries_[i] = true;
  }

  bool is_kept(std::size_t i) const {
    return std::find(kept_[i].begin(), kept_[i].end(), true) != kept_[i].end();
  }

  const BlockRules::Output& output_of(const Read& read) const {
    return rules_.outputs(nodes_[read.producer])[read.output];
  }

  bool is_taken_directly(std::size_t i, const Read& read, const BlockRules::Output& output) const {
    if (carries_[read.producer])
      return !is_sum(i) && read.in_place && time_[i] == time_[read.producer];
    // A reduction that reads each element once computes it on the way.
    return !is_sum(i) ||
           (rules_.kind(nodes_[i]) <= PatternKind::CommReduce && output.readers.size() == 1);
  }

  std::size_t root(std::size_t i) {
    while (joined_[i] != i) i = joined_[i] = joined_[joined_[i]];
    return i;
  }

  const BlockRules& rules_;
  std::span<const std::size_t> nodes_;
  MemberSet members_;
  std::vector<Read> reads_;  // of the member that is placed
  std::vector<std::size_t> time_;
  std::vector<bool> carries_;  // a sum, in registers
  std::vector<std::size_t> joined_;
  std::vector<std::vector<bool>> kept_;
  std::size_t clock_ = 0;
};

}  // namespace

BlockRules::Nests BlockRules::nests(std::span<const std::size_t> nodes) const {
  return NestFinder(*this, nodes)();
}

std::vector<BlockRules::NestRead> BlockRules::nest_reads(std::span<const std::size_t> nodes,
                                                         const Nests& nests) const {
  const MemberSet members(nodes);
  // The output that another nest keeps; null: it is computed where it is read.
  const auto kept_output = [&](std::size_t reader, const Input& input) -> const Output* {
    const std::size_t producer = members.index(*input.producer);
    if (nests.nest[producer] == nests.nest[reader]) return nullptr;
    const auto& results = outputs(*input.producer);
    for (std::size_t o = 0; o < results.size(); ++o)
      if (results[o].value == input.value && nests.kept[producer][o]) return &results[o];
    return nullptr;
  };
  std::vector<NestRead> reads;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Input& input : inputs(nodes[i])) {
      const bool inside = input.producer && members.contains(*input.producer);
      const Output* kept = inside ? kept_output(i, input) : nullptr;
      if (inside && kept == nullptr) continue;
      const bool known = std::any_of(reads.begin(), reads.end(), [&](const NestRead& read) {
        return read.input->value == input.value && nests.nest[read.member] == nests.nest[i];
      });
      if (!known) reads.push_back({i, &input, kept});
    }
  return reads;
}

const RowChain* BlockRules::chain_within(std::size_t position,
                                         std::span<const std::size_t> nodes) const {
  const auto is_inside = [&](std::size_t node) { return std::ranges::binary_search(nodes, node); };
  const auto chain = std::ranges::find_if(row_chains_, [&](const RowChain& each) {
    return each.is_worth_bands() && (position == each.scaled || position == each.softmax) &&
           is_inside(each.scores) && is_inside(each.scaled) && is_inside(each.softmax) &&
           is_inside(each.weighed);
  });
  return chain == row_chains_.end() ? nullptr : &*chain;
}

std::int64_t BlockRules::kept_bytes(std::size_t position, const Output& output,
                                    std::span<const std::size_t> nodes) const {
  const RowChain* chain = chain_within(position, nodes);
  return chain ? chain->band_bytes() : output.bytes;
}

std::int64_t BlockRules::workspace(std::span<const std::size_t> nodes) const {
  // Without sums all is computed where it is read.
  if (nodes.size() < 2 || anchors(nodes) == 0) return 0;
  const Nests found = nests(nodes);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t o = 0; o < found.kept[i].size(); ++o)
      if (found.kept[i][o]) bytes += kept_bytes(nodes[i], outputs(nodes[i])[o], nodes);
  return bytes;
}

}  // namespace loopglass::fusion

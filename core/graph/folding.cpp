#include "core/graph/folding.h"

#include "core/graph/acyclic_pieces.h"
#include "core/graph/folding_parts.h"
#include "core/graph/likeness.h"
#include "core/support/hash.h"

#include <algorithm>
#include <map>
#include <queue>

namespace loopglass::graph {
namespace {

std::vector<std::vector<std::uint32_t>> reads_of(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> reads(graph.nodes().size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    for (const ValueId input : graph.nodes()[i]->inputs)
      if (const Value* value = graph.find(input); value && value->producer.valid())
        reads[i].push_back(static_cast<std::uint32_t>(graph.position(value->producer)));
    std::sort(reads[i].begin(), reads[i].end());
    reads[i].erase(std::unique(reads[i].begin(), reads[i].end()), reads[i].end());
  }
  return reads;
}

// Of pieces numbered by their first elements the order in which they can run, the earlier first.
std::vector<std::uint32_t> topological_order(const std::vector<std::vector<std::uint32_t>>& reads) {
  std::vector<std::vector<std::uint32_t>> readers(reads.size());
  std::vector<std::size_t> waits(reads.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < reads.size(); ++i) {
    waits[i] = reads[i].size();
    for (const std::uint32_t read : reads[i]) readers[read].push_back(i);
    if (reads[i].empty()) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::uint32_t reader : readers[order.back()])
      if (--waits[reader] == 0) ready.push(reader);
  }
  return order;
}

ItemGraph operators_as_items(const Graph& graph) {
  ItemGraph result{{}, reads_of(graph)};
  for (const NodePtr& node : graph.nodes())
    result.items.push_back({node->name, likeness(graph, *node), {node->id}});
  return result;
}

ItemGraph parts_as_items(const Graph& graph, const Parts& parts) {
  const ItemGraph operators = operators_as_items(graph);
  std::vector<int> part;
  for (const NodePtr& node : graph.nodes()) part.push_back(parts.part_of(*node));
  const std::vector<int> piece = acyclic_pieces(operators.reads, part);
  const std::size_t pieces =
      piece.empty() ? 0
                    : static_cast<std::size_t>(*std::max_element(piece.begin(), piece.end())) + 1;
  std::vector<std::vector<std::uint32_t>> members(pieces), reads(pieces);
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    const auto mine = static_cast<std::size_t>(piece[i]);
    members[mine].push_back(i);
    for (const std::uint32_t read : operators.reads[i])
      if (piece[read] != piece[i]) reads[mine].push_back(static_cast<std::uint32_t>(piece[read]));
  }
  for (auto& list : reads) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const std::vector<std::uint32_t> order = topological_order(reads);
  std::vector<std::uint32_t> place(pieces);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  ItemGraph result;
  for (const std::uint32_t which : order) {
    FoldItem item;
    Hasher hasher;
    for (const std::uint32_t member : members[which]) {
      item.nodes.push_back(operators.items[member].nodes.front());
      hasher.value(operators.items[member].likeness);
    }
    item.likeness = hasher.digest();
    const int mine = part[members[which].front()];
    item.name = mine < 0 ? operators.items[members[which].front()].name : parts.name_of(mine);
    result.items.push_back(std::move(item));
    result.reads.emplace_back();
    for (const std::uint32_t read : reads[which]) result.reads.back().push_back(place[read]);
  }
  return result;
}

void find_operands(ItemGraph& items, const Graph& graph) {
  std::unordered_map<NodeId, ItemGraph::Operand> place;
  for (std::size_t i = 0; i < items.items.size(); ++i)
    for (std::size_t n = 0; n < items.items[i].nodes.size(); ++n)
      place[items.items[i].nodes[n]] = {static_cast<std::int64_t>(i), n};
  for (const FoldItem& item : items.items) {
    auto& operands = items.operands.emplace_back();
    for (const NodeId id : item.nodes)
      for (const ValueId input : graph.node(id).inputs) {
        const Value* value = graph.find(input);
        if (!value || !value->producer.valid()) {
          operands.push_back({-1});
          continue;
        }
        const auto& outputs = graph.node(value->producer).outputs;
        operands.push_back(place.at(value->producer));
        operands.back().output = static_cast<std::size_t>(
            std::find(outputs.begin(), outputs.end(), input) - outputs.begin());
      }
  }
}

}  // namespace

std::vector<std::size_t> name_parts(const std::string& name) {
  constexpr std::size_t most = 32;  // nobody opens more, one in another
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= name.size() && ends.size() < most; ++i) {
    const bool at_end = i == name.size() || name[i] == '/' || name[i] == '.';
    if (at_end && name[i - 1] != '/' && name[i - 1] != '.') ends.push_back(i);
  }
  return ends;
}

std::size_t common_parts(const std::vector<FoldItem>& items) {
  const std::string* first = nullptr;  // of those that lie in a part
  std::vector<std::size_t> ends;
  std::size_t common = 0, outside = 0;
  for (const FoldItem& item : items) {
    std::vector<std::size_t> parts = name_parts(item.name);
    if (parts.size() < 2) {
      ++outside;
      continue;
    }
    parts.pop_back();
    if (!first) {
      first = &item.name;
      ends = std::move(parts);
      common = ends.size();
      continue;
    }
    std::size_t shared = 0;
    while (shared < std::min(common, parts.size()) && parts[shared] == ends[shared] &&
           item.name.compare(0, ends[shared], *first, 0, ends[shared]) == 0)
      ++shared;
    common = shared;
  }
  return outside * 10 <= items.size() ? common : 0;
}

Folding fold(const Graph& graph, FoldBy by, const Parts* parts) {
  ItemGraph items = parts ? parts_as_items(graph, *parts) : operators_as_items(graph);
  find_operands(items, graph);
  Folding result;
  result.folds = by == FoldBy::Names ? fold_by_names(items) : fold_by_blocks(items, graph);
  result.items = std::move(items.items);
  result.innermost.assign(result.items.size(), -1);
  for (std::size_t f = 0; f < result.folds.size(); ++f) {
    const Fold& fold = result.folds[f];
    if (fold.parent >= 0)
      result.folds[static_cast<std::size_t>(fold.parent)].children.push_back(static_cast<int>(f));
    for (const std::uint32_t item : fold.items) result.innermost[item] = static_cast<int>(f);
  }
  return result;
}

}  // namespace loopglass::graph

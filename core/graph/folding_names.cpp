// Folding by the names that exporters give. What all names begin with is no part.
#include "core/graph/acyclic_pieces.h"
#include "core/graph/folding_parts.h"
#include "core/support/hash.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace loopglass::graph {
namespace {

class NameFolds {
 public:
  explicit NameFolds(const ItemGraph& graph) : graph_(graph), local_(graph.items.size()) {
    for (const FoldItem& item : graph.items) parts_.push_back(name_parts(item.name));
  }

  std::vector<Fold> make() {
    Scope all;
    for (std::uint32_t i = 0; i < graph_.items.size(); ++i) all.items.push_back(i);
    all.depth = common_parts(graph_.items);  // one box of all of them would tell nothing
    waiting_.push_back(std::move(all));
    while (!waiting_.empty()) {
      const Scope scope = std::move(waiting_.back());
      waiting_.pop_back();
      cut(scope);
    }
    return std::move(folds_);
  }

 private:
  // Items that lie in the same parts down to a depth.
  struct Scope {
    std::vector<std::uint32_t> items;
    std::size_t depth = 0;
    int fold = -1;
  };

  // The part an item lies in at a depth, with all before it; the last part of a name is the item's
  // own.
  std::string_view prefix(std::uint32_t item, std::size_t depth) const {
    if (depth + 1 >= parts_[item].size()) return {};
    return std::string_view(graph_.items[item].name).substr(0, parts_[item][depth]);
  }

  void cut(const Scope& scope) {
    std::unordered_map<std::string_view, int> parts;
    std::vector<int> part;
    std::vector<std::vector<std::uint32_t>> reads;
    for (std::uint32_t i = 0; i < scope.items.size(); ++i) {
      const std::string_view name = prefix(scope.items[i], scope.depth);
      part.push_back(name.empty()
                         ? -1
                         : parts.try_emplace(name, static_cast<int>(parts.size())).first->second);
      local_[scope.items[i]] = i;
    }
    if (parts.empty()) return;
    for (const std::uint32_t item : scope.items) {
      reads.emplace_back();
      for (const std::uint32_t read : graph_.reads[item]) {
        const std::uint32_t at = local_[read];
        if (at < scope.items.size() && scope.items[at] == read) reads.back().push_back(at);
      }
    }
    const std::vector<int> piece = acyclic_pieces(reads, part);
    std::map<int, std::vector<std::uint32_t>> pieces;  // in the order of their first items
    for (std::size_t i = 0; i < piece.size(); ++i)
      if (part[i] >= 0) pieces[piece[i]].push_back(scope.items[i]);
    std::unordered_map<std::string_view, int> times;
    std::vector<Scope> inside;
    for (auto& [number, items] : pieces) {
      const std::string_view name = prefix(items.front(), scope.depth);
      const int time = times[name]++;
      if (items.size() < 2) continue;
      int fold = scope.fold;
      if (items.size() < scope.items.size() || scope.fold < 0) {
        fold = static_cast<int>(folds_.size());
        Hasher key;
        key.text("name").text(name).value(time);
        folds_.push_back({std::string(name), key.digest(), items, scope.fold, {}, 1});
      } else {
        folds_[static_cast<std::size_t>(fold)].title = name;  // all of it lies deeper
      }
      inside.push_back({std::move(items), scope.depth + 1, fold});
    }
    waiting_.insert(waiting_.end(), std::make_move_iterator(inside.rbegin()),
                    std::make_move_iterator(inside.rend()));
  }

  const ItemGraph& graph_;
  std::vector<std::vector<std::size_t>> parts_;
  std::vector<std::uint32_t> local_;  // place of an item in the scope at hand
  std::vector<Scope> waiting_;
  std::vector<Fold> folds_;
};

}  // namespace

std::vector<Fold> fold_by_names(const ItemGraph& graph) { return NameFolds(graph).make(); }

}  // namespace loopglass::graph

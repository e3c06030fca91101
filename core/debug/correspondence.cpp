#include "core/debug/correspondence.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace loopglass::debug {

namespace {

using graph::Graph;
using graph::ValueId;

// Rewrites that share operators, merged: what they consumed and made together.
struct Cluster {
  std::set<graph::NodeId> nodes;
};

std::vector<Cluster> clusters(std::span<const pass::Rewrite> rewrites) {
  std::vector<std::size_t> parent(rewrites.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::map<std::uint32_t, std::size_t> owner;  // of a node, the first rewrite that names it
  for (std::size_t i = 0; i < rewrites.size(); ++i)
    for (const auto* nodes : {&rewrites[i].consumed, &rewrites[i].made})
      for (const std::uint32_t node : *nodes) {
        const auto [first, is_new] = owner.try_emplace(node, i);
        if (!is_new) parent[root(i)] = root(first->second);
      }
  std::map<std::size_t, Cluster> merged;
  for (const auto& [node, rewrite] : owner) merged[root(rewrite)].nodes.insert(graph::NodeId{node});
  std::vector<Cluster> result;
  for (auto& [rewrite, cluster] : merged) result.push_back(std::move(cluster));
  return result;
}

// What leaves the cluster in `graph` and is not in `other`.
std::vector<ValueId> leaving(const Cluster& cluster, const Graph& graph, const Graph& other) {
  std::vector<ValueId> values;
  for (const graph::NodeId id : cluster.nodes) {
    const graph::Node* node = graph.find(id);
    if (node == nullptr) continue;
    for (const ValueId output : node->outputs) {
      const auto& uses = graph.uses(output);
      const bool leaves = graph.is_output(output) ||
                          std::any_of(uses.begin(), uses.end(), [&](const Graph::Use& use) {
                            return !cluster.nodes.contains(use.node);
                          });
      if (leaves && other.find(output) == nullptr) values.push_back(output);
    }
  }
  return values;
}

class Matcher {
 public:
  Matcher(const Graph& before, const Graph& after) : before_(before), after_(after) {}

  void match(ValueId before, ValueId after, Match how) {
    if (found_.contains(before) || taken_.contains(after)) return;
    found_[before] = {after, how};
    taken_.insert(after);
  }

  Correspondence operator()(std::span<const pass::Rewrite> rewrites) && {
    for (const graph::ValuePtr& value : before_.values())
      if (!value->is_constant() && after_.find(value->id) != nullptr &&
          !after_.value(value->id).is_constant())
        match(value->id, value->id, Match::Id);
    // The interface keeps its order.
    match_lists(before_.inputs(), after_.inputs(), Match::Name);
    match_lists(before_.outputs(), after_.outputs(), Match::Rewrite);
    // Where several values leave, nothing says which is which.
    for (const Cluster& cluster : clusters(rewrites)) {
      const auto old = leaving(cluster, before_, after_), fresh = leaving(cluster, after_, before_);
      if (old.size() == 1 && fresh.size() == 1) match(old[0], fresh[0], Match::Rewrite);
    }
    std::unordered_map<std::string_view, const graph::Value*> by_name;
    for (const graph::ValuePtr& value : after_.values())
      if (!value->is_constant()) by_name.emplace(value->name, value.get());
    for (const graph::ValuePtr& value : before_.values()) {
      const auto same = by_name.find(value->name);
      if (!value->is_constant() && same != by_name.end() && same->second->type == value->type)
        match(value->id, same->second->id, Match::Name);
    }
    return std::move(found_);
  }

 private:
  void match_lists(const std::vector<ValueId>& before, const std::vector<ValueId>& after,
                   Match how) {
    if (before.size() != after.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) match(before[i], after[i], how);
  }

  const Graph &before_, &after_;
  Correspondence found_;
  std::set<ValueId> taken_;
};

}  // namespace

std::string_view name(Match match) {
  switch (match) {
    case Match::Id: return "id";
    case Match::Rewrite: return "rewrite";
    case Match::Name: return "name";
  }
  __builtin_unreachable();
}

Correspondence correspondence(const Graph& before, const Graph& after,
                              std::span<const pass::Rewrite> rewrites) {
  return Matcher(before, after)(rewrites);
}

Result<Correspondence> correspondence(Session& session, const pass::Position& from,
                                      const pass::Position& to) {
  const auto history = TRY(session.graph_history());
  const auto before = TRY(session.graph_at(from.step, from.rewrites)),
             after = TRY(session.graph_at(to.step, to.rewrites));
  const pass::Position early = std::min(normalised(from, *history), normalised(to, *history));
  const pass::Position late = std::max(normalised(from, *history), normalised(to, *history));
  std::vector<pass::Rewrite> rewrites;
  for (std::size_t step = early.step; step <= late.step; ++step) {
    const auto& made = history->steps[step].rewrites;
    const std::size_t first = step == early.step ? std::min(early.rewrites, made.size()) : 0;
    const std::size_t last = step == late.step ? std::min(late.rewrites, made.size()) : made.size();
    for (std::size_t i = first; i < last; ++i) rewrites.push_back(made[i]);
  }
  // Rewrites read the same either way: what they consumed leaves one graph, what they made the
  // other.
  return correspondence(*before, *after, rewrites);
}

}  // namespace loopglass::debug

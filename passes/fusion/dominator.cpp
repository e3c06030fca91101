#include "passes/fusion/dominator.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"
#include "core/graph/dominators.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <set>

namespace loopglass::passes {

namespace {

using fusion::PatternKind;
using fusion::Reason;
using fusion::Refusal;  // of a node towards its post-dominator; the last phase that considered it speaks

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t maximum_depth = 256;

struct Edge {
  std::size_t consumer;
  PatternKind kind;
};

class DominatorFusion {
 public:
  DominatorFusion(const graph::Graph& graph, const fusion::PlanOptions& options)
      : graph_(graph), options_(options), kinds_(fusion::pattern_kinds(graph)), edges_(graph.nodes().size()),
        parent_(graph.nodes().size(), none), path_kind_(graph.nodes().size(), PatternKind::Elementwise),
        union_parent_(graph.nodes().size()), group_kind_(kinds_), size_(graph.nodes().size(), 1),
        has_anchor_(graph.nodes().size()), refusals_(graph.nodes().size()) {
    std::iota(union_parent_.begin(), union_parent_.end(), 0);
    for (std::size_t i = 0; i < kinds_.size(); ++i) has_anchor_[i] = kinds_[i] == PatternKind::OutElementwiseFusable;
    collect_edges();
    join_path_kinds(graph::DominatorTree(graph, graph::Direction::PostDominators));
  }

  Result<fusion::Plan> plan() {
    TRY_VOID(merge_forced());
    for (int phase = 0; phase < 3; ++phase)
      for (std::size_t node = 0; node < kinds_.size(); ++node) consider(node, phase);
    std::vector<std::size_t> part(kinds_.size());
    for (std::size_t node = 0; node < part.size(); ++node) part[node] = root(node);
    fusion::Plan plan = TRY(fusion::plan_of_partition(graph_, "dominator", part, kinds_));
    fusion::record_decisions(plan, graph_, options_, [&](const fusion::Edge& edge) {
      const Refusal& refusal = refusals_[graph_.position(edge.producer)];
      return refusal.reason != Reason::Fused
                 ? refusal
                 : Refusal{Reason::AlreadyFused, "root(producer) != root(consumer)",
                           fmt::format("{} had gone into another kernel before.", graph_.node(edge.producer).name), {}};
    });
    return plan;
  }

 private:
  // An edge is of its consumer's kind, but a broadcasting consumer is elementwise in the argument
  // that already has the result's shape.
  void collect_edges() {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      for (const graph::ValueId output : graph_.nodes()[i]->outputs)
        for (const graph::Graph::Use& use : graph_.uses(output)) {
          const std::size_t consumer = graph_.position(use.node);
          PatternKind kind = kinds_[consumer];
          const graph::ValueId result = graph_.nodes()[consumer]->outputs.front();
          if (kind == PatternKind::Broadcast && graph_.value(output).type.shape == graph_.value(result).type.shape)
            kind = PatternKind::Elementwise;
          edges_[i].push_back({consumer, kind});
        }
  }

  // While climbing from the consumers to their common ancestor, the kinds of the edges and of the
  // tree nodes climbed over join by maximum: the "dominator pattern".
  void join_path_kinds(const graph::DominatorTree& tree) {
    const auto position_of_parent = [&](std::size_t node) {
      const graph::NodeId parent = tree.parent(graph_.nodes()[node]->id);
      return parent ? graph_.position(parent) : none;
    };
    for (std::size_t node = kinds_.size(); node-- > 0;) {
      parent_[node] = position_of_parent(node);
      if (edges_[node].empty()) continue;
      PatternKind& joined = path_kind_[node];
      std::size_t ancestor = edges_[node].front().consumer;
      for (const Edge& edge : edges_[node]) {
        joined = std::max(joined, edge.kind);
        std::size_t other = edge.consumer;
        while (ancestor != other && ancestor != none && other != none) {
          const int depth = tree.depth(graph_.nodes()[ancestor]->id), other_depth = tree.depth(graph_.nodes()[other]->id);
          if (depth >= other_depth) joined = std::max(joined, path_kind_[ancestor]);
          if (other_depth >= depth) joined = std::max(joined, path_kind_[other]);
          if (depth >= other_depth) ancestor = parent_[ancestor];
          if (other_depth >= depth) other = parent_[other];
        }
        if (ancestor != other) ancestor = none;
      }
    }
  }

  std::size_t root(std::size_t node) const {
    while (union_parent_[node] != node) node = union_parent_[node];
    return node;
  }

  using Condition = std::function<bool(PatternKind kind, bool is_sink)>;

  // Every group on every path from `source` (itself not checked) to `sink` must satisfy `condition`.
  // Returns the first node that does not, or none.
  std::size_t path_obstacle(std::size_t source, std::size_t sink, const Condition& condition) const {
    std::vector<bool> visited(kinds_.size());
    std::vector<std::size_t> stack;
    for (const Edge& edge : edges_[source]) stack.push_back(edge.consumer);
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      if (visited[node]) continue;
      visited[node] = true;
      if (!condition(group_kind_[root(node)], node == sink)) return node;
      if (node == sink) continue;
      for (const Edge& edge : edges_[node]) stack.push_back(edge.consumer);
    }
    return none;
  }

  std::size_t fused_size(std::size_t source, std::size_t sink) const {
    std::size_t total = size_[root(sink)];
    for_each_on_path(source, sink, [&](std::size_t node) {
      if (root(node) != root(sink)) total += size_[root(node)];
    });
    return total;
  }

  // `visit` is called once for every node on a path from source (included) to sink (excluded).
  void for_each_on_path(std::size_t source, std::size_t sink, const std::function<void(std::size_t)>& visit) const {
    std::vector<bool> visited(kinds_.size());
    std::vector<std::size_t> stack{source};
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      if (node == sink || visited[node]) continue;
      visited[node] = true;
      visit(node);
      for (const Edge& edge : edges_[node]) stack.push_back(edge.consumer);
    }
  }

  void merge(std::size_t from, std::size_t into) {
    from = root(from);
    into = root(into);
    if (from == into) return;
    union_parent_[from] = into;
    size_[into] += size_[from];
    if (has_anchor_[from]) {
      has_anchor_[into] = true;
      group_kind_[into] = std::max(group_kind_[into], group_kind_[from]);
    }
  }

  void refuse(std::size_t node, Reason reason, std::string condition, std::string sentence,
              std::vector<std::pair<std::string, double>> numbers = {}) {
    refusals_[node] = {reason, std::move(condition), std::move(sentence), std::move(numbers)};
  }

  const std::string& name(std::size_t node) const { return graph_.nodes()[node]->name; }

  void consider(std::size_t node, int phase) {
    const PatternKind kind = group_kind_[node];
    if (kind == PatternKind::Opaque) {
      return refuse(node, Reason::OpaqueSource, fmt::format("kind({}) = Opaque", name(node)),
                    fmt::format("{} runs several dependent loops, so nothing can be appended to it.", name(node)));
    }
    const std::size_t sink = parent_[node];
    if (sink == none) {
      const bool is_output = std::any_of(graph_.nodes()[node]->outputs.begin(), graph_.nodes()[node]->outputs.end(),
                                         [&](graph::ValueId output) { return graph_.is_output(output); });
      return refuse(node, is_output ? Reason::GraphOutput : Reason::NoPostDominator,
                    fmt::format("post-dominator({}) = none", name(node)),
                    is_output ? fmt::format("{} is a result of the network and must be written in any case.", name(node))
                              : fmt::format("The paths from {} never meet again, so no operator can absorb all of them.", name(node)));
    }
    if (root(node) == root(sink)) return;
    if (phase == 2) return consider_tuple(node, sink);
    const std::size_t size = fused_size(node, sink);
    if (size > maximum_depth) {
      return refuse(node, Reason::MaxDepth, fmt::format("{} <= {}", size, maximum_depth),
                    fmt::format("The group would have {} operators, more than the limit of {}.", size, maximum_depth),
                    {{"operators", static_cast<double>(size)}, {"limit", static_cast<double>(maximum_depth)}});
    }
    if (kinds_[sink] == PatternKind::Tuple) {
      return refuse(node, Reason::SinkIsTuple, fmt::format("kind({}) != Tuple", name(sink)),
                    fmt::format("{} has several results; only the last phase appends to such an operator.", name(sink)));
    }
    if (kind == PatternKind::OutElementwiseFusable) {
      if (phase == 0) consider_anchor(node, sink);
    } else if (kind <= PatternKind::Broadcast) {
      consider_elementwise(node, sink);
    } else if (kind == PatternKind::Injective || kind == PatternKind::Tuple) {
      if (phase == 1) consider_injective(node, sink);
    } else {
      refuse(node, Reason::ReductionDoesNotFuseForward, fmt::format("kind({}) = CommReduce", name(node)),
             fmt::format("{} is a reduction: its result is complete only after its last iteration, so what follows starts a new kernel.", name(node)));
    }
  }

  void consider_anchor(std::size_t node, std::size_t sink) {
    if (path_kind_[node] != PatternKind::Elementwise) {
      const bool second = path_kind_[node] == PatternKind::OutElementwiseFusable;
      return refuse(node, second ? Reason::SecondAnchor : Reason::EdgeNotElementwise,
                    fmt::format("path-kind({}, {}) = {} == Elementwise", name(node), name(sink), fusion::name(path_kind_[node])),
                    second ? fmt::format("{} and {} each need a loop nest of their own.", name(node), name(sink))
                           : fmt::format("The results of {} are not used element by element on the way to {}.", name(node), name(sink)));
    }
    commit_unless_blocked(node, sink, "<= Broadcast", [](PatternKind kind, bool) { return kind <= PatternKind::Broadcast; });
  }

  void consider_elementwise(std::size_t node, std::size_t sink) {
    if (path_kind_[node] > PatternKind::Injective && path_kind_[node] != PatternKind::CommReduce) {
      return refuse(node, Reason::EdgeNotElementwise,
                    fmt::format("path-kind({}, {}) = {} <= Injective or == CommReduce", name(node), name(sink),
                                fusion::name(path_kind_[node])),
                    fmt::format("{} reads each result of {} many times; fusing would compute it again and again.", name(sink), name(node)));
    }
    commit_unless_blocked(node, sink, "<= Injective on the path, <= OutElementwiseFusable at its end",
                          [](PatternKind kind, bool is_sink) {
                            return kind <= PatternKind::Injective ||
                                   (is_sink && kind <= PatternKind::OutElementwiseFusable);
                          });
  }

  void consider_injective(std::size_t node, std::size_t sink) {
    commit_unless_blocked(node, sink, "<= Injective", [](PatternKind kind, bool) { return kind <= PatternKind::Injective; });
  }

  void consider_tuple(std::size_t node, std::size_t sink) {
    if (group_kind_[node] > PatternKind::Injective || kinds_[sink] != PatternKind::Tuple) return;
    if (group_kind_[root(sink)] <= PatternKind::Injective) commit(node, sink);
  }

  void commit_unless_blocked(std::size_t node, std::size_t sink, const char* wanted, const Condition& condition) {
    const std::size_t obstacle = path_obstacle(node, sink, condition);
    if (obstacle == none) return commit(node, sink);
    const PatternKind kind = group_kind_[root(obstacle)];
    const bool is_sink = obstacle == sink;
    refuse(node, is_sink ? Reason::SinkKind : Reason::PathTooComplex,
           fmt::format("kind(group of {}) = {} {}", name(obstacle), fusion::name(kind), wanted),
           is_sink ? fmt::format("The group of {} is {}, which cannot take {} in.", name(obstacle), fusion::name(kind), name(node))
                   : fmt::format("{}, on the way from {} to {}, is {}.", name(obstacle), name(node), name(sink), fusion::name(kind)));
  }

  // What was asked for comes first, and the rules go on from there.
  Result<void> merge_forced() {
    if (options_.constraints.empty()) return {};
    const fusion::BlockRules rules(graph_);
    TRY_VOID(fusion::PartitionBuilder(rules).force(options_.constraints));
    for (const fusion::Edge& edge : options_.constraints.forced)
      merge(graph_.position(edge.producer), graph_.position(edge.consumer));
    return {};
  }

  bool joins_forbidden(std::size_t node, std::size_t sink) const {
    std::set<std::size_t> roots{root(sink)};
    for_each_on_path(node, sink, [&](std::size_t on_path) { roots.insert(root(on_path)); });
    return std::any_of(options_.constraints.forbidden.begin(), options_.constraints.forbidden.end(), [&](const fusion::Edge& edge) {
      return roots.contains(root(graph_.position(edge.producer))) && roots.contains(root(graph_.position(edge.consumer)));
    });
  }

  void commit(std::size_t node, std::size_t sink) {
    if (!options_.constraints.forbidden.empty() && joins_forbidden(node, sink))
      return refuse(node, Reason::ForcedApart, "forbidden by hand",
                    fmt::format("{} would take the way to {} along, on which an edge was forbidden.", name(node), name(sink)));
    for_each_on_path(node, sink, [&](std::size_t on_path) { merge(on_path, sink); });
  }

  const graph::Graph& graph_;
  const fusion::PlanOptions& options_;
  std::vector<PatternKind> kinds_;               // by position, as are all below
  std::vector<std::vector<Edge>> edges_;         // forward
  std::vector<std::size_t> parent_;              // immediate post-dominator
  std::vector<PatternKind> path_kind_;           // joined on the way to it
  std::vector<std::size_t> union_parent_;
  std::vector<PatternKind> group_kind_;          // of the group, at its root
  std::vector<std::size_t> size_;
  std::vector<bool> has_anchor_;
  std::vector<Refusal> refusals_;
};

}  // namespace

Result<fusion::Plan> fuse_by_dominators(const graph::Graph& graph, const fusion::PlanOptions& options) {
  return DominatorFusion(graph, options).plan();
}

}  // namespace loopglass::passes

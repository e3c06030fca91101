// The graph as TVM's fusion sees it: operators in the order in which a depth-first walk from the
// results leaves them, edges towards the consumers with their kinds, and the post-dominator tree
// with the kinds joined on the way from a vertex to its post-dominator.
//
// An operator of a list of tensors (Concat) reads a Tuple in Relay. Here a vertex stands for that
// tuple, just before the operator, since the rules treat it by itself. Constants are no vertices:
// Relay makes a scalar constant an elementwise operator that goes along with its consumer, which
// has the same outcome, and all other constants Opaque.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::passes {

class DominatorGraph {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct Edge {
    std::size_t consumer;
    fusion::PatternKind kind;  // fusion::edge_kind; of a tuple's edge its operator's
  };

  // Records every step of making the tree where `events` is given.
  DominatorGraph(const fusion::BlockRules& rules, std::vector<fusion::PlanEvent>* events);

  std::size_t size() const { return vertices_.size(); }
  std::size_t vertex_of(std::size_t position) const { return vertex_of_[position]; }
  std::size_t vertex_of(graph::NodeId node) const {
    return vertex_of_[rules_.graph().position(node)];
  }
  std::size_t tuple_of(std::size_t position) const {
    return tuple_of_[position];
  }  // none: it joins nothing
  bool is_tuple(std::size_t vertex) const { return vertices_[vertex].is_tuple; }
  std::size_t position(std::size_t vertex) const {
    return vertices_[vertex].position;
  }  // of a tuple: its operator's
  graph::NodeId node(std::size_t vertex) const;
  std::string name(std::size_t vertex) const;  // "conv1", "the operands of concat1"

  fusion::PatternKind kind(std::size_t vertex) const;  // as Relay has it
  const fusion::BlockRules& rules() const { return rules_; }
  const std::vector<Edge>& edges(std::size_t vertex) const { return vertices_[vertex].edges; }
  // What leaves the network is read from outside, and nothing post-dominates it.
  bool is_result(std::size_t vertex) const { return vertices_[vertex].is_result; }
  std::size_t parent(std::size_t vertex) const {
    return vertices_[vertex].parent;
  }  // immediate post-dominator, or none
  fusion::PatternKind joined_kind(std::size_t vertex) const { return vertices_[vertex].joined; }

 private:
  struct Vertex {
    std::size_t position;
    bool is_tuple = false, is_result = false;
    std::vector<Edge> edges = {};
    std::size_t parent = none;
    int depth = 1;
    fusion::PatternKind joined = fusion::PatternKind::Elementwise;
  };

  void number_vertices();
  void add_edges();
  void find_parent(std::size_t vertex);
  // Climbs from both to where they meet and joins the kinds of what it climbs over.
  std::size_t common_ancestor(std::size_t a, std::size_t b, fusion::PatternKind& joined,
                              std::vector<std::size_t>& climbed) const;
  void record(std::size_t vertex, std::size_t ancestor, std::size_t consumers,
              const std::vector<std::size_t>& climbed) const;

  const fusion::BlockRules& rules_;
  std::vector<fusion::PlanEvent>* events_;
  std::vector<Vertex> vertices_;
  std::vector<std::size_t> vertex_of_, tuple_of_;  // by position in the graph
};

}  // namespace loopglass::passes

// What stands in one graph for the operators of another: of the same history the operator itself,
// what it became or what it was made from; of another history what has its name; else what shares
// an ONNX node with it.
#pragma once

#include "core/pass/node_history.h"

#include <set>
#include <span>
#include <string_view>

namespace loopglass::views {

class Counterparts {
 public:
  Counterparts() = default;  // of nothing: nothing has one
  // In a graph of the history that the operators are of. `lives` tells what became of them, and of
  // which step the graph is; null: not worked out (yet), or not asked.
  explicit Counterparts(std::shared_ptr<const graph::Graph> graph,
                        std::shared_ptr<const pass::NodeHistory> lives = nullptr,
                        std::size_t step = 0);
  // In a graph of another history.
  static Counterparts by_name(std::shared_ptr<const graph::Graph> graph);

  // The operator itself; null: it is not there.
  const graph::Node* same(const graph::Node& node) const;
  // That, or else what stands for it, the likest first; empty: nothing does.
  std::vector<graph::NodeId> of(const graph::Node& node) const;
  // What stands for any of them.
  std::set<graph::NodeId> of(std::span<const graph::NodePtr> nodes) const;
  // The tensor itself; null: it is not there.
  const graph::Value* same(const graph::Value& value) const;

 private:
  using ByOrigin = std::unordered_map<std::uint32_t, std::vector<graph::NodeId>>;
  const ByOrigin& by_origin() const;

  std::shared_ptr<const graph::Graph> graph_;
  std::shared_ptr<const pass::NodeHistory> lives_;
  std::size_t step_ = 0;
  bool by_name_ = false;
  std::unordered_map<std::string_view, const graph::Node*> nodes_;    // by name
  std::unordered_map<std::string_view, const graph::Value*> values_;  // by name
  mutable std::optional<ByOrigin> by_origin_;  // made when something is not there itself
};

}  // namespace loopglass::views

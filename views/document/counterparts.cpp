#include "views/document/counterparts.h"

#include <algorithm>
#include <functional>

namespace loopglass::views {
namespace {

// What only moves the data of an operator stands for it where nothing else does.
int likeness(const graph::Node& node, const graph::Node& other) {
  if (node.name == other.name) return 3;
  if (node.op == other.op) return 2;
  return node.op->family == ops::Family::Movement ? 0 : 1;
}

}  // namespace

Counterparts::Counterparts(std::shared_ptr<const graph::Graph> graph,
                           std::shared_ptr<const pass::NodeHistory> lives, std::size_t step)
    : graph_(std::move(graph)), lives_(std::move(lives)), step_(step) {}

Counterparts Counterparts::by_name(std::shared_ptr<const graph::Graph> graph) {
  Counterparts named(std::move(graph));
  named.by_name_ = true;
  const auto add = [&named](graph::ValueId id) {
    const graph::Value& value = named.graph_->value(id);
    named.values_.emplace(value.name, &value);
  };
  std::ranges::for_each(named.graph_->inputs(), add);
  for (const graph::NodePtr& node : named.graph_->nodes()) {
    named.nodes_.emplace(node->name, node.get());
    std::ranges::for_each(node->outputs, add);
  }
  return named;
}

const Counterparts::ByOrigin& Counterparts::by_origin() const {
  if (by_origin_) return *by_origin_;
  by_origin_.emplace();
  for (const graph::NodePtr& node : graph_->nodes())
    for (const std::uint32_t source : node->origin.sources)
      (*by_origin_)[source].push_back(node->id);
  return *by_origin_;
}

const graph::Node* Counterparts::same(const graph::Node& node) const {
  if (!graph_) return nullptr;
  if (!by_name_) return graph_->find(node.id);
  const auto named = nodes_.find(node.name);
  return named == nodes_.end() ? nullptr : named->second;
}

const graph::Value* Counterparts::same(const graph::Value& value) const {
  if (!graph_) return nullptr;
  if (!by_name_) return graph_->find(value.id);
  const auto named = values_.find(value.name);
  return named == values_.end() ? nullptr : named->second;
}

std::vector<graph::NodeId> Counterparts::of(const graph::Node& node) const {
  if (const graph::Node* there = same(node)) return {there->id};
  std::vector<graph::NodeId> found;
  if (!graph_) return found;
  if (lives_) {
    found = lives_->at_step(node.id, step_);
    std::erase_if(found, [this](graph::NodeId id) { return !graph_->find(id); });
  }
  if (found.empty())
    for (const std::uint32_t source : node.origin.sources)
      if (const auto sharing = by_origin().find(source); sharing != by_origin().end())
        for (const graph::NodeId id : sharing->second)
          if (std::ranges::find(found, id) == found.end()) found.push_back(id);
  std::ranges::stable_sort(found, std::greater(),
                           [&](graph::NodeId id) { return likeness(graph_->node(id), node); });
  return found;
}

std::set<graph::NodeId> Counterparts::of(std::span<const graph::NodePtr> nodes) const {
  std::set<graph::NodeId> found;
  for (const graph::NodePtr& node : nodes)
    for (const graph::NodeId id : of(*node)) found.insert(id);
  return found;
}

}  // namespace loopglass::views

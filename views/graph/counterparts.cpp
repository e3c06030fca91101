#include "views/graph/counterparts.h"

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
    : graph_(std::move(graph)), lives_(std::move(lives)), step_(step) {
  index_origins();
}

Counterparts::Counterparts(std::shared_ptr<const graph::Graph> graph)
    : graph_(std::move(graph)), by_name_(true) {
  for (const graph::NodePtr& node : graph_->nodes()) nodes_.emplace(node->name, node.get());
  const auto add = [this](graph::ValueId id) {
    const graph::Value& value = graph_->value(id);
    values_.emplace(value.name, &value);
  };
  std::ranges::for_each(graph_->inputs(), add);
  for (const graph::NodePtr& node : graph_->nodes()) std::ranges::for_each(node->outputs, add);
  index_origins();
}

void Counterparts::index_origins() {
  for (const graph::NodePtr& node : graph_->nodes())
    for (const std::uint32_t source : node->origin.sources) of_origin_[source].push_back(node->id);
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
  if (lives_ && !by_name_) {
    found = lives_->at_step(node.id, step_);
    std::erase_if(found, [this](graph::NodeId id) { return !graph_->find(id); });
  }
  if (found.empty())
    for (const std::uint32_t source : node.origin.sources)
      if (const auto sharing = of_origin_.find(source); sharing != of_origin_.end())
        for (const graph::NodeId id : sharing->second)
          if (std::ranges::find(found, id) == found.end()) found.push_back(id);
  std::ranges::stable_sort(found, std::greater(),
                           [&](graph::NodeId id) { return likeness(graph_->node(id), node); });
  return found;
}

}  // namespace loopglass::views

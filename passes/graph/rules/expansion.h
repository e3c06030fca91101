// Several nodes, named after the one whose place they take.
#pragma once

#include "passes/graph/rules/edits.h"

namespace loopglass::passes::rules {

class Expansion {
 public:
  // `node`: a copy, which stays while others come.
  Expansion(Edits& edits, const graph::Node& node) : edits_(edits), node_(node) {}

  // An operator with one result, which is returned; its name is the node's with the suffix.
  graph::ValueId add(const std::string& suffix, ops::Operation operation,
                     std::vector<graph::ValueId> inputs) {
    const graph::NodeId made = edits_.add_node(node_.name + suffix, std::move(operation),
                                               std::move(inputs), 1, node_.origin);
    made_.push_back(made.value);
    return edits_.graph().output(made);
  }
  std::vector<std::uint32_t> made() && { return std::move(made_); }

 protected:
  Edits& edits_;
  const graph::Node& node_;

 private:
  std::vector<std::uint32_t> made_;
};

}  // namespace loopglass::passes::rules

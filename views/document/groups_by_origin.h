// In which kernel of a plan the operators of earlier steps end up: by the ONNX nodes they came
// from.
#pragma once

#include "core/fusion/block.h"
#include "core/fusion/plan.h"

#include <unordered_map>

namespace loopglass::views {

// By index of the ONNX node.
using GroupsByOrigin = std::unordered_map<std::uint32_t, fusion::GroupId>;

// Where each ONNX node ends up: of several operators that came from it in the kernel of the one
// that computes most, not in that of the layout transform before it.
GroupsByOrigin groups_by_origin(const fusion::BlockRules& rules, const fusion::Plan& plan);

// Of an operator of any step; invalid: in none.
fusion::GroupId group_of(const graph::Node& node, const fusion::Plan& plan,
                         const GroupsByOrigin& by_origin);

}  // namespace loopglass::views

// Why a pass did not make a rewrite, on its way to a remark.
#pragma once

#include "core/graph/graph.h"
#include "core/pass/pass.h"

#include <fmt/format.h>

namespace loopglass::passes {

// A stable code, the rest of a sentence that says of a node why it is left, and the numbers behind.
struct MissedRewrite {
  std::string code, text;
  std::vector<std::pair<std::string, double>> numbers = {};
};

inline void report_not_folded(pass::Report& report, const graph::Node& node,
                              const MissedRewrite& refusal) {
  report.remark({pass::RemarkKind::Missed, refusal.code, node.name, refusal.numbers,
                 fmt::format("{} is not folded: {}.", node.name, refusal.text)});
}

}  // namespace loopglass::passes

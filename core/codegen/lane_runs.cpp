#include "core/codegen/lane_runs.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"

#include <algorithm>

namespace loopglass::codegen {

std::optional<std::vector<std::int64_t>> lane_offsets(const Access& access,
                                                      const std::string& lane_variable, int lanes) {
  // What differs from lane to lane, by itself.
  Expr moving(0);
  for (const auto& [atom, coefficient] : expr::linear(access.index).terms) {
    const std::set<std::string> variables = expr::variables_of(atom);
    if (!variables.contains(lane_variable)) continue;
    if (variables.size() > 1 || expr::has_load(atom)) return std::nullopt;
    moving = moving + atom * coefficient;
  }
  std::vector<std::int64_t> offsets;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto place = expr::as_integer(expr::substitute(moving, {{lane_variable, Expr(lane)}}));
    if (!place) return std::nullopt;
    offsets.push_back(offsets.empty() ? *place : *place - offsets.front());
  }
  offsets.front() = 0;
  return offsets;
}

std::vector<LaneRun> lane_runs(std::vector<std::int64_t> offsets, std::int64_t longest) {
  std::sort(offsets.begin(), offsets.end());
  std::vector<LaneRun> runs;
  for (const std::int64_t offset : offsets) {
    if (runs.empty() || offset - runs.back().first >= longest) runs.push_back({offset, 1});
    runs.back().length = offset - runs.back().first + 1;
  }
  return runs;
}

}  // namespace loopglass::codegen

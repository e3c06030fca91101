#include "core/ops/reads_data.h"

#include "core/expr/rewrite.h"

#include <algorithm>

namespace loopglass::ops {

bool reads_data(const te::Program& program) {
  const auto is_input = [&](const std::string& name) {
    return std::ranges::any_of(program.inputs,
                               [&](const te::Tensor& input) { return input.name == name; });
  };
  if (std::ranges::any_of(program.outputs, is_input)) return true;
  bool reads = false;
  for (const te::Stage& stage : program.stages)
    expr::visit(stage.body, [&](const expr::Expr& e) {
      if (const auto* load = e.as<expr::Load>()) reads = reads || is_input(load->buffer);
    });
  return reads;
}

}  // namespace loopglass::ops

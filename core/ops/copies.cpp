#include "core/ops/copies.h"

namespace loopglass::ops {

bool copies_input(const te::Program& program) {
  std::string name = program.outputs.front();
  while (const te::Stage* stage = program.stage(name)) {
    const auto* load = stage->body.as<expr::Load>();
    if (stage->reducer || load == nullptr || load->indices.size() != stage->axes.size())
      return false;
    for (std::size_t i = 0; i < load->indices.size(); ++i) {
      const auto* variable = load->indices[i].as<expr::Variable>();
      if (variable == nullptr || variable->name != stage->axes[i].name) return false;
    }
    name = load->buffer;
  }
  return !program.inputs.empty() && name == program.inputs.front().name;
}

}  // namespace loopglass::ops

#include "core/toolchain.h"

namespace loopglass {

Result<pass::Pipeline> Toolchain::parse_pipeline(std::string_view text) const {
  std::vector<pass::PassInfo> passes;
  for (const pass::GraphPass& pass : graph_passes) passes.push_back(pass.info);
  return pass::parse_pipeline(text.empty() && !presets.empty() ? presets.front().name : text,
                              passes, presets);
}

}  // namespace loopglass

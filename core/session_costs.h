// A toolchain that knows a machine.
#pragma once

#include "core/fusion/cost_model.h"
#include "core/session.h"

namespace loopglass {

// The same toolchain, its strategies weighing costs by this model wherever nobody names another.
Toolchain with_cost_model(Toolchain toolchain, std::shared_ptr<const fusion::CostModel> cost);

}  // namespace loopglass

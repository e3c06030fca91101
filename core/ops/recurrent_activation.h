// The activation functions a recurrent cell may name, with their parameters.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

struct CellActivation {
  std::string name;  // in lower case
  double alpha = 0, beta = 0;

  Expr operator()(const Expr& x) const;
};

// The activations of all directions, `defaults.size()` each: the attributes activations,
// activation_alpha and activation_beta. Parameters are consumed in order by the functions that have
// them.
Result<std::vector<CellActivation>> cell_activations(const Attributes& attributes,
                                                     const std::vector<std::string>& defaults,
                                                     std::size_t directions);

}  // namespace loopglass::ops

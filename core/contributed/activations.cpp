// Activations that are fused with an addition, and approximations of Gelu.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

std::vector<Function> activations() {
  return {
      {"BiasGelu",
       "Gelu of A + B.",
       {"A", "B"},
       {"C"},
       {},
       [](const Call&) -> Result<std::string> { return "biased = Add(A, B)\nC = Gelu(biased)\n"; }},
      {"FastGelu",
       "Gelu of X + bias, approximated by tanh.",
       {"X", "bias?"},
       {"Y"},
       {},
       [](const Call& call) -> Result<std::string> {
         return add_if_given("biased", "X", "bias", call) +
                "Y = Gelu <approximate = \"tanh\"> (biased)\n";
       }},
      {"QuickGelu",
       "X * sigmoid(alpha * X).",
       {"X"},
       {"Y"},
       {{"alpha", Float}},
       [](const Call& call) -> Result<std::string> {
         return scalar("alpha", call.attribute_or("alpha", 1.702), "X") +
                "scaled = Mul(alpha, X)\ngate = Sigmoid(scaled)\nY = Mul(X, gate)\n";
       }},
  };
}

}  // namespace loopglass::contributed

// Activations that are fused with an addition, and those of a gate.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// Y = X * sigmoid(alpha * X).
std::string gated(const Call& call, double usual_alpha) {
  return scalar("alpha", call.attribute_or("alpha", usual_alpha), "X") +
         "scaled = Mul(alpha, X)\ngate = Sigmoid(scaled)\nY = Mul(X, gate)\n";
}

}  // namespace

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
       [](const Call& call) -> Result<std::string> { return gated(call, 1.702); }},
      of_onnx(24, {"Swish",
                   "X * sigmoid(alpha * X).",
                   {"X"},
                   {"Y"},
                   {{"alpha", Float}},
                   [](const Call& call) -> Result<std::string> { return gated(call, 1); }}),
  };
}

}  // namespace loopglass::contributed

#include "passes/graph/fold_scale_and_bias.h"

#include "passes/graph/affine_folding.h"

namespace loopglass::passes {

Result<graph::Graph> fold_scale_and_bias(const graph::Graph& graph, pass::Report& report) {
  const auto match = [](const graph::GraphBuilder& builder, const graph::Node& node,
                        pass::Report&) { return elementwise_affine(builder, node); };
  return fold_affine(
      graph, report,
      {match, "scale-and-bias-into-weights", "scale-and-bias-into-next-weights", false});
}

pass::Words fold_scale_and_bias_words() {
  return pass::joined({{pass::Word::Kind::Rule, "scale-and-bias-into-weights",
                        "Products and sums by channel behind a convolution or product become part "
                        "of its weights and bias."},
                       {pass::Word::Kind::Rule, "scale-and-bias-into-next-weights",
                        "Products and sums by channel become part of the weights of the "
                        "convolution or product that reads them."}},
                      affine_folding_words());
}

}  // namespace loopglass::passes

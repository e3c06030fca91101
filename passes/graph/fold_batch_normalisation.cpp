#include "passes/graph/fold_batch_normalisation.h"

#include "core/ops/stored_statistics.h"
#include "passes/graph/affine_folding.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

void remark_left(pass::Report& report, const graph::Node& node, std::string code,
                 std::string text) {
  report.remark({pass::RemarkKind::Missed, std::move(code), node.name, {}, std::move(text)});
}

std::optional<Affine> match(const graph::GraphBuilder& graph, const graph::Node& node,
                            pass::Report& report) {
  const auto statistics = ops::stored_statistics_of(*node.op, node.attributes);
  if (!statistics) return std::nullopt;
  if (statistics->of_the_batch) {
    remark_left(report, node, "STATISTICS_OF_THE_BATCH",
                fmt::format("{} normalises by the batch it is given, not by stored statistics.",
                            node.name));
    return std::nullopt;
  }
  auto affine = normalising_affine(graph, node);
  if (!affine)
    remark_left(report, node, "PARAMETERS_NOT_CONSTANT",
                fmt::format("{} has parameters that are not constants.", node.name));
  return affine;
}

}  // namespace

Result<graph::Graph> fold_batch_normalisation(const graph::Graph& graph, pass::Report& report) {
  return fold_affine(graph, report,
                     {match, "batch-norm-into-weights", "batch-norm-into-next-weights", true});
}

pass::Words fold_batch_normalisation_words() {
  return pass::joined({{pass::Word::Kind::Rule, "batch-norm-into-weights",
                        "A batch normalisation behind a convolution or product becomes part of its "
                        "weights and bias."},
                       {pass::Word::Kind::Rule, "batch-norm-into-next-weights",
                        "A batch normalisation becomes part of the weights of the convolution or "
                        "product that reads it."},
                       {pass::Word::Kind::Remark, "STATISTICS_OF_THE_BATCH",
                        "The operator normalises by the batch it is given, not by stored numbers."},
                       {pass::Word::Kind::Remark, "PARAMETERS_NOT_CONSTANT",
                        "Scale, offset, mean or variance are known only when the network runs."}},
                      affine_folding_words());
}

}  // namespace loopglass::passes

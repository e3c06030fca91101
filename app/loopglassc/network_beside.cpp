#include "app/loopglassc/network_beside.h"

#include "app/loopglassc/library_words.h"
#include "core/machine/host.h"
#include "core/onnx/export.h"
#include "core/ops/few_bit_products.h"
#include "core/ops/packed_few_bits.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t products_that_may_round(const graph::Graph& graph) {
  return std::ranges::count_if(graph.nodes(), [](const graph::NodePtr& node) {
    return ops::may_round_data(*node->op, node->attributes);
  });
}

std::int64_t rounded_products(const graph::Graph& graph) {
  return std::ranges::count_if(graph.nodes(), [](const graph::NodePtr& node) {
    return ops::multiplies_rounded_rows(*node->op);
  });
}

Result<NetworkBeside> compare(Session& session, const NetworkAsked& asked,
                              runtime::ThreadPool& pool, int blocks, const Progress& progress,
                              const Cancellation& cancellation) {
  const auto executor = TRY(session.executor(progress, cancellation));
  library::OnnxRuntime& runtime = *TRY(library::load_onnx_runtime());
  const auto imported = TRY(session.model());
  onnx::Source given = asked.model;
  std::map<std::string, Tensor> bound = imported->inputs_bound;
  if (asked.is_inside_operator) {
    given.bytes = std::make_shared<const std::string>(TRY(onnx::serialise(imported->graph)));
    bound.clear();
  }
  const auto beside = [&](library::ByteProducts products) -> Result<NetworkBeside> {
    // Products of bytes in fours are exact by themselves.
    const auto theirs =
        TRY(runtime.open(given, pool.threads(),
                         processor_multiplies_bytes() ? library::ByteProducts::Usual : products));
    NetworkBeside network;
    network.comparison = TRY(library::compare_network(*executor, *theirs, asked.inputs, bound, pool,
                                                      blocks, cancellation));
    network.may_round = products_that_may_round(imported->graph);
    network.rounded = rounded_products(*TRY(session.graph()));
    network.products = products;
    return network;
  };
  auto exact = beside(library::ByteProducts::Exact);
  // What it makes of a model for the sake of exact products it may refuse itself: 1.30 does so with
  // weights whose scales are of blocks.
  if (!exact && exact.error().code == Code::LibraryRefused)
    if (auto usual = beside(library::ByteProducts::Usual)) return usual;
  return exact;
}

}  // namespace

Result<NetworkBeside> network_beside(Session& session, const NetworkAsked& asked,
                                     runtime::ThreadPool& pool, int blocks,
                                     const Progress& progress, const Cancellation& cancellation) {
  auto network = compare(session, asked, pool, blocks, progress, cancellation);
  if (network) return network;
  Diagnostic reason = std::move(network).error();
  if (reason.code == Code::LibraryMissing || reason.code == Code::Cancelled)
    return std::unexpected(std::move(reason));
  return NetworkBeside{{}, std::move(reason)};
}

void print(const NetworkBeside& network) {
  if (network.refusal) {
    fmt::print("the network is not compared: {}\n", network.refusal->what);
    return;
  }
  const library::NetworkComparison& comparison = *network.comparison;
  const library::OutputComparison& worst = comparison.worst;
  fmt::print(
      "the network: ours {}, theirs {}; ours / theirs {}; '{}' differs by {:.1e}, of which the "
      "largest is {:.3g}\n",
      readable_milliseconds(comparison.ours.median_ms),
      readable_milliseconds(comparison.theirs.median_ms), words(comparison.ratio), worst.output,
      worst.difference, worst.largest);
  if (worst.moved > 0)
    fmt::print("inputs moved by a millionth move our own '{}' by {:.1e}\n", worst.output,
               worst.moved);
  if (network.products == library::ByteProducts::Usual)
    fmt::print(
        "it refuses the model where exact products of bytes are asked for, and was asked without: "
        "such products may saturate\n");
  if (network.may_round > 0)
    fmt::print(
        "the model lets {} round an operand to bytes (accuracy_level = 4), which is done for {} "
        "here: {}\n",
        counted(network.may_round, "product"), network.rounded,
        worst.agrees()
            ? "results differ by no more than the rounding of floats explains"
            : "results differ by more than the rounding of floats explains; whether by no "
              "more than that, a copy of the model without the attribute tells");
}

Json to_json(const NetworkBeside& network) {
  Json json{{"refusal", network.refusal ? Json(network.refusal->what) : Json()}};
  if (!network.comparison) return json;
  const library::NetworkComparison& comparison = *network.comparison;
  json["ours"] = median_and_quartiles(comparison.ours);
  json["theirs"] = median_and_quartiles(comparison.theirs);
  json["ratio"] = to_json(comparison.ratio);
  const library::OutputComparison& worst = comparison.worst;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  json["output"] = worst.output;
  json["difference"] = number(worst.difference);
  json["largest"] = worst.largest;
  json["tolerance"] = worst.tolerance;
  json["moved"] = number(worst.moved);
  json["agrees"] = worst.agrees();
  json["may_round"] = network.may_round;
  json["rounded"] = network.rounded;
  json["exact_products"] = network.products == library::ByteProducts::Exact;
  return json;
}

}  // namespace loopglass::app

// The rates are what tests/bench/layout_bench.cpp gives for the default schedules of the convolutions
// of ResNet-50, MobileNet and EfficientNet and their pooling, one thread, AVX-512 at about 250
// GFLOP/s. Of dense convolutions all layouts come near that: what differs is the last few percent.
// Where pixels lie apart (depthwise, strides, pooling) channels side by side are worth up to a factor
// of three.
#include "passes/graph/layout/cost.h"

#include <algorithm>

namespace loopglass::passes::layout {

namespace {

using Rates = std::array<double, choice_count>;  // NCHW, NHWC, NCHW16c, NCHW32c

constexpr double dense_rate = 245;                               // GFLOP/s
constexpr Rates dense_output{1.04, 1.0, 1.09, 1.0};              // times as long
constexpr double partial_tile = 0.1;                             // NHWC, no multiple of two vectors: longer by
constexpr double strided_input = 0.12;                           // NCHW with strides: longer by
constexpr Rates depthwise_rate{65, 85, 115, 110};                // GFLOP/s
constexpr Rates strided_depthwise_rate{25, 35, 39, 39};
constexpr Rates grouped_rate{88, 13, 210, 210};
constexpr Rates window_rate{24, 34, 34, 34};                     // GB/s, what is read and written
constexpr Rates whole_image_rate{15, 95, 150, 150};
constexpr double transform_rate = 20;                            // GB/s
constexpr double kernel_start = 1;                               // microseconds of one more kernel

double bytes(const graph::Graph& graph, graph::ValueId id) { return static_cast<double>(graph.value(id).type.bytes()); }

bool has_strides(const graph::Node& node) {
  return node.attributes.has("strides") &&
         std::ranges::any_of(node.attributes.integers("strides"), [](std::int64_t stride) { return stride > 1; });
}

// Multiplications and additions of a convolution.
double operations(const graph::Graph& graph, const graph::Node& node) {
  const Shape &w = graph.value(node.inputs[1]).type.shape, &y = graph.value(node.outputs[0]).type.shape;
  double product = 2;
  for (const std::int64_t extent : y) product *= static_cast<double>(extent);
  for (std::size_t d = 1; d < w.size(); ++d) product *= static_cast<double>(w[d]);
  return product;
}

// Microseconds of `amount` operations or bytes at so many thousand million a second.
Rates times(double amount, const Rates& rates) {
  Rates result;
  std::ranges::transform(rates, result.begin(), [&](double rate) { return amount / rate * 1e-3; });
  return result;
}

Cost dense(const graph::Graph& graph, const graph::Node& node) {
  const double base = operations(graph, node) / dense_rate * 1e-3;
  Cost cost;
  std::ranges::transform(dense_output, cost.output.begin(), [&](double factor) { return base * factor; });
  if (graph.value(node.outputs[0]).type.shape[1] % layout_of(Choice::Blocked32).block(1) != 0)
    cost.output[static_cast<std::size_t>(Choice::Nhwc)] += base * partial_tile;
  if (has_strides(node)) cost.input[static_cast<std::size_t>(Choice::Nchw)] = base * strided_input;
  return cost;
}

}  // namespace

Cost cost_of(const graph::Graph& graph, const Operator& op) {
  const graph::Node& node = graph.node(op.node);
  const auto traffic = [&] { return bytes(graph, node.inputs[0]) + bytes(graph, node.outputs[0]); };
  switch (op.kind) {
    case Kind::Convolution: return dense(graph, node);
    case Kind::DepthwiseConvolution:
      return {{}, times(operations(graph, node), has_strides(node) ? strided_depthwise_rate : depthwise_rate)};
    case Kind::GroupedConvolution: return {{}, times(operations(graph, node), grouped_rate)};
    case Kind::Window: return {{}, times(traffic(), window_rate)};
    case Kind::WholeImage: return {{}, times(traffic(), whole_image_rate)};
    case Kind::Elementwise:
    case Kind::Concatenation: return {};  // the same in all, and fused into what is before them
  }
  __builtin_unreachable();
}

double transform_cost(const TensorType& image, Choice from, Choice to) {
  if (from == to || layout_of(from).same_order(layout_of(to), image.shape)) return 0;
  return kernel_start + 2 * static_cast<double>(image.bytes()) / transform_rate * 1e-3;
}

}  // namespace loopglass::passes::layout

// The shares are what tests/bench/layout_bench.cpp gives for the default schedules of the
// convolutions of ResNet-50, MobileNet and EfficientNet and their pooling, one thread, on the
// reference machine (core/machine/machine.h): of its peak where arithmetic counts, of its
// second-level cache where traffic does. Of dense convolutions all layouts come near the peak: what
// differs is the last few percent. Where pixels lie apart (depthwise, strides, pooling) channels
// side by side are worth up to a factor of three.
#include "passes/graph/layout/cost.h"

#include <algorithm>

namespace loopglass::passes::layout {

namespace {

using Rates = std::array<double, choice_count>;  // NCHW, NHWC, NCHW16c, NCHW32c

constexpr double single_vector = 1.09;  // tiles of one vector, not two: times as long
constexpr Rates dense_output{1.04, 1.0, single_vector, 1.0};  // times as long
constexpr double no_even_tile = 1.14;   // no tile of two vectors fits the pixels
constexpr double strided_input = 0.12;  // NCHW with strides: longer by
// The same of an image that the second cache does not hold; and, without strides, of one that it
// holds a small part of, longer by windows, which are taken from bands of it
// (core/default_schedule/near_copies.h). By single pixels that has to come line by line from places
// far apart. (AVX-512, 112 to 512 rows.)
constexpr double far_strided_input = 0.25, far_window = 0.06;
constexpr std::int64_t small_part = 8;
constexpr Rates shares_of(Rates rates, double whole) {
  for (double& rate : rates) rate /= whole;
  return rates;
}
constexpr double peak = 245, second_level = 122.5;  // GFLOP/s and GB/s of the reference machine
constexpr Rates depthwise = shares_of({65, 85, 115, 110}, peak);
constexpr Rates strided_depthwise = shares_of({25, 35, 39, 39}, peak);
constexpr Rates grouped = shares_of({88, 13, 210, 210}, peak);
constexpr Rates window = shares_of({24, 34, 34, 34}, second_level);  // what is read and written
constexpr Rates whole_image = shares_of({15, 95, 150, 150}, second_level);
constexpr double scattered_output = 0.1;  // channels in lanes, stored into NCHW: longer by
constexpr double far_pixels = 5 / second_level;
// Of an image that the second cache does not hold, besides: what is stored lies a channel apart and
// each line is there only in part, measured with 1 x 1 windows to 256 channels of 56 x 56 to
// 200 x 304 pixels (AVX-512).
constexpr double scattered_far = 9 / second_level;
// Images brought into another layout, read and written: those that lie near, and those that the
// second cache holds a small part of.
constexpr double turned_near = 20 / second_level, turned_far = 16 / second_level;
constexpr double one_more = 1;  // microseconds of one more operator, which may
                                // come between two that would be one kernel

std::int64_t lanes_of(const Machine& machine) { return machine.lanes(sizeof(float)); }

// Channels last fill vectors with the channels there are: how much longer than full vectors.
double unfilled(std::int64_t channels, std::int64_t lanes) {
  const std::int64_t vectors = std::max<std::int64_t>(1, (channels + lanes - 1) / lanes);
  return static_cast<double>(vectors * lanes) /
         static_cast<double>(std::max<std::int64_t>(1, channels)) *
         (vectors % 2 == 0 ? 1 : single_vector);
}

double bytes(const graph::Graph& graph, graph::ValueId id) {
  return static_cast<double>(graph.value(id).type.bytes());
}

bool has_strides(const graph::Node& node) {
  return node.attributes.has("strides") &&
         std::ranges::any_of(node.attributes.integers("strides"),
                             [](std::int64_t stride) { return stride > 1; });
}

// Multiplications and additions of a convolution.
double operations(const graph::Graph& graph, const graph::Node& node) {
  const Shape &w = graph.value(node.inputs[1]).type.shape,
              &y = graph.value(node.outputs[0]).type.shape;
  double product = 2;
  for (const std::int64_t extent : y) product *= static_cast<double>(extent);
  for (std::size_t d = 1; d < w.size(); ++d) product *= static_cast<double>(w[d]);
  return product;
}

bool is_pointwise(const graph::Graph& graph, const graph::Node& node) {
  const Shape& w = graph.value(node.inputs[1]).type.shape;
  return w[2] == 1 && w[3] == 1 && !has_strides(node);
}

// Whether some six and more pixels beside one another, but no more than there are registers for,
// cut the image evenly: of the whole image where a window is one pixel, else of a row.
bool has_even_tile(const graph::Graph& graph, const graph::Node& node, Choice choice) {
  const Shape& y = graph.value(node.outputs[0]).type.shape;
  const bool pointwise = is_pointwise(graph, node);
  const std::int64_t pixels = pointwise ? y[2] * y[3] : y[3];
  if (pixels < 6) return true;  // all of them
  // Several loops of sums leave LLVM fewer registers.
  const std::int64_t most = pointwise && choice == Choice::Nhwc ? 14 : 12;
  for (std::int64_t tile = 6; tile <= most; ++tile)
    if (pixels % tile == 0) return true;
  return false;
}

// Microseconds of `amount` operations or bytes, at shares of so many thousand million a second.
Rates times(double amount, const Rates& shares, double rate) {
  Rates result;
  std::ranges::transform(shares, result.begin(),
                         [&](double share) { return amount / (share * rate) * 1e-3; });
  return result;
}

Cost dense(const graph::Graph& graph, const graph::Node& node, const Machine& machine) {
  const double base = operations(graph, node) / machine.peak_gflops * 1e-3;
  Cost cost;
  std::ranges::transform(dense_output, cost.output.begin(),
                         [&](double factor) { return base * factor; });
  cost.output[static_cast<std::size_t>(Choice::Nhwc)] *=
      unfilled(graph.value(node.outputs[0]).type.shape[1], lanes_of(machine));
  for (const Choice choice : {Choice::Nhwc, Choice::Blocked32})
    if (!has_even_tile(graph, node, choice))
      cost.output[static_cast<std::size_t>(choice)] *= no_even_tile;
  const auto is_far = [&](graph::ValueId image, std::int64_t caches = 1) {
    return bytes(graph, image) > static_cast<double>(caches * machine.l2.bytes);
  };
  const auto in_pieces = [&](graph::ValueId image, double share) {
    return bytes(graph, image) / (share * machine.l2.gigabytes_per_second) * 1e-3;
  };
  // Lanes of pixels need pixels side by side, in what is read as in what is written.
  const graph::ValueId x = node.inputs[0], y = node.outputs[0];
  cost.back_to_nchw =
      std::max(0.0, cost.output[static_cast<std::size_t>(Choice::Nhwc)] + base * scattered_output +
                        (is_far(y) ? in_pieces(y, scattered_far) : 0) -
                        cost.output[static_cast<std::size_t>(Choice::Nchw)]);
  double& planes = cost.input[static_cast<std::size_t>(Choice::Nchw)];
  if (has_strides(node)) planes = base * (is_far(x) ? far_strided_input : strided_input);
  else if (is_far(x, small_part))
    planes = is_pointwise(graph, node) ? in_pieces(x, far_pixels) : base * far_window;
  return cost;
}

}  // namespace

Cost cost_of(const graph::Graph& graph, const Operator& op, const Machine& machine) {
  const graph::Node& node = graph.node(op.node);
  // Of an operator that walks channels side by side.
  const auto across_channels = [&](Rates time) {
    time[static_cast<std::size_t>(Choice::Nhwc)] *=
        unfilled(graph.value(node.outputs[0]).type.shape[1], lanes_of(machine));
    return Cost{{}, time};
  };
  const auto arithmetic = [&](const Rates& shares) {
    return times(operations(graph, node), shares, machine.peak_gflops);
  };
  const auto traffic = [&](const Rates& shares) {
    return times(bytes(graph, node.inputs[0]) + bytes(graph, node.outputs[0]), shares,
                 machine.l2.gigabytes_per_second);
  };
  switch (op.kind) {
    case Kind::Convolution: return dense(graph, node, machine);
    case Kind::DepthwiseConvolution:
      return across_channels(arithmetic(has_strides(node) ? strided_depthwise : depthwise));
    case Kind::GroupedConvolution: return {{}, arithmetic(grouped)};
    case Kind::Window: return across_channels(traffic(window));
    case Kind::WholeImage: return across_channels(traffic(whole_image));
    case Kind::Elementwise:
    case Kind::Concatenation: return {};  // the same in all, and fused into what is before them
  }
  __builtin_unreachable();
}

double transform_cost(const TensorType& image, Choice from, Choice to, const Machine& machine) {
  if (from == to) return 0;
  if (layout_of(from).same_order(layout_of(to), image.shape)) return one_more;
  const double share = image.bytes() > small_part * machine.l2.bytes ? turned_far : turned_near;
  return one_more +
         2 * static_cast<double>(image.bytes()) / (share * machine.l2.gigabytes_per_second) * 1e-3;
}

}  // namespace loopglass::passes::layout

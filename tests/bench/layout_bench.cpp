// Times operators in each layout that their forms offer, by the default schedule: the numbers
// behind the cost model of assign-layouts. One line an operator and layout: best and median
// milliseconds, GFLOP/s and GB/s of the best, and what the cost model says.
//
//   layout_bench [--threads N] [--script] [--loops] [--assembly] [FILTER]
#include "core/loop/lower.h"
#include "core/ops/registry.h"
#include "core/tensor/layout.h"
#include "tests/bench/bench_main.h"
#include "tests/bench/measured_kernel.h"

namespace loopglass {

namespace {

struct Case {
  std::string name;
  std::string op;  // without "Layout"
  Shape x, w;      // logical
  ops::Attributes attributes;
};

Case convolution(std::int64_t channels, std::int64_t filters, std::int64_t size,
                 std::int64_t kernel, std::int64_t stride, std::int64_t groups = 1) {
  const std::int64_t pad = kernel / 2;
  return {fmt::format("conv {}x{} {}->{} {}x{}/{}{}", size, size, channels, filters, kernel, kernel,
                      stride, groups > 1 ? fmt::format(" groups {}", groups) : ""),
          "Conv",
          {1, channels, size, size},
          {filters, channels / groups, kernel, kernel},
          {{"group", groups},
           {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}},
           {"strides", std::vector<std::int64_t>{stride, stride}}}};
}
Case depthwise(std::int64_t channels, std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  return convolution(channels, channels, size, kernel, stride, channels);
}
Case pool(const char* op, std::int64_t channels, std::int64_t size) {
  return {fmt::format("{} {}x{} {}", op, size, size, channels),
          op,
          {1, channels, size, size},
          {},
          {{"kernel_shape", std::vector<std::int64_t>{3, 3}},
           {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
           {"strides", std::vector<std::int64_t>{2, 2}}}};
}

std::vector<Case> cases() {
  return {convolution(3, 64, 224, 7, 2),
          convolution(64, 64, 56, 1, 1),
          convolution(64, 64, 56, 3, 1),
          convolution(64, 256, 56, 1, 1),
          convolution(256, 64, 56, 1, 1),
          convolution(128, 128, 56, 3, 2),
          convolution(256, 512, 56, 1, 2),
          convolution(512, 128, 28, 1, 1),
          convolution(128, 128, 28, 3, 1),
          convolution(256, 1024, 14, 1, 1),
          convolution(1024, 256, 14, 1, 1),
          convolution(256, 256, 14, 3, 1),
          convolution(512, 2048, 7, 1, 1),
          convolution(2048, 512, 7, 1, 1),
          convolution(512, 512, 7, 3, 1),
          convolution(256, 256, 56, 3, 1),
          convolution(3, 32, 224, 3, 2),
          convolution(32, 64, 112, 1, 1),
          convolution(64, 128, 56, 1, 1),
          convolution(128, 128, 56, 1, 1),
          convolution(512, 512, 14, 1, 1),
          convolution(16, 96, 112, 1, 1),
          convolution(24, 144, 56, 1, 1),
          convolution(128, 128, 28, 3, 1, 4),
          convolution(32, 16, 112, 1, 1),
          convolution(96, 24, 56, 1, 1),
          convolution(144, 40, 28, 1, 1),
          convolution(40, 240, 28, 1, 1),
          convolution(480, 80, 14, 1, 1),
          convolution(480, 112, 14, 1, 1),
          convolution(1152, 192, 7, 1, 1),
          convolution(1, 6, 28, 5, 1),
          convolution(6, 16, 14, 5, 1),
          convolution(672, 28, 1, 1, 1),
          convolution(28, 672, 1, 1, 1),
          convolution(512, 1024, 13, 3, 1),
          convolution(256, 512, 26, 3, 1),
          convolution(128, 256, 52, 3, 1),
          convolution(1024, 512, 13, 1, 1),
          convolution(64, 64, 208, 1, 1),
          depthwise(32, 112, 3, 1),
          depthwise(64, 112, 3, 2),
          depthwise(128, 56, 3, 1),
          depthwise(128, 56, 3, 2),
          depthwise(256, 28, 3, 1),
          depthwise(256, 28, 3, 2),
          depthwise(512, 14, 3, 1),
          depthwise(512, 14, 3, 2),
          depthwise(1024, 7, 3, 1),
          depthwise(240, 28, 5, 1),
          depthwise(144, 56, 5, 2),
          depthwise(672, 14, 5, 1),
          depthwise(6, 28, 3, 1),
          depthwise(24, 28, 3, 1),
          pool("MaxPool", 64, 112),
          pool("AveragePool", 64, 112),
          pool("MaxPool", 6, 28),
          {"GlobalAveragePool 7x7 2048", "GlobalAveragePool", {1, 2048, 7, 7}, {}, {}},
          {"transform 1x64x112x112", "Transform", {1, 64, 112, 112}, {}, {}},
          {"transform 1x256x56x56", "Transform", {1, 256, 56, 56}, {}, {}},
          {"transform 1x512x14x14", "Transform", {1, 512, 14, 14}, {}, {}}};
}

Result<loop::Func> lowered_case(const Case& c, const std::string& text) {
  ops::Attributes attributes = c.attributes;
  const Layout layout = TRY(Layout::parse(text));
  const auto physical = layout.physical(c.x);
  // Channels that blocks do not divide stay as they are.
  const Shape x = physical ? *physical : c.x;
  std::vector<TensorType> types{{DataType::Float32, x}};
  if (c.op == "Transform") {
    attributes = {{"from", std::string("NCHW")}, {"to", text}};
    types[0].shape = c.x;
  } else {
    attributes.set("layout", physical ? text : std::string("NCHW"));
  }
  if (c.op == "Conv") {
    std::string weights = "OIHW";
    const std::int64_t block = layout.block(1);
    const bool divides_result = c.w[0] % block == 0;
    if (block > 1 && c.w[1] % block == 0) weights += fmt::format("{}i", block);
    if (block > 1 && divides_result) weights += fmt::format("{}o", block);
    attributes.set("weights_layout", weights);
    attributes.set("result_layout", divides_result ? text : std::string("NHWC"));
    types.push_back({DataType::Float32, TRY(Layout::of(weights).physical(c.w))});
    types.push_back({DataType::Float32, {c.w[0]}});
  }
  const ops::OpDef& op = *ops::find_operator("Layout" + c.op);
  std::vector<const TensorType*> inputs;
  for (const TensorType& type : types) inputs.push_back(&type);
  const auto outputs = TRY(ops::infer(op, inputs, attributes, 1));
  te::Program program = TRY(ops::program_of(op, inputs, attributes, outputs));
  return loop::lower(program, "kernel", {"W", "B"});
}

double flops_of(const Case& c, const loop::Func& lowered) {
  if (c.op != "Conv") return 0;
  double flops = 2;
  for (const std::int64_t extent : te::concrete(lowered.parameters.back().shape))
    flops *= static_cast<double>(extent);
  return flops * static_cast<double>(c.w[1] * c.w[2] * c.w[3]);
}

Result<void> measure(const Case& c, const std::string& layout, const KernelBenchOptions& options) {
  const MeasuredKernel kernel = TRY(measured(TRY(lowered_case(c, layout)), options));
  const double best = kernel.time.minimum_ms;
  fmt::print("{:<36} {:<8} best {:8.4f} ms  median {:8.4f} ms {:7.1f} GFLOP/s {:6.1f} GB/s\n",
             c.name, layout, best, kernel.time.median_ms, flops_of(c, kernel.lowered) / best * 1e-6,
             kernel.gigabytes_per_second(best));
  return {};
}

Result<void> run(const KernelBenchOptions& options) {
  for (const Case& c : cases())
    for (const char* layout : {"NCHW", "NHWC", "NCHW16c", "NCHW32c"})
      if (fmt::format("{} {}", c.name, layout).find(options.filter) != std::string::npos)
        if (const auto done = measure(c, layout, options); !done)
          fmt::print("{:<36} {:<8} {}\n", c.name, layout, to_string(done.error()));
  return {};
}

}  // namespace

}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::KernelBenchOptions>(
      count, arguments, "times operators in each layout", loopglass::add_kernel_options,
      loopglass::run);
}

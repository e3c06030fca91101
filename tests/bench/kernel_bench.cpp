// Times the default schedule of single kernels: the convolutions of ResNet-50 at batch 1, matrix
// products, and what surrounds them. One line a kernel: median milliseconds, GFLOP/s and GB/s at
// the median, and the best round, since machines are shared.
//
//   kernel_bench [--threads N] [--script] [--loops] [--assembly] [FILTER]
#include "core/expr/expr.h"
#include "core/loop/lower.h"
#include "core/te/te.h"
#include "tests/bench/bench_main.h"
#include "tests/bench/measured_kernel.h"

namespace loopglass {

namespace {

using expr::Expr;
using Indices = te::Builder::Indices;

struct Kernel {
  std::string name;
  loop::Func func;
  double flops;
};

Kernel convolution(std::int64_t channels, std::int64_t filters, std::int64_t size,
                   std::int64_t kernel, std::int64_t stride, bool residual) {
  te::Builder builder;
  const std::int64_t pad = kernel / 2, padded = size + 2 * pad,
                     out = (padded - kernel) / stride + 1;
  const DataType type = DataType::Float32;
  const te::Tensor x = builder.placeholder("X", TensorType{type, {1, channels, size, size}});
  const te::Tensor w =
      builder.placeholder("W", TensorType{type, {filters, channels, kernel, kernel}});
  const te::Tensor bias = builder.placeholder("bias", TensorType{type, {filters}});
  const te::Tensor other =
      residual ? builder.placeholder("other", TensorType{type, {1, filters, out, out}})
               : te::Tensor{};
  te::Tensor input = x;
  if (pad > 0)
    input = builder.compute("conv_pad", {1, channels, padded, padded}, [&](const Indices& i) {
      const Expr y = i[2] - Expr(pad), column = i[3] - Expr(pad);
      return expr::select(y >= 0 && y < Expr(size) && column >= 0 && column < Expr(size),
                          x({i[0], i[1], y, column}), expr::constant(type, 0));
    });
  const te::Tensor sum = builder.reduce(
      "conv", {1, filters, out, out}, {channels, kernel, kernel}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        return input({i[0], r[0], i[2] * Expr(stride) + r[1], i[3] * Expr(stride) + r[2]}) *
               w({i[1], r[0], r[1], r[2]});
      });
  const te::Tensor biased =
      builder.compute("biased", sum.shape, [&](const Indices& i) { return sum(i) + bias({i[1]}); });
  te::Tensor last = biased;
  if (residual)
    last =
        builder.compute("added", sum.shape, [&](const Indices& i) { return biased(i) + other(i); });
  const te::Tensor relu = builder.compute("relu", sum.shape, [&](const Indices& i) {
    return expr::max(last(i), expr::constant(type, 0));
  });
  const double flops = 2.0 * static_cast<double>(filters * out * out * channels * kernel * kernel);
  return {fmt::format("conv {}x{} {}->{} {}x{}/{}{}", size, size, channels, filters, kernel, kernel,
                      stride, residual ? " +" : ""),
          loop::lower(std::move(builder).finish({relu}), "conv", {"W", "bias"}), flops};
}

Kernel product(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, bool constant,
               bool transposed) {
  te::Builder builder;
  const te::Tensor a = builder.placeholder("A", TensorType{DataType::Float32, {batch, m, k}});
  Shape shape = transposed ? Shape{n, k} : Shape{k, n};
  if (!constant) shape.insert(shape.begin(), batch);
  const te::Tensor b = builder.placeholder("B", TensorType{DataType::Float32, shape});
  const te::Tensor c = builder.reduce(
      "C", {batch, m, n}, {k}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        Indices at = transposed ? Indices{i[2], r[0]} : Indices{r[0], i[2]};
        if (!constant) at.insert(at.begin(), i[0]);
        return a({i[0], i[1], r[0]}) * b(at);
      });
  return {fmt::format("matmul {}x{}x{}x{}{}{}", batch, m, n, k, constant ? " const" : "",
                      transposed ? " transposed" : ""),
          loop::lower(std::move(builder).finish({c}), "product",
                      constant ? std::vector<std::string>{"B"} : std::vector<std::string>{}),
          2.0 * static_cast<double>(batch * m * n * k)};
}

Kernel depthwise(std::int64_t channels, std::int64_t size, std::int64_t stride) {
  te::Builder builder;
  const std::int64_t padded = size + 2, out = (padded - 3) / stride + 1;
  const DataType type = DataType::Float32;
  const te::Tensor x = builder.placeholder("X", TensorType{type, {1, channels, size, size}});
  const te::Tensor w = builder.placeholder("W", TensorType{type, {channels, 1, 3, 3}});
  const te::Tensor input =
      builder.compute("conv_pad", {1, channels, padded, padded}, [&](const Indices& i) {
        const Expr y = i[2] - 1, column = i[3] - 1;
        return expr::select(y >= 0 && y < Expr(size) && column >= 0 && column < Expr(size),
                            x({i[0], i[1], y, column}), expr::constant(type, 0));
      });
  const te::Tensor sum = builder.reduce(
      "conv", {1, channels, out, out}, {3, 3}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        return input({i[0], i[1], i[2] * Expr(stride) + r[0], i[3] * Expr(stride) + r[1]}) *
               w({i[1], 0, r[0], r[1]});
      });
  const te::Tensor relu = builder.compute("relu", sum.shape, [&](const Indices& i) {
    return expr::max(sum(i), expr::constant(type, 0));
  });
  return {fmt::format("depthwise {}x{} {} /{}", size, size, channels, stride),
          loop::lower(std::move(builder).finish({relu}), "depthwise", {"W"}),
          2.0 * static_cast<double>(channels * out * out * 9)};
}

// The greatest of each 3 x 3 window, or the mean of each plane.
Kernel pooling(std::int64_t channels, std::int64_t size, bool global) {
  te::Builder builder;
  const te::Tensor x =
      builder.placeholder("X", TensorType{DataType::Float32, {1, channels, size, size}});
  const std::int64_t out = global ? 1 : (size - 3) / 2 + 1, kernel = global ? size : 3;
  const te::Tensor y = builder.reduce(
      "pool", {1, channels, out, out}, {kernel, kernel},
      global ? te::Reducer::Sum : te::Reducer::Max, [&](const Indices& i, const Indices& r) {
        return x({i[0], i[1], i[2] * Expr(2) + r[0], i[3] * Expr(2) + r[1]});
      });
  return {fmt::format("{} {}x{} {}", global ? "sum-pool" : "max-pool", size, size, channels),
          loop::lower(std::move(builder).finish({y}), "pool"),
          static_cast<double>(channels * out * out * kernel * kernel)};
}

Kernel softmax(std::int64_t rows, std::int64_t columns) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {rows, columns}});
  const te::Tensor greatest = builder.reduce("greatest", {rows}, {columns}, te::Reducer::Max,
                                             [&](const Indices& i, const Indices& r) {
                                               return x({i[0], r[0]});
                                             });
  const te::Tensor power = builder.compute("power", {rows, columns}, [&](const Indices& i) {
    return expr::unary(expr::UnaryOperator::Exp, x(i) - greatest({i[0]}));
  });
  const te::Tensor sum = builder.reduce("sum", {rows}, {columns}, te::Reducer::Sum,
                                        [&](const Indices& i, const Indices& r) {
                                          return power({i[0], r[0]});
                                        });
  const te::Tensor y = builder.compute("Y", {rows, columns},
                                       [&](const Indices& i) { return power(i) / sum({i[0]}); });
  return {fmt::format("softmax {}x{}", rows, columns),
          loop::lower(std::move(builder).finish({y}), "softmax"),
          5.0 * static_cast<double>(rows * columns)};
}

Kernel addition(std::int64_t channels, std::int64_t size) {
  te::Builder builder;
  const te::Tensor x =
      builder.placeholder("X", TensorType{DataType::Float32, {1, channels, size, size}});
  const te::Tensor y =
      builder.placeholder("Y", TensorType{DataType::Float32, {1, channels, size, size}});
  const te::Tensor z = builder.compute("Z", x.shape, [&](const Indices& i) {
    return expr::max(x(i) + y(i), expr::constant(x.type, 0));
  });
  return {fmt::format("add-relu {}x{} {}", size, size, channels),
          loop::lower(std::move(builder).finish({z}), "add"),
          2.0 * static_cast<double>(channels * size * size)};
}

std::vector<Kernel> kernels() {
  return {convolution(3, 64, 224, 7, 2, false),
          convolution(64, 64, 56, 1, 1, false),
          convolution(64, 64, 56, 3, 1, false),
          convolution(64, 256, 56, 1, 1, true),
          convolution(256, 64, 56, 1, 1, false),
          convolution(256, 128, 56, 1, 1, false),
          convolution(128, 128, 56, 3, 2, false),
          convolution(128, 512, 28, 1, 1, true),
          convolution(256, 512, 56, 1, 2, false),
          convolution(512, 128, 28, 1, 1, false),
          convolution(128, 128, 28, 3, 1, false),
          convolution(512, 256, 28, 1, 1, false),
          convolution(256, 256, 28, 3, 2, false),
          convolution(256, 1024, 14, 1, 1, true),
          convolution(512, 1024, 28, 1, 2, false),
          convolution(1024, 256, 14, 1, 1, false),
          convolution(256, 256, 14, 3, 1, false),
          convolution(1024, 512, 14, 1, 1, false),
          convolution(512, 512, 14, 3, 2, false),
          convolution(512, 2048, 7, 1, 1, true),
          convolution(1024, 2048, 14, 1, 2, false),
          convolution(2048, 512, 7, 1, 1, false),
          convolution(512, 512, 7, 3, 1, false),
          convolution(256, 256, 56, 3, 1, false),
          convolution(128, 128, 112, 3, 1, false),
          product(1, 128, 768, 3072, true, false),
          product(1, 1, 1000, 2048, true, true),
          product(1, 512, 512, 512, true, false),
          product(1, 128, 768, 768, true, false),
          product(1, 128, 3072, 768, true, false),
          product(1, 197, 768, 768, true, false),
          product(12, 128, 128, 64, false, true),
          product(12, 128, 64, 128, false, false),
          depthwise(32, 112, 1),
          depthwise(128, 56, 1),
          depthwise(512, 14, 1),
          depthwise(64, 112, 2),
          pooling(64, 112, false),
          pooling(2048, 7, true),
          softmax(1536, 128),
          addition(256, 56)};
}

void measure(const Kernel& kernel, const KernelBenchOptions& options) {
  const auto result = measured(kernel.func, options);
  if (!result) {
    fmt::print("{:<28} {}\n", kernel.name, to_string(result.error()));
    return;
  }
  const double median = result->time.median_ms, best = result->time.minimum_ms;
  fmt::print("{:<40} {:8.3f} ms {:8.1f} GFLOP/s {:7.1f} GB/s   best {:8.3f} ms {:8.1f} GFLOP/s\n",
             kernel.name, median, kernel.flops / median * 1e-6,
             result->gigabytes_per_second(median), best, kernel.flops / best * 1e-6);
}

Result<void> run(const KernelBenchOptions& options) {
  for (const Kernel& kernel : kernels())
    if (kernel.name.find(options.filter) != std::string::npos) measure(kernel, options);
  return {};
}

}  // namespace

}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::KernelBenchOptions>(
      count, arguments, "times the default schedule of single kernels",
      loopglass::add_kernel_options, loopglass::run);
}

// How accurate compiled sums are, however long: every operator that sums, against the same operator
// in double precision. The bound is what pairwise summation promises, which takes each term through
// log2(n) additions:
//
//   |computed - exact| <= u (log2(n) + few) max |exact|        u = 2^-24, n terms, all positive
//
// Adding one term after another promises only n instead of log2(n), and keeps no better: 10^8
// numbers between 0 and 1 stop at 16777216, where the next number is less than half a unit in the
// last place.
#include "core/loop/interpreter.h"
#include "core/ops/registry.h"
#include "tests/session/session_on.h"

#include <gtest/gtest.h>
#include <cmath>

namespace loopglass {
namespace {

using Ints = std::vector<std::int64_t>;
using ops::Attributes;

constexpr double unit = 0x1p-24;
// What is computed beside the sum: products, exponentials, a division, a root.
constexpr double few = 8;

// Uniform in (0, 1), the same for the same seed.
Tensor uniform(const Shape& shape, std::uint64_t seed) {
  Tensor tensor(TensorType{DataType::Float32, shape});
  std::uint64_t state = seed * 0x9E3779B97F4A7C15;
  for (float& element : tensor.as<float>()) {  // splitmix64
    std::uint64_t z = (state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    element = (static_cast<float>(z >> 41) + 0.5f) * 0x1p-23f;
  }
  return tensor;
}

Tensor in_double(const Tensor& tensor) {
  if (tensor.data_type() != DataType::Float32) return tensor;
  Tensor wide(TensorType{DataType::Float64, tensor.shape()});
  std::ranges::copy(tensor.as<float>(), wide.as<double>().begin());
  return wide;
}

// The operator as a compiled network of its own, the same on one thread as on two.
void run_compiled(const std::string& op, const std::vector<Tensor>& inputs,
                  const Attributes& attributes, Tensor& result) {
  graph::GraphBuilder builder("sum");
  std::vector<graph::ValueId> operands;
  for (const Tensor& input : inputs)
    operands.push_back(builder.add_input("x" + std::to_string(operands.size()), input.type()));
  auto node = builder.add_node("node", *ops::find_operator(op), operands, attributes);
  ASSERT_TRUE(node) << to_string(node.error());
  builder.set_outputs({builder.output(*node)});
  auto session = session_on(std::move(builder).finish().value());
  auto executor = session->executor();
  ASSERT_TRUE(executor) << to_string(executor.error());
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    auto results = (*executor)->run(inputs, pool);
    ASSERT_TRUE(results) << to_string(results.error());
    if (threads > 1) {
      ASSERT_TRUE(result.same_content(results->front())) << "threads change the result";
    }
    result = results->front();
  }
}

// `roundings`: how many the longest way from a term to its result may have, beside the few.
void expect_accurate(const std::string& op, const std::vector<Tensor>& inputs,
                     const Attributes& attributes, double roundings,
                     Attributes double_attributes = {}) {
  std::string what = op;
  for (const Tensor& input : inputs) what += " " + to_string(input.type());
  SCOPED_TRACE(what);
  Tensor computed;
  ASSERT_NO_FATAL_FAILURE(run_compiled(op, inputs, attributes, computed));
  std::vector<Tensor> wide;
  for (const Tensor& input : inputs) wide.push_back(in_double(input));
  for (const auto& [name, value] : attributes.all())
    if (!double_attributes.has(name)) double_attributes.set(name, value);
  const auto exact = loop::evaluate(*ops::find_operator(op), double_attributes, wide);
  ASSERT_TRUE(exact) << to_string(exact.error());
  double greatest = 0, error = 0;
  for (std::int64_t i = 0; i < computed.elements(); ++i) {
    const double value = exact->front().double_at(i);
    greatest = std::max(greatest, std::abs(value));
    error = std::max(error, std::abs(computed.double_at(i) - value));
  }
  if (std::getenv("SHOW"))
    std::printf("%-60s %8.2f of %8.2f u\n", what.c_str(), error / greatest / unit, roundings + few);
  EXPECT_LE(error, unit * (roundings + few) * greatest) << error / greatest / unit << " u";
}

double pairwise(double terms) { return std::log2(terms); }

// Lengths around those where blocks begin; a prime, which no block divides.
const Ints lengths{1000, 4097, 16'385, 100'003, 1'000'000, 9'999'991};

TEST(LongSums, OfEverythingAreAsGoodAsPairwise) {
  for (const std::int64_t n : lengths) {
    const std::vector<Tensor> x{uniform({n}, 1)};
    for (const char* op : {"ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                           "ReduceLogSum", "ReduceLogSumExp"})
      expect_accurate(op, x, {}, pairwise(static_cast<double>(n)));
    for (const char* op : {"ReduceMax", "ReduceMin"}) expect_accurate(op, x, {}, -few);
  }
}

TEST(LongSums, OfAHundredMillion) {
  expect_accurate("ReduceSum", {uniform({100'000'000}, 2)}, {}, pairwise(1e8));
}

// Every factor's rounding stays in a product, in whatever order they are multiplied.
TEST(LongSums, OfFactorsAreProducts) {
  for (const std::int64_t n : lengths) {
    Tensor x = uniform({n}, 3);
    for (float& element : x.as<float>()) element = 1 + (element - 0.5f) * 1e-3f;
    expect_accurate("ReduceProd", {x}, {}, static_cast<double>(n));
  }
}

TEST(LongSums, AlongAnAxis) {
  for (const std::int64_t n : {1000, 4097, 16'385, 100'003})
    for (const Shape& shape : {Shape{n, 5}, {5, n}, {2, n, 3}, {n, 33}, {33, n}}) {
      const std::int64_t axis = std::max_element(shape.begin(), shape.end()) - shape.begin();
      expect_accurate("ReduceSum", {uniform(shape, 4)}, {{"axes", Ints{axis}}},
                      pairwise(static_cast<double>(n)));
    }
  for (const Shape& shape : {Shape{1'000'000, 3}, {3, 1'000'000}})
    for (const char* op : {"ReduceMean", "ReduceLogSumExp"})
      expect_accurate(op, {uniform(shape, 4)}, {{"axes", Ints{shape[0] == 3}}}, pairwise(1e6));
  expect_accurate("ReduceMean", {uniform({300, 7, 400, 9}, 5)}, {{"axes", Ints{0, 2}}},
                  pairwise(120'000));
}

TEST(LongSums, OfImages) {
  const std::vector<Tensor> x{uniform({1, 3, 1000, 777}, 6)};
  for (const char* op : {"GlobalAveragePool", "GlobalLpPool"})
    expect_accurate(op, x, {}, pairwise(777'000));
  expect_accurate("AveragePool", x, {{"kernel_shape", Ints{999, 777}}}, pairwise(777'000));
}

// Normalised elements are about 1: what their mean and deviation are off by, they are off by.
TEST(LongSums, InNormalisations) {
  const double sum = 2 * pairwise(1e6);
  const Tensor rows = uniform({2, 1'000'000}, 7), images = uniform({1, 2, 1000, 1000}, 8);
  const Tensor two = uniform({2}, 9), many = uniform({1'000'000}, 10);
  expect_accurate("LayerNormalization", {rows, many, many}, {}, sum,
                  {{"stash_type", std::int64_t{11}}});
  expect_accurate("InstanceNormalization", {images, two, two}, {}, sum);
  expect_accurate("BatchNormalization", {images, two, two, two, two},
                  {{"training_mode", std::int64_t{1}}}, sum);
  expect_accurate("MeanVarianceNormalization", {images}, {}, sum);
  for (const std::int64_t p : {1, 2}) expect_accurate("LpNormalization", {rows}, {{"p", p}}, sum);
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    expect_accurate(op, {rows}, {}, sum);
    expect_accurate(op, {images}, {{"axis", std::int64_t{2}}}, sum);
  }
}

TEST(LongSums, InLosses) {
  const std::int64_t n = 300'000;
  Tensor target(TensorType{DataType::Int64, {n}});
  for (std::int64_t i = 0; i < n; ++i)
    target.as<std::int64_t>()[static_cast<std::size_t>(i)] = i % 3;
  for (const char* op : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"})
    expect_accurate(op, {uniform({n, 3}, 11), target}, {}, pairwise(static_cast<double>(n)));
}

// Tiles of products take up to 4096 terms in one register, or 512 of a longer sum, whose roundings
// are as often up as down.
double in_tiles(std::int64_t terms) {
  return pairwise(static_cast<double>(terms)) +
         std::sqrt(static_cast<double>(std::min<std::int64_t>(terms, 4096)));
}

TEST(LongSums, InMatrixProducts) {
  for (const std::int64_t k : {1000, 4096, 4097, 16'385, 100'003})
    for (const auto& [m, n] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 40}, {7, 1}, {5, 35}})
      expect_accurate("MatMul", {uniform({m, k}, 12), uniform({k, n}, 13)}, {}, in_tiles(k));
  expect_accurate("MatMul", {uniform({1, 1'000'000}, 12), uniform({1'000'000, 1}, 13)}, {},
                  pairwise(1e6));
  expect_accurate("Gemm", {uniform({20'000, 40}, 14), uniform({70, 20'000}, 15)},
                  {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}, in_tiles(20'000));
  expect_accurate("Einsum", {uniform({1000, 9, 300}, 16), uniform({1000, 300, 8}, 17)},
                  {{"equation", std::string("bik,bkj->ij")}}, in_tiles(300'000));
}

TEST(LongSums, InConvolutions) {
  expect_accurate("Conv", {uniform({1, 20'000, 4, 5}, 18), uniform({3, 20'000, 1, 1}, 19)}, {},
                  in_tiles(20'000));
  expect_accurate("Conv", {uniform({1, 3, 104, 103}, 20), uniform({5, 3, 100, 100}, 21)}, {},
                  in_tiles(30'000));
}

}  // namespace
}  // namespace loopglass

// Operators at sizes that no tile divides, through the whole chain with the default schedule:
// borders, tails, padding and strides of the machine code against the interpreter.
#include "tests/session/compiled_network.h"

#include "core/ops/registry.h"

namespace loopglass {
namespace {

using Ints = std::vector<std::int64_t>;
using ops::Attributes;

// A network of one operator; operands from `constants_from` on are constants, which schedules
// repack.
void expect_right(const std::string& op, const std::vector<TensorType>& operands,
                  const Attributes& attributes = {}, std::size_t constants_from = 99,
                  double absolute = 1e-4, double relative = 1e-3) {
  std::string what = op;
  for (const TensorType& type : operands) what += " " + to_string(type);
  SCOPED_TRACE(what);
  graph::GraphBuilder builder("one");
  std::vector<graph::ValueId> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string name = "x" + std::to_string(i);
    inputs.push_back(i < constants_from
                         ? builder.add_input(name, operands[i])
                         : builder.add_constant(name, runtime::random_tensor(operands[i], i + 10)));
  }
  auto node = builder.add_node("node", *ops::find_operator(op), inputs, attributes);
  ASSERT_TRUE(node) << to_string(node.error());
  builder.set_outputs({builder.output(*node)});
  auto session = session_on(std::move(builder).finish().value());
  expect_compiled_equals_interpreted(*session, absolute, relative);
}

TensorType f32(Shape shape) { return {DataType::Float32, std::move(shape)}; }

TEST(AwkwardShapes, Convolutions) {
  struct Case {
    Shape image, weight;
    std::int64_t group;
    Ints strides, pads, dilations;
  };
  for (const Case& c :
       std::vector<Case>{{{1, 3, 17, 19}, {5, 3, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
                         {{2, 7, 15, 15}, {33, 7, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}, {1, 1}},
                         {{1, 16, 14, 14}, {67, 16, 1, 1}, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}},
                         {{1, 8, 13, 29}, {16, 8, 1, 1}, 1, {3, 2}, {0, 0, 0, 0}, {1, 1}},
                         {{1, 12, 11, 23}, {12, 1, 3, 3}, 12, {1, 1}, {1, 1, 1, 1}, {1, 1}},
                         {{1, 12, 21, 23}, {12, 1, 5, 5}, 12, {2, 2}, {2, 1, 1, 2}, {1, 1}},
                         {{1, 12, 9, 9}, {18, 4, 3, 3}, 3, {1, 1}, {0, 1, 2, 3}, {1, 1}},
                         {{1, 4, 20, 18}, {9, 4, 3, 3}, 1, {1, 1}, {2, 2, 2, 2}, {2, 2}},
                         {{3, 1, 7, 7}, {1, 1, 7, 7}, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}}})
    expect_right(
        "Conv", {f32(c.image), f32(c.weight), f32({c.weight[0]})},
        {{"group", c.group}, {"strides", c.strides}, {"pads", c.pads}, {"dilations", c.dilations}},
        1);
}

// Zero times an infinity is no number, also in a border that is passed over where all weights are
// finite.
TEST(AwkwardShapes, BordersBesideInfiniteWeights) {
  for (const bool infinite : {false, true}) {
    graph::GraphBuilder builder("one");
    const auto x = builder.add_input("x", f32({1, 32, 7, 7}));
    Tensor weights = runtime::random_tensor(f32({32, 32, 3, 3}), 1);
    if (infinite) weights.as<float>()[0] = std::numeric_limits<float>::infinity();
    const auto w = builder.add_constant("w", weights);
    auto node =
        builder.add_node("node", *ops::find_operator("Conv"), {x, w}, {{"pads", Ints{1, 1, 1, 1}}});
    ASSERT_TRUE(node) << to_string(node.error());
    builder.set_outputs({builder.output(*node)});
    auto session = session_on(std::move(builder).finish().value());
    auto executor = session->executor({});
    ASSERT_TRUE(executor) << to_string(executor.error());
    const std::vector<Tensor> inputs{runtime::random_tensor(f32({1, 32, 7, 7}), 2)};
    runtime::ThreadPool pool(1);
    auto outputs = (*executor)->run(inputs, pool);
    ASSERT_TRUE(outputs) << to_string(outputs.error());
    // The first channel's first row and column are in reach of the border by the weight in
    // question.
    const std::span<const float> results = std::as_const(outputs->front()).as<float>();
    EXPECT_EQ(std::isnan(results[0]), infinite);
    EXPECT_EQ(std::isnan(results[3]), infinite);
    EXPECT_FALSE(std::isnan(results[49]));
  }
}

TEST(AwkwardShapes, MatrixProducts) {
  for (auto [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                 {1, 17, 5},
                                                                 {13, 1, 9},
                                                                 {3, 130, 64},
                                                                 {15, 33, 47},
                                                                 {29, 31, 2},
                                                                 {64, 65, 66},
                                                                 {1, 1000, 37}}) {
    expect_right("MatMul", {f32({m, k}), f32({k, n})});
    expect_right("MatMul", {f32({m, k}), f32({k, n})}, {}, 1);
    expect_right("Gemm", {f32({k, m}), f32({n, k}), f32({n})},
                 {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}, 1);
  }
  expect_right("MatMul", {f32({2, 3, 7, 11}), f32({2, 3, 11, 13})});
  expect_right("MatMul", {f32({3, 7, 11}), f32({11})});
  expect_right("MatMul", {{DataType::Float64, {9, 21}}, {DataType::Float64, {21, 19}}});
  expect_right("MatMul", {{DataType::Int32, {9, 21}}, {DataType::Int32, {21, 19}}});
  expect_right("MatMul", {{DataType::Float16, {5, 9}}, {DataType::Float16, {9, 21}}}, {}, 99, 0.05,
               0.05);
}

TEST(AwkwardShapes, Pooling) {
  for (Shape image : {Shape{1, 3, 17, 19}, Shape{2, 16, 13, 8}, Shape{1, 5, 7, 33}})
    for (std::string op : {"MaxPool", "AveragePool"})
      for (Ints strides : {Ints{1, 1}, Ints{2, 2}, Ints{3, 1}})
        expect_right(
            op, {f32(image)},
            {{"kernel_shape", Ints{3, 3}}, {"strides", strides}, {"pads", Ints{1, 1, 1, 1}}});
  expect_right("GlobalAveragePool", {f32({2, 19, 7, 7})});
}

TEST(AwkwardShapes, Normalisations) {
  for (Shape shape : {Shape{1, 1}, Shape{3, 17}, Shape{5, 1000}, Shape{2, 3, 4, 37}})
    expect_right("Softmax", {f32(shape)});
  expect_right("Softmax", {f32({3, 17, 5})}, {{"axis", std::int64_t{1}}});
  expect_right("LayerNormalization", {f32({3, 7, 65}), f32({65}), f32({65})}, {}, 1);
}

TEST(AwkwardShapes, MovementAndBroadcasting) {
  for (DataType type : {DataType::Float32, DataType::Int8, DataType::Int64, DataType::Bool}) {
    expect_right("Transpose", {{type, {7, 19, 33}}}, {{"perm", Ints{2, 0, 1}}});
    expect_right("Transpose", {{type, {35, 17}}}, {{"perm", Ints{1, 0}}});
    expect_right("Concat", {{type, {3, 7, 5}}, {type, {3, 2, 5}}}, {{"axis", std::int64_t{1}}});
  }
  for (DataType type : {DataType::Float32, DataType::Float64, DataType::Int32, DataType::UInt8,
                        DataType::Float16}) {
    expect_right("Add", {{type, {7, 1, 19}}, {type, {3, 1}}});
    expect_right("Mul", {{type, {2, 3, 5, 7}}, {type, {}}});
    expect_right("Div", {{type, {61}}, {type, {61}}});
  }
}

TEST(AwkwardShapes, EmptyTensors) {
  expect_right("Add", {f32({0, 5}), f32({5})});
  expect_right("MatMul", {f32({3, 0}), f32({0, 4})});
}

}  // namespace
}  // namespace loopglass

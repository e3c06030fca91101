// Quantised operators.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Tensor u8(Shape shape, std::initializer_list<std::uint8_t> values) {
  return Tensor::of<std::uint8_t>(std::move(shape), values);
}
Tensor i8(Shape shape, std::initializer_list<std::int8_t> values) {
  return Tensor::of<std::int8_t>(std::move(shape), values);
}
Tensor scale(float value) { return f32({}, {value}); }

TEST(QuantizeLinear, RoundsHalfToEvenAndSaturates) {
  const Tensor x = f32({7}, {0, 1, 3, 5, -3, 1000, -1000});
  expect_tensor(run("QuantizeLinear", {x, scale(2), u8({}, {128})}), {7},
                {128, 128, 130, 130, 126, 255, 0}, 0);
  const Tensor signed_bytes = run("QuantizeLinear", {x, scale(2), i8({}, {0})});
  EXPECT_EQ(signed_bytes.data_type(), DataType::Int8);
  expect_tensor(signed_bytes, {7}, {0, 0, 2, 2, -2, 127, -128}, 0);
  EXPECT_EQ(run("QuantizeLinear", {x, scale(2)}).data_type(), DataType::UInt8);
}

TEST(QuantizeLinear, ScalesAlongAnAxis) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  expect_tensor(run("QuantizeLinear", {x, f32({2}, {1, 2}), u8({2}, {0, 10})}), {2, 2},
                {1, 11, 3, 12}, 0);
  expect_tensor(run("QuantizeLinear", {x, f32({2}, {1, 2})}, {{"axis", std::int64_t{0}}}), {2, 2},
                {1, 2, 2, 2}, 0);
  EXPECT_THAT(refusal("QuantizeLinear", {x.type(), {DataType::Float32, {3}}}),
              StartsWith("LG2002: QuantizeLinear: input 1 is float32[3]"));
}

TEST(QuantizeLinear, MakesSixteenBitsOfHalves) {
  const Tensor x = f32({4}, {0, 1.5f, 1000, -1000});
  const Tensor zero = Tensor::of<std::uint16_t>({}, {32768});
  expect_tensor(run("QuantizeLinear", {x, scale(0.01f), zero}), {4}, {32768, 32918, 65535, 0}, 0);
  const Tensor halves = Tensor::of<Float16>({2}, {Float16(1.5f), Float16(-3.0f)});
  const Tensor half = Tensor::of<Float16>({}, {Float16(0.5f)});
  expect_tensor(run("QuantizeLinear", {halves, half, i8({}, {1})}), {2}, {4, -5}, 0);
  const Tensor back = run("DequantizeLinear", {Tensor::of<std::int16_t>({2}, {-300, 300}), half});
  EXPECT_EQ(back.data_type(), DataType::Float16);
  expect_tensor(back, {2}, {-150, 150}, 0);
}

TEST(QuantizeLinear, TakesItsTypeFromAnAttribute) {
  const Tensor x = f32({2}, {-3, 300});
  const Tensor made = run("QuantizeLinear", {x, scale(1)}, {{"output_dtype", std::int64_t{3}}});
  EXPECT_EQ(made.data_type(), DataType::Int8);
  expect_tensor(made, {2}, {-3, 127}, 0);
  EXPECT_THAT(refusal("QuantizeLinear", {x.type(), {DataType::Float32, {}}, {DataType::UInt8, {}}},
                      {{"output_dtype", std::int64_t{3}}}),
              StartsWith("LG2004: QuantizeLinear: output_dtype is int8, the zero point uint8[]"));
  EXPECT_THAT(refusal("QuantizeLinear", {x.type(), {DataType::Float32, {}}},
                      {{"output_dtype", std::int64_t{1}}}),
              StartsWith("LG2002: QuantizeLinear: output_dtype = 1 is not supported"));
}

// Three elements, in blocks of two: the last one is short.
TEST(QuantizeLinear, ScalesBlocks) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6}), scales = f32({2, 2}, {1, 2, 4, 0.5f});
  const Attributes blocks{{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}};
  const Tensor zeros = u8({2, 2}, {0, 1, 2, 3});
  const Tensor made = run("QuantizeLinear", {x, scales, zeros}, blocks);
  expect_tensor(made, {2, 3}, {1, 2, 3, 3, 3, 15}, 0);
  expect_tensor(run("DequantizeLinear", {made, scales, zeros}, blocks), {2, 3}, {1, 2, 4, 4, 4, 6});
  EXPECT_THAT(refusal("DequantizeLinear", {made.type(), {DataType::Float32, {2, 3}}}, blocks),
              StartsWith("LG2004: DequantizeLinear: input 1 is float32[2x3]; blocks of 2 want "
                         "float32[2x2]"));
}

TEST(DequantizeLinear, IsTheWayBack) {
  expect_tensor(run("DequantizeLinear", {u8({3}, {0, 128, 255}), scale(0.5f), u8({}, {128})}), {3},
                {-64, 0, 63.5});
  expect_tensor(
      run("DequantizeLinear", {i8({2, 1}, {-128, 127}), f32({2}, {1, 2}), i8({2}, {-128, 0})},
          {{"axis", std::int64_t{0}}}),
      {2, 1}, {0, 254});
  expect_tensor(run("DequantizeLinear", {i32({2}, {-70000, 70000}), scale(2)}), {2},
                {-140000, 140000});
  EXPECT_THAT(refusal("DequantizeLinear",
                      {{DataType::UInt8, {2}}, {DataType::Float32, {}}, {DataType::Int8, {}}}),
              StartsWith("LG2004"));
}

TEST(DynamicQuantizeLinear, SpreadsTheRangeOverTheBytes) {
  const auto outputs = run_all("DynamicQuantizeLinear", {f32({3}, {-1, 0, 4.1f})}, {}, 3);
  expect_tensor(outputs[1], {}, {0.02});
  expect_tensor(outputs[2], {}, {50}, 0);
  expect_tensor(outputs[0], {3}, {0, 50, 255}, 0);
  // The range is widened to hold 0, and nothing but zeros has a scale all the same.
  expect_tensor(run_all("DynamicQuantizeLinear", {f32({2}, {2.55f, 1})}, {}, 3)[0], {2}, {255, 100},
                0);
  const auto zeros = run_all("DynamicQuantizeLinear", {f32({2}, {0, 0})}, {}, 3);
  expect_tensor(zeros[0], {2}, {0, 0}, 0);
  expect_tensor(zeros[1], {}, {1});
}

// Padding is the zero point: it adds nothing.
TEST(ConvInteger, TakesZeroPointsAway) {
  const Tensor x = u8({1, 1, 3}, {2, 3, 4}), w = i8({2, 1, 2}, {1, 2, 3, 4});
  expect_tensor(run("ConvInteger", {x, w}), {1, 2, 2}, {8, 11, 18, 25}, 0);
  expect_tensor(run("ConvInteger", {x, w, u8({}, {2}), i8({}, {1})}, {{"pads", Integers{1, 1}}}),
                {1, 2, 4}, {0, 1, 2, 0, 0, 3, 8, 4}, 0);
  expect_tensor(run("ConvInteger", {x, w, u8({}, {2}), i8({2}, {1, 3})}), {1, 2, 2}, {1, 2, 1, 2},
                0);
  EXPECT_THAT(refusal("ConvInteger", {x.type(), w.type(), {DataType::UInt8, {2}}}),
              HasSubstr("input 2"));
}

TEST(ConvInteger, SumsInInt32) {
  const Tensor x = Tensor::of<std::uint8_t>({1, 1, 1000}, std::vector<std::uint8_t>(1000, 255));
  expect_tensor(run("ConvInteger", {x, x}), {1, 1, 1}, {255.0 * 255 * 1000}, 0);
}

TEST(QLinearConv, RescalesTheSumOfEachFilter) {
  const std::vector<Tensor> inputs{
      u8({1, 1, 2}, {12, 14}), scale(0.5f), u8({}, {10}), i8({2, 1, 2}, {1, 2, 3, 4}),
      f32({2}, {2, 4}),        i8({}, {0}), scale(3),     u8({}, {100}),
      i32({2}, {5, -5})};
  // (2*1 + 4*2 + 5) * (0.5*2/3) = 5 and (2*3 + 4*4 - 5) * (0.5*4/3) = 11.3.
  expect_tensor(run("QLinearConv", inputs), {1, 2, 1}, {105, 111}, 0);
}

TEST(MatMulInteger, ZeroPointsAreOneOrOneARowOrColumn) {
  const Tensor a = u8({2, 2}, {1, 2, 3, 4}), b = u8({2, 2}, {1, 0, 0, 1});
  expect_tensor(run("MatMulInteger", {a, b}), {2, 2}, {1, 2, 3, 4}, 0);
  expect_tensor(run("MatMulInteger", {a, b, u8({}, {1})}), {2, 2}, {0, 1, 2, 3}, 0);
  expect_tensor(run("MatMulInteger", {a, b, u8({2}, {1, 3})}), {2, 2}, {0, 1, 0, 1}, 0);
  expect_tensor(run("MatMulInteger", {a, b, u8({}, {0}), u8({2}, {0, 1})}), {2, 2}, {1, -1, 3, -3},
                0);
  EXPECT_THAT(refusal("MatMulInteger", {a.type(), b.type(), {DataType::UInt8, {2, 1}}}),
              StartsWith("LG2002"));
}

TEST(QLinearMatMul, RescalesTheProduct) {
  const std::vector<Tensor> inputs{
      u8({1, 2}, {12, 14}), scale(0.5f), u8({}, {10}), u8({2, 2}, {1, 3, 2, 4}),
      f32({2}, {2, 4}),     u8({}, {0}), scale(2),     u8({}, {200})};
  // 10 * 0.5 = 5 and 22 * 1 = 22.
  expect_tensor(run("QLinearMatMul", inputs), {1, 2}, {205, 222}, 0);
}

}  // namespace
}  // namespace loopglass::ops

// Scalar expressions: what the operators compute, what makers fold, and walking trees.
#include "core/expr/expr.h"
#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace loopglass::expr {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t folded(const Expr& e) {
  const auto* constant = e.as<IntConstant>();
  EXPECT_TRUE(constant) << to_string(e);
  return constant ? constant->value : -999;
}
double folded_float(const Expr& e) {
  const auto* constant = e.as<FloatConstant>();
  EXPECT_TRUE(constant) << to_string(e);
  return constant ? constant->value : -999;
}
Expr int8(std::int64_t value) { return integer(DataType::Int8, value); }
Expr uint8(std::int64_t value) { return integer(DataType::UInt8, value); }
Expr float32(double value) { return floating(DataType::Float32, value); }
Expr float16(double value) { return floating(DataType::Float16, value); }
Expr float64(double value) { return floating(DataType::Float64, value); }

TEST(Integers, WrapInTwosComplement) {
  EXPECT_EQ(folded(int8(127) + int8(1)), -128);
  EXPECT_EQ(folded(int8(-128) - int8(1)), 127);
  EXPECT_EQ(folded(int8(64) * int8(4)), 0);
  EXPECT_EQ(folded(uint8(0) - uint8(1)), 255);
  EXPECT_EQ(folded(-int8(-128)), -128);
  EXPECT_EQ(folded(unary(UnaryOperator::Abs, int8(-128))), -128);
  EXPECT_EQ(folded(Expr(std::numeric_limits<std::int64_t>::max()) + 1),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Integers, DivisionTruncatesAndFloorDivisionFloors) {
  EXPECT_EQ(folded(Expr(-7) / 2), -3);
  EXPECT_EQ(folded(binary(BinaryOperator::Mod, -7, 2)), -1);
  EXPECT_EQ(folded(floor_div(-7, 2)), -4);
  EXPECT_EQ(folded(floor_mod(-7, 2)), 1);
  EXPECT_EQ(folded(floor_div(7, -2)), -4);
  EXPECT_EQ(folded(floor_mod(7, -2)), -1);
}

TEST(Integers, DivisionByZeroGivesZeroAndTheLeastByMinusOneWraps) {
  for (const auto op : {BinaryOperator::Div, BinaryOperator::Mod, BinaryOperator::FloorDiv,
                        BinaryOperator::FloorMod}) {
    EXPECT_EQ(folded(binary(op, 7, 0)), 0) << name(op);
    EXPECT_EQ(folded(binary(op, uint8(7), uint8(0))), 0) << name(op);
  }
  EXPECT_EQ(folded(int8(-128) / int8(-1)), -128);
  EXPECT_EQ(folded(binary(BinaryOperator::Mod, int8(-128), int8(-1))), 0);
  EXPECT_EQ(folded(floor_div(int8(-128), int8(-1))), -128);
}

TEST(Integers, ShiftsByTheWidthOrMoreGiveZero) {
  EXPECT_EQ(folded(binary(BinaryOperator::ShiftLeft, uint8(1), uint8(7))), 128);
  EXPECT_EQ(folded(binary(BinaryOperator::ShiftLeft, uint8(1), uint8(8))), 0);
  EXPECT_EQ(folded(binary(BinaryOperator::ShiftRight, int8(-8), int8(1))), -4);
  EXPECT_EQ(folded(binary(BinaryOperator::ShiftRight, int8(-8), int8(8))), 0);
  EXPECT_EQ(folded(binary(BinaryOperator::ShiftRight, int8(-8), int8(-1))), 0);
}

TEST(Integers, PowersMultiplyWithWrapping) {
  EXPECT_EQ(folded(binary(BinaryOperator::Pow, 3, 4)), 81);
  EXPECT_EQ(folded(binary(BinaryOperator::Pow, int8(2), int8(8))), 0);
  EXPECT_EQ(folded(binary(BinaryOperator::Pow, 2, -1)), 0);
  EXPECT_EQ(folded(binary(BinaryOperator::Pow, -1, -3)), -1);
}

TEST(Integers, PairsAreMultipliedHalfByHalf) {
  const auto int32 = [](std::int64_t value) { return integer(DataType::Int32, value); };
  const auto pair_of = [&](std::int64_t first, std::int64_t second) {
    return pair(int32(first), int32(second));
  };
  EXPECT_EQ(folded(dot_pairs(pair_of(3, -5), pair_of(7, 11))), 3 * 7 - 5 * 11);
  EXPECT_EQ(folded(dot_pairs(pair_of(-32768, 0), pair_of(-32768, 9))), 1 << 30);
  EXPECT_EQ(folded(dot_pairs(pair_of(-32768, -32768), pair_of(-32768, -32768))),
            std::numeric_limits<std::int32_t>::min())
      << "wraps";
  EXPECT_EQ(folded(pair_of(65536 + 2, 3)), 3 * 65536 + 2) << "of each the low half";
}

TEST(Integers, QuadsAreMultipliedByteByByte) {
  const auto int32 = [](std::int64_t value) { return integer(DataType::Int32, value); };
  const auto quad_of = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return quad(int32(a), int32(b), int32(c), int32(d));
  };
  EXPECT_EQ(folded(dot_quads(quad_of(3, 5, 7, 11), quad_of(1, -2, 3, -4))), 3 - 10 + 21 - 44);
  EXPECT_EQ(folded(dot_quads(quad_of(255, 255, 255, 255), quad_of(-128, -128, -128, -128))),
            4 * 255 * -128)
      << "unsigned by signed";
  EXPECT_EQ(folded(dot_quads(quad_of(0, 0, 0, -1), quad_of(0, 0, 0, 127))), 255 * 127);
  EXPECT_EQ(folded(quad_of(256 + 2, 3, 512 + 4, 1024 + 5)), 0x05040302) << "of each the low byte";
}

TEST(Integers, UnsignedComparesAsUnsigned) {
  const Expr big = integer(DataType::UInt64, -1), small = integer(DataType::UInt64, 1);
  EXPECT_EQ(folded(small < big), 1);
  EXPECT_EQ(folded(max(small, big)), -1);
  EXPECT_EQ(to_string(big), "18446744073709551615u64");
}

TEST(Floats, RoundAfterEveryOperation) {
  EXPECT_EQ(folded_float(float32(1) + float32(1e-9)), 1.0);
  EXPECT_EQ(folded_float(float64(1) + float64(1e-9)), 1.0 + 1e-9);
  EXPECT_EQ(folded_float(float16(2048) + float16(1)), 2048.0);
  EXPECT_EQ(folded_float(float16(60000) * float16(2)), infinity);
  EXPECT_EQ(folded_float(float32(0.1)), static_cast<double>(0.1f));
}

TEST(Floats, MinAndMaxPropagateNan) {
  for (const auto op : {BinaryOperator::Min, BinaryOperator::Max}) {
    EXPECT_TRUE(std::isnan(folded_float(binary(op, float32(nan), float32(1))))) << name(op);
    EXPECT_TRUE(std::isnan(folded_float(binary(op, float32(1), float32(nan))))) << name(op);
  }
  EXPECT_EQ(folded_float(min(float32(1), float32(2))), 1);
  EXPECT_EQ(folded_float(max(float32(1), float32(2))), 2);
}

TEST(Floats, SignKeepsNanAndRoundingIsToEven) {
  EXPECT_TRUE(std::isnan(folded_float(unary(UnaryOperator::Sign, float32(nan)))));
  EXPECT_EQ(folded_float(unary(UnaryOperator::Sign, float32(-3))), -1);
  EXPECT_EQ(folded_float(unary(UnaryOperator::RoundEven, float32(2.5))), 2);
  EXPECT_EQ(folded_float(unary(UnaryOperator::RoundEven, float32(-1.5))), -2);
}

TEST(Floats, RemaindersFollowTheDividendOrTheDivisor) {
  EXPECT_EQ(folded_float(binary(BinaryOperator::Mod, float64(-7), float64(2))), -1);
  EXPECT_EQ(folded_float(floor_mod(float64(-7), float64(2))), 1);
  EXPECT_EQ(folded_float(floor_div(float64(-7), float64(2))), -4);
}

TEST(Casts, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(folded(cast(DataType::Int32, float32(-2.9))), -2);
  EXPECT_EQ(folded(cast(DataType::Int8, float32(300))), 127);
  EXPECT_EQ(folded(cast(DataType::UInt8, float32(-1))), 0);
  EXPECT_EQ(folded(cast(DataType::Int64, float64(1e30))), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(folded(cast(DataType::Int64, float64(-infinity))),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(folded(cast(DataType::Int32, float32(nan))), 0);
}

TEST(Casts, ToBoolIsNotZero) {
  EXPECT_EQ(folded(cast(DataType::Bool, float32(0.25))), 1);
  EXPECT_EQ(folded(cast(DataType::Bool, float32(-0.0))), 0);
  EXPECT_EQ(folded(cast(DataType::Bool, float32(nan))), 1);
  EXPECT_EQ(folded(cast(DataType::Bool, Expr(256))), 1);
  EXPECT_EQ(folded(cast(DataType::Int8, Expr(300))), 44);
  EXPECT_EQ(folded_float(cast(DataType::Float32, boolean(true))), 1);
}

TEST(Makers, DropNeutralElementsOfIndexArithmetic) {
  const Expr i = variable("i");
  EXPECT_EQ(to_string(i + 0), "i");
  EXPECT_EQ(to_string(0 + i), "i");
  EXPECT_EQ(to_string(i * 1), "i");
  EXPECT_EQ(to_string(i * 0), "0");
  EXPECT_EQ(to_string(floor_div(i, 1)), "i");
  EXPECT_EQ(to_string(floor_mod(i, 1)), "0");
  EXPECT_EQ(to_string(boolean(true) && i < 3), "i < 3");
  EXPECT_EQ(to_string(select(boolean(false), i, i + 1)), "i + 1");
}

TEST(Makers, LeaveFloatsAlone) {
  const Expr x = load(DataType::Float32, "X", {});
  EXPECT_EQ(to_string(x + float32(0)), "X[] + 0.0f");
  EXPECT_EQ(to_string(x * float32(0)), "X[] * 0.0f");
}

TEST(Makers, RefuseMixedAndMeaninglessTypes) {
  EXPECT_THROW(variable("i") + float32(1), InternalError);
  EXPECT_THROW(boolean(true) + boolean(true), InternalError);
  EXPECT_THROW(unary(UnaryOperator::Exp, Expr(1)), InternalError);
  EXPECT_THROW(variable("i") && variable("j"), InternalError);
  EXPECT_THROW(load(DataType::Float32, "X", {float32(0)}), InternalError);
}

TEST(Rewriting, SharesWhatDoesNotChange) {
  const Expr kept = variable("j") * 3, e = variable("i") + kept;
  const Expr changed = substitute(e, {{"i", Expr(5)}});
  EXPECT_EQ(to_string(changed), "5 + j * 3");
  EXPECT_EQ(changed.as<Binary>()->right.get(), kept.get());
  EXPECT_EQ(substitute(e, {{"k", Expr(5)}}).get(), e.get());
}

// (x + x) nested 60 times has 2^60 paths, but 61 nodes.
TEST(Rewriting, MeetsSharedNodesOnce) {
  Expr e = variable("i");
  for (int k = 0; k < 60; ++k) e = e + e;
  int nodes = 0;
  visit(e, [&](const Expr&) { ++nodes; });
  EXPECT_EQ(nodes, 61);
  EXPECT_EQ(as_integer(substitute(e, {{"i", Expr(1)}})), std::int64_t{1} << 60);
}

}  // namespace
}  // namespace loopglass::expr

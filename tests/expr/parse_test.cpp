// The text form of scalar expressions reads back to the same tree, construct by construct.
#include "core/expr/parse.h"

#include <gtest/gtest.h>
#include <limits>

namespace loopglass::expr {
namespace {

std::optional<DataType> buffer_types(std::string_view name) {
  if (name == "X") return DataType::Float32;
  if (name == "I") return DataType::Int64;
  if (name == "B") return DataType::Bool;
  if (name == "H") return DataType::Float16;
  if (name == "U") return DataType::UInt8;
  return std::nullopt;
}

void round_trip(std::string_view text) {
  const auto parsed = parse(text, buffer_types);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_EQ(to_string(*parsed), text);
}

void round_trip(const Expr& e) {
  const auto parsed = parse(to_string(e), buffer_types);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_TRUE(same(*parsed, e)) << to_string(e) << " became " << to_string(*parsed);
}

std::string refusal(std::string_view text) {
  const auto parsed = parse(text, buffer_types);
  return parsed ? "parsed as " + to_string(*parsed) : to_string(parsed.error());
}

TEST(RoundTrip, Precedence) {
  round_trip("i + j * k");
  round_trip("(i + j) * k");
  round_trip("i - (j - k)");
  round_trip("i - j - k");
  round_trip("i floordiv 4 * 4 + i floormod 4");
  round_trip("i floordiv (j * 4)");
  round_trip("i / 3 % 5");
  round_trip("i < 3 and j >= 2 or not i == j and i != 4");
  round_trip("(i < 3 or j > 2) and i <= j");
  round_trip("i & 6 | j ^ k << 2 >> 1");
  round_trip("i & 1 == 0");
  round_trip("i + 1 << 2 < k");
  round_trip("-(i + 1) * ~j");
  round_trip("-(-i)");
  round_trip("(i < j) == (j < k)");
}

TEST(RoundTrip, LoadsAndCalls) {
  round_trip("X[]");
  round_trip("X[i + 1, I[j]]");
  round_trip("select(i >= 1 and i < 9, X[i - 1, j], 0.0f)");
  round_trip("max(min(X[i], 6.0f), 0.0f)");
  round_trip("pow(X[i], 2.0f) + exp(-X[i])");
  round_trip("dot_pairs(2i32, int32(i)) + 1i32");
  round_trip("dot_quads(2i32, int32(i)) + 1i32");
  round_trip("round_even(X[i]) + reciprocal(sqrt(X[j]))");
  round_trip("is_nan(X[i]) or is_inf(X[j])");
  round_trip("float32(I[i]) * 0.5f");
  round_trip("int64(U[i]) + i");
  round_trip("not B[i]");
}

TEST(RoundTrip, EveryUnaryAndNamedFunction) {
  const Expr x = load(DataType::Float32, "X", {variable("i")});
  for (int op = static_cast<int>(UnaryOperator::Exp); op <= static_cast<int>(UnaryOperator::IsInf);
       ++op)
    round_trip(unary(static_cast<UnaryOperator>(op), x));
}

TEST(RoundTrip, ConstantsOfEveryType) {
  for (const std::int64_t value : {0, 1, -1, 100}) {
    for (const DataType type :
         {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64, DataType::UInt8,
          DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Bool})
      round_trip(integer(type, value));
    for (const DataType type : {DataType::Float16, DataType::Float32, DataType::Float64})
      round_trip(floating(type, static_cast<double>(value)));
  }
  round_trip(Expr(std::numeric_limits<std::int64_t>::min()));
  round_trip(Expr(std::numeric_limits<std::int64_t>::max()));
}

TEST(RoundTrip, FloatsToTheLastBit) {
  for (const double value :
       {0.1, -2.5e-7, 3.4e38, 1.17549435e-38, 1e-45, -0.0, 65504.0, 6e-8, 123456.789}) {
    round_trip(floating(DataType::Float16, value));
    round_trip(floating(DataType::Float32, value));
    round_trip(floating(DataType::Float64, value));
  }
}

TEST(RoundTrip, InfinitiesAndNan) {
  for (const DataType type : {DataType::Float16, DataType::Float32, DataType::Float64}) {
    round_trip(lowest(type));
    round_trip(highest(type));
  }
  EXPECT_EQ(to_string(lowest(DataType::Float32)), "float32(-inf)");
  EXPECT_EQ(to_string(*parse("float32(nan)")), "float32(nan)");
}

TEST(Text, TellsConstantsTypes) {
  EXPECT_EQ(to_string(floating(DataType::Float32, 1.5)), "1.5f");
  EXPECT_EQ(to_string(floating(DataType::Float64, 2)), "2.0");
  EXPECT_EQ(to_string(floating(DataType::Float16, 0.5)), "0.5h");
  EXPECT_EQ(to_string(integer(DataType::Int32, -3)), "-3i32");
  EXPECT_EQ(to_string(integer(DataType::UInt8, 3)), "3u8");
  EXPECT_EQ(to_string(boolean(true)), "true");
}

TEST(Text, NumbersTakeTheTypeOfWhatTheyMeet) {
  const auto read = [](const char* text) {
    const auto parsed = parse(text, buffer_types);
    return parsed ? to_string(*parsed) : to_string(parsed.error());
  };
  EXPECT_EQ(read("X[i] + 1"), "X[i] + 1.0f");
  EXPECT_EQ(read("select(i < 3, 0.5, 0) * X[i]"), "select(i < 3, 0.5f, 0.0f) * X[i]");
  EXPECT_EQ(read("max(X[i], select(i < 3, 1, select(j < 2, 2, 3)))"),
            "max(X[i], select(i < 3, 1.0f, select(j < 2, 2.0f, 3.0f)))");
  EXPECT_EQ(read("max(select(i < 3, 0.5, 0), 1) * X[i]"),
            "max(select(i < 3, 0.5f, 0.0f), 1.0f) * X[i]");
  EXPECT_EQ(read("-select(i < 3, 1, 0) * X[i]"), "-select(i < 3, 1.0f, 0.0f) * X[i]");
  EXPECT_EQ(read("(select(i < 3, 1, 0) + 1) * U[i]"), "(select(i < 3, 1u8, 0u8) + 1u8) * U[i]");
  EXPECT_NE(read("(1 - select(i < 3, 1, 0)) * U[i]").find("'*' of"), std::string::npos);
  EXPECT_NE(read("select(i < 3, 7, 1) / select(i < 2, 2, 1) * X[i]").find("'*' of"),
            std::string::npos);
  EXPECT_NE(read("select(i < 3, i, 0) * X[i]").find("'*' of int64 and float32"), std::string::npos);
}

TEST(Errors, PointAtTheSpot) {
  EXPECT_EQ(refusal("i + * j"),
            "error LG9001: expected an expression\n"
            "  i + * j\n"
            "      ^\n"
            "  at line 1, column 5");
  EXPECT_NE(refusal("i + 1.0f").find("'+' of int64 and float32"), std::string::npos);
  EXPECT_NE(refusal("exp(i)").find("'exp' of int64"), std::string::npos);
  EXPECT_NE(refusal("Y[i]").find("no buffer 'Y'"), std::string::npos);
  EXPECT_NE(refusal("X[1.0]").find("not int64"), std::string::npos);
  EXPECT_NE(refusal("i + 1 j").find("expected the end"), std::string::npos);
  EXPECT_NE(refusal("300u8").find("does not fit uint8"), std::string::npos);
  EXPECT_NE(refusal("sinus(X[i])").find("no function 'sinus'"), std::string::npos);
  EXPECT_NE(refusal("select(i, 1, 2)").find("not bool"), std::string::npos);
}

TEST(Errors, EndlessNestingIsRefused) {
  EXPECT_NE(refusal(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '-').append("i")).find("nested too deeply"),
            std::string::npos);
}

TEST(Names, AreWordsTheFormsDoNotUse) {
  EXPECT_TRUE(is_name("conv_1.weight"));
  for (const std::string_view bad : {"", "1x", "a b", "layer/0", "select", "for", "reduce"})
    EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_EQ(to_name("layer/0:out"), "layer_0_out");
  EXPECT_EQ(to_name("12"), "_12");
  EXPECT_EQ(to_name("for"), "for_");
  EXPECT_TRUE(is_name(to_name("")));
}

}  // namespace
}  // namespace loopglass::expr

// Scalar expressions: the bodies of tensor expressions and loop nests, and the index arithmetic in
// them. Immutable trees with shared nodes; an Expr is a value and cheap to copy.
//
// Meaning (the interpreter in core/loop is the reference):
// - Every node has an element type; operands of a binary operator have the same type; nothing
//   converts silently. Index expressions are int64.
// - Integers wrap in two's complement. Div on integers truncates towards zero and Mod follows it
//   (C's rule); FloorDiv and FloorMod round towards minus infinity. Division by zero gives 0 on
//   integers. Float16 and float32 round after every operation.
// - Comparisons, And, Or, Not give Bool. Min and Max on floats propagate NaN.
// - Select evaluates only the branch it takes, so a guarded load out of bounds is never performed.
// - Names are the identity of variables and buffers; whoever owns the tree (te::Program,
//   loop::Func) keeps them unique.
#pragma once

#include "core/tensor/data_type.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::expr {

struct Node;

class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  // Implicit on purpose: indices are written `i + 1`.
  Expr(std::int64_t value);  // int64 constant
  Expr(int value) : Expr(static_cast<std::int64_t>(value)) {}

  bool defined() const { return node_ != nullptr; }
  const Node& node() const { return *node_; }
  const Node* get() const { return node_.get(); }
  DataType type() const;
  template <class T>
  const T* as() const;  // the payload if it is a T, else nullptr

 private:
  std::shared_ptr<const Node> node_;
};

// clang-format off: tables
enum class UnaryOperator : std::uint8_t {
  Negate,
  Not,
  BitNot,
  Abs,
  Sign,
  Exp,
  Log,
  Sqrt,
  Reciprocal,
  Erf,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  IsNan,
  IsInf,  // give Bool
};

enum class BinaryOperator : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  FloorDiv,
  FloorMod,
  Pow,
  Min,
  Max,
  And,
  Or,  // Bool -> Bool
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,  // integers; a shift by the width or more gives 0
  DotPairs,    // int32: of pairs of int16, the low half first, the sum of both products, wrapping
  DotQuads,    // int32: of four bytes, the lowest first, unsigned on the left and signed on the
               // right, the sum of all products, wrapping
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,  // -> Bool
};

struct IntConstant {
  std::int64_t value;
};  // integers and Bool (0 or 1)
struct FloatConstant {
  double value;
};
struct Variable {
  std::string name;
};
struct Load {
  std::string buffer;
  std::vector<Expr> indices;
};
struct Unary {
  UnaryOperator op;
  Expr operand;
};
struct Binary {
  BinaryOperator op;
  Expr left, right;
};
struct Select {
  Expr condition, when_true, when_false;
};
struct Cast {
  Expr operand;
};  // to the node's type; float to integer truncates and saturates
// clang-format on

struct Node {
  DataType type;
  std::variant<IntConstant, FloatConstant, Variable, Load, Unary, Binary, Select, Cast> value;
};

inline DataType Expr::type() const { return node_->type; }
template <class T>
const T* Expr::as() const {
  return node_ ? std::get_if<T>(&node_->value) : nullptr;
}

// Makers. They CHECK types, and fold constants and the neutral elements of int64 index arithmetic
// (x + 0, x * 1, ...), nothing more; see simplify.h.
Expr integer(DataType type, std::int64_t value);
Expr floating(DataType type, double value);
Expr constant(DataType type, double value);  // whichever of the two fits the type
Expr boolean(bool value);
Expr variable(std::string name, DataType type = DataType::Int64);
Expr load(DataType type, std::string buffer, std::vector<Expr> indices);
Expr unary(UnaryOperator op, Expr operand);
Expr binary(BinaryOperator op, Expr left, Expr right);
Expr select(Expr condition, Expr when_true, Expr when_false);
Expr cast(DataType type, Expr operand);  // the operand itself when the type is already right

// Least and greatest value of a type: -inf/+inf for floats. Identities of Max and Min reductions.
Expr lowest(DataType type);
Expr highest(DataType type);

inline Expr operator+(Expr a, Expr b) {
  return binary(BinaryOperator::Add, std::move(a), std::move(b));
}
inline Expr operator-(Expr a, Expr b) {
  return binary(BinaryOperator::Sub, std::move(a), std::move(b));
}
inline Expr operator*(Expr a, Expr b) {
  return binary(BinaryOperator::Mul, std::move(a), std::move(b));
}
inline Expr operator/(Expr a, Expr b) {
  return binary(BinaryOperator::Div, std::move(a), std::move(b));
}
inline Expr operator-(Expr a) { return unary(UnaryOperator::Negate, std::move(a)); }
inline Expr absolute(Expr a) { return unary(UnaryOperator::Abs, std::move(a)); }
inline Expr exponential(Expr a) { return unary(UnaryOperator::Exp, std::move(a)); }
inline Expr floor(Expr a) { return unary(UnaryOperator::Floor, std::move(a)); }
inline Expr square(Expr a) { return binary(BinaryOperator::Mul, a, a); }
inline Expr square_root(Expr a) { return unary(UnaryOperator::Sqrt, std::move(a)); }
inline Expr floor_div(Expr a, Expr b) {
  return binary(BinaryOperator::FloorDiv, std::move(a), std::move(b));
}
inline Expr floor_mod(Expr a, Expr b) {
  return binary(BinaryOperator::FloorMod, std::move(a), std::move(b));
}
// One int32 of two int16: of the operands, int32 too, only the low halves are kept.
Expr pair(Expr first, Expr second);
inline Expr dot_pairs(Expr a, Expr b) {
  return binary(BinaryOperator::DotPairs, std::move(a), std::move(b));
}
// The same of four bytes: of the operands only the lowest are kept.
Expr quad(Expr first, Expr second, Expr third, Expr fourth);
inline Expr dot_quads(Expr unsigned_bytes, Expr signed_bytes) {
  return binary(BinaryOperator::DotQuads, std::move(unsigned_bytes), std::move(signed_bytes));
}
inline Expr min(Expr a, Expr b) { return binary(BinaryOperator::Min, std::move(a), std::move(b)); }
inline Expr max(Expr a, Expr b) { return binary(BinaryOperator::Max, std::move(a), std::move(b)); }
inline Expr operator<(Expr a, Expr b) {
  return binary(BinaryOperator::Less, std::move(a), std::move(b));
}
inline Expr operator<=(Expr a, Expr b) {
  return binary(BinaryOperator::LessEqual, std::move(a), std::move(b));
}
inline Expr operator>(Expr a, Expr b) {
  return binary(BinaryOperator::Greater, std::move(a), std::move(b));
}
inline Expr operator>=(Expr a, Expr b) {
  return binary(BinaryOperator::GreaterEqual, std::move(a), std::move(b));
}
// Named, because == on values means identity elsewhere.
inline Expr equal(Expr a, Expr b) {
  return binary(BinaryOperator::Equal, std::move(a), std::move(b));
}
inline Expr not_equal(Expr a, Expr b) {
  return binary(BinaryOperator::NotEqual, std::move(a), std::move(b));
}
inline Expr operator&&(Expr a, Expr b) {
  return binary(BinaryOperator::And, std::move(a), std::move(b));
}
inline Expr operator||(Expr a, Expr b) {
  return binary(BinaryOperator::Or, std::move(a), std::move(b));
}

// The int64 value of a constant index, if it is one.
std::optional<std::int64_t> as_integer(const Expr& e);

// Same tree (names, types, values compared; shared nodes shortcut).
bool same(const Expr& a, const Expr& b);

// "Exp", "+": names for printing, and whether an operator is written infix.
std::string_view name(UnaryOperator op);
std::string_view name(BinaryOperator op);

// Infix text with C precedence, parsed back by parse.h:
//   select(i0 >= 1 and i0 < 9, X[i0 - 1, i1], 0.0f)
// Constants carry their type as a suffix unless it is int64 or bool: 1.5f (float32), 1.5 (float64),
// 1.5h (float16), 3i32, 3u8.
std::string to_string(const Expr& e);

}  // namespace loopglass::expr

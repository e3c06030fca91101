// Making scalar expressions: type checks, constant folding and neutral elements.
#include "core/expr/expr.h"

#include "core/expr/arithmetic.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <bit>

namespace loopglass::expr {

namespace {

template <class T>
Expr make(DataType type, T value) {
  return Expr(std::make_shared<const Node>(Node{type, std::move(value)}));
}

template <class T>
Expr constant_of(T value) {
  if constexpr (is_float_type<T>) return floating(data_type_of<T>(), static_cast<double>(value));
  else return integer(data_type_of<T>(), static_cast<std::int64_t>(value));
}

// The constant as the C++ type of its element type.
template <class T>
std::optional<T> constant_as(const Expr& e) {
  if (const auto* whole = e.as<IntConstant>()) return static_cast<T>(whole->value);
  if (const auto* real = e.as<FloatConstant>()) return static_cast<T>(real->value);
  return std::nullopt;
}

Expr fold(UnaryOperator op, const Expr& operand) {
  return visit_type(operand.type(), [&](auto element) -> Expr {
    using T = decltype(element);
    const auto value = constant_as<T>(operand);
    if (!value) return {};
    return with_operator(op, [&](auto constant) -> Expr {
      if constexpr (accepts<T>(decltype(constant)::value))
        return constant_of(apply<decltype(constant)::value>(*value));
      else return {};
    });
  });
}

Expr fold(BinaryOperator op, const Expr& left, const Expr& right) {
  return visit_type(left.type(), [&](auto element) -> Expr {
    using T = decltype(element);
    const auto a = constant_as<T>(left), b = constant_as<T>(right);
    if (!a || !b) return {};
    return with_operator(op, [&](auto constant) -> Expr {
      if constexpr (accepts<T>(decltype(constant)::value))
        return constant_of(apply<decltype(constant)::value>(*a, *b));
      else return {};
    });
  });
}

// x + 0, 1 * x, x floordiv 1, ... on index arithmetic.
Expr drop_neutral(BinaryOperator op, const Expr& left, const Expr& right) {
  using enum BinaryOperator;
  const auto a = as_integer(left), b = as_integer(right);
  switch (op) {
    case Add: return a == 0 ? right : b == 0 ? left : Expr();
    case Sub: return b == 0 ? left : Expr();
    case Mul:
      if (a == 0 || b == 0) return 0;
      return a == 1 ? right : b == 1 ? left : Expr();
    case Div:
    case FloorDiv: return b == 1 ? left : Expr();
    case Mod:
    case FloorMod: return b == 1 ? Expr(0) : Expr();
    default: return {};
  }
}

Expr drop_neutral_bool(BinaryOperator op, const Expr& left, const Expr& right) {
  const bool is_and = op == BinaryOperator::And;
  if (const auto* a = left.as<IntConstant>()) return (a->value != 0) == is_and ? right : left;
  if (const auto* b = right.as<IntConstant>()) return (b->value != 0) == is_and ? left : right;
  return {};
}

bool same_all(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!same(a[k], b[k])) return false;
  return true;
}

struct SameVisitor {
  const Node& other;

  template <class T>
  const T& peer() const {
    return std::get<T>(other.value);
  }
  bool operator()(const IntConstant& v) const { return v.value == peer<IntConstant>().value; }
  // By bits: NaN is the same constant as NaN, and -0 is not 0.
  bool operator()(const FloatConstant& v) const {
    return std::bit_cast<std::uint64_t>(v.value) ==
           std::bit_cast<std::uint64_t>(peer<FloatConstant>().value);
  }
  bool operator()(const Variable& v) const { return v.name == peer<Variable>().name; }
  bool operator()(const Load& v) const {
    return v.buffer == peer<Load>().buffer && same_all(v.indices, peer<Load>().indices);
  }
  bool operator()(const Unary& v) const {
    return v.op == peer<Unary>().op && same(v.operand, peer<Unary>().operand);
  }
  bool operator()(const Binary& v) const {
    const auto& w = peer<Binary>();
    return v.op == w.op && same(v.left, w.left) && same(v.right, w.right);
  }
  bool operator()(const Select& v) const {
    const auto& w = peer<Select>();
    return same(v.condition, w.condition) && same(v.when_true, w.when_true) &&
           same(v.when_false, w.when_false);
  }
  bool operator()(const Cast& v) const { return same(v.operand, peer<Cast>().operand); }
};

}  // namespace

Expr::Expr(std::int64_t value) : Expr(integer(DataType::Int64, value)) {}

Expr integer(DataType type, std::int64_t value) {
  CHECK(!is_float(type), "an integer constant of a float type");
  // Kept in the range of its type, so that equal constants are the same.
  const std::int64_t wrapped = visit_type(type, [&](auto element) -> std::int64_t {
    using T = decltype(element);
    if constexpr (is_float_type<T>) return value;
    else return static_cast<std::int64_t>(static_cast<T>(value));
  });
  return make(type, IntConstant{wrapped});
}

Expr floating(DataType type, double value) {
  CHECK(is_float(type), "a float constant of an integer type");
  if (type == DataType::Float32) value = static_cast<double>(static_cast<float>(value));
  if (type == DataType::Float16) value = static_cast<double>(static_cast<Float16>(value));
  return make(type, FloatConstant{value});
}

Expr constant(DataType type, double value) {
  if (is_float(type)) return floating(type, value);
  return visit_type(type, [&](auto element) -> Expr {
    using T = decltype(element);
    if constexpr (is_float_type<T>) return {};
    else return constant_of(convert<T>(value));
  });
}

Expr boolean(bool value) { return integer(DataType::Bool, value); }

Expr variable(std::string name, DataType type) { return make(type, Variable{std::move(name)}); }

Expr load(DataType type, std::string buffer, std::vector<Expr> indices) {
  for (const Expr& index : indices)
    CHECK(index.defined() && index.type() == DataType::Int64,
          fmt::format("an index of '{}' is not int64", buffer));
  return make(type, Load{std::move(buffer), std::move(indices)});
}

Expr unary(UnaryOperator op, Expr operand) {
  CHECK(operand.defined(), fmt::format("operand of {} is undefined", name(op)));
  const DataType type = operand.type();
  CHECK(accepts(op, type), fmt::format("{} of {}", name(op), loopglass::name(type)));
  if (Expr folded = fold(op, operand); folded.defined()) return folded;
  return make(gives_bool(op) ? DataType::Bool : type, Unary{op, std::move(operand)});
}

Expr binary(BinaryOperator op, Expr left, Expr right) {
  CHECK(left.defined() && right.defined(), fmt::format("an operand of {} is undefined", name(op)));
  const DataType type = left.type();
  CHECK(type == right.type(),
        fmt::format("{} of {} and {}: {} {} {}", name(op), loopglass::name(type),
                    loopglass::name(right.type()), to_string(left), name(op), to_string(right)));
  CHECK(accepts(op, type), fmt::format("{} of {}", name(op), loopglass::name(type)));
  if (Expr folded = fold(op, left, right); folded.defined()) return folded;
  if (type == DataType::Int64)
    if (Expr plain = drop_neutral(op, left, right); plain.defined()) return plain;
  if (op == BinaryOperator::And || op == BinaryOperator::Or)
    if (Expr plain = drop_neutral_bool(op, left, right); plain.defined()) return plain;
  return make(gives_bool(op) ? DataType::Bool : type,
              Binary{op, std::move(left), std::move(right)});
}

Expr pair(Expr first, Expr second) {
  const auto constant = [](std::int64_t value) { return integer(DataType::Int32, value); };
  return binary(BinaryOperator::BitOr,
                binary(BinaryOperator::BitAnd, std::move(first), constant(0xffff)),
                binary(BinaryOperator::ShiftLeft, std::move(second), constant(16)));
}

Expr quad(Expr first, Expr second, Expr third, Expr fourth) {
  Expr word;
  for (std::int64_t byte = 3; Expr * each : {&fourth, &third, &second, &first}) {
    // Moved to the upper end, a byte loses what is above it.
    Expr part = byte == 3 ? std::move(*each)
                          : binary(BinaryOperator::BitAnd, std::move(*each),
                                   integer(DataType::Int32, 0xff));
    if (byte > 0)
      part = binary(BinaryOperator::ShiftLeft, std::move(part), integer(DataType::Int32, 8 * byte));
    word = word.defined() ? binary(BinaryOperator::BitOr, std::move(word), std::move(part))
                          : std::move(part);
    --byte;
  }
  return word;
}

Expr select(Expr condition, Expr when_true, Expr when_false) {
  CHECK(condition.defined() && when_true.defined() && when_false.defined(),
        "an operand of select is undefined");
  CHECK(condition.type() == DataType::Bool, "the condition of a select is not bool");
  CHECK(when_true.type() == when_false.type(), "the branches of a select differ in type");
  if (const auto* known = condition.as<IntConstant>()) return known->value ? when_true : when_false;
  const DataType type = when_true.type();
  return make(type, Select{std::move(condition), std::move(when_true), std::move(when_false)});
}

Expr cast(DataType type, Expr operand) {
  CHECK(operand.defined(), "operand of a cast is undefined");
  if (operand.type() == type) return operand;
  const Expr folded = visit_type(operand.type(), [&](auto from) -> Expr {
    const auto value = constant_as<decltype(from)>(operand);
    if (!value) return {};
    return visit_type(type, [&](auto to) { return constant_of(convert<decltype(to)>(*value)); });
  });
  return folded.defined() ? folded : make(type, Cast{std::move(operand)});
}

Expr lowest(DataType type) {
  return visit_type(type, [](auto element) {
    using T = decltype(element);
    if constexpr (is_float_type<T>)
      return floating(data_type_of<T>(), -std::numeric_limits<double>::infinity());
    else return constant_of(std::numeric_limits<T>::lowest());
  });
}

Expr highest(DataType type) {
  return visit_type(type, [](auto element) {
    using T = decltype(element);
    if constexpr (is_float_type<T>)
      return floating(data_type_of<T>(), std::numeric_limits<double>::infinity());
    else return constant_of(std::numeric_limits<T>::max());
  });
}

std::optional<std::int64_t> as_integer(const Expr& e) {
  const auto* whole = e.as<IntConstant>();
  if (!whole || e.type() != DataType::Int64) return std::nullopt;
  return whole->value;
}

bool same(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  if (!a.defined() || !b.defined()) return false;
  if (a.type() != b.type() || a.node().value.index() != b.node().value.index()) return false;
  return std::visit(SameVisitor{b.node()}, a.node().value);
}

}  // namespace loopglass::expr
